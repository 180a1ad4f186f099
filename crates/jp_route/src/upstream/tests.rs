//! Reading the variables that name a proxy.

use super::*;

#[test]
fn a_proxy_is_named_in_several_ways() {
    for (text, expected) in [
        ("http://proxy:3128", Ok(("proxy", 3128, None))),
        ("http://proxy:3128/", Ok(("proxy", 3128, None))),
        ("http://proxy", Ok(("proxy", 80, None))),
        (" proxy.corp:8080 ", Ok(("proxy.corp", 8080, None))),
        ("http://[::1]:3128", Ok(("[::1]", 3128, None))),
        ("http://me:p%40ss%@proxy:1", Ok(("proxy", 1, Some("Basic bWU6cEBzcyU=")))),
        ("me@proxy:1", Ok(("proxy", 1, Some("Basic bWU6")))),
        ("https://proxy", Err("https")),
        ("socks5://proxy:1080", Err("socks5")),
        ("http://", Err("")),
        ("http://a b", Err("")),
    ] {
        let expected = match expected {
            Ok((host, port, authorization)) => Ok(Via {
                host: host.to_owned(),
                port,
                authorization: authorization.map(HeaderValue::from_static),
            }),
            Err("") => Err(InvalidUpstream::Unreadable),
            Err(scheme) => Err(InvalidUpstream::Scheme { scheme: scheme.to_owned() }),
        };
        assert_eq!(Via::parse(text), expected, "{text}");
    }
    let secret = Via::parse("http://me:hunter2@proxy").unwrap();
    assert!(!format!("{secret:?}").contains("Basic"), "{secret:?}");
}

#[test]
fn some_hosts_need_no_proxy() {
    for (no_proxy, url, direct) in [
        ("", "http://a.com", false),
        ("", "http://localhost:1", true),
        ("", "http://x.localhost", true),
        ("", "http://127.1.2.3", true),
        ("", "http://[::1]", true),
        ("", "http://10.0.0.1", false),
        ("*", "http://a.com", true),
        ("a.com", "http://a.com", true),
        ("a.com", "http://x.a.com", true),
        ("a.com", "http://ba.com", false),
        (" .a.com , b.com", "http://x.a.com", true),
        ("*.a.com", "http://x.a.com", true),
        ("A.COM.", "http://a.com", true),
        ("a.com:81", "http://a.com:81", true),
        ("a.com:81", "http://a.com:82", false),
        ("10.0.0.0/8", "http://10.1.2.3", true),
        ("10.0.0.0/8", "http://11.1.2.3", false),
        ("0.0.0.0/0", "http://1.1.1.1", true),
        ("10.0.0.1/99", "http://10.0.0.1", true),
        ("fd00::/8", "http://[fd12::1]", true),
        ("fd00::/8", "http://[fe12::1]", false),
        ("10.0.0.1", "http://10.0.0.1:5", true),
        ("10.0.0.1:6", "http://10.0.0.1:5", false),
        ("fd00::1", "http://[fd00::1]", true),
        ("[fd00::1]:80", "http://[fd00::1]", true),
        ("bad/bad, :x, a.com", "http://a.com", true),
    ] {
        let upstream = Upstream::new(Some("http://p:1"), None, Some(no_proxy)).unwrap();
        let target = NetTarget::parse(url).unwrap();
        assert_eq!(upstream.via(&target).is_none(), direct, "{no_proxy}: {url}");
    }
}

#[test]
fn each_scheme_has_its_proxy() {
    let upstream = Upstream::new(Some("http://p:1"), Some("http://s:2"), None).unwrap();
    for (url, port) in [("http://a.com", 1), ("https://a.com", 2)] {
        assert_eq!(upstream.via(&NetTarget::parse(url).unwrap()).unwrap().port, port);
    }
    let none = Upstream::new(Some(" "), None, None).unwrap();
    assert_eq!(none.via(&NetTarget::parse("http://a.com").unwrap()), None);
}
