//! Which addresses may be dialed for a URL that was allowed, and where a redirect may lead.

use super::*;

fn dials(rules: &[&str], url: &str, address: &str) -> bool {
    let policy = policy(rules);
    let target = policy.check_net(url).unwrap();
    policy.check_address(&target, address.parse().unwrap()).is_ok()
}

#[test]
fn an_address_that_is_not_of_the_open_internet_needs_a_rule() {
    for (id, address, expected) in [
        ("076-195", "10.1.2.3", false),
        ("076-195", "172.31.255.255", false),
        ("076-195", "192.168.0.1", false),
        ("076-195", "127.0.0.1", false),
        ("076-195", "127.9.9.9", false),
        ("076-195", "::1", false),
        ("076-195", "fc00::1", false),
        ("076-195", "fdff::1", false),
        ("076-196", "169.254.1.1", false),
        ("076-196", "169.254.169.254", false),
        ("076-196", "fe80::1", false),
        ("076-196", "febf::1", false),
        ("076-196", "fd00:ec2::254", false),
        ("076-196", "100.100.100.200", false),
        ("076-196", "168.63.129.16", false),
        ("076-196", "192.0.0.192", false),
        ("unspecified", "0.0.0.0", false),
        ("unspecified", "0.1.2.3", false),
        ("unspecified", "::", false),
        ("shared", "100.64.0.1", false),
        ("shared", "100.127.255.255", false),
        ("multicast", "224.0.0.1", false),
        ("multicast", "ff02::1", false),
        ("reserved", "240.0.0.1", false),
        ("broadcast", "255.255.255.255", false),
        ("mapped", "::ffff:127.0.0.1", false),
        ("compatible", "::10.0.0.1", false),
        ("translated", "64:ff9b::169.254.169.254", false),
        ("translated locally", "64:ff9b:1::1", false),
        ("6to4", "2002:7f00:1::1", false),
        ("Teredo server", "2001:0:a00:1::1", false),
        ("Teredo client", "2001:0:808:808::f5ff:fffe", false),
        ("site-local", "fec0::1", false),
        ("public", "93.184.216.34", true),
        ("public", "100.128.0.1", true),
        ("public", "172.32.0.1", true),
        ("public", "2606:4700::1111", true),
        ("public", "::ffff:93.184.216.34", true),
        ("public", "64:ff9b::8.8.8.8", true),
        ("public", "2002:808:808::1", true),
        ("public", "2001:0:808:808::f7f7:f7f7", true),
        ("public", "2001:4860::1", true),
    ] {
        assert_eq!(dials(&["allow a.com"], "https://a.com/", address), expected, "{id} {address}");
        // A policy without rules restricts nothing.
        assert!(dials(&[], "https://a.com/", address), "{address}");
    }
}

#[test]
fn a_rule_that_names_the_address_permits_it() {
    // 076-197
    for (rules, url, address, expected) in [
        (&["allow a.com", "allow 10.0.0.1"][..], "https://a.com/", "10.0.0.1", true),
        (&["allow a.com", "allow 10.0.0.1"], "https://a.com/", "::ffff:10.0.0.1", true),
        (&["allow a.com", "allow 10.0.0.1"], "https://a.com/", "10.0.0.2", false),
        (&["allow 10.0.0.1"], "https://10.0.0.1/", "10.0.0.1", true),
        (&["allow [fd00::1]"], "https://[fd00::1]/", "fd00::1", true),
        (&["allow localhost"], "http://localhost/", "127.0.0.1", true),
        (&["allow localhost"], "http://localhost/", "::1", true),
        (&["allow localhost"], "http://localhost/", "10.0.0.1", false),
        (&["allow a.com", "allow localhost"], "http://a.com/", "127.0.0.1", true),
        // The rule is about its own scheme, port and path only.
        (&["allow a.com", "allow localhost:8080"], "http://a.com/", "127.0.0.1", false),
        (&["allow a.com", "allow 10.0.0.1/x"], "http://a.com/y", "10.0.0.1", false),
        (&["allow a.com", "allow 10.0.0.1/x"], "http://a.com/x//", "10.0.0.1", false),
        // A rule that denies the address denies it under every name.
        (&["allow localhost", "deny 127.0.0.1"], "http://localhost/", "127.0.0.1", false),
        (&["allow a.com", "deny 8.8.8.8"], "http://a.com/", "8.8.8.8", false),
    ] {
        assert_eq!(dials(rules, url, address), expected, "{rules:?} {url} {address}");
    }
    let policy = policy(&["allow a.com"]);
    let target = policy.check_net("https://a.com/").unwrap();
    let error = policy.check_address(&target, "::ffff:10.0.0.1".parse().unwrap()).unwrap_err();
    assert_snapshot!(error, @"access denied: a.com:443 leads to 10.0.0.1, which needs a rule of its own");
}

#[test]
fn a_hop_to_an_unlisted_host_is_refused() {
    // 076-198, the part that is a decision: the client asks about every hop.
    let policy = policy(&["allow a.com"]);
    let first = policy.check_net("https://a.com/start").unwrap();
    for (location, expected) in
        [("/next", true), ("//b.com/", false), ("http://b.com/", false), ("//u@a.com/", false)]
    {
        let hop = first.url().join(location).unwrap();
        assert_eq!(policy.check_net(hop.as_str()).is_ok(), expected, "{location}");
    }
}

#[test]
fn a_redirect_keeps_secrets_only_at_the_same_origin() {
    // 076-199, the part that is a decision: the client drops the headers.
    let first = NetTarget::parse("https://a.com/start").unwrap();
    for (next, expected) in [
        ("https://A.com.:443/next", true),
        ("https://b.com/start", false),
        ("https://x.a.com/start", false),
        ("https://a.com:8443/start", false),
        ("http://a.com/start", false),
        ("http://a.com:443/start", false),
    ] {
        assert_eq!(first.same_origin(&NetTarget::parse(next).unwrap()), expected, "{next}");
    }
}
