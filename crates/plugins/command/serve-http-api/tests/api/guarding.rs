//! Those who may not, and those who do it wrong.

use std::io::Write as _;

use serde_json::json;

use crate::support::{Api, JSON, World, head, read};

#[test]
fn without_the_token_there_is_nothing() {
    let api = World::new().start();
    let host = api.address.to_string();
    for path in ["/v1/health", "/v1/openapi.json", "/v1/conversations", "/v1/conversations/1", "/"]
    {
        for method in ["GET", "POST", "DELETE", "OPTIONS"] {
            let reply = api.raw(&head(method, path, &[("host", &host)]), b"");
            assert_eq!(reply.problem(401), "unauthorized", "{method} {path}");
            assert_eq!(reply.header("www-authenticate"), Some(r#"Bearer realm="jp""#));
        }
    }
    let wrong = [("host", host.as_str()), ("authorization", "Bearer 0123456789abcdef")];
    let reply = api.raw(&head("GET", "/v1/health", &wrong), b"");
    assert!(reply.header("www-authenticate").unwrap().contains("invalid_token"));
}

/// 127.0.0.1 under another name is another site, and its page in a browser has no business here.
#[test]
fn other_names_and_other_pages_are_refused() {
    let api = World::new().start();
    let token = ("authorization", &*format!("Bearer {}", api.token));
    let port = api.address.port();
    let ask = |host: &str, more: &[(&str, &str)]| {
        let headers: Vec<_> =
            [("host", host), token].into_iter().chain(more.iter().copied()).collect();
        api.raw(&head("GET", "/v1/health", &headers), b"")
    };
    assert_eq!(ask(&format!("localhost:{port}"), &[]).status, 200);
    for host in ["evil.example", &format!("evil.example:{port}"), "192.168.0.7", "localhost:x"] {
        assert_eq!(ask(host, &[]).problem(421), "wrong-host", "{host}");
    }
    let ours = api.address.to_string();
    assert_eq!(ask(&ours, &[("origin", &format!("http://{ours}"))]).status, 200);
    assert_eq!(ask(&ours, &[("origin", "http://evil.example")]).problem(403), "foreign-origin");
}

#[test]
fn a_name_can_be_allowed() {
    let api = World::new().start_with(["--allow-host", "box.example"]);
    let token = ("authorization", &*format!("Bearer {}", api.token));
    let reply = api.raw(&head("GET", "/v1/health", &[("host", "box.example"), token]), b"");
    assert_eq!(reply.status, 200);
}

#[test]
fn every_answer_says_how_to_treat_it() {
    let api = World::new().start();
    for (path, status) in [("/v1/health", 200), ("/nothing", 404)] {
        let reply = api.get(path);
        assert_eq!(reply.status, status);
        assert_eq!(reply.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(reply.header("cache-control"), Some("private, no-cache"));
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

#[test]
fn what_is_not_there_and_what_cannot_be_done() {
    let api = World::new().start();
    for path in ["/", "/v1", "/v1/", "/v1/conversations/", "/v2/health", "/v1/conversations/1/x"] {
        assert_eq!(api.get(path).problem(404), "not-found", "{path}");
    }
    let event = json!({ "events": [{ "type": "turn_start" }] });
    let long = "18446744073709551616";
    for id in ["1", "x", "..", "%2e%2e", "0", "17127583920x", "%00", "%ff", "%c3%28", long] {
        for path in [format!("/v1/conversations/{id}"), format!("/v1/conversations/{id}/events")] {
            assert_eq!(api.get(&path).problem(404), "not-found", "{path}");
        }
        let path = format!("/v1/conversations/{id}/events");
        assert_eq!(api.post(&path, &event).problem(404), "not-found", "POST {path}");
    }
    let check = |method: &str, path: &str, allow: &str| {
        let reply = api.request(method, path, &[], "");
        assert_eq!(reply.problem(405), "method-not-allowed", "{method} {path}");
        assert_eq!(reply.header("allow"), Some(allow));
    };
    check("DELETE", "/v1/conversations", "GET,HEAD,POST");
    check("PUT", "/v1/conversations/1", "GET,HEAD");
    check("POST", "/v1/health", "GET,HEAD");
    check("TRACE", "/v1/openapi.json", "GET,HEAD");
}

#[test]
fn queries_that_mean_nothing() {
    let api = World::new().start();
    for query in [
        "limit=0",
        "limit=201",
        "limit=-1",
        "limit=x",
        "limit=",
        "limit=1&limit=2",
        "limt=1",
        "after=1",
        "after=x_1",
    ] {
        let path = format!("/v1/conversations?{query}");
        assert_eq!(api.get(&path).problem(400), "bad-request", "{query}");
    }
    let long = format!("/v1/conversations?q={}", "x".repeat(201));
    assert_eq!(api.get(&long).problem(400), "bad-request");
}

#[test]
fn bodies_that_cannot_be_read() {
    let api = World::new().start();
    let post = |headers: &[(&str, &str)], body: &str| {
        api.request("POST", "/v1/conversations", headers, body)
    };
    assert_eq!(post(&[], "{}").problem(415), "unsupported-media-type");
    assert_eq!(
        post(&[("content-type", "text/plain")], "{}").problem(415),
        "unsupported-media-type"
    );
    assert_eq!(post(&[("content-type", "Application/JSON; charset=utf-8")], "{}").status, 201);
    for body in ["{", "", "{\"title\":\"\u{1}\"}", "\"\\ud800\"", "{} {}"] {
        assert_eq!(post(&[JSON], body).problem(400), "bad-request", "{body}");
    }
    for body in ["[]", "1", "null", r#"{"title":1}"#, r#"{"title":"a","title":"b"}"#] {
        assert_eq!(post(&[JSON], body).problem(422), "invalid", "{body}");
    }
}

/// Whoever says that he will send too much is stopped before, and whoever does not say it, then.
#[test]
fn bodies_that_are_too_long() {
    let api = World::new().start();
    let too_long = (8 << 20) + 1;
    let reply = post_with(&api, &[("content-length", &too_long.to_string())], b"");
    assert_eq!(reply.problem(413), "too-large");
    let piece = format!("100000\r\n{}\r\n", "x".repeat(1 << 20));
    let body = piece.repeat(9);
    let reply = post_with(&api, &[("transfer-encoding", "chunked")], body.as_bytes());
    assert_eq!(reply.problem(413), "too-large");
}

fn post_with(api: &Api, headers: &[(&str, &str)], body: &[u8]) -> crate::support::Reply {
    let (host, token) = (api.address.to_string(), format!("Bearer {}", api.token));
    let own = [("host", host.as_str()), ("authorization", token.as_str()), JSON];
    let headers: Vec<_> = own.into_iter().chain(headers.iter().copied()).collect();
    api.raw(&head("POST", "/v1/conversations", &headers), body)
}

/// What is no HTTP is answered or cut off; nobody else notices.
#[test]
fn noise_harms_nobody() {
    let api = World::new().start();
    let long = format!("GET / HTTP/1.1\r\nx: {}\r\n\r\n", "x".repeat(100 << 10));
    let many = format!("GET / HTTP/1.1\r\n{}\r\n", "x: y\r\n".repeat(200));
    for (noise, status) in [
        ("\0\0\0\0\r\n\r\n", 400),
        ("GET / HTTP/9.9\r\n\r\n", 400),
        ("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n", 400),
        (&long, 431),
        (&many, 431),
    ] {
        let mut stream = api.connect();
        let _ = stream.write_all(noise.as_bytes());
        assert_eq!(read(&mut stream).status, status, "{noise:.40}");
    }
    assert_eq!(api.get("/v1/health").status, 200);
}
