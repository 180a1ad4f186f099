//! A confined server cannot do what its rules do not grant, whatever it is asked.
//!
//! These servers are no attackers: they do what they are told, which is the point. A model that was
//! talked into reading `~/.ssh` asks them as politely as any other.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use jp_test::mcp::Program;

use super::{GRANTED, call, configure, with_server, world};

/// The server may serve the directory, as far as it knows. Its rules know better.
#[test]
fn a_denied_directory_stays_closed() {
    let env = world();
    env.write("granted/a.txt", "for everybody\n");
    env.write("denied/b.txt", "for nobody\n");
    let server = Program::filesystem(&[env.project()]);
    let read =
        |file: &str| call(&env, "read_text_file", &[&format!("path={}", env.path(file))]).run();

    configure(&env, &server, "");
    assert!(read("denied/b.txt").success().stdout().contains("for nobody"));

    configure(&env, &server, GRANTED);
    assert!(read("granted/a.txt").success().stdout().contains("for everybody"));
    let denied = read("denied/b.txt").code(1);
    assert!(!denied.stdout().contains("for nobody"), "{denied}");
    assert!(denied.stderr().contains("denied/b.txt"), "{denied}");

    let path = format!("path={}", env.path("granted/c.txt"));
    let written = call(&env, "write_file", &[&path, "content=new"]).run().code(1);
    assert!(!env.path("granted/c.txt").exists(), "{written}");
}

/// This server asks nobody what it may open; here it is the kernel that says no.
#[test]
fn a_server_that_knows_no_limits_has_them() {
    let env = world();
    let fact =
        r#"{"type":"entity","name":"Ada","entityType":"person","observations":["for nobody"]}"#;
    env.write("denied/facts.jsonl", fact);
    let server = Program::memory(&env.path("denied/facts.jsonl"));
    let recall = || call(&env, "read_graph", &[]).run().success();

    configure(&env, &server, "");
    assert!(recall().stdout().contains("for nobody"));

    configure(&env, &server, GRANTED);
    let output = recall();
    assert!(!output.stdout().contains("for nobody"), "{output}");
}

/// A server that was told of a directory that it must not read does not even start.
#[test]
fn a_server_of_a_denied_directory_says_so() {
    let env = world();
    env.write("denied/b.txt", "for nobody\n");
    let denied = env.path("denied");
    configure(&env, &Program::filesystem(&[&denied]), GRANTED);
    let output = call(&env, "read_text_file", &[&format!("path={denied}/b.txt")]).run().code(1);
    assert!(!output.to_string().contains("for nobody"), "{output}");
    assert!(
        output.stderr().contains("None of the specified directories are accessible"),
        "{output}"
    );
}

/// This server works in what its client calls roots, and forgets its command line.
#[test]
fn roots_are_no_wider_than_the_rules() {
    let env = world();
    env.write("granted/a.txt", "for everybody\n");
    env.write("denied/b.txt", "for nobody\n");
    let server = Program::filesystem(&[env.project()]);
    configure(&env, &server, GRANTED);
    // It looks at the roots by itself some time after it was told them, and answers meanwhile.
    let listed = || {
        let output = call(&env, "list_allowed_directories", &[]).run().success();
        let paths = output.stdout().lines().filter(|line| line.starts_with('/'));
        paths.map(str::to_owned).collect::<Vec<_>>()
    };
    let own = [env.project().to_string()];
    let listed = (0..20).map(|_| listed()).find(|listed| *listed != own);
    // What it needs to start is granted as well, and is nothing to work in.
    assert_eq!(listed.unwrap(), [env.path("granted").to_string()]);
}

/// The page is on this machine, which is network enough.
#[test]
fn the_network_stays_closed() {
    let (url, visits) = page();
    let env = with_server(&Program::fetch(), "");
    let fetch = || call(&env, "fetch", &[&format!("url={url}"), "raw=true"]).run();
    assert!(fetch().success().stdout().contains("words of the page"));
    let before = visits.load(Ordering::SeqCst);
    assert!(before > 0);

    configure(&env, &Program::fetch(), GRANTED);
    let output = fetch().code(1);
    assert!(!output.stdout().contains("words of the page"), "{output}");
    assert_eq!(visits.load(Ordering::SeqCst), before, "nobody came: {output}");
}

/// A page on the loopback address, and how often it was asked for.
fn page() -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("this machine has a loopback");
    let port = listener.local_addr().expect("it is bound").port();
    let url = format!("http://127.0.0.1:{port}/page");
    let visits = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&visits);
    // It ends with the test, which is a process of its own.
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            count.fetch_add(1, Ordering::SeqCst);
            let _ = stream.read(&mut [0; 4096]);
            let body = "<html><body><p>words of the page</p></body></html>";
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close";
            let _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        }
    });
    (url, visits)
}
