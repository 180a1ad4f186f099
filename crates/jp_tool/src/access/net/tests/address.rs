//! Which addresses may be dialed for a URL that was allowed, and where a redirect may lead.

use super::*;

fn dials(rules: &[&str], url: &str, address: &str) -> bool {
    let policy = policy(rules);
    let target = policy.check_net(url).unwrap();
    policy.check_address(&target, address.parse().unwrap()).is_ok()
}

/// What it is, an address, and whether it can be dialed without a rule that names it.
const ADDRESSES: &[(&str, &str, bool)] = &[
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
    // Every range of the special-purpose registries, at both of its ends.
    ("this network", "0.255.255.255", false),
    ("private", "10.255.255.255", false),
    ("loopback", "127.255.255.255", false),
    ("link-local", "169.254.255.255", false),
    ("private", "172.16.0.0", false),
    ("protocol assignments", "192.0.0.0", false),
    ("protocol assignments", "192.0.0.255", false),
    ("documentation", "192.0.2.0", false),
    ("documentation", "192.0.2.255", false),
    ("6to4 relay", "192.88.99.1", false),
    ("private", "192.168.255.255", false),
    ("benchmark", "198.18.0.0", false),
    ("benchmark", "198.19.255.255", false),
    ("documentation", "198.51.100.0", false),
    ("documentation", "203.0.113.255", false),
    ("multicast", "239.255.255.255", false),
    ("reserved", "255.255.255.254", false),
    ("beside a range", "1.0.0.0", true),
    ("beside a range", "9.255.255.255", true),
    ("beside a range", "11.0.0.0", true),
    ("beside a range", "100.63.255.255", true),
    ("beside a range", "126.255.255.255", true),
    ("beside a range", "128.0.0.0", true),
    ("beside a range", "169.253.255.255", true),
    ("beside a range", "169.255.0.0", true),
    ("beside a range", "172.15.255.255", true),
    ("beside a range", "192.0.1.0", true),
    ("beside a range", "192.0.3.0", true),
    ("beside a range", "192.167.255.255", true),
    ("beside a range", "192.169.0.0", true),
    ("beside a range", "198.17.255.255", true),
    ("beside a range", "198.20.0.0", true),
    ("beside a range", "223.255.255.255", true),
    ("discarded", "100::1", false),
    ("benchmark", "2001:2::1", false),
    ("identifiers", "2001:10::1", false),
    ("identifiers", "2001:20::1", false),
    ("protocol assignments", "2001:1ff:ffff::1", false),
    ("documentation", "2001:db8::1", false),
    ("documentation", "2001:db8:ffff::1", false),
    ("documentation", "3fff::1", false),
    ("documentation", "3fff:fff::1", false),
    ("the first test network", "3ffe::1", false),
    ("segment routing", "5f00::1", false),
    ("not assigned", "1fff::1", false),
    ("not assigned", "4000::1", false),
    ("not assigned", "0:1::1", false),
    ("private", "fc00::", false),
    ("multicast", "ff0e::1", false),
    ("beside a range", "2001:200::1", true),
    ("beside a range", "2001:db7::1", true),
    ("beside a range", "2001:db9::1", true),
    ("beside a range", "3fff:1000::1", true),
    // IPv4 inside IPv6, at each place where it can be.
    ("compatible", "::169.254.169.254", false),
    ("compatible", "::8.8.8.8", true),
    ("IPv4-translated", "::ffff:0:127.0.0.1", false),
    ("IPv4-translated", "::ffff:0:10.0.0.1", false),
    ("IPv4-translated", "::ffff:0:8.8.8.8", true),
    ("NAT64", "64:ff9b::10.0.0.1", false),
    ("NAT64", "64:ff9b::203.0.113.1", false),
    ("NAT64 in one network", "64:ff9b:1::8.8.8.8", false),
    ("6to4", "2002:a9fe:a9fe::1", false),
    ("6to4", "2002:c0a8:1::8.8.8.8", false),
    ("Teredo server", "2001:0:7f00:1::f7f7:f7f7", false),
    ("Teredo client", "2001:0:808:808::5601:5601", false),
    ("ISATAP", "2606:4700::5efe:10.0.0.1", false),
    ("ISATAP", "2606:4700::200:5efe:169.254.169.254", false),
    ("ISATAP", "fe80::5efe:8.8.8.8", false),
    ("ISATAP", "2606:4700::5efe:8.8.8.8", true),
    ("ISATAP", "2606:4700::200:5efe:8.8.8.8", true),
    ("ISATAP in 6to4", "2002:808:808::5efe:10.0.0.1", false),
    ("not ISATAP", "2606:4700::100:5efe:a00:1", true),
    ("public", "93.184.216.34", true),
    ("public", "100.128.0.1", true),
    ("public", "172.32.0.1", true),
    ("public", "2606:4700::1111", true),
    ("public", "::ffff:93.184.216.34", true),
    ("public", "64:ff9b::8.8.8.8", true),
    ("public", "2002:808:808::1", true),
    ("public", "2001:0:808:808::f7f7:f7f7", true),
    ("public", "2001:4860::1", true),
];

#[test]
fn an_address_that_is_not_of_the_open_internet_needs_a_rule() {
    for (id, address, expected) in ADDRESSES {
        assert_eq!(dials(&["allow a.com"], "https://a.com/", address), *expected, "{id} {address}");
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
        // An IPv4 address is named in whatever way it is spelled, unless it is only a gateway.
        (&["allow a.com", "allow 10.0.0.1"], "https://a.com/", "64:ff9b::10.0.0.1", true),
        (&["allow a.com", "allow 10.0.0.1"], "https://a.com/", "::ffff:0:10.0.0.1", true),
        (&["allow a.com", "allow 10.0.0.1"], "https://a.com/", "2002:a00:1::1", false),
        (&["allow a.com", "allow 10.0.0.1"], "https://a.com/", "2606:4700::5efe:a00:1", false),
        (&["allow a.com", "allow [2002:a00:1::1]"], "https://a.com/", "2002:a00:1::1", true),
        (&["allow a.com", "allow [64:ff9b::a00:1]"], "https://a.com/", "64:ff9b::10.0.0.1", true),
        (&["allow a.com", "allow localhost"], "https://a.com/", "64:ff9b::127.0.0.1", false),
        (&["allow a.com", "deny 8.8.8.8"], "https://a.com/", "64:ff9b::8.8.8.8", false),
        (&["allow a.com", "deny 8.8.8.8"], "https://a.com/", "::ffff:0:8.8.8.8", false),
        (&["allow a.com", "deny 8.8.8.8"], "https://a.com/", "2002:808:808::1", false),
        (&["allow a.com", "deny 8.8.8.8"], "https://a.com/", "2001:0:909:909::f7f7:f7f7", false),
        (&["allow a.com", "deny 8.8.8.8"], "https://a.com/", "2606:4700::5efe:808:808", false),
        (
            &["allow [2002:808:808::1]", "deny 8.8.8.8"],
            "http://[2002:808:808::1]/",
            "2002:808:808::1",
            false,
        ),
        // A rule that denies the address denies it under every name.
        (&["allow localhost", "deny 127.0.0.1"], "http://localhost/", "127.0.0.1", false),
        (&["allow a.com", "deny 8.8.8.8"], "http://a.com/", "8.8.8.8", false),
        // And at every port, with every scheme and on every path that it does not name.
        (&["allow a.com:8443", "deny 8.8.8.8"], "https://a.com:8443/", "8.8.8.8", false),
        (&["allow ftp://a.com", "deny 8.8.8.8"], "ftp://a.com/", "8.8.8.8", false),
        (&["allow ftp://a.com:2121", "deny 8.8.8.8"], "ftp://a.com:2121/x", "8.8.8.8", false),
        (&["allow a.com:8443", "deny 8.8.8.8/x"], "https://a.com:8443/x", "8.8.8.8", false),
        (&["allow a.com:8443", "deny 8.8.8.8/x"], "https://a.com:8443/y", "8.8.8.8", true),
        (&["allow a.com:8443", "deny 8.8.8.8:443"], "https://a.com:8443/", "8.8.8.8", true),
        (&["allow a.com:8443", "deny http://8.8.8.8"], "https://a.com:8443/", "8.8.8.8", true),
        // A rule that allows the very request still does.
        (
            &["allow a.com:8443", "deny 8.8.8.8", "allow 8.8.8.8:8443"],
            "https://a.com:8443/",
            "8.8.8.8",
            true,
        ),
        // One that allows is about the default port and no other.
        (&["allow a.com:8443", "allow 10.0.0.1"], "https://a.com:8443/", "10.0.0.1", false),
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
