//! Clients that take more than their share.

use std::{
    io::{Read as _, Write as _},
    time::{Duration, Instant},
};

use crate::{
    http::{connect, parse, send},
    store,
    web::{Web, workspace},
};

#[test]
fn headers_are_bounded() {
    let env = workspace();
    let web = Web::start_open(&env);
    let send = |text: &str| {
        let mut stream = connect(web.host());
        // The server may have said no before everything is written.
        let _ = stream.write_all(text.as_bytes());
        let mut bytes = Vec::new();
        let _ = stream.read_to_end(&mut bytes);
        parse(&bytes).status
    };
    let host = web.host();
    assert_eq!(send(&format!("GET /{} HTTP/1.1\r\nHost: {host}\r\n\r\n", "a".repeat(20_000))), 431);
    let fields: String = (0..100).map(|n| format!("X-{n}: 1\r\n")).collect();
    assert_eq!(send(&format!("GET / HTTP/1.1\r\nHost: {host}\r\n{fields}\r\n")), 431);
    assert_eq!(send("no HTTP at all\r\n\r\n"), 400);
    web.get("/").expect(200);
}

/// Somebody who sends a header letter by letter, somebody who stops within it, and somebody who never
/// asks are hung up on; meanwhile everybody else is served.
#[test]
fn a_slow_client_is_hung_up_on() {
    let env = workspace();
    let web = Web::start_open(&env);
    let began = Instant::now();
    let mut idle: Vec<_> = (0..100).map(|_| connect(web.host())).collect();
    for stream in &mut idle[..50] {
        stream.write_all(b"GET / HTTP/1.1\r\n").unwrap();
    }
    web.get("/").expect(200);
    // With every letter the connection is a bit less idle, and all the same it is not waited for.
    let mut slow = connect(web.host());
    slow.write_all(b"GET / HTTP/1.1\r\nX: ").unwrap();
    while slow.write_all(b"x").is_ok() {
        assert!(began.elapsed() < Duration::from_mins(1), "letters are still taken");
        std::thread::sleep(Duration::from_millis(100));
    }
    for stream in &mut idle {
        let mut rest = Vec::new();
        let _ = stream.read_to_end(&mut rest);
        assert!(began.elapsed() < Duration::from_mins(1), "still there");
    }
    web.get("/").expect(200);
}

/// Somebody asks for a lot and reads nothing of it: pages are served, and the next one who wants a lot
/// gets it when the first are hung up on.
#[test]
fn answers_on_their_way_are_bounded() {
    let env = workspace();
    let long = store::write_long(&env, "17");
    let web = Web::start_open(&env);
    web.warm("17");
    let ask = || {
        let mut stream = connect(web.host());
        send(&mut stream, "GET /c/17/events/1/raw", &[&format!("Host: {}", web.host())], "");
        stream
    };
    let mut first: Vec<_> = (0..4).map(|_| ask()).collect();
    for stream in &mut first {
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        assert_eq!(parse(&head).status, 200);
    }
    let mut fifth = ask();
    fifth.set_read_timeout(Some(Duration::from_secs(2))).unwrap();
    assert!(fifth.read(&mut [0; 12]).is_err(), "it was answered although four are on their way");
    web.get("/c/17").expect(200);
    drop(first);
    fifth.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let mut bytes = Vec::new();
    fifth.read_to_end(&mut bytes).unwrap();
    assert_eq!(parse(&bytes).expect(200).body.len(), long.len());
}

/// Code that a grammar is slow with costs a page some of its colors, and others nothing: not even where
/// somebody asks for it again and again, and goes away.
#[test]
fn slow_code_holds_nobody_up() {
    let env = workspace();
    let code = ("a-".repeat(99) + "\n").repeat(1_000);
    let slow = store::turn("slow?", &format!("```less\n{code}```\n"));
    store::write(&env, "17", None, "2026-03-18T13:19:13Z", &slow);
    store::write(&env, "18", None, "2026-03-18T13:19:13Z", &store::turn("quick?", "yes"));
    let web = Web::start_open(&env);
    let began = Instant::now();
    for _ in 0..6 {
        let mut stream = connect(web.host());
        send(&mut stream, "GET /c/17", &[&format!("Host: {}", web.host())], "");
        std::thread::sleep(Duration::from_millis(200));
    }
    assert!(web.get("/c/18").expect(200).body.contains("yes"));
    let page = web.get("/c/17").expect(200).body;
    assert!(page.contains(&"a-".repeat(99)), "a line of it is not there");
    assert!(began.elapsed() < Duration::from_secs(25), "{:?}", began.elapsed());
}

/// Pages that listen take a connection each, so there is an end to them; pages are served all the same.
#[test]
fn listeners_are_bounded() {
    let env = workspace();
    let web = Web::start_open(&env);
    let listen = || {
        let mut stream = connect(web.host());
        write!(stream, "GET /live HTTP/1.1\r\nHost: {}\r\n\r\n", web.host()).unwrap();
        let mut head = [0; 12];
        stream.read_exact(&mut head).unwrap();
        (stream, parse(&head).status)
    };
    let listeners: Vec<_> = (0..64).map(|_| listen()).collect();
    assert!(listeners.iter().all(|(_, status)| *status == 200));
    assert_eq!(listen().1, 503);
    web.get("/").expect(200);
    drop(listeners);
    let again = (0..100).any(|_| {
        std::thread::sleep(Duration::from_millis(200));
        listen().1 == 200
    });
    assert!(again, "places of pages that are gone are not given back");
}
