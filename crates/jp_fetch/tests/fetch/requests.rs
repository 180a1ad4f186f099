//! What is sent, and what comes back.

use jp_fetch::{FetchError, Request};

use crate::support::*;

#[tokio::test]
async fn a_get_sends_its_headers() {
    // D11-131, D11-133
    let server = Server::new(|_, to| say(to, "200 OK\r\nx-answer: 42", b"hello"));
    let headers = [("Accept", "text/plain"), ("X-Two", "1"), ("X-Two", "2")];
    let response = get(&[&server], &server.url("/path?q=1"), &headers).await.unwrap();
    assert_eq!((response.status, &response.body[..]), (200, &b"hello"[..]));
    assert_eq!(response.url, server.url("/path?q=1"));
    assert!(response.headers.contains(&("x-answer".to_owned(), b"42".to_vec())));
    let asked = &server.asked()[0];
    assert_eq!(asked.line, "GET /path?q=1 HTTP/1.1");
    assert_eq!(asked.header("host"), Some(&*format!("a.test:{}", server.port())));
    assert_eq!(asked.header("accept"), Some("text/plain"));
    assert_eq!(asked.header("x-two"), Some("1, 2"));
    assert_eq!(asked.header("accept-encoding"), Some("identity"));
    assert!(asked.header("user-agent").unwrap().starts_with("jp/"));
    assert_eq!(asked.header("referer"), None);
}

#[tokio::test]
async fn a_post_sends_its_body_byte_for_byte() {
    // D11-132, D11-142
    let server = Server::new(fine);
    let large = vec![7; 300_000];
    let bodies: [&[u8]; 4] = [b"", b"{\"a\": \"${TOKEN}\"}\r\n", b"\0\xff\xfe", &large];
    for body in bodies {
        let request = Request::post(&server.url("/${TOKEN}"), [], body).unwrap();
        answer(run(&fetcher(), request, &allowing(&[&server])).await.unwrap());
        let asked = server.asked().pop().unwrap();
        assert_eq!(asked.line, "POST /$%7BTOKEN%7D HTTP/1.1");
        assert_eq!(asked.body, body);
    }
}

#[tokio::test]
async fn a_bad_status_is_an_answer() {
    // D11-134
    for status in [204, 304, 400, 401, 404, 429, 500, 503] {
        let server = Server::new(move |_, to| match status {
            204 | 304 => write!(to, "HTTP/1.1 {status} X\r\n\r\n"),
            _ => say(to, &format!("{status} X"), b"why"),
        });
        let response = get(&[&server], &server.url("/"), &[]).await.unwrap();
        assert_eq!(response.status, status);
        assert_eq!(response.body.is_empty(), matches!(status, 204 | 304));
    }
}

#[tokio::test]
async fn bodies_come_as_they_are() {
    // D11-135, D11-136: the bytes, from which the host makes text or base64
    for body in [&b"\0\xff\xc3"[..], "grüße\n".as_bytes(), b""] {
        let server = Server::new(move |_, to| say(to, "200 OK", body));
        assert_eq!(get(&[&server], &server.url("/"), &[]).await.unwrap().body, body);
    }
    let chunked =
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n";
    let server = Server::new(move |_, to| write!(to, "{chunked}"));
    assert_eq!(get(&[&server], &server.url("/"), &[]).await.unwrap().body, b"abcde");
    // A body without a length ends with the connection.
    let server = Server::new(|_, to| {
        write!(to, "HTTP/1.1 200 OK\r\n\r\nuntil the end")?;
        Err(std::io::ErrorKind::Other.into())
    });
    assert_eq!(get(&[&server], &server.url("/"), &[]).await.unwrap().body, b"until the end");
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let server = Server::new(fine);
    let (fetcher, policy) = (fetcher(), allowing(&[&server]));
    for _ in 0..3 {
        let request = Request::get(&server.url("/"), []).unwrap();
        answer(run(&fetcher, request, &policy).await.unwrap());
    }
    assert_eq!((server.connections(), server.asked().len()), (1, 3));
}

#[test]
fn what_is_no_request_is_told_so() {
    for (url, expected) in [
        ("", "not a usable URL: : it is not written as scheme://host/path"),
        ("/etc/passwd", "not a usable URL: /etc/passwd: it is not written as scheme://host/path"),
        ("ftp://a.test/", "only http and https URLs can be requested, not ftp"),
        ("file:///etc/passwd", "not a usable URL: file:///etc/passwd: there is no host"),
        // D11-147
        ("https://me:pw@a.test/x", "URLs with a user name or password are refused: https://a.test"),
        ("https://@a.test/x", "URLs with a user name or password are refused: https://a.test"),
    ] {
        assert_eq!(Request::get(url, []).unwrap_err().to_string(), expected);
        assert_eq!(Request::post(url, [], "").unwrap_err().to_string(), expected);
    }
    let long = format!("http://a.test/{}", "x".repeat(40_000));
    let error = FetchError::from(Request::get(&long, []).unwrap_err());
    assert_eq!(error.to_string(), "the URL cannot be requested: it has more than 32768 bytes");
    assert!(matches!(error, FetchError::Invalid(_)));
}
