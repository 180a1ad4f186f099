//! Through another proxy, as many offices want it. The other proxy is one of ours.

use std::sync::{Arc, Mutex};

use jp_proxy::{ProxyHandle, Upstream};

use crate::support::*;

/// A proxy that goes through another one.
fn chained(second: &ProxyHandle, rules: Vec<jp_tool::access::NetRule>) -> ProxyHandle {
    let address = format!("http://{}", second.address());
    let upstream = Upstream::new(Some(&address), Some(&address), Some("127.0.0.1")).unwrap();
    start(configured(rules).upstream(upstream))
}

#[test]
fn requests_and_tunnels_go_through_the_next_proxy() {
    let origin = Origin::new();
    let port = origin.port();
    let second = proxy(vec![allow("here.test", port), allow("127.0.0.1", port)]);
    // The address is not checked here: only the next proxy knows it.
    let first = chained(&second, vec![allow("here.test", port)]);
    let answer = Tool::new(&first).get(&format!("http://here.test:{port}/plain?q"));
    assert_eq!(answer.status, 200, "{}", answer.body);
    let mut tool = Tool::new(&first);
    assert_eq!(tool.connect(&format!("here.test:{port}")).status, 200);
    assert_eq!(tool.ask("GET /tunnel HTTP/1.1\r\nHost: x\r\n\r\n").status, 200);
    assert_eq!(origin.lines(), ["GET /plain?q", "GET /tunnel"]);
    let report = second.stop();
    assert_eq!((report.requests, report.tunnels), (1, 1));
}

#[test]
fn the_rules_hold_before_the_next_proxy_and_its_own_after() {
    let origin = Origin::new();
    let port = origin.port();
    let second = proxy(vec![]);
    let first = chained(&second, vec![allow("here.test", port)]);
    assert_eq!(Tool::new(&first).get(&format!("http://other.test:{port}/")).status, 403);
    assert_eq!(Tool::new(&first).connect(&format!("other.test:{port}")).status, 403);
    assert_eq!(second.report().denied.len(), 0);
    // A plain answer of the next proxy is passed back; for a tunnel there is none to pass.
    assert_eq!(Tool::new(&first).get(&format!("http://here.test:{port}/")).status, 403);
    let answer = Tool::new(&first).connect(&format!("here.test:{port}"));
    assert_eq!(answer.status, 502);
    assert!(answer.body.contains("it answered 403"), "{}", answer.body);
    // One for http, one for https.
    assert_eq!(second.report().denied.len(), 2);
}

#[test]
fn some_hosts_are_dialed_directly_and_judged_by_address() {
    let origin = Origin::new();
    let port = origin.port();
    let second = proxy(vec![]);
    let first = chained(&second, vec![allow("localhost", port), allow("127.0.0.1", port)]);
    for host in ["localhost", "127.0.0.1"] {
        assert_eq!(Tool::new(&first).get(&format!("http://{host}:{port}/")).status, 200, "{host}");
        assert_eq!(Tool::new(&first).connect(&format!("{host}:{port}")).status, 200, "{host}");
    }
    assert_eq!(second.report(), jp_proxy::Report::default());
}

#[test]
fn the_password_goes_to_the_next_proxy_and_that_of_the_tool_does_not() {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let noted = heads.clone();
    let next = raw(move |mut stream| {
        use std::io::{Read, Write};
        let mut head = vec![0; 4000];
        let count = stream.read(&mut head).unwrap_or_default();
        noted.lock().unwrap().push(String::from_utf8_lossy(&head[..count]).into_owned());
        let _ = stream.write_all(
            b"HTTP/1.1 407 No\r\nContent-Length: 0\r\nProxy-Authenticate: Basic\r\n\r\n",
        );
    });
    let upstream = format!("http://me:pass@{next}");
    let upstream = Upstream::new(Some(&upstream), Some(&upstream), None).unwrap();
    let proxy = start(configured(vec![allow("a.test", 81)]).upstream(upstream));
    let mine = "Host: x\r\nProxy-Authorization: Basic tool\r\n\r\n";
    for asking in ["GET http://a.test:81/", "CONNECT a.test:81"] {
        let answer = Tool::new(&proxy).ask(format!("{asking} HTTP/1.1\r\n{mine}"));
        assert_eq!(answer.status, 502, "{asking}");
    }
    let heads = heads.lock().unwrap();
    assert!(heads[0].starts_with("GET http://a.test:81/ HTTP/1.1\r\n"), "{}", heads[0]);
    assert!(heads[1].starts_with("CONNECT a.test:81 HTTP/1.1\r\n"), "{}", heads[1]);
    for head in heads.iter() {
        assert!(head.contains("proxy-authorization: Basic bWU6cGFzcw==\r\n"), "{head}");
        assert!(!head.contains("Basic tool"), "{head}");
    }
}

#[test]
fn a_next_proxy_that_is_not_there_is_a_bad_gateway() {
    let (_kept, closed) = closed();
    let upstream = format!("http://{closed}");
    let upstream = Upstream::new(Some(&upstream), Some(&upstream), None).unwrap();
    let proxy = start(configured(vec![allow("a.test", 81)]).upstream(upstream));
    assert_eq!(Tool::new(&proxy).get("http://a.test:81/").status, 502);
    assert_eq!(Tool::new(&proxy).connect("a.test:81").status, 502);
}
