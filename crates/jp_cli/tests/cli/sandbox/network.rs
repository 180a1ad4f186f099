//! Who can be talked to: everybody, nobody, or whom the rules name.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

use insta::{allow_duplicates, assert_snapshot};
use jp_test::{Output, TestEnv};

use super::{confined, world};

/// A server on this machine that says hello to whoever asks, and its port.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("this machine has a loopback");
    let port = listener.local_addr().expect("it is bound").port();
    // It ends with the test, which is a process of its own.
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(
                b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\nhello\n",
            );
        }
    });
    port
}

/// Asks for a page and says what came of it.
fn fetch(env: &TestEnv, options: &[&str], port: u16) -> Output {
    env.write("fetch.py", FETCH);
    let url = format!("http://127.0.0.1:{port}/");
    let output = confined(env, options, &["/usr/bin/python3", "fetch.py", &url]).run();
    output.replace(port.to_string(), "$PORT")
}

const FETCH: &str = "import sys, urllib.error, urllib.request
try:
    print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())
except urllib.error.HTTPError as error:
    sys.exit(f'{error.code} {error.read().decode()}')
except OSError as error:
    sys.exit(str(error))
";

/// Tries to reach hosts at a port without asking a proxy, in several ways.
const DIRECT: &str = "import socket, sys
port = int(sys.argv[1])
ways = [('tcp', socket.SOCK_STREAM, 0), ('mptcp', socket.SOCK_STREAM, 262), ('udp', socket.SOCK_DGRAM, 0)]
for name, kind, protocol in ways:
    for host in sys.argv[2:]:
        try:
            one = socket.socket(socket.AF_INET, kind, protocol)
            one.settimeout(3)
            one.connect((host, port))
            one.sendall(b'GET / HTTP/1.0\\r\\n\\r\\n')
            print(name, host, 'answered', one.recv(15))
        except OSError as error:
            print(name, host, error.strerror or error)";

/// 076-025
#[test]
fn without_rules_the_network_is_left_alone() {
    let env = world();
    let output = fetch(&env, &[], server()).success();
    assert_eq!(output.stdout(), "hello\n\n");
}

/// 076-283
#[test]
fn rules_that_allow_nothing_mean_no_network() {
    let env = world();
    let port = server();
    env.write("policy.toml", "[[access.net]]\nhost = \"127.0.0.1\"\n");
    let program = ["/usr/bin/python3", "-c", DIRECT, &port.to_string(), "127.0.0.1"];
    let open = confined(&env, &["--cfg", "sandbox.default=off"], &program).run().success();
    assert_eq!(open.stdout().matches("tcp 127.0.0.1 answered").count(), 2, "{open}");
    let program = [&program[..], &["192.0.2.1"]].concat();
    for options in [["--policy", "policy.toml"], ["--cfg", "sandbox.default=strict"]] {
        let output = confined(&env, &options, &program).run().success();
        allow_duplicates! { assert_snapshot!(output.normalized_stdout(), @"
        tcp 127.0.0.1 Connection refused
        tcp 192.0.2.1 Network is unreachable
        mptcp 127.0.0.1 Connection refused
        mptcp 192.0.2.1 Network is unreachable
        udp 127.0.0.1 Connection refused
        udp 192.0.2.1 Network is unreachable
        ") };
    }
}

/// 076-284
#[test]
fn rules_by_host_are_kept_by_the_proxy() {
    let env = world();
    let (named, other) = (server(), server());
    env.write(
        "policy.toml",
        format!("[[access.net]]\nhost = \"127.0.0.1\"\nport = {named}\nallow = true\n"),
    );
    let output = fetch(&env, &["--policy", "policy.toml"], named).success();
    assert_eq!(output.stdout(), "hello\n\n");
    let refused = fetch(&env, &["--policy", "policy.toml"], other).code(1).normalized_stderr();
    assert!(refused.starts_with("403 access denied: http://127.0.0.1:$PORT/"), "{refused}");
    let (_, report) = refused.split_once("The sandbox denied:\n").unwrap();
    assert_snapshot!(report, @"
    connect to http://127.0.0.1:$PORT/ (no rule allows it)
      to allow it: --net 127.0.0.1:$PORT
    ");
    // Who does not ask the proxy reaches nobody.
    let program = ["/usr/bin/python3", "-c", DIRECT, &named.to_string(), "127.0.0.1"];
    let output = confined(&env, &["--policy", "policy.toml"], &program).run().success();
    assert!(!output.stdout().contains("answered"), "{output}");
}

#[test]
fn what_is_allowed_goes_through_the_proxy_of_this_machine() {
    let env = world();
    env.write("policy.toml", "[[access.net]]\nhost = \"far.example\"\nallow = true\n");
    env.write("fetch.py", FETCH);
    let fetch = |variable: &str, proxy: &str, url: &str| {
        let program = ["/usr/bin/python3", "fetch.py", url];
        confined(&env, &["--policy", "policy.toml"], &program).env(variable, proxy).run()
    };
    // It answers whatever it is asked for, so that nobody has to know the host.
    let next = format!("http://127.0.0.1:{}", server());
    for variable in ["HTTP_PROXY", "http_proxy"] {
        let output = fetch(variable, &next, "http://far.example/").success();
        assert_eq!(output.stdout(), "hello\n\n", "{variable}");
    }
    let refused = fetch("HTTP_PROXY", &next, "http://other.example/").code(1);
    assert!(refused.stderr().starts_with("403 access denied: http://other.example/"), "{refused}");
    let output = fetch("HTTP_PROXY", "socks5://127.0.0.1:1", "http://far.example/");
    assert_snapshot!(output.code(1).stderr(), @"error: cannot use the proxy of this machine: proxies that speak socks5 are not supported; use one that speaks http");
}

#[test]
fn options_open_and_close_the_network() {
    let env = world();
    let (named, other) = (server(), server());
    let host = format!("127.0.0.1:{named}");
    assert_eq!(fetch(&env, &["--net", &host], named).success().stdout(), "hello\n\n");
    let refused = fetch(&env, &["--net", &host], other).code(1).normalized_stderr();
    let (_, report) = refused.split_once("The sandbox denied:\n").unwrap();
    assert_snapshot!(report, @"
    connect to http://127.0.0.1:$PORT/ (no rule allows it)
      to allow it: --net 127.0.0.1:$PORT
    ");
    env.write(
        "policy.toml",
        format!("[[access.net]]\nhost = \"127.0.0.1\"\nport = {named}\nallow = true\n"),
    );
    fetch(&env, &["--policy", "policy.toml"], named).success();
    fetch(&env, &["--policy", "policy.toml", "--no-net"], named).code(1);
}

/// The address of who looks names up is not the host that was asked for.
#[test]
fn advice_names_what_was_asked_for_or_nothing() {
    let env = world();
    let program = "import socket, sys
for port in 53, 80:
    one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    try:
        one.connect(('192.0.2.1', port))
    except OSError:
        pass
sys.exit(1)";
    let report = |options: &[&str]| {
        let output = confined(&env, options, &["/usr/bin/python3", "-c", program]).run().code(1);
        output.normalized_stderr()
    };
    assert_snapshot!(report(&["--no-net"]), @"
    The sandbox denied:
      look up the name of a host (there is no network)
      connect to 192.0.2.1:80 (there is no network)
        to allow it: --net 192.0.2.1:80
    ");
    assert_snapshot!(report(&["--net", "example.org"]), @"
    The sandbox denied:
      look up the name of a host (the only way out is the proxy in HTTP_PROXY and HTTPS_PROXY)
      connect to 192.0.2.1:80 (the only way out is the proxy in HTTP_PROXY and HTTPS_PROXY)
    ");
}
