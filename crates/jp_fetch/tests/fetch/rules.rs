//! What the rules let pass, by name and by address.

use std::sync::Arc;

use jp_fetch::{
    Denied, DeniedReason, FetchError, FetchSettings, Fetched, Fetcher, Request, Uncovered,
};
use jp_tool::access::{AccessPolicy, NetRule};

use crate::support::*;

async fn denied(url: &str, policy: &AccessPolicy) -> Denied {
    match run(&fetcher(), Request::get(url, []).unwrap(), policy).await {
        Err(FetchError::Denied(denied)) => denied,
        other => panic!("{url}: {other:?}"),
    }
}

async fn uncovered(url: &str, policy: &AccessPolicy) -> Box<Uncovered> {
    match run(&fetcher(), Request::get(url, []).unwrap(), policy).await {
        Ok(Fetched::Uncovered(uncovered)) => uncovered,
        other => panic!("{url}: {other:?}"),
    }
}

#[tokio::test]
async fn what_a_rule_denies_is_not_connected_to() {
    // D11-137
    let server = Server::new(fine);
    let port = server.port();
    let secret = NetRule { path_prefix: Some("/secret".to_owned()), ..rule("a.test", port, false) };
    let policy = policy(vec![rule("a.test", port, true), rule("127.0.0.1", port, true), secret]);
    let refusal = denied(&server.url("/secret/x?key=1"), &policy).await;
    assert_eq!(refusal.reason, DeniedReason::Rule);
    assert_eq!(
        FetchError::from(refusal).to_string(),
        format!(
            "access denied: net: http://a.test:{port}/secret/x: a rule denies it; \
             the rules allow a.test:{port}, 127.0.0.1:{port}"
        )
    );
    let refusal = denied(&server.url("/%2573ecret"), &policy).await;
    assert_eq!(refusal.reason, DeniedReason::SeveralReadings);
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn what_no_rule_covers_is_asked_about_and_goes_on() {
    // D11-137
    let server = Server::new(fine);
    let port = server.port();
    for mut policy in [policy(vec![]), policy(vec![rule("other.test", port, true)])] {
        let asked = uncovered(&server.url("/x?key=1"), &policy).await;
        assert_eq!(asked.url, format!("http://a.test:{port}/x"));
        assert_eq!((&asked.rule, asked.address), (&rule("a.test", port, true), None));
        assert_eq!(asked.from, None);
        policy.net.push(asked.rule.clone());

        // The name is allowed now, and where it leads is the next question.
        let Ok(Fetched::Uncovered(asked)) = run(&fetcher(), asked.rest, &policy).await else {
            panic!("the address is not covered")
        };
        assert_eq!(asked.rule, rule("127.0.0.1", port, true));
        assert_eq!(asked.address, Some("127.0.0.1".parse().unwrap()));
        assert_eq!(server.connections(), 0);
        policy.net.push(asked.rule.clone());
        let response = answer(run(&fetcher(), asked.rest, &policy).await.unwrap());
        assert_eq!(response.body, b"ok");
        assert_eq!(server.lines(), ["GET /x?key=1 HTTP/1.1"]);
        server.forget();
    }
}

#[tokio::test]
async fn a_no_becomes_a_refusal() {
    let policy = policy(vec![NetRule::new("good.test", true)]);
    let error = uncovered("https://a.test/x?key=1", &policy).await.into_denied();
    assert_eq!(
        error.to_string(),
        "access denied: net: https://a.test/x: no rule covers it; the rules allow good.test"
    );
    let error = uncovered("https://a.test/", &AccessPolicy::default()).await.into_denied();
    assert!(error.to_string().ends_with("no rule covers it; the rules allow nothing"), "{error}");
}

#[tokio::test]
async fn addresses_that_are_not_public_need_a_rule_of_their_own() {
    // D11-146
    for (host, address) in [
        ("a.test", "127.0.0.1"),
        ("office.test", "10.0.0.1"),
        ("cloud.test", "169.254.169.254"),
        ("mapped.test", "127.0.0.1"),
    ] {
        let rules = policy(vec![NetRule::new(host, true)]);
        let asked = uncovered(&format!("http://{host}/"), &rules).await;
        assert_eq!(asked.address, Some(address.parse().unwrap()), "{host}");
        assert_eq!(asked.rule, NetRule::new(address, true), "{host}");
        let text = asked.into_denied().to_string();
        let expected = format!("it leads to {address}, which needs a rule of its own");
        assert!(text.contains(&expected), "{text}");

        // Who denies an address is not asked about it.
        let rules = policy(vec![NetRule::new(host, true), rule(address, 81, false)]);
        let refusal = denied(&format!("http://{host}/"), &rules).await;
        assert_eq!(refusal.reason, DeniedReason::Address(address.parse().unwrap()), "{host}");
    }
    // In a URL an address is a host like any other, and needs a rule in any case.
    for url in ["http://127.0.0.1/", "http://0x7f.1/", "http://[::ffff:127.0.0.1]/"] {
        let asked = uncovered(url, &policy(vec![NetRule::new("a.test", true)])).await;
        assert_eq!((asked.rule, asked.address), (NetRule::new("127.0.0.1", true), None), "{url}");
    }
}

#[tokio::test]
async fn a_rule_for_localhost_opens_loopback_and_a_good_address_among_bad_ones_is_used() {
    // D11-146
    let server = Server::new(fine);
    let port = server.port();
    for host in ["localhost", "both.test", "mapped.test", "127.0.0.1"] {
        let mut rules = vec![rule(host, port, true), rule("localhost", port, true)];
        if host == "127.0.0.1" {
            rules.pop();
        }
        let request = Request::get(&format!("http://{host}:{port}/"), []).unwrap();
        answer(run(&fetcher(), request, &policy(rules)).await.unwrap());
    }
    assert_eq!(server.asked().len(), 4);
}

#[tokio::test]
async fn the_address_that_was_judged_is_the_one_that_is_dialed() {
    // D11-146: a second lookup would lead to 127.0.0.2, where nobody listens
    let server = Server::new(fine);
    let port = server.port();
    let names = Arc::new(Names::default());
    let fetcher = Fetcher::new(FetchSettings { resolver: names.clone(), ..settings() });
    let mut policy = policy(vec![rule("rebind.test", port, true), rule("127.0.0.1", port, true)]);
    let url = format!("http://rebind.test:{port}/");
    answer(run(&fetcher, Request::get(&url, []).unwrap(), &policy).await.unwrap());
    assert_eq!(names.lookups(), 1);
    // It leads elsewhere now, and the connection that is still open is no way around the rules.
    let again = run(&fetcher, Request::get(&url, []).unwrap(), &policy).await.unwrap();
    let Fetched::Uncovered(asked) = again else { panic!("{again:?}") };
    assert_eq!(asked.address, Some("127.0.0.2".parse().unwrap()));
    assert_eq!(server.asked().len(), 1);
    // Where both are allowed it goes to where the name leads now, and not to where it led before.
    policy.net.push(asked.rule.clone());
    answer(run(&fetcher, asked.rest, &policy).await.unwrap());
    let error = run(&fetcher, Request::get(&url, []).unwrap(), &policy).await.unwrap_err();
    assert!(error.to_string().contains("refused"), "{error}");
    assert_eq!((names.lookups(), server.asked().len()), (4, 2));
}

#[tokio::test]
async fn an_open_connection_is_no_way_around_other_rules() {
    let server = Server::new(fine);
    let port = server.port();
    let fetcher = fetcher();
    let request = || Request::get(&server.url("/"), []).unwrap();
    answer(run(&fetcher, request(), &allowing(&[&server])).await.unwrap());
    let narrow = policy(vec![rule("a.test", port, true)]);
    let second = run(&fetcher, request(), &narrow).await.unwrap();
    assert!(matches!(second, Fetched::Uncovered(_)), "{second:?}");
    assert_eq!(server.asked().len(), 1);
}

#[tokio::test]
async fn a_name_that_leads_nowhere_is_told_so() {
    for (host, expected) in [
        ("nowhere.test", "nowhere.test: cannot find its address: it has none"),
        ("unknown.test", "unknown.test: cannot find its address: no such name"),
    ] {
        let policy = policy(vec![NetRule::new(host, true)]);
        let request = Request::get(&format!("https://{host}/"), []).unwrap();
        let error = run(&fetcher(), request, &policy).await.unwrap_err();
        assert!(matches!(error, FetchError::Failed { .. }));
        assert_eq!(error.to_string(), expected);
    }
}
