//! What a list of rules says about URLs, by hand. Beside it: the addresses that are dialed, the rules
//! themselves, and the agreement with a second implementation.

mod address;
mod agreement;
mod rules;

use insta::assert_snapshot;

use super::*;

/// Rules as they are configured: `allow` or `deny`, then what the rule shows itself as.
fn policy(rules: &[&str]) -> AccessPolicy {
    let net = rules.iter().map(|text| rule(text)).collect();
    AccessPolicy { net, ..AccessPolicy::default() }
}

fn rule(text: &str) -> NetRule {
    let (verb, rest) = text.split_once(' ').unwrap();
    let (scheme, rest) = match rest.split_once("://") {
        Some((scheme, rest)) => (Some(scheme.to_owned()), rest),
        None => (None, rest),
    };
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !host.contains('[') || host.ends_with(']') => {
            (host, Some(port.parse().unwrap()))
        }
        _ => (authority, None),
    };
    let path_prefix = (!path.is_empty()).then(|| path.to_owned());
    NetRule { host: host.to_owned(), scheme, port, path_prefix, allow: verb == "allow" }
}

fn decide(rules: &[&str], url: &str) -> String {
    match policy(rules).decide_net(&NetTarget::parse(url).unwrap()) {
        Decision::Allowed(rule) => format!("allow {rule}"),
        Decision::Denied(rule) => format!("deny {rule}"),
        Decision::Uncovered => "uncovered".to_owned(),
    }
}

fn check(rules: &[&str], url: &str) -> &'static str {
    match policy(rules).check_net(url) {
        Ok(_) => "allowed",
        Err(NetAccessError::Denied { .. }) => "denied",
        Err(NetAccessError::Ambiguous { .. }) => "ambiguous",
        Err(NetAccessError::Userinfo { .. }) => "userinfo",
        Err(NetAccessError::Invalid { .. }) => "invalid",
        Err(NetAccessError::Address { .. }) => "address",
    }
}

/// Whether one rule without more to it matches a URL.
fn matches(text: &str, url: &str) -> bool {
    decide(&[&format!("allow {text}")], url) != "uncovered"
}

const API: [&str; 2] = ["allow api.github.com", "deny api.github.com/admin"];

#[test]
fn the_rules_of_the_document() {
    for (id, url, expected) in [
        ("076-182", "https://api.github.com/repos", "allow api.github.com"),
        ("076-183", "https://api.github.com/admin/users", "deny api.github.com/admin"),
        ("076-184", "https://api.github.com.evil.com/", "uncovered"),
        ("076-185", "https://example.com", "uncovered"),
    ] {
        assert_eq!(decide(&API, url), expected, "{id}");
        let verdict = if expected.starts_with("allow") { "allowed" } else { "denied" };
        assert_eq!(check(&API, url), verdict, "{id}");
    }
}

#[test]
fn a_rule_matches_by_the_parts_of_a_url() {
    for (id, text, url, expected) in [
        ("076-164", "api.github.com", "https://api.github.com.evil.com/", false),
        ("076-164", "evil.com", "https://a.com/?https://evil.com/", false),
        ("076-165", "api.github.com", "https://x.api.github.com/", false),
        ("076-165", "x.api.github.com", "https://api.github.com/", false),
        ("076-166", "API.GitHub.com", "https://api.github.com/", true),
        ("076-166", "api.github.com", "HTTPS://API.GitHub.com/", true),
        ("076-167", "münchen.de", "https://xn--mnchen-3ya.de/", true),
        ("076-168", "xn--mnchen-3ya.de", "https://münchen.de/", true),
        ("076-168", "MÜNCHEN.de", "https://XN--mnchen-3ya.de/", true),
        ("076-171", "api.github.com.", "https://api.github.com/", true),
        ("076-171", "api.github.com", "https://api.github.com./", true),
        ("076-172", "https://a.com", "https://a.com/", true),
        ("076-172", "https://a.com", "http://a.com/", false),
        ("076-172", "HTTPS://a.com", "https://a.com/", true),
        ("076-173", "a.com", "http://a.com/", true),
        ("076-173", "a.com", "https://a.com/", true),
        ("076-173", "a.com", "file://a.com/x", false),
        ("076-173", "a.com", "ftp://a.com/x", false),
        ("076-173", "a.com", "wss://a.com/x", false),
        ("076-173", "a.com", "gopher://a.com/x", false),
        ("a scheme can be named", "gopher://a.com", "gopher://A.com/x", true),
        ("076-174", "a.com:8443", "https://a.com:8443/", true),
        ("076-174", "a.com:8443", "http://a.com:8443/", true),
        ("076-174", "a.com:8443", "https://a.com/", false),
        ("076-174", "a.com:8443", "https://a.com:8444/", false),
        ("076-175", "a.com", "https://a.com:443/", true),
        ("076-175", "a.com", "http://a.com:80/", true),
        ("076-175", "a.com", "http://a.com:443/", false),
        ("076-176", "api.github.com", "https://api.github.com:8443/", false),
        ("076-177", "a.com:443", "https://a.com/", true),
        ("076-177", "a.com:443", "http://a.com/", false),
        ("076-178", "a.com/admin", "https://a.com/admin", true),
        ("076-178", "a.com/admin", "https://a.com/admin/", true),
        ("076-178", "a.com/admin", "https://a.com/admin?x=/y", true),
        ("076-178", "a.com/admin/", "https://a.com/admin", true),
        ("076-178", "a.com/admin", "https://a.com/admin/users", true),
        ("076-179", "a.com/admin", "https://a.com/administration", false),
        ("case counts in a path", "a.com/admin", "https://a.com/ADMIN", false),
        ("076-180", "a.com", "https://a.com", true),
        ("076-180", "a.com", "https://a.com/any/path", true),
        ("076-180", "a.com/", "https://a.com", true),
        ("076-187", "a.com/%61dmin", "https://a.com/admin", true),
        ("076-187", "a.com/ä b", "https://a.com/%C3%A4%20b/c", true),
        ("076-187", "a.com/@x", "https://a.com/%40x", true),
        ("076-194", "127.0.0.1", "http://[::ffff:127.0.0.1]/", true),
        ("076-194", "[::ffff:127.0.0.1]", "http://127.0.0.1/", true),
        ("076-194", "127.0.0.1", "http://0x7f.1/", true),
        ("076-194", "127.0.0.1", "http://2130706433/", true),
        ("076-194", "[0:0::1]", "http://[::1]/", true),
        ("076-194", "127.0.0.1", "http://[::1]/", false),
    ] {
        assert_eq!(matches(text, url), expected, "{id}: {text} and {url}");
    }
}

#[test]
fn the_most_specific_rule_decides() {
    // 076-200, in both orders: only equal rules look at the order.
    for (id, strong, weak, url) in [
        ("076-202", "https://a.com", "a.com", "https://a.com/"),
        ("076-200", "a.com:443", "a.com", "https://a.com/"),
        ("076-200", "https://a.com:443", "https://a.com", "https://a.com/"),
        ("076-203", "a.com/a/b", "a.com/a", "https://a.com/a/b/c"),
        ("076-200", "a.com/a/b", "https://a.com", "https://a.com/a/b/c"),
        ("076-201", "a.com/a", "a.com/", "https://a.com/a"),
        ("076-201", "https://a.com", "a.com/", "https://a.com/a"),
    ] {
        let (allow, deny) = (format!("allow {weak}"), format!("deny {strong}"));
        assert_eq!(decide(&[&allow, &deny], url), deny, "{id}");
        assert_eq!(decide(&[&deny, &allow], url), deny, "{id}");
    }
}

#[test]
fn of_equally_specific_rules_the_later_one_decides() {
    for (id, one, other, url) in [
        ("076-204", "https://a.com:443", "a.com/a/b", "https://a.com/a/b"),
        ("076-201", "a.com", "a.com/", "https://a.com/a"),
        ("076-200", "https://a.com", "a.com:443", "https://a.com/"),
        ("076-200", "A.com", "a.com.", "https://a.com/"),
    ] {
        for (first, last) in [(one, other), (other, one)] {
            let last = format!("deny {last}");
            assert_eq!(decide(&[&format!("allow {first}"), &last], url), last, "{id}");
        }
    }
}

#[test]
fn a_scheme_without_a_known_port_cannot_be_used_to_avoid_a_deny() {
    for (rules, url, expected) in [
        // Whether 70 is the default port is not known, so the deny holds with it and without it.
        (&["allow gopher://a.com:70", "deny gopher://a.com/x"][..], "gopher://a.com:70/x", "deny"),
        (&["allow gopher://a.com:70", "deny gopher://a.com/x"], "gopher://a.com:70/y", "allow"),
        (&["allow gopher://a.com", "deny gopher://a.com:70"], "gopher://a.com/", "deny"),
        (&["allow gopher://a.com", "deny gopher://a.com:70"], "gopher://a.com:71/", "uncovered"),
        (&["deny gopher://a.com", "allow gopher://a.com:71"], "gopher://a.com:71/", "allow"),
        // What allows must be sure.
        (&["allow gopher://a.com"], "gopher://a.com/", "allow"),
        (&["allow gopher://a.com"], "gopher://a.com:70/", "uncovered"),
        (&["allow gopher://a.com:70"], "gopher://a.com/", "uncovered"),
        (&["allow gopher://a.com:70"], "gopher://a.com:70/", "allow"),
        (&["deny gopher://a.com"], "gopher://a.com:70/", "deny"),
        // Where the default is known, 076-175 and 076-176 hold for a deny as well.
        (&["allow https://a.com:443", "deny https://a.com/x"], "https://a.com:443/x", "deny"),
        (&["allow a.com:8443", "deny a.com"], "https://a.com:8443/", "allow"),
        (&["deny wss://a.com"], "wss://a.com:443/", "deny"),
        (&["deny wss://a.com"], "wss://a.com:444/", "uncovered"),
    ] {
        let decision = decide(rules, url);
        assert_eq!(decision.split(' ').next().unwrap(), expected, "{rules:?} {url}");
    }
    for scheme in ["http", "https", "ws", "wss", "ftp", "gopher", "ssh", "file", "git+ssh"] {
        let target = NetTarget::parse(&format!("{scheme}://a.com/")).unwrap();
        assert_eq!(target.knows_default_port(), target.port().is_some(), "{scheme}");
    }
}

#[test]
fn a_rule_says_how_specific_it_is() {
    // 076-200, 076-201
    let shown: Vec<_> =
        ["a.com", "a.com/", "https://a.com", "a.com:443", "https://a.com:443/a/%62/", "a.com//x"]
            .map(|text| format!("{text}: {}", rule(&format!("deny {text}")).specificity()))
            .into();
    assert_snapshot!(shown.join("\n"), @"
    a.com: 0 of scheme, port and path segments
    a.com/: 0 of scheme, port and path segments
    https://a.com: 1 of scheme, port and path segments
    a.com:443: 1 of scheme, port and path segments
    https://a.com:443/a/%62/: 4 of scheme, port and path segments
    a.com//x: cannot be read
    ");
    assert!(rule("deny a.com/a/b/c").specificity() < rule("deny a.com//x").specificity());
    // What a rule matches and how specific it is, is all there is to a decision.
    let target = NetTarget::parse("https://a.com/a/b").unwrap();
    for rules in [
        &["allow a.com", "deny a.com/a", "allow https://a.com", "deny b.com/a/b/c"][..],
        &["allow https://a.com:443", "deny a.com/a/b", "allow a.com:8443/a/b/c"],
        &["allow a.com/a/b", "deny a.com//", "allow b.com//"],
        &["allow b.com"],
    ] {
        let policy = policy(rules);
        let matching = policy.net.iter().filter(|rule| rule.matches(&target));
        let winner = matching.max_by_key(|rule| rule.specificity());
        assert_eq!(
            Decision::of(winner, |rule| rule.allow),
            policy.decide_net(&target),
            "{rules:?}"
        );
    }
}

#[test]
fn a_path_that_hides_another_never_reaches_the_allowing_rule() {
    for (id, path, expected) in [
        ("076-187", "/%61dmin/users", "denied"),
        ("076-187", "/%61%64%6D%69%6e", "denied"),
        ("076-188", "/admin%2fusers", "ambiguous"),
        ("076-188", "/admin%2Fusers", "ambiguous"),
        ("076-188", "/x%2f..%2fadmin", "ambiguous"),
        ("076-188", "/x/%2e%2e/admin", "ambiguous"),
        ("076-188", "/x/.%2E/admin", "ambiguous"),
        ("076-188", "/admin/%2e%2e/repos", "ambiguous"),
        ("076-188", "/%2e/admin", "ambiguous"),
        ("076-188", "/x%2ey", "ambiguous"),
        ("076-189", "//admin", "ambiguous"),
        ("076-189", "/x//admin", "ambiguous"),
        ("076-189", "/x//../admin", "ambiguous"),
        ("076-189", "/admin//", "ambiguous"),
        ("076-189", "//", "ambiguous"),
        ("076-190", r"/x\..\admin", "ambiguous"),
        ("076-190", r"/\admin", "ambiguous"),
        ("076-190", r"/admin\..\repos", "ambiguous"),
        ("076-190", "/%5cadmin", "ambiguous"),
        ("076-191", "/x/../admin", "denied"),
        ("076-191", "/./admin/.", "denied"),
        ("076-191", "/../../admin/x/..", "denied"),
        ("076-192", "/admin;v=1", "ambiguous"),
        ("076-192", "/;/admin", "ambiguous"),
        ("076-192", "/x/..;/admin", "ambiguous"),
        ("076-192", "/admin%3bv=1", "ambiguous"),
        ("encoded twice", "/%2561dmin", "ambiguous"),
        ("encoded twice", "/%252e%252e/admin", "ambiguous"),
        ("encoded twice", "/%25%36%31dmin", "ambiguous"),
        ("control character", "/admin%00", "ambiguous"),
        ("control character", "/ad%0amin", "ambiguous"),
        ("control character", "/ad%c2%85min", "ambiguous"),
        ("no digits", "/%u0061dmin", "ambiguous"),
        ("no digits", "/admin%", "ambiguous"),
        ("no digits", "/admin%6", "ambiguous"),
        ("overlong slash", "/x%c0%afadmin", "ambiguous"),
        ("hidden query", "/admin%3fx", "ambiguous"),
        ("hidden fragment", "/admin%23x", "ambiguous"),
        ("raw tab", "/ad\tmin", "invalid"),
        ("raw newline", "/x\n/admin", "invalid"),
        ("plain", "/repos/a.b/..c/~x/?q=//;%2e#//", "allowed"),
        ("plain", "/repos/", "allowed"),
        ("plain", "/%72epos/x%20y/%C3%A4", "allowed"),
    ] {
        let url = format!("https://api.github.com{path}");
        assert_eq!(check(&API, &url), expected, "{id}: {path}");
    }
}

#[test]
fn an_unusual_path_is_fine_where_no_rule_speaks_about_paths() {
    // 076-193
    let rules = ["allow a.com", "deny b.com/admin"];
    for path in ["//x", "/a%2fb", r"/a\b", "/a;v=1", "/%2e%2e/x", "/%25", "/%", "/%00"] {
        assert_eq!(check(&rules, &format!("https://a.com{path}")), "allowed", "{path}");
        assert_eq!(check(&[], &format!("https://a.com{path}")), "allowed", "{path}");
    }
    // A rule for another scheme or port is a rule for the host.
    assert_eq!(
        check(&["allow a.com", "deny http://a.com:8080/x"], "https://a.com//x"),
        "ambiguous"
    );
    assert_eq!(decide(&["allow a.com/x", "deny a.com/y"], "https://a.com//"), "deny a.com/y");
    // Nobody can say whether the allowing rule is the one.
    assert_eq!(check(&["allow a.com/x"], "https://a.com/x//y"), "ambiguous");
}

#[test]
fn a_user_name_is_refused_and_never_shown() {
    // 076-186
    for url in [
        "https://api.github.com@evil.com/",
        "https://user:hunter2@api.github.com/",
        "https://user@api.github.com/",
        "https://:hunter2@api.github.com/",
        "https://@api.github.com/",
        r"https://api.github.com\@evil.com/",
        r"https://evil.com\hunter2@api.github.com/",
        "https://hunter2@@api.github.com/",
        "https://hunter2@api.github.com:99999/",
    ] {
        for rules in [&API[..], &["allow evil.com"], &[]] {
            assert_eq!(check(rules, url), "userinfo", "{url}");
            let error = policy(rules).check_net(url).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("hunter2"), "{url}");
        }
    }
}

#[test]
fn text_that_programs_read_differently_is_no_url() {
    for url in [
        "",
        "api.github.com",
        "//api.github.com/",
        "https:api.github.com",
        "https:/api.github.com/",
        "https:///api.github.com/",
        r"https:\\api.github.com\",
        r"https://api.github.com\repos",
        "https://api.github.com:port/",
        "https://api.git\thub.com/",
        "https://api..github.com/",
        "https://api.github.com../",
        "https://exa mple.com/",
        "https://a.com／.b.com/",
        "data:text/html,https://a.com/",
        "file:///etc/passwd",
        "file://a.com/C|/x",
        "https://user:hunt?er2@host/",
        "https://a:b:c/?token=hunter2",
    ] {
        assert_eq!(check(&[], url), "invalid", "{url:?}");
        let error = policy(&[]).check_net(url).unwrap_err();
        assert!(!format!("{error} {error:?}").contains("hunt"), "{error}");
    }
    assert_eq!(check(&API, " https://api.github.com/\n"), "allowed");
}

#[test]
fn what_is_requested_is_what_was_judged() {
    let target = policy(&[]).check_net("HTTP://MÜNCHEN.de.:80/a/../%62?q=1#f").unwrap();
    assert_eq!(target.url().as_str(), "http://xn--mnchen-3ya.de/%62?q=1");
    assert_eq!(target.segments().unwrap(), ["b"]);
    assert_eq!((target.scheme(), target.port()), ("http", Some(80)));
    assert_snapshot!(target, @"http://xn--mnchen-3ya.de/%62");
    let target = policy(&[]).check_net("http://[::ffff:10.0.0.1]:81/").unwrap();
    assert_eq!(
        (target.host().as_str(), target.url().as_str()),
        ("10.0.0.1", "http://10.0.0.1:81/")
    );
}

#[test]
fn errors_carry_host_and_port_and_no_query() {
    // 076-243; 076-244: each kind has a type of its own, and nothing converts between them.
    let rules = [API[0], API[1], "allow HTTPS://B.com:8443/x/", "allow *.c.com"];
    let error = policy(&rules).check_net("https://api.github.com/admin?token=hunter2").unwrap_err();
    assert_eq!((error.host(), error.port()), (Some("api.github.com"), Some(443)));
    let NetAccessError::Denied { grants, .. } = &error else { panic!("{error}") };
    assert_eq!(grants, &["api.github.com", "https://b.com:8443/x"]);
    let texts = [
        error.to_string(),
        policy(&rules).check_net("https://api.github.com//?token=hunter2").unwrap_err().to_string(),
        policy(&rules).check_net("https://u:p@b.com:8443/").unwrap_err().to_string(),
        policy(&rules).check_net("b.com/x").unwrap_err().to_string(),
        policy(&rules).check_net("gopher://b.com/x").unwrap_err().to_string(),
    ];
    assert_snapshot!(texts.join("\n"), @"
    access denied: https://api.github.com/admin (api.github.com:443)
    access denied: https://api.github.com//: the path has an empty segment, and a rule for api.github.com depends on the path
    URLs with a user name or password are refused: https://b.com
    not a usable URL: b.com/x: it is not written as scheme://host/path
    access denied: gopher://b.com/x (b.com)
    ");
}
