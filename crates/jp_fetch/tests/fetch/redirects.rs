//! Redirects: followed by the host, judged at every hop, once.

use jp_fetch::{DeniedReason, FetchError, Fetched, Request};
use jp_tool::access::NetRule;

use crate::support::*;

/// `/301/next/x` is answered with 301 and leads to `/x` on `next`.
fn leading(next: u16) -> Server {
    Server::new(move |asked, to| {
        let path = asked.path().to_owned();
        match path[1..].split_once('/').map(|(status, rest)| (status.parse::<u16>(), rest)) {
            Some((Ok(status), rest)) => {
                redirect(to, status, &format!("http://b.test:{next}/{rest}"))
            }
            _ => say(to, "200 OK", path.as_bytes()),
        }
    })
}

#[tokio::test]
async fn methods_and_bodies_change_as_the_status_says() {
    // D11-144
    let last = Server::new(fine);
    let first = leading(last.port());
    for (status, method, body) in [
        (301, "GET", ""),
        (302, "GET", ""),
        (303, "GET", ""),
        (307, "POST", "b"),
        (308, "POST", "b"),
    ] {
        let headers = [("content-type", "text/plain"), ("x-own", "1")];
        let request = Request::post(&first.url(&format!("/{status}/x")), headers, "b").unwrap();
        let policy = allowing(&[&first, &last]);
        let response = answer(run(&fetcher(), request, &policy).await.unwrap());
        assert_eq!(response.url, format!("http://b.test:{}/x", last.port()));
        let asked = last.asked().pop().unwrap();
        assert_eq!(asked.line, format!("{method} /x HTTP/1.1"));
        assert_eq!(asked.body, body.as_bytes(), "{status}");
        assert_eq!(asked.header("content-type").is_some(), method == "POST", "{status}");
        assert_eq!(asked.header("x-own"), Some("1"));
    }
    assert_eq!((first.asked().len(), last.asked().len()), (5, 5));
}

#[tokio::test]
async fn places_can_be_relative_and_a_redirect_to_nowhere_is_an_answer() {
    let server = Server::new(|asked, to| match asked.path() {
        "/dir/a" => redirect(to, 302, "b?x=1"),
        "/none" => say(to, "302 Found", b"stay"),
        path => say(to, "200 OK", path.as_bytes()),
    });
    let response = get(&[&server], &server.url("/dir/a"), &[]).await.unwrap();
    assert_eq!(response.body, b"/dir/b?x=1");
    let response = get(&[&server], &server.url("/none"), &[]).await.unwrap();
    assert_eq!((response.status, &response.body[..]), (302, &b"stay"[..]));
}

#[tokio::test]
async fn redirects_have_a_limit() {
    let server = Server::new(|asked, to| {
        let left: usize = asked.path()[1..].parse().unwrap();
        match left {
            0 => say(to, "200 OK", b"there"),
            left => redirect(to, 302, &format!("/{}", left - 1)),
        }
    });
    let response = get(&[&server], &server.url("/10"), &[]).await.unwrap();
    assert_eq!(response.body, b"there");
    let error = get(&[&server], &server.url("/11"), &[]).await.unwrap_err();
    assert!(matches!(error, FetchError::Failed { .. }));
    assert_eq!(error.to_string(), "a.test: there were more than 10 redirects");
    assert_eq!(server.asked().len(), 11 + 11);
}

#[tokio::test]
async fn a_hop_that_a_rule_denies_is_not_taken() {
    // D11-144
    let last = Server::new(fine);
    let first = leading(last.port());
    let mut policy = allowing(&[&first, &last]);
    let admin = Some("/admin".to_owned());
    policy.net.push(NetRule { path_prefix: admin, ..rule("b.test", last.port(), false) });
    let request = Request::get(&first.url("/307/admin"), []).unwrap();
    let error = run(&fetcher(), request, &policy).await.unwrap_err();
    let FetchError::Denied(denied) = error else { panic!("{error:?}") };
    assert_eq!(denied.reason, DeniedReason::Rule);
    assert_eq!(denied.url, format!("http://b.test:{}/admin", last.port()));
    assert_eq!(last.connections(), 0);
}

#[tokio::test]
async fn a_post_goes_on_from_a_hop_that_nobody_had_decided() {
    // D11-144
    let last = Server::new(fine);
    let first = leading(last.port());
    let mut policy = allowing(&[&first]);
    let url = first.url("/307/x?key=1");
    let request = Request::post(&url, [("x-own", "1")], "once").unwrap();
    let fetcher = fetcher();
    let outcome = run(&fetcher, request, &policy).await.unwrap();
    let Fetched::Uncovered(asked) = outcome else { panic!("{outcome:?}") };
    assert_eq!(asked.url, format!("http://b.test:{}/x", last.port()));
    assert_eq!(asked.from, Some(first.url("/307/x")));
    assert_eq!(asked.rule, rule("b.test", last.port(), true));
    assert_eq!(last.connections(), 0);

    policy.net.extend([asked.rule.clone(), rule("127.0.0.1", last.port(), true)]);
    answer(run(&fetcher, asked.rest, &policy).await.unwrap());
    assert_eq!(first.lines(), ["POST /307/x?key=1 HTTP/1.1"]);
    assert_eq!(last.lines(), ["POST /x?key=1 HTTP/1.1"]);
    assert_eq!(last.asked()[0].body, b"once");
}

#[tokio::test]
async fn a_redirect_into_the_own_network_is_not_taken() {
    // D11-144, D11-146
    for location in
        ["http://169.254.169.254/latest/", "http://cloud.test/", "http://[::1]/", "http://0/"]
    {
        let server = Server::new(move |_, to| redirect(to, 302, location));
        let mut policy = allowing(&[&server]);
        policy.net.push(NetRule::new("cloud.test", true));
        let request = Request::get(&server.url("/"), []).unwrap();
        let outcome = run(&fetcher(), request, &policy).await.unwrap();
        assert!(matches!(outcome, Fetched::Uncovered(_)), "{location}: {outcome:?}");
    }
}

#[tokio::test]
async fn a_redirect_to_what_cannot_be_asked_for_is_an_error() {
    for (location, expected) in [
        ("http://me:hunter2@b.test/", "URLs with a user name or password are refused"), // D11-147
        ("ftp://b.test/", "only http and https"),
        ("file:///etc/passwd", "there is no host"),
        ("http://a b/", "redirects to no URL"),
    ] {
        let server = Server::new(move |_, to| redirect(to, 302, location));
        let error = get(&[&server], &server.url("/"), &[]).await.unwrap_err();
        assert!(matches!(error, FetchError::Failed { .. }));
        let text = error.to_string();
        assert!(text.starts_with("a.test: it redirects") && text.contains(expected), "{text}");
        assert!(!text.contains("hunter2"), "{text}");
    }
}
