//! A second implementation, written from the document alone and as plainly as possible, has to agree
//! with ours on random rules and URLs. Each ingredient comes in the spelling that ours has to read
//! and in the plain form that the second one compares.

use proptest::{collection::vec, prelude::*};

use super::*;

/// Spelling and normal form.
const HOSTS: [(&str, &str); 9] = [
    ("a.com", "a.com"),
    ("A.com", "a.com"),
    ("a.com.", "a.com"),
    ("a.com.b.de", "a.com.b.de"),
    ("münchen.de", "xn--mnchen-3ya.de"),
    ("xn--mnchen-3ya.de", "xn--mnchen-3ya.de"),
    ("127.0.0.1", "127.0.0.1"),
    ("[::ffff:127.0.0.1]", "127.0.0.1"),
    ("[::1]", "[::1]"),
];
const SCHEMES: [(&str, u16); 3] = [("http", 80), ("https", 443), ("ftp", 21)];
const PORTS: [u16; 4] = [21, 80, 443, 8443];
const PREFIXES: [(&str, &str); 7] = [
    ("/", ""),
    ("/a", "/a"),
    ("/a/", "/a"),
    ("/%61/b", "/a/b"),
    ("/a/b", "/a/b"),
    ("/b", "/b"),
    ("/a/b/a", "/a/b/a"),
];
/// Without a normal form a path has several readings.
const PATHS: [(&str, Option<&str>); 15] = [
    ("", Some("")),
    ("/", Some("")),
    ("/a", Some("/a")),
    ("/a/", Some("/a")),
    ("/%61", Some("/a")),
    ("/ab", Some("/ab")),
    ("/b/../a/b", Some("/a/b")),
    ("/a/b/%61?c=//", Some("/a/b/a")),
    ("/a/b/a/a", Some("/a/b/a/a")),
    ("/A", Some("/A")),
    ("//a", None),
    ("/a%2fb", None),
    ("/b\\..\\a", None),
    ("/a;b", None),
    ("/b/%2e%2e/a", None),
];

#[derive(Debug)]
struct PlainRule {
    host: &'static str,
    scheme: Option<&'static str>,
    port: Option<u16>,
    prefix: Option<&'static str>,
    allow: bool,
}

#[derive(Debug)]
struct PlainUrl {
    scheme: &'static str,
    default_port: u16,
    host: &'static str,
    port: u16,
    path: Option<&'static str>,
}

fn by_the_document(rules: &[PlainRule], url: &PlainUrl) -> Option<bool> {
    if url.path.is_none() && rules.iter().any(|rule| rule.host == url.host && rule.prefix.is_some())
    {
        return Some(false);
    }
    let mut best: Option<(usize, bool)> = None;
    for rule in rules {
        if rule.host != url.host
            || rule.scheme.is_some_and(|scheme| scheme != url.scheme)
            || (rule.scheme.is_none() && url.scheme != "http" && url.scheme != "https")
            || rule.port.unwrap_or(url.default_port) != url.port
        {
            continue;
        }
        let mut specificity = rule.scheme.iter().len() + rule.port.iter().len();
        if let Some(prefix) = rule.prefix {
            let path = format!("{}/", url.path.unwrap());
            if !path.starts_with(&format!("{prefix}/")) {
                continue;
            }
            specificity += prefix.matches('/').count();
        }
        if best.is_none_or(|(so_far, _)| specificity >= so_far) {
            best = Some((specificity, rule.allow));
        }
    }
    best.map(|(_, allow)| allow)
}

type Draw<'a> = &'a mut dyn FnMut(usize) -> usize;

fn draw_rule(draw: Draw<'_>) -> (NetRule, PlainRule) {
    let (spelled_host, host) = draw_host(draw);
    let scheme = (draw(2) == 0).then(|| SCHEMES[draw(SCHEMES.len())].0);
    let port = (draw(3) == 0).then(|| PORTS[draw(PORTS.len())]);
    let prefix = (draw(2) == 0).then(|| PREFIXES[draw(PREFIXES.len())]);
    let allow = draw(2) == 0;
    let rule = NetRule {
        host: spelled_host.to_owned(),
        scheme: scheme.map(str::to_owned),
        port,
        path_prefix: prefix.map(|(spelled, _)| spelled.to_owned()),
        allow,
    };
    (rule, PlainRule { host, scheme, port, prefix: prefix.map(|(_, plain)| plain), allow })
}

fn draw_url(draw: Draw<'_>) -> (String, PlainUrl) {
    let (scheme, default_port) = SCHEMES[draw(SCHEMES.len())];
    let (spelled_host, host) = draw_host(draw);
    let port = (draw(2) == 0).then(|| PORTS[draw(PORTS.len())]);
    let (spelled_path, path) = PATHS[draw(PATHS.len())];
    let spelled_port = port.map(|port| format!(":{port}")).unwrap_or_default();
    let url = format!("{scheme}://{spelled_host}{spelled_port}{spelled_path}");
    (url, PlainUrl { scheme, default_port, host, port: port.unwrap_or(default_port), path })
}

/// Mostly one of the spellings of one host, so that rules and URLs meet.
fn draw_host(draw: Draw<'_>) -> (&'static str, &'static str) {
    let below = if draw(3) == 0 { HOSTS.len() } else { 3 };
    HOSTS[draw(below)]
}

fn compare(draw: Draw<'_>) -> Result<(), String> {
    let (net, plain): (Vec<_>, Vec<_>) = (0..draw(7)).map(|_| draw_rule(draw)).unzip();
    let (url, plain_url) = draw_url(draw);
    let policy = AccessPolicy { net, ..AccessPolicy::default() };
    let target = NetTarget::parse(&url).map_err(|error| format!("{url}: {error}"))?;
    let ours = match policy.decide_net(&target) {
        Decision::Allowed(_) => Some(true),
        Decision::Denied(_) => Some(false),
        Decision::Uncovered => None,
    };
    let theirs = by_the_document(&plain, &plain_url);
    let allowed = policy.check_net(&url).is_ok();
    if ours == theirs && allowed == (plain.is_empty() || theirs == Some(true)) {
        return Ok(());
    }
    Err(format!("{:?} about {url}: {ours:?}, by the document {theirs:?}", policy.net))
}

#[test]
fn a_second_implementation_agrees_on_100_000_cases() {
    let mut draw = crate::access::draws::draws();
    for _ in 0..100_000 {
        compare(&mut draw).unwrap();
    }
}

proptest! {
    #[test]
    fn a_second_implementation_agrees(tape in vec(any::<u16>(), 80)) {
        let mut tape = tape.into_iter();
        let outcome = compare(&mut |below| usize::from(tape.next().unwrap_or(0)) % below);
        prop_assert_eq!(outcome, Ok(()));
    }

    /// No text makes the parser fail badly, and what it returns is read again as the same.
    #[test]
    fn a_target_is_read_again_as_itself(text in "(https?://[a.:@\\\\\\[]{0,6})?\\PC{0,20}") {
        if let Ok(target) = NetTarget::parse(&text) {
            let again = NetTarget::parse(target.url().as_str()).unwrap();
            prop_assert_eq!(again.url(), target.url());
            prop_assert_eq!(&again.host, &target.host);
            if let Some(segments) = target.segments() {
                prop_assert_eq!(again.segments(), Some(segments));
            }
        }
    }

    /// However `/admin` is spelled with these characters, a server that decodes once, twice or not
    /// at all, folds slashes and resolves dots never finds it behind a path that was let pass.
    #[test]
    fn no_spelling_of_a_denied_path_is_let_pass(
        path in "(/|//|\\\\|%2f|%5C|x|\\.|%2e|%252e|;|admin|%61dmin|%2561dmin|adm|in|%69n){1,8}"
    ) {
        let url = format!("https://api.github.com/{path}");
        if let Ok(target) = policy(&API).check_net(&url) {
            prop_assert!(!as_a_careless_server(target.url().path()).starts_with(&["admin".to_owned()]));
        }
    }

    /// A rule in normal form is its own normal form, and matches what the rule matched.
    #[test]
    fn a_normal_form_is_final(tape in vec(any::<u16>(), 24)) {
        let mut tape = tape.into_iter();
        let mut draw = |below: usize| usize::from(tape.next().unwrap_or(0)) % below;
        let ((rule, _), (url, _)) = (draw_rule(&mut draw), draw_url(&mut draw));
        let normal = rule.clone().normalized().unwrap();
        prop_assert_eq!(&normal.clone().normalized().unwrap(), &normal);
        let target = NetTarget::parse(&url).unwrap();
        prop_assert_eq!(normal.rank(&target), rule.rank(&target));
    }
}

fn as_a_careless_server(path: &str) -> Vec<String> {
    let mut path = path.to_owned();
    for _ in 0..3 {
        for (code, plain) in
            [("%25", "%"), ("%61", "a"), ("%69", "i"), ("%2e", "."), ("%2f", "/"), ("%5C", "\\")]
        {
            path = path.replace(code, plain);
        }
    }
    let mut segments = Vec::new();
    for piece in path.split(['/', '\\']) {
        match piece.split(';').next().unwrap() {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            name => segments.push(name.to_owned()),
        }
    }
    segments
}
