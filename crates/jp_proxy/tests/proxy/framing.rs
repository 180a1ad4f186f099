//! Requests that two readers could read in two ways.

use std::io::{Read, Write};

use crate::support::*;

/// A request that is hidden in another one must not reach the server unless it is judged as well.
#[test]
fn a_request_inside_a_request_reaches_nobody() {
    for (name, framing, expected) in [
        ("length, then chunks", "Content-Length: 6\r\nTransfer-Encoding: chunked\r\n", &[200][..]),
        ("chunks, then length", "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n", &[200]),
        ("two lengths", "Content-Length: 5\r\nContent-Length: 6\r\n", &[400]),
        ("signed length", "Content-Length: +5\r\n", &[400]),
        ("list of lengths", "Content-Length: 5, 6\r\n", &[400]),
        ("chunks in disguise", "Transfer-Encoding: xchunked\r\n", &[400]),
        ("chunked not last", "Transfer-Encoding: chunked, identity\r\n", &[400]),
        ("coded twice", "Transfer-Encoding: gzip, chunked\r\n", &[501, 403]),
        (
            "coded in two lines",
            "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
            &[501, 403],
        ),
        ("space before colon", "Transfer-Encoding : chunked\r\n", &[400]),
        ("folded", "X: y\r\n Transfer-Encoding: chunked\r\n", &[400]),
        ("bare newline", "X: y\nTransfer-Encoding: chunked\r\n", &[200, 403]),
        ("named by connection", "Connection: content-length\r\nContent-Length: 5\r\n", &[200, 403]),
    ] {
        let origin = Origin::new();
        let proxy = start(configured(vec![allow("127.0.0.1", origin.port())]).limits(short()));
        let mut tool = Tool::new(&proxy);
        tool.send(format!(
            "POST {} HTTP/1.1\r\nHost: x\r\n{framing}\r\n0\r\n\r\n\
             GET http://hidden.test/ HTTP/1.1\r\nHost: x\r\n\r\n",
            origin.url("/")
        ));
        let answers = std::iter::from_fn(|| tool.try_answer());
        let statuses: Vec<_> = answers.map(|answer| answer.status).collect();
        assert_eq!(statuses, expected, "{name}");
        for asked in origin.asked() {
            assert_eq!(asked.line, "POST /", "{name}");
            assert!(!asked.body.contains("hidden"), "{name}: {asked:?}");
            // One way to find the end of the body, not two.
            let ways = ["content-length", "transfer-encoding"];
            assert_eq!(ways.iter().filter(|way| asked.header(way).is_some()).count(), 1, "{name}");
        }
        let passed = expected.iter().filter(|status| **status == 200).count();
        assert_eq!(origin.asked().len(), passed, "{name}");
    }
}

/// What a server sends and what the tool gets of it, with a request after it on the same connection.
#[test]
fn an_answer_has_one_end_as_well() {
    for (name, head, body, expected) in [
        ("length", "Content-Length: 5\r\n", "abcde", (200, "abcde")),
        ("until the end", "", "abcde", (200, "abcde")),
        ("chunks", "Transfer-Encoding: chunked\r\n", "5\r\nabcde\r\n0\r\n\r\n", (200, "abcde")),
        (
            "chunks and less",
            "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n",
            "5\r\nabcde\r\n0\r\n\r\n",
            (200, "abcde"),
        ),
        (
            "chunks and more",
            "Transfer-Encoding: chunked\r\nContent-Length: 9\r\n",
            "5\r\nabcde\r\n0\r\n\r\n",
            (200, "abcde"),
        ),
        (
            "named by connection",
            "Connection: content-length\r\nContent-Length: 5\r\n",
            "abcde",
            (200, "abcde"),
        ),
        (
            "coded twice",
            "Transfer-Encoding: gzip, chunked\r\n",
            "5\r\nabcde\r\n0\r\n\r\n",
            (
                502,
                "127.0.0.1 gave no usable answer: it used a transfer coding that nobody asked for\n",
            ),
        ),
        (
            "two lengths",
            "Content-Length: 5\r\nContent-Length: 3\r\n",
            "abcde",
            (502, "127.0.0.1 gave no usable answer: invalid content-length parsed\n"),
        ),
    ] {
        let server = raw(move |mut stream| {
            let _ = stream.read(&mut [0; 1000]);
            let _ = stream.write_all(format!("HTTP/1.1 200 OK\r\n{head}\r\n{body}").as_bytes());
        });
        let proxy = start(configured(vec![allow("127.0.0.1", server.port())]).limits(short()));
        let mut tool = Tool::new(&proxy);
        let answer = tool.get(&format!("http://{server}/"));
        assert_eq!((answer.status, answer.body.as_str()), expected, "{name}");
        assert_eq!(tool.get("http://other.test/").status, 403, "{name}");
    }
}

#[test]
fn the_url_decides_and_not_the_host_header() {
    let (allowed, other) = (Origin::new(), Origin::new());
    let proxy = proxy(vec![allow("127.0.0.1", allowed.port())]);
    let mut tool = Tool::new(&proxy);
    let ask = |url: String, host: String| format!("GET {url} HTTP/1.1\r\nHost: {host}\r\n\r\n");
    let answer = tool.ask(ask(allowed.url("/"), other.address.to_string()));
    assert_eq!(answer.status, 200);
    assert_eq!(allowed.asked()[0].header("host"), Some(allowed.address.to_string().as_str()));
    let answer = tool.ask(ask(other.url("/"), allowed.address.to_string()));
    assert_eq!(answer.status, 403);
    let answer = tool.ask(format!(
        "GET {} HTTP/1.1\r\nHost: {}\r\nHost: {}\r\n\r\n",
        allowed.url("/"),
        allowed.address,
        other.address
    ));
    assert_eq!(answer.status, 400);
    assert_eq!((allowed.asked().len(), other.asked().len()), (1, 0));
}

#[test]
fn a_url_with_other_characters_is_no_second_line() {
    let origin = Origin::new();
    let proxy = proxy(vec![allow("127.0.0.1", origin.port())]);
    for path in ["/x HTTP/1.1\r\nX-Injected: 1", "/x\r\nX-Injected: 1", "/x\rX-Injected: 1", "/x\0"]
    {
        let mut tool = Tool::new(&proxy);
        tool.send(format!("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", origin.url(path)));
        if let Some(answer) = tool.try_answer() {
            assert!([200, 400].contains(&answer.status), "{path:?}: {}", answer.head);
        }
    }
    // Encoded it is part of the path, and stays so.
    let path = "/x%0d%0aX-Injected:%201";
    assert_eq!(Tool::new(&proxy).get(&origin.url(path)).status, 200);
    assert_eq!(origin.lines().last().unwrap(), &format!("GET {path}"));
    for asked in origin.asked() {
        // The first of the paths above is a proper request with a header more and a version less.
        assert!(asked.line == "GET /x" || asked.line == format!("GET {path}"), "{asked:?}");
    }
}

#[test]
fn other_protocols_are_turned_down() {
    let proxy = proxy(vec![]);
    for bytes in [
        &b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"[..],
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a hello of TLS \r\n\r\n",
        b"\x05\x01\x00",
        b"GET http://a.test/ HTTP/9.9\r\n\r\n",
        b"GET\r\n\r\n",
        b"\r\n\r\n\r\n",
    ] {
        let mut tool = Tool::new(&proxy);
        tool.send(bytes).end_writing();
        let answer = tool.try_answer();
        assert!(answer.is_none_or(|it| it.status == 400), "{bytes:?}");
        assert_eq!(tool.rest(), b"");
    }
}
