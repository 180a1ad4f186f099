//! Tunnels: whom they lead to, what may be said in them, and how they end.

use std::{
    thread,
    time::{Duration, Instant},
};

use jp_proxy::Reason;
use jp_tool::access::NetRule;

use crate::support::*;

const HELLO: &[u8] = b"\x16\x03\x01 the rest of a hello";

#[test]
fn bytes_flow_both_ways_and_one_way_can_end_first() {
    let echo = echo();
    let proxy = proxy(vec![allow("127.0.0.1", echo.port())]);
    let mut tool = Tool::new(&proxy);
    let answer = tool.connect(&echo.to_string());
    assert_eq!((answer.status, answer.body.as_str()), (200, ""));
    for text in ["one", "two"] {
        tool.send(text);
        assert_eq!(tool.bytes(3), text.as_bytes());
    }
    tool.end_writing();
    assert_eq!(tool.rest(), b"bye");
    let report = proxy.stop();
    assert_eq!((report.tunnels, report.sent, report.received), (1, 6, 9));
}

#[test]
fn a_lot_of_bytes_arrive_whole() {
    let echo = echo();
    let proxy = proxy(vec![allow("127.0.0.1", echo.port())]);
    let mut tool = Tool::new(&proxy);
    assert_eq!(tool.connect(&echo.to_string()).status, 200);
    let sent: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
    for piece in sent.chunks(50_000) {
        tool.send(piece);
        assert_eq!(tool.bytes(piece.len()), piece);
    }
}

#[test]
fn what_comes_right_after_the_question_is_not_lost() {
    let echo = echo();
    let proxy = proxy(vec![allow("127.0.0.1", echo.port())]);
    let mut tool = Tool::new(&proxy);
    tool.send(format!("CONNECT {echo} HTTP/1.1\r\nHost: x\r\n\r\nearly"));
    assert_eq!(tool.answer().status, 200);
    assert_eq!(tool.bytes(5), b"early");
}

#[test]
fn a_question_for_a_tunnel_has_no_body() {
    let echo = echo();
    for (framing, status) in [
        ("", 200),
        ("Content-Length: 0\r\n", 200),
        ("Content-Length: 5\r\n", 400),
        ("Transfer-Encoding: chunked\r\n", 400),
    ] {
        let proxy = proxy(vec![allow("127.0.0.1", echo.port())]);
        let mut tool = Tool::new(&proxy);
        tool.send(format!("CONNECT {echo} HTTP/1.1\r\nHost: x\r\n{framing}\r\n0\r\n\r\n"));
        assert_eq!(tool.answer().status, status, "{framing}");
        assert_eq!(proxy.stop().tunnels, u64::from(status == 200), "{framing}");
    }
}

#[test]
fn a_tunnel_needs_the_whole_host() {
    let echo = echo();
    let port = echo.port();
    let path = |path: &str, allow_it| NetRule {
        path_prefix: Some(path.into()),
        allow: allow_it,
        ..allow("127.0.0.1", port)
    };
    for (rules, status) in [
        (vec![], 403),
        (vec![allow("127.0.0.1", port)], 200),
        (vec![allow("127.0.0.1", port + 1)], 403),
        (vec![allow("127.0.0.1", port), path("/admin", false)], 403),
        (vec![allow("127.0.0.1", port), path("/admin", true)], 200),
        (vec![path("/public", true)], 403),
        (vec![NetRule::new("127.0.0.1", true)], 403),
    ] {
        let proxy = proxy(rules.clone());
        assert_eq!(Tool::new(&proxy).connect(&echo.to_string()).status, status, "{rules:?}");
    }
}

#[test]
fn what_is_said_first_has_to_fit_the_scheme() {
    let echo = echo();
    for (scheme, first, passes) in [
        (None, &b"anything"[..], true),
        (None, HELLO, true),
        (Some("https"), HELLO, true),
        (Some("https"), b"GET / HTTP/1.1\r\n\r\n", false),
        (Some("http"), HELLO, false),
        (Some("http"), b"GET / HTTP/1.1\r\n\r\n", true),
    ] {
        let rule = NetRule { scheme: scheme.map(str::to_owned), ..allow("127.0.0.1", echo.port()) };
        let proxy = proxy(vec![rule]);
        let mut tool = Tool::new(&proxy);
        assert_eq!(tool.connect(&echo.to_string()).status, 200);
        tool.send(first).end_writing();
        let rest = tool.rest();
        assert_eq!(rest == [first, b"bye"].concat(), passes, "{scheme:?} {first:?} {rest:?}");
        let report = proxy.stop();
        assert_eq!(report.sent > 0, passes);
        let reasons: Vec<_> = report.denied.into_iter().map(|it| it.denied.reason).collect();
        match (passes, scheme) {
            (true, _) => assert_eq!(reasons, []),
            (false, Some("https")) => {
                assert_eq!(reasons, [Reason::NotTls]);
                assert!(rest.starts_with(b"HTTP/1.1 403 Forbidden\r\n"));
            }
            (false, _) => assert_eq!(reasons, [Reason::Tls]),
        }
    }
}

#[test]
fn plain_text_is_told_that_it_is_refused_while_it_is_sent() {
    let echo = echo();
    let rule = NetRule { scheme: Some("https".into()), ..allow("127.0.0.1", echo.port()) };
    let proxy = proxy(vec![rule]);
    let mut tool = Tool::new(&proxy);
    assert_eq!(tool.connect(&echo.to_string()).status, 200);
    let size = 10_000_000;
    tool.send(format!("POST / HTTP/1.1\r\nContent-Length: {size}\r\n\r\n")).send("x".repeat(size));
    let answer = tool.answer();
    assert_eq!(answer.status, 403);
    assert!(answer.body.contains("this is not TLS"), "{}", answer.body);
}

#[test]
fn what_is_no_host_and_port_is_refused() {
    let echo = echo();
    let port = echo.port();
    let proxy = proxy(vec![allow("127.0.0.1", port), NetRule::new("127.0.0.1", true)]);
    for (authority, status) in [
        ("127.0.0.1".to_owned(), 400),
        ("127.0.0.1:".to_owned(), 400),
        ("127.0.0.1:0".to_owned(), 400),
        ("127.0.0.1:99999".to_owned(), 400),
        (format!("user@127.0.0.1:{port}"), 400),
        (format!("http://127.0.0.1:{port}/"), 400),
        (format!("127.0.0.1:{port}/x"), 400),
        ("/".to_owned(), 400),
        ("*".to_owned(), 400),
        (format!("0x7f.1:{port}"), 200),
        (format!("[::ffff:127.0.0.1]:{port}"), 200),
        (format!("127.0.0.1.:{port}"), 200),
    ] {
        assert_eq!(Tool::new(&proxy).connect(&authority).status, status, "{authority}");
    }
}

#[test]
fn an_ipv6_address_is_written_in_brackets() {
    let Ok(origin) = Origin::at("[::1]:0") else {
        return; // This machine has no IPv6.
    };
    let proxy = proxy(vec![allow("::1", origin.port())]);
    assert_eq!(Tool::new(&proxy).get(&origin.url("/")).status, 200);
    let mut tool = Tool::new(&proxy);
    assert_eq!(tool.connect(&format!("[0:0::1]:{}", origin.port())).status, 200);
    assert_eq!(tool.ask("GET /in HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
    assert_eq!(origin.lines(), ["GET /", "GET /in"]);
}

#[test]
fn a_silent_tunnel_is_closed_and_a_busy_one_is_not() {
    let echo = echo();
    let proxy = start(configured(vec![allow("127.0.0.1", echo.port())]).limits(short()));
    let mut tool = Tool::new(&proxy);
    assert_eq!(tool.connect(&echo.to_string()).status, 200);
    let began = Instant::now();
    while began.elapsed() < Duration::from_millis(900) {
        tool.send("x");
        assert_eq!(tool.bytes(1), b"x");
        thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(tool.rest(), b"");
}

#[test]
fn stopping_ends_open_tunnels_at_once() {
    let echo = echo();
    let proxy = proxy(vec![allow("127.0.0.1", echo.port()), allow("never.test", 1)]);
    let mut tools: Vec<_> = (0..20).map(|_| Tool::new(&proxy)).collect();
    for tool in &mut tools {
        assert_eq!(tool.connect(&echo.to_string()).status, 200);
    }
    let mut waiting = Tool::new(&proxy);
    waiting.send("CONNECT never.test:1 HTTP/1.1\r\n\r\n");
    let (address, began) = (proxy.address(), Instant::now());
    let report = proxy.stop();
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    assert_eq!(report.tunnels, 20);
    for tool in tools.iter_mut().chain([&mut waiting]) {
        assert_eq!(tool.rest(), b"");
    }
    assert!(std::net::TcpStream::connect(address).is_err());
}
