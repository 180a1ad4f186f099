//! What is let pass, what is refused, and whether the advice that is given helps.

use insta::assert_snapshot;
use proptest::{prelude::*, sample::select};

use super::*;

/// A rule from `allow https://host:port/path`, where all but the host can be missing.
fn rule(text: &str) -> NetRule {
    let (verb, rest) = text.split_once(' ').unwrap();
    let (scheme, rest) = match rest.split_once("://") {
        Some((scheme, rest)) => (Some(scheme.to_owned()), rest),
        None => (None, rest),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !authority.ends_with(']') => (host, Some(port.parse().unwrap())),
        _ => (authority, None),
    };
    let path_prefix = (!path.is_empty()).then(|| path.to_owned());
    NetRule { host: host.to_owned(), scheme, port, path_prefix, allow: verb == "allow" }
}

fn rules(texts: &[&str]) -> Rules {
    Rules::new(texts.iter().map(|text| rule(text)).collect(), "access.net")
}

/// The verdict in a word or two.
fn tunnel(texts: &[&str], host: &str, port: u16) -> String {
    match rules(texts).tunnel(host, port) {
        Ok(granted) => format!("{:?}", granted.speech()),
        Err(denied) => format!("{:?}", denied.reason),
    }
}

#[test]
fn a_tunnel_is_for_a_whole_host_and_port() {
    for (texts, host, port, expected) in [
        (&["allow a.com"][..], "a.com", 443, "Tls"),
        (&["allow a.com"], "A.COM.", 443, "Tls"),
        (&["allow a.com"], "a.com", 80, "Plain"),
        (&["allow a.com"], "a.com", 22, "NoRule"),
        (&["allow a.com:22"], "a.com", 22, "Any"),
        (&["allow a.com:443"], "a.com", 443, "Any"),
        (&["allow https://a.com:22"], "a.com", 22, "Tls"),
        (&["allow http://a.com:8080"], "a.com", 8080, "Plain"),
        (&["allow https://a.com"], "a.com", 80, "NoRule"),
        (&["allow http://a.com"], "a.com", 443, "NoRule"),
        (&["allow a.com", "deny http://a.com"], "a.com", 80, "Rule(\"http://a.com\")"),
        (&["allow a.com", "deny a.com/admin"], "a.com", 443, "HiddenPaths"),
        (&["allow a.com/public"], "a.com", 443, "HiddenPaths"),
        (&["allow a.com/public"], "a.com", 8443, "NoRule"),
        (&["allow a.com/public", "allow a.com"], "a.com", 443, "Tls"),
        (&["allow a.com/"], "a.com", 443, "Tls"),
        (&["allow a.com", "deny http://a.com/admin"], "a.com", 443, "Tls"),
        (&["allow a.com", "deny b.com/admin"], "a.com", 443, "Tls"),
        // The rule for the path says less than the one with scheme and port.
        (&["deny a.com/admin", "allow https://a.com:443"], "a.com", 443, "Tls"),
        (&["allow *.a.com"], "a.com", 443, "NoRule"),
        (&["allow a.com", "deny *.a.com"], "a.com", 443, "Rule(\"*.a.com\")"),
        (&[], "a.com", 443, "NoRule"),
        (&["allow münchen.de"], "xn--mnchen-3ya.de", 443, "Tls"),
        (&["allow 127.0.0.1"], "0x7f.1", 443, "Tls"),
        (&["allow 127.0.0.1"], "[::ffff:127.0.0.1]", 443, "Tls"),
        (&["allow [::1]:9"], "[0::1]", 9, "Any"),
    ] {
        assert_eq!(tunnel(texts, host, port), expected, "{texts:?} {host}:{port}");
    }
}

#[test]
fn an_address_narrows_what_was_granted_by_name() {
    for (texts, port, address, expected) in [
        (&["allow a.com"][..], 443, "1.1.1.1", "Tls"),
        (&["allow a.com"], 443, "127.0.0.1", "denied"),
        (&["allow a.com"], 443, "10.0.0.1", "denied"),
        (&["allow a.com"], 443, "169.254.169.254", "denied"),
        (&["allow a.com"], 443, "fe80::1", "denied"),
        (&["allow a.com"], 443, "::ffff:10.0.0.1", "denied"),
        (&["allow a.com", "allow 10.0.0.1"], 443, "10.0.0.1", "Tls"),
        (&["allow a.com", "allow 10.0.0.1/x"], 443, "10.0.0.1", "denied"),
        (&["allow a.com", "allow localhost"], 443, "127.0.0.1", "Tls"),
        (&["allow a.com", "allow localhost"], 443, "10.0.0.1", "denied"),
        (&["allow a.com", "deny 1.1.1.1"], 443, "1.1.1.1", "denied"),
        (&["allow a.com", "deny 1.1.1.1/x"], 443, "1.1.1.1", "denied"),
        // The same address for a translator.
        (&["allow a.com"], 443, "64:ff9b::101:101", "Tls"),
        (&["allow a.com", "deny 1.1.1.1/x"], 443, "64:ff9b::101:101", "denied"),
        (&["allow a.com:9", "allow https://10.0.0.1:9"], 9, "10.0.0.1", "Tls"),
        (&["allow a.com:9", "allow 10.0.0.1:9"], 9, "10.0.0.1", "Any"),
    ] {
        let rules = rules(texts);
        let granted = rules.tunnel("a.com", port).unwrap();
        let found = match rules.at(&granted, address.parse().unwrap()) {
            Ok(granted) => format!("{:?}", granted.speech()),
            Err(_) => "denied".to_owned(),
        };
        assert_eq!(found, expected, "{texts:?} {address}");
    }
}

#[test]
fn refusals_say_what_to_add() {
    let texts = [
        "allow a.com",
        "deny a.com/admin",
        "deny b.com",
        "allow c.com",
        "allow e.com/public",
        "deny 1.1.1.1",
    ];
    let rules = Rules::new(texts.map(rule).to_vec(), "conversation.tools.fetch.access.net");
    let c = rules.request("http://c.com/x?secret=1").unwrap();
    let denied = [
        rules.request("http://a.com/admin/x?secret=1").unwrap_err(),
        rules.request("http://a.com//?secret=1").unwrap_err(),
        rules.request("http://d.com:8080/x?secret=1").unwrap_err(),
        rules.request("http://user:secret@c.com/").unwrap_err(),
        rules.request("http://c..com/").unwrap_err(),
        rules.tunnel("a.com", 443).unwrap_err(),
        rules.tunnel("b.com", 443).unwrap_err(),
        rules.tunnel("d.com", 8443).unwrap_err(),
        rules.tunnel("e.com", 443).unwrap_err(),
        rules.at(&c, "10.0.0.1".parse().unwrap()).unwrap_err(),
        rules.at(&c, "1.1.1.1".parse().unwrap()).unwrap_err(),
        rules.wrong_speech(&rules.tunnel("c.com", 443).unwrap(), Reason::NotTls),
    ];
    let text: String = denied.iter().map(|it| it.explain(rules.table()) + "--\n").collect();
    assert!(!text.contains("secret"));
    assert_snapshot!(text, @r#"
    access denied: http://a.com/admin/x: the rule for a.com/admin denies it
    --
    access denied: http://a.com//: a rule for this host depends on the path, and this path has several readings
    --
    access denied: http://d.com:8080/x: no rule allows it

    To allow it, add a rule:

    [[conversation.tools.fetch.access.net]]
    host = "d.com"
    port = 8080
    allow = true
    --
    access denied: http://c.com: URLs with a user name or password are refused
    --
    access denied: http://c..com/: not a usable URL: a part of the domain is empty
    --
    access denied: https://a.com/: rules for this host depend on the path, which an encrypted connection hides
    --
    access denied: https://b.com/: the rule for b.com denies it
    --
    access denied: https://d.com:8443/: no rule allows it

    To allow it, add a rule:

    [[conversation.tools.fetch.access.net]]
    host = "d.com"
    port = 8443
    allow = true
    --
    access denied: https://e.com/: rules for this host depend on the path, which an encrypted connection hides

    To allow it, add a rule:

    [[conversation.tools.fetch.access.net]]
    host = "e.com"
    allow = true
    --
    access denied: http://c.com/x: it leads to 10.0.0.1, and no rule allows that address

    To allow it, add a rule:

    [[conversation.tools.fetch.access.net]]
    host = "10.0.0.1"
    allow = true
    --
    access denied: http://c.com/x: it leads to 1.1.1.1, and no rule allows that address
    --
    access denied: https://c.com/: only https is allowed there, and this is not TLS

    To allow it, add a rule:

    [[conversation.tools.fetch.access.net]]
    host = "c.com"
    port = 443
    allow = true
    --
    "#);
}

#[test]
fn a_long_url_is_cut() {
    let url = format!("http://a.com/{}", "ä".repeat(10_000));
    let denied = rules(&[]).request(&url).unwrap_err();
    assert!(denied.target.len() < 220, "{}", denied.target.len());
}

proptest! {
    #[test]
    fn the_rule_that_is_advised_helps(
        texts in prop::collection::vec(select(vec![
            "allow a.com", "deny a.com", "allow a.com/x", "deny a.com/x", "deny https://a.com",
            "deny http://a.com:8080/x/y", "allow 10.0.0.1", "deny 10.0.0.1/x", "allow localhost:8080",
            "deny *.bad", "deny https://10.0.0.1:8080",
        ]), 0..5),
        (host, port) in (select(vec!["a.com", "10.0.0.1"]), select(vec![443, 80, 8080])),
    ) {
        let net: Vec<_> = texts.iter().map(|text| rule(text)).collect();
        let mut rules = Rules::new(net.clone(), "");
        // A rule for the host, and perhaps another one for the address.
        for _ in 0..2 {
            let denied = match rules.tunnel(host, port) {
                Ok(granted) => match rules.at(&granted, [10, 0, 0, 1].into()) {
                    Ok(_) => return Ok(()),
                    Err(denied) => denied,
                },
                Err(denied) => denied,
            };
            let Some(advice) = denied.rule else { return Ok(()) };
            let mut net = rules.judge.policy().net.clone();
            net.push(*advice);
            rules = Rules::new(net, "");
        }
        let granted = rules.tunnel(host, port);
        prop_assert!(granted.is_ok_and(|it| rules.at(&it, [10, 0, 0, 1].into()).is_ok()));
    }
}
