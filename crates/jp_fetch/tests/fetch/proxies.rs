//! The proxy that a machine has to use.

use jp_fetch::{FetchSettings, Fetched, Fetcher, Request};
use jp_route::Upstream;
use jp_tool::access::NetRule;

use crate::support::*;

fn through(proxy: &Server, no_proxy: &str) -> Fetcher {
    let url = format!("http://me:pw@proxy.test:{}", proxy.port());
    let upstream = Upstream::new(Some(&url), Some(&url), Some(no_proxy)).unwrap();
    Fetcher::new(FetchSettings { upstream, ..settings() })
}

#[tokio::test]
async fn plain_requests_are_given_to_the_proxy() {
    let proxy = Server::new(|_, to| say(to, "200 OK", b"by proxy"));
    // The name leads nowhere from here, and its address is not judged.
    let rules = policy(vec![NetRule::new("far.test", true)]);
    let request = Request::get("http://far.test/x", []).unwrap();
    let response = answer(run(&through(&proxy, ""), request, &rules).await.unwrap());
    assert_eq!(response.body, b"by proxy");
    let asked = &proxy.asked()[0];
    assert_eq!(asked.line, "GET http://far.test/x HTTP/1.1");
    assert_eq!(asked.header("proxy-authorization"), Some("Basic bWU6cHc="));
    assert_eq!(asked.header("host"), Some("far.test"));
    // Its URL is judged as ever.
    let request = Request::get("http://other.test/x", []).unwrap();
    let outcome = run(&through(&proxy, ""), request, &rules).await.unwrap();
    assert!(matches!(outcome, Fetched::Uncovered(_)), "{outcome:?}");
    assert_eq!(proxy.asked().len(), 1);
}

#[tokio::test]
async fn tunnels_are_asked_for_by_name() {
    let proxy = Server::new(|_, to| say(to, "403 Forbidden", b""));
    let rules = policy(vec![NetRule::new("far.test", true)]);
    let request = Request::get("https://far.test/x", [("x-key", "${TOKEN}")]).unwrap();
    let error = run(&through(&proxy, ""), request, &rules).await.unwrap_err().to_string();
    assert!(error.starts_with("far.test: ") && error.contains("tunnel"), "{error}");
    let asked = &proxy.asked()[0];
    assert_eq!(asked.line, "CONNECT far.test:443 HTTP/1.1");
    assert_eq!(asked.header("proxy-authorization"), Some("Basic bWU6cHc="));
    assert_eq!(asked.header("x-key"), None);
}

#[tokio::test]
async fn some_hosts_are_dialed_directly() {
    let proxy = Server::new(fine);
    let server = Server::new(fine);
    for (host, no_proxy) in [("a.test", "other,.test"), ("127.0.0.1", ""), ("localhost", "")] {
        let url = format!("http://{host}:{}/", server.port());
        let mut rules = allowing(&[&server]);
        rules.net.push(rule("localhost", server.port(), true));
        let request = Request::get(&url, []).unwrap();
        answer(run(&through(&proxy, no_proxy), request, &rules).await.unwrap());
    }
    assert_eq!((proxy.connections(), server.asked().len()), (0, 3));
}
