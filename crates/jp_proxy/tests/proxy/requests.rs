//! Plain requests: judged one by one, passed on without what concerns one connection.

use jp_proxy::Reason;
use jp_tool::access::NetRule;

use crate::support::*;

#[test]
fn an_allowed_request_is_passed_on() {
    let origin = Origin::new();
    let proxy = proxy(vec![allow("127.0.0.1", origin.port())]);
    let answer = Tool::new(&proxy).ask(format!(
        "POST {} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello",
        origin.url("/a/../b?q=%20")
    ));
    assert_eq!((answer.status, answer.body.as_str()), (200, "hello"));
    assert_eq!(origin.lines(), ["POST /b?q=%20"]);
    let report = proxy.stop();
    assert_eq!((report.requests, report.tunnels, report.denied.len()), (1, 0, 0));
    assert!(report.sent > 5 && report.received > 5, "{report:?}");
}

#[test]
fn each_request_of_a_connection_is_judged() {
    let origin = Origin::new();
    let deny = NetRule {
        path_prefix: Some("/admin".into()),
        allow: false,
        ..allow("127.0.0.1", origin.port())
    };
    let proxy = proxy(vec![allow("127.0.0.1", origin.port()), deny]);
    let mut tool = Tool::new(&proxy);
    for (path, status) in [
        ("/", 200),
        ("/admin/x?token=secret", 403),
        ("/x", 200),
        ("/%61dmin", 403),
        ("//admin", 403),
    ] {
        let answer = tool.get(&origin.url(path));
        assert_eq!(answer.status, status, "{path}");
        assert!(!answer.body.contains("secret"), "{}", answer.body);
    }
    assert_eq!(origin.lines(), ["GET /", "GET /x"]);
}

#[test]
fn a_refusal_is_explained_and_reported_once() {
    let proxy = proxy(vec![NetRule::new("a.test", true)]);
    let mut tool = Tool::new(&proxy);
    let answer = tool.get("http://b.test:8080/x?token=secret");
    assert_eq!(answer.status, 403);
    assert!(answer.head.contains("content-type: text/plain"), "{}", answer.head);
    insta::assert_snapshot!(answer.body, @r#"
    access denied: http://b.test:8080/x: no rule allows it

    To allow it, add a rule:

    [[conversation.tools.it.access.net]]
    host = "b.test"
    port = 8080
    allow = true
    "#);
    tool.get("http://b.test:8080/y");
    tool.get("http://b.test/");
    let report = proxy.stop();
    let found: Vec<_> = report
        .denied
        .iter()
        .map(|it| (it.denied.target.as_str(), &it.denied.reason, it.times))
        .collect();
    assert_eq!(
        found,
        [("http://b.test:8080/x", &Reason::NoRule, 2), ("http://b.test/", &Reason::NoRule, 1)]
    );
}

#[test]
fn a_refusal_is_heard_by_who_is_still_sending() {
    let proxy = proxy(vec![]);
    let mut tool = Tool::new(&proxy);
    let size = 10_000_000;
    let head = format!("POST http://b.test/ HTTP/1.1\r\nContent-Length: {size}\r\n\r\n");
    tool.send(head).send("x".repeat(size));
    assert_eq!(tool.answer().status, 403);
    // The connection is as good as before.
    assert_eq!(tool.get("http://c.test/").status, 403);
    // Who asks before sending is not told to send.
    let expects = "Expect: 100-continue\r\nContent-Length: 5\r\n";
    let answer = tool.ask(format!("POST http://b.test/ HTTP/1.1\r\n{expects}\r\n"));
    assert_eq!(answer.status, 403);
}

#[test]
fn the_list_of_refusals_has_an_end() {
    let proxy = proxy(vec![]);
    let mut tool = Tool::new(&proxy);
    for number in 0..150 {
        assert_eq!(tool.get(&format!("http://h{number}.test/")).status, 403);
    }
    let report = proxy.stop();
    assert_eq!((report.denied.len(), report.not_listed), (100, 50));
}

#[test]
fn headers_of_one_connection_end_at_the_proxy() {
    let origin = Origin::new();
    let proxy = proxy(vec![allow("127.0.0.1", origin.port())]);
    let answer = Tool::new(&proxy).ask(format!(
        "GET {} HTTP/1.1\r\nHost: evil.test\r\nProxy-Authorization: Basic x\r\n\
         Proxy-Connection: keep-alive\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\n\
         Keep-Alive: 5\r\nTE: trailers\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\nX-Stays: 2\r\n\r\n",
        origin.url("/headers")
    ));
    assert_eq!(answer.status, 200);
    for gone in ["x-hop", "proxy-authenticate"] {
        assert!(!answer.head.contains(gone), "{}", answer.head);
    }
    assert!(answer.head.contains("x-end: 1"), "{}", answer.head);
    let asked = &origin.asked()[0];
    for gone in ["proxy-authorization", "proxy-connection", "x-mine", "keep-alive", "te", "upgrade"]
    {
        assert_eq!(asked.header(gone), None, "{gone}");
    }
    assert_eq!(asked.header("x-stays"), Some("2"));
    assert_eq!(asked.header("host"), Some(origin.address.to_string().as_str()));
}

#[test]
fn bodies_of_any_length_pass() {
    let origin = Origin::new();
    let proxy = proxy(vec![allow("127.0.0.1", origin.port())]);
    let mut tool = Tool::new(&proxy);
    assert_eq!(tool.get(&origin.url("/big")).body.len(), 3_000_000);
    for method in ["POST", "GET"] {
        let answer = tool.ask(format!(
            "{method} {} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n\
             3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
            origin.url("/")
        ));
        assert_eq!((answer.status, answer.body.as_str()), (200, "abcde"), "{method}");
    }
    let answer = tool.ask(format!(
        "PUT {} HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n",
        origin.url("/")
    ));
    assert_eq!(answer.status, 100);
    assert_eq!(tool.ask("ok").body, "ok");
}

#[test]
fn a_redirect_is_the_business_of_the_tool() {
    let origin = Origin::new();
    let proxy = proxy(vec![allow("127.0.0.1", origin.port())]);
    let answer = Tool::new(&proxy).get(&origin.url("/redirect"));
    assert_eq!(answer.status, 302);
    assert!(answer.head.contains("location: http://127.0.0.1:1/"), "{}", answer.head);
    assert_eq!(Tool::new(&proxy).get("http://127.0.0.1:1/").status, 403);
}

#[test]
fn what_is_no_question_for_a_proxy_is_refused() {
    let origin = Origin::new();
    let port = origin.port();
    let proxy = proxy(vec![allow("127.0.0.1", port), allow("localhost", port)]);
    let here = format!("127.0.0.1:{port}");
    for (request, status) in [
        (format!("GET / HTTP/1.1\r\nHost: {here}\r\n\r\n"), 400),
        ("OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), 400),
        (format!("GET https://{here}/ HTTP/1.1\r\nHost: x\r\n\r\n"), 400),
        (format!("GET ftp://{here}/ HTTP/1.1\r\nHost: x\r\n\r\n"), 400),
        (format!("GET {here} HTTP/1.1\r\nHost: x\r\n\r\n"), 400),
        (format!("GET http:///{here} HTTP/1.1\r\nHost: x\r\n\r\n"), 400),
        ("GET http://127.0.0.1:0/ HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), 400),
        ("GET http://127.0.0.1:99999/ HTTP/1.1\r\nHost: x\r\n\r\n".to_owned(), 400),
        (format!("GET http://user@{here}/ HTTP/1.1\r\nHost: x\r\n\r\n"), 403),
        (format!("GET http://evil.test@{here}/ HTTP/1.1\r\nHost: x\r\n\r\n"), 403),
        (format!("GET http://{here}@evil.test/ HTTP/1.1\r\nHost: x\r\n\r\n"), 403),
        (
            format!(
                "GET http://{here}/ HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\n\
                 Upgrade: h2c, WebSocket\r\n\r\n"
            ),
            501,
        ),
    ] {
        assert_eq!(Tool::new(&proxy).ask(&request).status, status, "{request}");
    }
    assert_eq!(origin.lines(), Vec::<String>::new());
}

#[test]
fn names_have_one_form() {
    let origin = Origin::new();
    let port = origin.port();
    let proxy = proxy(vec![allow("LocalHost.", port), allow("münchen.test", port)]);
    for (host, status) in [
        ("localhost", 200),
        ("LOCALHOST.", 200),
        // Allowed, and then unknown to the resolver.
        ("xn--mnchen-3ya.test", 502),
        ("XN--MNCHEN-3YA.test.", 502),
        ("munchen.test", 403),
        ("localhost.evil.test", 403),
        ("localhost..", 400),
    ] {
        assert_eq!(
            Tool::new(&proxy).get(&format!("http://{host}:{port}/")).status,
            status,
            "{host}"
        );
    }
    assert_eq!(origin.asked()[1].header("host"), Some(format!("localhost:{port}").as_str()));
}

#[test]
fn an_old_client_is_served_too() {
    let origin = Origin::new();
    let proxy = proxy(vec![allow("127.0.0.1", origin.port())]);
    let mut tool = Tool::new(&proxy);
    let answer = tool.ask(format!("GET {} HTTP/1.0\r\n\r\n", origin.url("/")));
    assert_eq!(answer.status, 200);
    assert_eq!(tool.rest(), b"");
}

#[test]
fn a_server_that_misbehaves_is_a_bad_gateway() {
    let nonsense = raw(|mut stream| {
        use std::io::Write;
        let _ = stream.write_all(b"SSH-2.0-server\r\n");
    });
    let closes = raw(drop);
    let switches = raw(|mut stream| {
        use std::io::{Read, Write};
        let _ = stream.read(&mut [0; 1000]);
        let _ = stream.write_all(
            b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
        );
    });
    let long = raw(|mut stream| {
        use std::io::{Read, Write};
        let _ = stream.read(&mut [0; 1000]);
        let _ = stream
            .write_all(format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "y".repeat(200_000)).as_bytes());
    });
    for address in [nonsense, closes, switches, long] {
        let proxy = proxy(vec![allow("127.0.0.1", address.port())]);
        let answer = Tool::new(&proxy).get(&format!("http://{address}/"));
        assert_eq!(answer.status, 502, "{}", answer.body);
    }
}
