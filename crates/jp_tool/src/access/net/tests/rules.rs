//! How a rule is read, written and refused.

use super::*;

#[test]
fn rules_that_cannot_be_read_are_refused_with_what_to_write() {
    // 076-169, 076-170
    let host = |host: &str| NetRule::new(host, true);
    let refusals: Vec<_> = [
        host("*.github.com"),
        host("*"),
        host("%2a.github.com"),
        host(""),
        host("a b"),
        host("a..b"),
        host("."),
        host("[::1"),
        host("https://api.github.com/repos?token=hunter2"),
        host("api.github.com:8443"),
        host("[::1]:80"),
        host("api.github.com/admin"),
        host("user:hunter2@api.github.com"),
        NetRule { scheme: Some("https://".to_owned()), ..host("a.com") },
        NetRule { scheme: Some(String::new()), ..host("a.com") },
        rule("allow a.com//admin"),
        rule("allow a.com/a%2fb"),
        rule("allow a.com/a/../b"),
        rule("allow a.com/a?b"),
        NetRule { path_prefix: Some("admin".to_owned()), ..host("a.com") },
        NetRule { path_prefix: Some(String::new()), ..host("a.com") },
    ]
    .into_iter()
    .map(|rule| rule.normalized().unwrap_err().to_string())
    .collect();
    assert!(!refusals.join("").contains("hunter2"));
    assert_snapshot!(refusals.join("\n"), @r#"
    wildcards are not supported in a host: *.github.com; write one rule for each host
    wildcards are not supported in a host: *; write one rule for each host
    wildcards are not supported in a host: %2a.github.com; write one rule for each host
    the host of a rule is empty; write a domain or an address
    not a host: "a b": invalid international domain name; write a domain or an address
    not a host: "a..b": a part of the domain is empty; write a domain or an address
    not a host: ".": a part of the domain is empty; write a domain or an address
    not a host: "[::1": invalid IPv6 address; write a domain or an address
    the host of a rule contains a scheme; write `host = "api.github.com"`, `scheme = "https"`, `path_prefix = "/repos"`
    the host of a rule contains a port; write `host = "api.github.com"`, `port = 8443`
    the host of a rule contains a port; write `host = "[::1]"`, `port = 80`
    the host of a rule contains a path; write `host = "api.github.com"`, `path_prefix = "/admin"`
    the host of a rule contains a user name or password; write `host = "api.github.com"`
    not a scheme: "https://"; write `https` or `http`
    not a scheme: ""; write `https` or `http`
    path_prefix "//admin" has an empty segment; write the path in plain segments, like `/a/b`
    path_prefix "/a%2fb" has an encoded slash; write the path in plain segments, like `/a/b`
    path_prefix "/a/../b" has a dot segment; write the path in plain segments, like `/a/b`
    path_prefix "/a?b" has a query or a fragment; write the path in plain segments, like `/a/b`
    path_prefix "admin" does not begin with a slash; write the path in plain segments, like `/a/b`
    path_prefix "" does not begin with a slash; write the path in plain segments, like `/a/b`
    "#);
}

#[test]
fn a_rule_has_one_normal_form() {
    for (text, expected) in [
        ("allow HTTPS://API.GitHub.com.:443/%61dmin/", "https://api.github.com:443/admin"),
        ("allow münchen.de/ä b", "xn--mnchen-3ya.de/%C3%A4%20b"),
        ("allow 0x7f.1/", "127.0.0.1/"),
        ("allow [0::FFFF:1.2.3.4]", "1.2.3.4"),
        ("allow [0:0::1]:80", "[::1]:80"),
        ("allow git+ssh://localhost", "git+ssh://localhost"),
    ] {
        let normal = rule(text).normalized().unwrap();
        assert_eq!(normal.to_string(), expected);
        assert_eq!(normal.clone().normalized().unwrap(), normal);
    }
    assert_eq!(NetRule::new("::1", true).normalized().unwrap().host, "[::1]");
}

#[test]
fn a_rule_shows_all_that_it_says() {
    let full = NetRule {
        host: "::1".to_owned(),
        scheme: Some("https".to_owned()),
        port: Some(8443),
        path_prefix: Some("/a/b".to_owned()),
        allow: true,
    };
    let shown = [
        full.to_string(),
        NetRule { scheme: None, ..full.clone() }.to_string(),
        NetRule { port: None, path_prefix: None, ..full.clone() }.to_string(),
        NetRule { host: "[::1]".to_owned(), ..full.clone() }.to_string(),
        NetRule { host: "a.com".to_owned(), port: None, ..full }.to_string(),
        NetRule::new("10.0.0.1", false).to_string(),
    ];
    assert_snapshot!(shown.join("\n"), @"
    https://[::1]:8443/a/b
    [::1]:8443/a/b
    https://[::1]
    https://[::1]:8443/a/b
    https://a.com/a/b
    10.0.0.1
    ");
}

#[test]
fn a_rule_that_nobody_can_read_never_allows() {
    for text in ["*.a.com", "a.com/x//y", "ht tp://a.com"] {
        let (allow, deny) = (format!("allow {text}"), format!("deny {text}"));
        assert_eq!(decide(&[&allow], "https://a.com/x"), "uncovered", "{text}");
        assert_eq!(decide(&["allow a.com", &allow], "https://a.com/x"), "allow a.com", "{text}");
        // What it was meant to deny is not known, so everything is.
        assert_eq!(decide(&[&deny, "allow https://a.com:443"], "https://a.com/x"), deny, "{text}");
    }
}

#[test]
fn a_rule_is_read_and_written_as_documented() {
    // 076-224, 076-181
    let rule: NetRule = serde_json::from_str(r#"{"host":"h","later":1}"#).unwrap();
    assert_eq!(rule, NetRule::new("h", false));
    assert_eq!(serde_json::to_string(&rule).unwrap(), r#"{"host":"h","allow":false}"#);
    assert_eq!(decide(&["deny h"], "https://h/"), "deny h");
    let full = r#"{"host":"h","scheme":"https","port":1,"path_prefix":"/a","allow":true}"#;
    let rule: NetRule = serde_json::from_str(full).unwrap();
    assert_eq!(serde_json::to_string(&rule).unwrap(), full);
}
