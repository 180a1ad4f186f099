//! Rules for files: the examples of the document, the alias, and a second implementation to agree
//! with.

use serde_json::json;

use super::*;

fn policy(rules: &serde_json::Value) -> AccessPolicy {
    serde_json::from_value(json!({ "fs": rules })).unwrap()
}

fn rule(value: &serde_json::Value) -> FsRule {
    serde_json::from_value(value.clone()).unwrap()
}

/// The capabilities granted on a path, as letters: `rcudx`.
fn granted(policy: &AccessPolicy, path: &str) -> String {
    Capability::ALL
        .into_iter()
        .zip("rcudx".chars())
        .filter(|(capability, _)| policy.can(*capability, path.into()))
        .map(|(_, letter)| letter)
        .collect()
}

fn check(policy: &AccessPolicy, rows: &[(&str, &str, &str)]) {
    for (ids, path, expected) in rows {
        assert_eq!(granted(policy, path), *expected, "{ids}: {path}");
    }
}

#[test]
fn the_alias_sets_what_is_not_set() {
    let rows = [
        ("076-094, 076-226", json!({"path": "p"}), ""),
        ("076-087, 076-088", json!({"path": "p", "read": true}), "r"),
        ("076-095, 076-096, 076-228", json!({"path": "p", "write": true}), "cud"),
        ("076-097", json!({"path": "p", "write": true, "delete": false}), "cu"),
        ("076-089, 076-098", json!({"path": "p", "create": true}), "c"),
        ("076-090, 076-091, 076-099", json!({"path": "p", "write": false, "update": true}), "u"),
        ("076-100", json!({"path": "p", "write": true, "create": false}), "ud"),
        ("076-092", json!({"path": "p", "delete": true}), "d"),
        ("076-093", json!({"path": "p", "execute": true}), "x"),
        ("076-227", json!({"path": "p", "read": null, "write": null, "execute": null}), ""),
        ("unknown fields", json!({"path": "p", "read": true, "colour": 1}), "r"),
    ];
    for (ids, value, expected) in rows {
        assert_eq!(granted(&policy(&json!([value])), "p"), expected, "{ids}: {value}");
    }
}

#[test]
fn accessors_are_plain_answers() {
    /// Only reached while the rule has no method of this name.
    trait NoSuchMethod {
        fn write(&self) -> &'static str {
            "there is none"
        }
    }
    impl NoSuchMethod for FsRule {}
    // 076-230: unset and false look the same. 076-101: there is no `write()`. 076-229: that nothing
    // else can be reached from outside is shown by the examples of `FsRule` that must not compile.
    assert_eq!(FsRule::new("a", Capability::ALL).write(), "there is none");
    let unset = rule(&json!({"path": "a/b"}));
    let denied = rule(&json!({"path": "a/b", "read": false, "write": false, "execute": false}));
    for rule in [unset, denied] {
        assert_eq!(rule.path(), "a/b");
        let answers = [rule.read(), rule.create(), rule.update(), rule.delete(), rule.execute()];
        assert_eq!(answers, [false; 5]);
    }
}

#[test]
fn rules_match_by_component() {
    check(
        &policy(&json!([{"path": ".", "read": true}])),
        &[("076-076", ".", "r"), ("076-076", "a/b/c", "r"), ("076-075", "src/lib.rs", "r")],
    );
    check(
        &policy(&json!([{"path": "src", "read": true}])),
        &[
            ("076-077", "src/lib.rs", "r"),
            ("076-078", "src", "r"),
            ("076-079", "src_generated/foo.rs", ""),
            ("076-026, 076-118", "README.md", ""),
            ("076-118", ".", ""),
        ],
    );
    check(
        &policy(&json!([{"path": "src/*", "read": true}, {"path": "a?.txt", "read": true}])),
        &[
            ("076-081", "src/*", "r"),
            ("076-081", "src/lib.rs", ""),
            ("076-082", "a?.txt", "r"),
            ("076-082", "ab.txt", ""),
        ],
    );
}

#[test]
fn the_example_with_a_denied_file() {
    let policy = policy(&json!([
        {"path": ".", "read": true},
        {"path": ".config/jp/tools", "read": true, "write": true},
        {"path": ".env"},
    ]));
    check(
        &policy,
        &[
            ("076-080, 076-083, 076-084", ".env", ""),
            ("076-080", ".env.local", "r"),
            ("076-016, 076-017, 076-085", "README.md", "r"),
            ("076-085", "src/main.rs", "r"),
            ("076-018, 076-019, 076-086", ".config/jp/tools/a.sh", "rcud"),
        ],
    );
}

#[test]
fn a_rule_that_grants_nothing_denies_everything_else_too() {
    // 076-034
    let policy = policy(&json!([{"path": ".env"}]));
    check(&policy, &[("076-034", "README.md", ""), ("076-034", ".env", "")]);
}

#[test]
fn the_longest_path_wins_alone() {
    let policy = policy(&json!([
        {"path": "src/generated", "read": true, "write": true},
        {"path": ".", "read": true, "write": true},
        {"path": "src", "read": true},
    ]));
    check(
        &policy,
        &[
            ("076-113, 076-114", "README.md", "rcud"),
            ("076-063, 076-064, 076-115", "src/lib.rs", "r"),
            ("076-067, 076-116", "src/generated/schema.rs", "rcud"),
            ("076-117", "tests/main.rs", "rcud"),
        ],
    );
}

#[test]
fn of_two_equal_paths_the_later_wins() {
    // 076-065, 076-066, 076-120: however they are spelled.
    for later in ["src", "./src", "src/", "src//."] {
        let policy =
            policy(&json!([{"path": "src", "read": true}, {"path": later, "create": true}]));
        check(&policy, &[("076-065", "src/lib.rs", "c")]);
    }
}

#[test]
fn a_later_broad_rule_does_not_remove_an_earlier_narrow_one() {
    // 076-062
    let policy = policy(&json!([{"path": "src", "read": true}, {"path": "."}]));
    check(&policy, &[("076-062", "src/lib.rs", "r"), ("076-062", "README.md", "")]);
}

#[test]
fn a_decision_names_its_rule() {
    // 076-068, 076-069
    let policy = policy(&json!([{"path": "src", "read": true}]));
    let (read, create) = (Capability::Read, Capability::Create);
    assert_eq!(policy.fs.decide("src/x".into(), read), Decision::Allowed(&policy.fs[0]));
    assert_eq!(policy.fs.decide("src/x".into(), create), Decision::Denied(&policy.fs[0]));
    assert_eq!(policy.fs.decide("doc".into(), read), Decision::Uncovered);
    assert!(!policy.can_read("doc".into()));
}

#[test]
fn without_rules_nothing_is_restricted() {
    // 076-020, 076-027, 076-032, 076-222, 076-223, 076-246
    for empty in
        [json!({}), json!({"fs": []}), json!({"net": [{"host": "h"}], "env": [{"name": "N"}]})]
    {
        let policy: AccessPolicy = serde_json::from_value(empty).unwrap();
        assert_eq!(granted(&policy, "any/path"), "rcudx");
    }
}

#[test]
fn a_denial_names_capability_target_and_grants() {
    // 076-239 to 076-242
    let policy = policy(&json!([
        {"path": ".", "read": true}, {"path": "out", "write": true}, {"path": ".env"},
    ]));
    for capability in [Capability::Create, Capability::Update, Capability::Delete] {
        let error = policy.check(capability, "README.md".into()).unwrap_err();
        let expected = format!("access denied: {} on README.md", capability.as_str());
        assert_eq!(error.to_string(), expected);
        let FsAccessError::Denied { capability: name, target, grants, covered } = error else {
            panic!()
        };
        assert_eq!((name, target.as_str()), (capability.as_str(), "README.md"));
        assert_eq!(grants, [".", "out"]);
        assert!(covered);
    }
    // 076-237, 076-238
    let outside = FsAccessError::Outside("/etc".into());
    assert_eq!(outside.to_string(), "path is outside the workspace: /etc");
    let escape = FsAccessError::Escape("../x".into());
    assert_eq!(escape.to_string(), "path escapes the workspace: ../x");
}

#[test]
fn a_denial_tells_whether_a_rule_speaks_about_the_path() {
    let policy = policy(&json!([{"path": "src", "read": true}]));
    for (capability, path, expected) in [
        (Capability::Update, "src/a", true),
        (Capability::Update, "other", false),
        (Capability::Read, ".", false),
    ] {
        let error = policy.check(capability, path.into()).unwrap_err();
        let FsAccessError::Denied { covered, .. } = error else { panic!() };
        assert_eq!(covered, expected, "{path}");
    }
}

#[test]
fn what_is_no_path_below_the_root_matches_nothing() {
    let policy = policy(&json!([{"path": ".", "read": true}, {"path": "../x", "read": true}]));
    check(&policy, &[("", "../x", ""), ("", "/etc/passwd", ""), ("", "a/../b", ""), ("", "", "r")]);
}

/// The document's evaluation, written down as plainly as it can be: look at every rule.
fn naive<'a>(rules: &'a [FsRule], target: &str) -> Option<&'a FsRule> {
    let split = |path: &str| -> Vec<String> {
        path.split('/').filter(|part| !part.is_empty() && *part != ".").map(Into::into).collect()
    };
    let target = split(target);
    let mut winner = None;
    let mut most = 0;
    for rule in rules {
        let path = split(rule.path().as_str());
        if target.starts_with(&path) && (winner.is_none() || path.len() >= most) {
            most = path.len();
            winner = Some(rule);
        }
    }
    winner
}

type Draw<'a> = &'a mut dyn FnMut(usize) -> usize;

/// A path of few and similar parts, so that rules and targets meet.
fn draw_path(draw: Draw<'_>) -> String {
    const PARTS: [&str; 6] = ["a", "b", "ab", ".", "a*", "é"];
    (0..draw(6)).map(|_| PARTS[draw(PARTS.len())]).collect::<Vec<_>>().join("/")
}

fn draw_rules(draw: Draw<'_>) -> Vec<FsRule> {
    let flag = |draw: Draw<'_>| [None, Some(false), Some(true)][draw(3)];
    (0..draw(12))
        .map(|_| FsRule {
            path: draw_path(draw).into(),
            read: flag(draw),
            write: flag(draw),
            create: flag(draw),
            update: flag(draw),
            delete: flag(draw),
            execute: flag(draw),
        })
        .collect()
}

#[test]
fn a_second_implementation_agrees_on_100_000_cases() {
    let mut draw = crate::access::draws::draws();
    for _ in 0..100_000 {
        let (rules, target) = (draw_rules(&mut draw), draw_path(&mut draw));
        let target = Utf8Path::new(&target);
        let policy = AccessPolicy { fs: rules.clone().into(), ..AccessPolicy::default() };
        let expected = naive(&rules, target.as_str());
        assert_eq!(policy.fs.winner(target), expected, "{rules:?} {target}");
        for capability in Capability::ALL {
            let granted = rules.is_empty() || expected.is_some_and(|rule| rule.grants(capability));
            assert_eq!(policy.can(capability, target), granted, "{rules:?} {target}");
        }
    }
}

#[test]
fn what_rules_say_about_themselves_leads_to_the_same_winner() {
    // 076-113
    let mut draw = crate::access::draws::draws();
    for _ in 0..10_000 {
        let (rules, target) = (draw_rules(&mut draw), draw_path(&mut draw));
        let target = Utf8Path::new(&target);
        let matching = rules.iter().filter(|rule| rule.matches(target));
        let most_specific = matching.max_by_key(|rule| rule.specificity());
        assert_eq!(
            FsRules::from(rules.clone()).winner(target),
            most_specific,
            "{rules:?} {target}"
        );
    }
}

#[test]
fn a_normal_form_is_its_own_on_10_000_paths() {
    const PARTS: [&str; 7] = ["a", "b", "", ".", "..", "...", "é"];
    let mut draw = crate::access::draws::draws();
    let mut forms = 0;
    for _ in 0..10_000 {
        let parts: Vec<_> = (0..draw(7)).map(|_| PARTS[draw(PARTS.len())]).collect();
        let path = Utf8PathBuf::from(parts.join("/"));
        let resolved = lexical(&path);
        assert_eq!(lexical(&resolved), resolved, "{path}");
        let Some(form) = normal_form(&resolved) else {
            // It begins at `/` or above the root, or it goes there.
            assert!(path.as_str().starts_with('/') || parts.contains(&".."), "{path}");
            continue;
        };
        forms += 1;
        assert_eq!(normal_form(Utf8Path::new(&*form)).as_deref(), Some(&*form), "{path}");
        let is_plain = |name| !matches!(name, "" | "." | "..");
        assert!(form.is_empty() || form.split('/').all(is_plain), "{path}: {form}");
    }
    assert!(forms > 3_000, "{forms}");
}

#[test]
fn a_round_trip_over_the_wire_changes_nothing() {
    // 076-231
    let mut draw = crate::access::draws::draws();
    for _ in 0..5_000 {
        let before = AccessPolicy { fs: draw_rules(&mut draw).into(), ..AccessPolicy::default() };
        let wire = serde_json::to_string(&before).unwrap();
        let after: AccessPolicy = serde_json::from_str(&wire).unwrap();
        assert_eq!(before, after);
        let target = draw_path(&mut draw);
        for capability in Capability::ALL {
            let path = Utf8Path::new(&target);
            assert_eq!(before.can(capability, path), after.can(capability, path));
        }
    }
}

#[test]
fn rules_of_one_kind_leave_the_others_alone() {
    let policy =
        |value: serde_json::Value| -> AccessPolicy { serde_json::from_value(value).unwrap() };
    let files = policy(json!({"fs": [{"path": "src", "read": true}]}));
    let hosts = policy(json!({"net": [{"host": "a.example", "allow": true}]}));
    let variables = policy(json!({"env": [{"name": "A", "read": true}]}));
    let none = policy(json!({}));
    // Files, hosts, variables: what an uncovered target is answered.
    let answers = |policy: &AccessPolicy| {
        [
            policy.can_read("other".into()),
            policy.check_net("https://b.example/").is_ok(),
            policy.check_env("B").is_ok(),
        ]
    };
    // 076-021, 076-027
    assert_eq!(answers(&none), [true, true, true]);
    assert_eq!(answers(&files), [false, true, true]);
    // 076-028, 076-029
    assert_eq!(answers(&hosts), [true, false, true]);
    // 076-030, 076-031
    assert_eq!(answers(&variables), [true, true, false]);
}

#[test]
fn the_policy_on_the_wire_has_the_documented_shape() {
    // 076-233, 076-263: what a tool in any language reads.
    let text = r#"{"fs":[{"path":"src","read":true,"write":true,"delete":false}],"net":[{"host":"a.example","scheme":"https","port":8443,"path_prefix":"/v1","allow":true}],"env":[{"name":"A_*","read":true}],"commands":{"cargo":{"args":[["check","**"]],"envs":["HOME"]}}}"#;
    let policy: AccessPolicy = serde_json::from_str(text).unwrap();
    assert_eq!(serde_json::to_string(&policy).unwrap(), text);
    assert!(policy.check_command("cargo", &["check", "-p", "x"]).is_ok());
    assert!(policy.check_command("rm", &["-r"]).is_err());
}

#[test]
fn a_rule_that_nobody_can_read_grants_nothing_and_denies_everywhere() {
    // A rule off the wire may be in any form; a deny must not get lost.
    let policy = policy(&json!([
        {"path": ".", "read": true, "write": true}, {"path": "src/../.env"}, {"path": "../x", "write": true},
    ]));
    check(&policy, &[("", ".env", ""), ("", "README.md", "cud")]);
}

#[test]
fn a_path_longer_than_any_rule_is_found_all_the_same() {
    let policy = policy(&json!([{"path": "é/b", "read": true}, {"path": "é/bc", "create": true}]));
    let long = format!("é/b/{}", "x/".repeat(100_000));
    check(&policy, &[("", &long, "r"), ("", "é/bcd/e", ""), ("", "é/bc/d", "c"), ("", "é", "")]);
}

#[test]
fn a_rule_says_how_specific_it_is() {
    // 076-113
    let shown: Vec<_> = [".", "src", "./src//generated/", "a/../b", "../x", "/x"]
        .map(|path| format!("{path}: {}", FsRule::new(path, []).specificity()))
        .into();
    insta::assert_snapshot!(shown.join("\n"), @"
    .: 0 path components
    src: 1 path component
    ./src//generated/: 2 path components
    a/../b: 1 path component
    ../x: cannot be read
    /x: cannot be read
    ");
    assert!(FsRule::new("..", []).specificity() > FsRule::new("a/b/c", []).specificity());
    assert!(
        FsRule::new("..", []).matches("a".into()) && !FsRule::new("a", []).matches("ab".into())
    );
}

#[test]
fn settings_of_jp_are_changed_only_where_a_rule_names_them() {
    let all = json!([{"path": ".", "read": true, "write": true}]);
    let settings = [".jp", ".jp/config.toml", ".jp.toml", "src/.jp.toml", "src/.JP.toml"];
    let others = ["src/.jp/x", "jp.toml", ".jpx"];
    let by_all: Vec<_> = settings.map(|path| ("", path, "r")).into();
    check(&policy(&all), &by_all);
    check(&policy(&all), &others.map(|path| ("", path, "rcud")));
    let named = json!([
        {"path": ".", "read": true, "write": true},
        {"path": ".jp/notes", "read": true, "write": true},
        {"path": "src/.jp.toml", "update": true},
    ]);
    check(
        &policy(&named),
        &[("", ".jp/notes/a", "rcud"), ("", ".jp/config.toml", "r"), ("", "src/.jp.toml", "u")],
    );
}
