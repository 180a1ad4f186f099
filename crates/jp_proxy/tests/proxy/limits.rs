//! Too many, too long, too slow.

use std::{
    thread,
    time::{Duration, Instant},
};

use jp_proxy::ProxyLimits;

use crate::support::*;

#[test]
fn two_hundred_connections_at_a_time() {
    let echo = echo();
    let limits = ProxyLimits { connections: 256, ..ProxyLimits::default() };
    let proxy = start(configured(vec![allow("127.0.0.1", echo.port())]).limits(limits));
    let mut tools: Vec<_> = (0..200).map(|_| Tool::new(&proxy)).collect();
    for tool in &mut tools {
        tool.send(format!("CONNECT {echo} HTTP/1.1\r\n\r\n"));
    }
    for (number, tool) in tools.iter_mut().enumerate() {
        assert_eq!(tool.answer().status, 200);
        tool.send(format!("{number:03}"));
    }
    for (number, tool) in tools.iter_mut().enumerate() {
        assert_eq!(tool.bytes(3), format!("{number:03}").as_bytes());
    }
    assert_eq!(proxy.stop().tunnels, 200);
}

#[test]
fn one_connection_too_many_is_told_so_and_a_free_place_is_used_again() {
    let echo = echo();
    let limits = ProxyLimits { connections: 8, ..ProxyLimits::default() };
    let proxy = start(configured(vec![allow("127.0.0.1", echo.port())]).limits(limits));
    let mut tools: Vec<_> = (0..8).map(|_| Tool::new(&proxy)).collect();
    for tool in &mut tools {
        assert_eq!(tool.connect(&echo.to_string()).status, 200);
    }
    let answer = Tool::new(&proxy).connect(&echo.to_string());
    assert_eq!(answer.status, 503);
    assert_eq!(answer.body, "too many connections to the proxy at a time");
    // A tunnel gives its place back when it ends, not when it was opened.
    let mut last = tools.pop().unwrap();
    last.end_writing();
    assert_eq!(last.rest(), b"bye");
    let began = Instant::now();
    while Tool::new(&proxy).connect(&echo.to_string()).status != 200 {
        assert!(began.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(10));
    }
    assert!(proxy.stop().turned_away >= 1);
}

#[test]
fn by_default_there_are_128_places() {
    let proxy = proxy(vec![]);
    let mut tools: Vec<_> = (0..200).map(|_| Tool::new(&proxy)).collect();
    for tool in &mut tools[..128] {
        assert_eq!(tool.get("http://a.test/").status, 403);
    }
    let began = Instant::now();
    while proxy.report().turned_away < 72 {
        assert!(began.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(proxy.stop().turned_away, 72);
}

#[test]
fn a_head_that_is_too_long_is_refused() {
    let origin = Origin::new();
    let proxy = proxy(vec![allow("127.0.0.1", origin.port())]);
    let get = |value: usize| {
        format!("GET {} HTTP/1.1\r\nX: {}\r\n\r\n", origin.url("/"), "y".repeat(value))
    };
    assert_eq!(Tool::new(&proxy).ask(get(60_000)).status, 200);
    assert_eq!(Tool::new(&proxy).ask(get(70_000)).status, 431);
    let many: String = (0..200).map(|number| format!("X{number}: y\r\n")).collect();
    let many = format!("GET {} HTTP/1.1\r\n{many}\r\n", origin.url("/"));
    assert_eq!(Tool::new(&proxy).ask(many).status, 431);
    let long = format!("GET {}{} HTTP/1.1\r\n\r\n", origin.url("/"), "x".repeat(70_000));
    assert!([414, 431].contains(&Tool::new(&proxy).ask(long).status));
    assert_eq!(origin.asked().len(), 1);
}

#[test]
fn a_head_that_never_ends_is_not_waited_for() {
    let proxy = start(configured(vec![]).limits(short()));
    for beginning in ["", "GET http://a.test/ HTTP/1.1\r\nX: y\r\n"] {
        let mut tool = Tool::new(&proxy);
        let began = Instant::now();
        tool.send(beginning);
        assert_eq!(tool.rest(), b"");
        assert!(began.elapsed() < Duration::from_secs(3));
    }
    // Drop by drop helps nobody.
    let mut tool = Tool::new(&proxy);
    let began = Instant::now();
    tool.send("GET http://a.test/ HTTP/1.1\r\n");
    while tool.try_send("X: y\r\n") {
        assert!(began.elapsed() < Duration::from_secs(3));
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_server_that_never_answers_is_a_timeout() {
    let origin = Origin::new();
    let proxy = start(configured(vec![allow("127.0.0.1", origin.port())]).limits(short()));
    let mut tool = Tool::new(&proxy);
    assert_eq!(tool.get(&origin.url("/never")).status, 504);
    assert_eq!(tool.get(&origin.url("/")).status, 200);
}

#[test]
fn a_server_that_stops_in_the_middle_ends_the_answer() {
    let stops = raw(|mut stream| {
        use std::io::{Read, Write};
        let _ = stream.read(&mut [0; 1000]);
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
        thread::sleep(Duration::from_secs(8));
    });
    let proxy = start(configured(vec![allow("127.0.0.1", stops.port())]).limits(short()));
    let mut tool = Tool::new(&proxy);
    tool.send(format!("GET http://{stops}/ HTTP/1.1\r\n\r\n"));
    let rest = String::from_utf8(tool.rest()).unwrap();
    assert!(rest.ends_with("half"), "{rest}");
}

#[test]
fn a_tool_that_leaves_ends_its_question() {
    let (gone, is_gone) = std::sync::mpsc::channel();
    let server = raw(move |mut stream| {
        use std::io::Read;
        while stream.read(&mut [0; 1000]).is_ok_and(|count| count > 0) {}
        let _ = gone.send(());
    });
    let proxy = proxy(vec![allow("127.0.0.1", server.port())]);
    let mut tool = Tool::new(&proxy);
    tool.send(format!("GET http://{server}/ HTTP/1.1\r\n\r\n"));
    let began = Instant::now();
    while proxy.report().requests == 0 {
        assert!(began.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(5));
    }
    drop(tool);
    is_gone.recv_timeout(PATIENCE).unwrap();
}

#[test]
fn what_is_no_listener_cannot_be_served() {
    let file: std::os::fd::OwnedFd = tempfile::tempfile().unwrap().into();
    assert!(configured(vec![]).start(file).is_err());
}
