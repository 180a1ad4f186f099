//! Names with many addresses at which nobody answers.

#![expect(clippy::disallowed_methods, reason = "the kernel lists connections in a file")]

use std::{
    fs,
    net::{Ipv4Addr, TcpListener, TcpStream},
    thread,
    time::{Duration, Instant},
};

use crate::support::*;

/// A listener that is full: who connects to it now is left waiting. Also the two that fill it.
fn deaf() -> (TcpListener, [TcpStream; 2]) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _inside = runtime.enter();
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind((Ipv4Addr::UNSPECIFIED, 0).into()).unwrap();
    let listener = socket.listen(1).unwrap().into_std().unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, [(); 2].map(|()| TcpStream::connect((Ipv4Addr::LOCALHOST, port)).unwrap()))
}

/// How many connections to a port are being made.
fn attempts(port: u16) -> usize {
    let is_attempt = |line: &&str| {
        let fields: Vec<_> = line.split_whitespace().collect();
        fields[2].ends_with(&format!(":{port:04X}")) && fields[3] == "02"
    };
    fs::read_to_string("/proc/net/tcp").unwrap().lines().skip(1).filter(is_attempt).count()
}

#[test]
fn attempts_have_a_bound_for_all_connections_together() {
    let (listener, _full) = deaf();
    let port = listener.local_addr().unwrap().port();
    let proxy = proxy(vec![allow("many.test", port), allow("localhost", port)]);
    let mut tools: Vec<_> = (0..20).map(|_| Tool::new(&proxy)).collect();
    for tool in &mut tools {
        tool.send(format!("CONNECT many.test:{port} HTTP/1.1\r\n\r\n"));
    }
    let began = Instant::now();
    while attempts(port) < 64 {
        assert!(began.elapsed() < PATIENCE, "{} attempts", attempts(port));
        thread::sleep(Duration::from_millis(20));
    }
    // Long enough for each of them to have begun with all eight addresses. The list is not made in one
    // moment, so an attempt and the one that follows it can both be in it.
    for _ in 0..50 {
        assert!(attempts(port) <= 66, "{} attempts", attempts(port));
        thread::sleep(Duration::from_millis(50));
    }
    drop(tools);
    let began = Instant::now();
    while attempts(port) > 0 {
        assert!(began.elapsed() < PATIENCE);
        thread::sleep(Duration::from_millis(20));
    }
}
