//! Everything that an author is told.

use super::*;

#[test]
fn every_problem_is_found() {
    let sum = "0".repeat(64);
    let good = format!(r#""binaries": {{"t": {{"url": "https://a.org/x", "sha256": "{sum}"}}}}"#);
    let text = format!(
        r#"{{ "version": 1, "plugins": {{
        "fine": {{ "id": "fine", "description": "d", {good} }},
        "config": {{ "id": "config", "description": "d", {good} }},
        "bare": {{ "id": "bare" }},
        "odd": {{ "id": "odd", "description": "d", "kind": "wasm" }},
        "ids": {{ "id": "../up", "description": "d" }},
        "one": {{ "id": "same", "description": "d", {good} }},
        "two": {{ "id": "same", "description": "d", {good} }},
        "-x": {{ "id": "x", "description": "d", {good} }},
        "group": {{ "id": "group", "kind": "command_group", "description": "d", {good},
            "suggests": ["fine", "absent"] }},
        "plain": {{ "id": "plain", "description": "d", "requires": ["odd"],
            "binaries": {{ "t": {{ "url": "http://a.org/x", "sha256": "12" }},
                           "u": {{ "url": "file:///x", "sha256": "{sum}" }} }} }},
        "a": {{ "id": "a", "description": "d", "requires": ["fine", "b"], {good} }},
        "b": {{ "id": "b", "description": "d", "requires": ["c"], {good} }},
        "c": {{ "id": "c", "description": "d", "requires": ["b"], {good} }},
        "me": {{ "id": "me", "description": "d", "requires": ["me"], {good} }} }} }}"#
    );
    let is_built_in = |path: &CommandPath| path.to_string() == "config";
    // 072-281, 072-282, 072-283, 072-285, 072-286
    let findings = check(&text, Readers::Everybody, &is_built_in).unwrap();
    let told: Vec<_> = findings.iter().map(|it| format!("{}: {}", it.key, it.problem)).collect();
    insta::assert_snapshot!(told.join("\n"), @"
    odd: unknown kind `wasm`
    ids: `../up` cannot be the id of a plugin: one to 64 of a-z, 0-9, `_` and `-`, a letter or digit first
    -x: `-x` cannot be a word of a command: one to 64 letters, digits, `_`, `-` and `.`, a letter or digit first
    one: another entry has the id `same` too
    two: another entry has the id `same` too
    bare: it has no description
    bare: it has no binaries
    config: it is a command of jp itself, so nobody can reach it
    group: it is a group, and groups have no binaries
    group: it suggests `absent`, which is no entry that can be used
    group: it suggests `fine`, which is no command below it
    group: it suggests `absent`, which is no command below it
    plain: t: `http://a.org/x` is neither an https:// nor a file:// URL
    plain: t: `12` is not a SHA-256 checksum: 64 hexadecimal digits are needed
    plain: u: file:///x is a file, which only works for a registry that is one
    plain: it requires `odd`, which is no entry that can be used
    b: it requires itself: `b` → `c` → `b`
    me: it requires itself: `me` → `me`
    ");
}

#[test]
fn a_good_registry_has_no_findings_and_what_is_none_is_an_error() {
    let text = r#"{ "version": 1, "plugins": {
        "serve": { "id": "serve", "kind": "command_group", "description": "d" } } }"#;
    assert_eq!(check(text, Readers::Everybody, &|_| false).unwrap(), []);
    for bad in ["", "[]", r#"{"plugins": {}}"#, r#"{"version": 2, "plugins": {}}"#] {
        assert!(check(bad, Readers::Everybody, &|_| false).is_err(), "{bad}");
    }
}

#[test]
fn files_are_for_this_machine() {
    let sum = "0".repeat(64);
    let text = format!(
        r#"{{ "version": 1, "plugins": {{ "a": {{ "id": "a", "description": "d",
        "binaries": {{ "t": {{ "url": "file:///x", "sha256": "{sum}" }} }} }} }} }}"#
    );
    assert_eq!(check(&text, Readers::ThisMachine, &|_| false).unwrap(), []);
    assert_eq!(check(&text, Readers::Everybody, &|_| false).unwrap().len(), 1);
}

#[test]
fn a_long_row_is_looked_at_in_no_time() {
    let entries: Vec<_> = (0..3_000)
        .map(|n| format!(r#""p{n}": {{ "id": "p{n}", "requires": ["p{}"] }}"#, (n + 1) % 3_000))
        .collect();
    let text = format!(r#"{{ "version": 1, "plugins": {{ {} }} }}"#, entries.join(","));
    let findings = check(&text, Readers::Everybody, &|_| false).unwrap();
    assert!(findings.iter().any(|it| it.problem.starts_with("it requires itself")));
}
