//! Asking about a few paths is asking about every path: compared with trying many of them.

use proptest::{prelude::*, sample::select};

use super::*;

/// Rules that get in each other's way often.
fn rules() -> impl Strategy<Value = Vec<NetRule>> {
    let rule = (
        select(vec![
            "a.com",
            "A.com.",
            "127.0.0.1",
            "[::1]",
            "localhost",
            "10.0.0.1",
            "1.1.1.1",
            "*.bad",
        ]),
        select(vec![None, Some("http"), Some("https"), Some("HTTPS")]),
        select(vec![None, Some(443), Some(80), Some(8080)]),
        select(vec![None, None, Some("/"), Some("/x"), Some("/x/y"), Some("/%79/"), Some("bad")]),
        any::<bool>(),
    )
        .prop_map(|(host, scheme, port, path_prefix, allow)| NetRule {
            host: host.to_owned(),
            scheme: scheme.map(str::to_owned),
            port,
            path_prefix: path_prefix.map(str::to_owned),
            allow,
        });
    prop::collection::vec(rule, 0..6)
}

/// The last two are 10.0.0.1 and 1.1.1.1 for a translator.
const DIALED: [&str; 7] = [
    "127.0.0.1",
    "::1",
    "::ffff:127.0.0.1",
    "10.0.0.1",
    "1.1.1.1",
    "64:ff9b::a00:1",
    "64:ff9b::101:101",
];

fn origin() -> impl Strategy<Value = String> {
    let hosts = vec!["a.com", "127.0.0.1", "localhost", "b.com"];
    let ends = vec![("http", ""), ("https", ""), ("http", ":8080"), ("https", ":8080")];
    (select(hosts), select(ends))
        .prop_map(|(host, (scheme, port))| format!("{scheme}://{host}{port}"))
}

/// Every path of up to three of these segments.
fn paths() -> Vec<String> {
    let names = ["x", "y", "z"];
    let longer = |paths: &[String]| -> Vec<String> {
        paths.iter().flat_map(|path| names.map(|name| format!("{path}/{name}"))).collect()
    };
    let one = longer(&[String::new()]);
    let two = longer(&one);
    let three = longer(&two);
    [vec!["/".to_owned()], one, two, three].concat()
}

fn targets(origin: &str) -> Vec<NetTarget> {
    paths().iter().map(|path| NetTarget::parse(&format!("{origin}{path}")).unwrap()).collect()
}

proptest! {
    #[test]
    fn every_path_is_allowed_if_and_only_if_each_one_is(net in rules(), origin in origin()) {
        let judge = Judge::new(net);
        let targets = targets(&origin);
        let each = targets.iter().all(|target| judge.allows(target, Scope::OnePath));
        prop_assert_eq!(judge.allows(&targets[0], Scope::EveryPath), each);
    }

    #[test]
    fn the_same_holds_at_an_address(
        net in rules(),
        origin in origin(),
        dialed in select(DIALED.to_vec()),
    ) {
        let judge = Judge::new(net);
        let dialed = dialed.parse().unwrap();
        let targets = targets(&origin);
        let each = targets.iter().all(|it| judge.allows_at(it, Scope::OnePath, dialed));
        prop_assert_eq!(judge.allows_at(&targets[0], Scope::EveryPath, dialed), each);
    }
}

#[test]
fn without_rules_nothing_is_allowed() {
    let judge = Judge::new(Vec::new());
    let target = NetTarget::parse("https://a.com/").unwrap();
    for scope in [Scope::OnePath, Scope::EveryPath] {
        assert!(!judge.allows(&target, scope));
        assert!(!judge.allows_at(&target, scope, [1, 1, 1, 1].into()));
    }
}
