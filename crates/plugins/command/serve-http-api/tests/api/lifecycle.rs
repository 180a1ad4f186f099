//! From the first word to the last.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    time::{Duration, Instant},
};

use jp_test::Signal;
use serde_json::Value;

use crate::support::{JSON, World, head, read};

/// A request that has begun is finished, connections that wait are closed, and `jp` ends well.
#[test]
fn shutdown_finishes_what_has_begun() {
    for signal in [Signal::INT, Signal::TERM] {
        let api = World::new().start();
        let mut idle = api.connect();
        let (host, token) = (api.address.to_string(), format!("Bearer {}", api.token));
        let own = [("host", host.as_str()), ("authorization", token.as_str())];
        let keep = head("GET", "/v1/health", &own).replace("connection: close\r\n", "");
        idle.write_all(keep.as_bytes()).unwrap();
        idle.read_exact(&mut [0; 12]).unwrap();
        // Its body is missing when the end is asked for.
        let mut slow = api.connect();
        let headers: Vec<_> = own.into_iter().chain([JSON, ("content-length", "15")]).collect();
        slow.write_all(head("POST", "/v1/conversations", &headers).as_bytes()).unwrap();
        slow.write_all(b"{\"title\"").unwrap();
        std::thread::sleep(Duration::from_millis(200));
        api.running.signal(signal);
        std::thread::sleep(Duration::from_millis(300));
        assert!(std::net::TcpStream::connect(api.address).is_err(), "it still listens");
        slow.write_all(b":\"end\"}").unwrap();
        assert_eq!(read(&mut slow).json(201)["title"], "end");
        let _ = idle.read_to_end(&mut Vec::new());
        let output = api.running.wait().success();
        assert!(output.stderr().contains("Press Ctrl-C to stop."), "{output}");
    }
}

/// Whoever never finishes does not hold up the end.
#[test]
fn shutdown_does_not_wait_for_ever() {
    let api = World::new().start();
    let (host, token) = (api.address.to_string(), format!("Bearer {}", api.token));
    let own = [("host", host.as_str()), ("authorization", token.as_str()), JSON];
    let headers: Vec<_> = own.into_iter().chain([("content-length", "15")]).collect();
    let mut slow = api.connect();
    slow.write_all(head("POST", "/v1/conversations", &headers).as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(200));
    let began = Instant::now();
    api.running.signal(Signal::TERM);
    api.running.wait().success();
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
}

#[test]
fn what_cannot_be_done_is_said() {
    let world = World::new();
    let check = |words: &[&str], code: i32, want: &str| {
        let output = world.serve(words.iter().copied()).run().code(code);
        assert!(output.stderr().contains(want), "{output}");
        assert_eq!(output.stdout(), "");
    };
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port().to_string();
    check(&["--port", &port], 1, &format!("cannot listen on 127.0.0.1:{port}"));
    check(&["--prot", "1"], 2, "unexpected argument '--prot' found");
    check(&["--bind", "0.0.0.0"], 2, "no token is given: add `--token-file FILE`");
    let settings = |text: &str| {
        let head = "[plugins.command.serve-http-api.options]\n";
        world.env.write(".jp/config.toml", format!("{head}{text}\n"));
    };
    settings("bind = \"0.0.0.0\"");
    check(&[], 2, "with `--bind 0.0.0.0` and `--token-file FILE`");
    // Whoever wrote the workspace would know these.
    settings("token = \"0123456789abcdef\"");
    check(&[], 2, "serve-http-api.options.token` is not used");
    world.env.write("token", "0123456789abcdef");
    settings(&format!("token_file = \"{}\"", world.env.path("token")));
    check(&[], 2, "is in the workspace, and is named by the settings");
}

#[test]
fn a_token_of_the_user_is_not_shown() {
    let world = World::new();
    world.env.write("token", "0123456789abcdef\n");
    let path = world.env.path("token");
    let running = world.serve(["--port", "0", "--token-file", path.as_str()]).spawn();
    running.expect_stdout("/v1\n");
    let text = running.stdout_so_far();
    let address = text.strip_prefix("Listening on http://").unwrap().trim_end();
    let address = address.strip_suffix("/v1").unwrap();
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let headers = [("host", address), ("authorization", "Bearer 0123456789abcdef")];
    stream.write_all(head("GET", "/v1/health", &headers).as_bytes()).unwrap();
    assert_eq!(read(&mut stream).json(200)["status"], "ok");
    running.signal(Signal::TERM);
    let output = running.wait().success();
    assert!(!output.to_string().contains("0123456789abcdef"), "{output}");
}

#[test]
fn help_and_document_need_no_server() {
    let world = World::new();
    let output = world.serve(["-h"]).run().success();
    insta::assert_snapshot!(output.stdout(), @"
    Serve the conversations of this workspace as JSON over HTTP

    Usage: jp serve http-api [OPTIONS]

    Options:
      -p, --port <PORT>        Port to listen on; 0 takes any that is free
          --bind <ADDRESS>     Address to listen on; one that other machines can reach needs a token
          --token-file <FILE>  File with the token that has to be known
          --allow-host <NAME>  Another name by which this server may be called
          --openapi            Print the OpenAPI document and end
      -h, --help               Print help

    Listens on 127.0.0.1:3142, unless flags or `[plugins.command.serve-http-api.options]` say otherwise.

    Every request needs the token, which is printed once at the start unless you choose your own:

      curl -H 'Authorization: Bearer TOKEN' http://127.0.0.1:3142/v1/conversations

    The OpenAPI document is at /v1/openapi.json.
    ");
    let output = world.serve(["--openapi"]).run().success();
    let document: Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(document["info"]["title"], "jp serve http-api");
}
