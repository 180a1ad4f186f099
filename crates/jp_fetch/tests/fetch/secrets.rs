//! Variables go into headers, and their values do not come back.

use jp_fetch::{FetchError, Fetched, Request, Response, VariableError};
use jp_secret::SubstituteError;
use jp_tool::access::NetRule;

use crate::support::*;

const BEARER: (&str, &str) = ("Authorization", "Bearer ${TOKEN}");

fn assert_clean(response: &Response) {
    let shown = format!(
        "{} {:?} {}",
        response.url,
        response.headers,
        String::from_utf8_lossy(&response.body)
    );
    assert!(!shown.contains(TOKEN), "{shown}");
    assert!(!shown.contains("s3cr3t"), "{shown}");
}

#[tokio::test]
async fn variables_are_put_into_headers_only() {
    // D11-138, D11-142, D11-143
    let server = Server::new(fine);
    let headers = [BEARER, ("X-Both", "${SHORT}-${TOKEN}"), ("X-Plain", "$${TOKEN}")];
    let url = server.url("/?q=${TOKEN}");
    for request in [Request::get(&url, headers), Request::post(&url, headers, "${TOKEN}")] {
        let request = request.unwrap();
        assert_eq!(request.variables(), ["TOKEN", "SHORT"]);
        answer(run(&fetcher(), request, &allowing(&[&server])).await.unwrap());
        let asked = server.asked().pop().unwrap();
        assert_eq!(asked.header("authorization"), Some(&*format!("Bearer {TOKEN}")));
        assert_eq!(asked.header("x-both"), Some(&*format!("ab-{TOKEN}")));
        assert_eq!(asked.header("x-plain"), Some("${TOKEN}"));
        assert!(asked.line.contains("TOKEN") && !asked.line.contains("s3cr3t"), "{}", asked.line);
        assert!(asked.body.is_empty() || asked.body == b"${TOKEN}");
    }
}

#[tokio::test]
async fn a_variable_that_cannot_be_used_sends_nothing() {
    // D11-139, D11-140, D11-143
    let server = Server::new(fine);
    for (value, expected) in [
        ("${TOKEN} ${OTHER}", SubstituteError::Disallowed { name: "OTHER".to_owned() }),
        ("${TOKEN} ${MISSING}", SubstituteError::Unknown { name: "MISSING".to_owned() }),
    ] {
        let headers = [BEARER, ("x", value)];
        let url = server.url("/");
        for request in [Request::get(&url, headers), Request::post(&url, headers, "body")] {
            let error = run(&fetcher(), request.unwrap(), &allowing(&[&server])).await.unwrap_err();
            assert!(!format!("{error} {error:?}").contains("s3cr3t"), "{error:?}");
            let FetchError::Variable(VariableError::Substitute { source, .. }) = error else {
                panic!("{error:?}")
            };
            assert_eq!(source, expected);
        }
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn an_echo_does_not_show_the_value() {
    // D11-141, D11-143
    let server = Server::new(|asked, to| {
        let value = asked.header("authorization").unwrap().to_owned();
        let json = format!("{{\"h\": \"{}\"}}", value.replace('"', "\\\""));
        let percent: String = TOKEN.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let body = format!("{value}\n{json}\n{percent}\n{}", asked.header("x-short").unwrap());
        say(to, &format!("200 OK\r\nx-echo: {value}"), body.as_bytes())
    });
    let headers = [BEARER, ("X-Short", "${SHORT}")];
    for request in
        [Request::get(&server.url("/"), headers), Request::post(&server.url("/"), headers, "b")]
    {
        let outcome = run(&fetcher(), request.unwrap(), &allowing(&[&server])).await.unwrap();
        let response = answer(outcome);
        assert_clean(&response);
        assert_eq!(
            String::from_utf8(response.body).unwrap(),
            "Bearer [REDACTED]\n{\"h\": \"Bearer [REDACTED]\"}\n[REDACTED]\n[REDACTED]"
        );
        assert!(response.headers.contains(&("x-echo".to_owned(), b"Bearer [REDACTED]".to_vec())));
    }
}

#[tokio::test]
async fn a_server_cannot_send_the_value_back_by_a_redirect() {
    // D11-141
    let percent: String = TOKEN.bytes().map(|byte| format!("%{byte:02X}")).collect();
    let places = ["/x?t=", "http://c.test/", "http://d.test/", "ftp://", "http://b.test:1/"];
    for place in places.map(|place| format!("{place}{percent}")) {
        let server = Server::new(move |asked, to| match asked.path() {
            "/" => redirect(to, 302, &place),
            path => say(to, "200 OK", path.as_bytes()),
        });
        let mut policy = allowing(&[&server]);
        policy.net.extend([rule("b.test", 1, true), rule("127.0.0.1", 1, true)]);
        policy.net.push(NetRule::new("d.test", false));
        let request = Request::get(&server.url("/"), [BEARER]).unwrap();
        let shown = match run(&fetcher(), request, &policy).await {
            Ok(Fetched::Answer(response)) => {
                assert_clean(&response);
                format!("{response:?}")
            }
            Ok(Fetched::Uncovered(asked)) => {
                asked.url.clone() + " " + &asked.into_denied().to_string()
            }
            Err(error) => format!("{error} {error:?}"),
        };
        assert!(!shown.contains(&percent), "{shown}");
    }
}

#[tokio::test]
async fn a_compressed_answer_to_a_secret_is_refused() {
    // D11-141: nobody would find the value in it
    let server = Server::new(|_, to| say(to, "200 OK\r\ncontent-encoding: gzip", b"\x1f\x8b"));
    let error = get(&[&server], &server.url("/"), &[BEARER]).await.unwrap_err();
    assert!(error.to_string().contains("compressed"), "{error}");
    let response = get(&[&server], &server.url("/"), &[]).await.unwrap();
    assert_eq!(response.body, b"\x1f\x8b");
}

#[tokio::test]
async fn secrets_stay_with_the_origin() {
    // D11-145
    let other = Server::new(fine);
    let port = other.port();
    let first = Server::new(move |asked, to| match asked.path() {
        "/host" => {
            let port = asked.header("host").unwrap().rsplit(':').next().unwrap().to_owned();
            redirect(to, 307, &format!("http://b.test:{port}/end"))
        }
        "/port" => redirect(to, 307, &format!("http://a.test:{port}/end")),
        "/same" => redirect(to, 307, "/end"),
        _ => say(to, "200 OK", b"end"),
    });
    let headers = [BEARER, ("Cookie", "own"), ("X-Key", "${TOKEN}"), ("X-Own", "1")];
    for (path, is_kept) in [("/same", true), ("/host", false), ("/port", false)] {
        other.forget();
        first.forget();
        get(&[&first, &other], &first.url(path), &headers).await.unwrap();
        let last = first.asked().into_iter().chain(other.asked()).last().unwrap();
        assert_eq!(last.path(), "/end");
        for name in ["authorization", "cookie", "x-key"] {
            assert_eq!(last.header(name).is_some(), is_kept, "{name} at {path}");
        }
        assert_eq!(last.header("x-own"), Some("1"));
    }
}

#[tokio::test]
async fn secrets_that_were_dropped_do_not_return() {
    // D11-145
    let first = Server::new(move |asked, to| {
        let (_, port) = asked.header("host").unwrap().split_once(':').unwrap();
        match asked.path() {
            "/" => redirect(to, 307, &format!("http://b.test:{port}/away")),
            "/away" => redirect(to, 307, &format!("http://a.test:{port}/back")),
            _ => say(to, "200 OK", b""),
        }
    });
    get(&[&first], &first.url("/"), &[BEARER]).await.unwrap();
    let sent: Vec<bool> =
        first.asked().iter().map(|asked| asked.header("authorization").is_some()).collect();
    assert_eq!(sent, [true, false, false]);
}
