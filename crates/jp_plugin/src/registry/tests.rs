//! Registry files, good and bad.

use super::*;

fn read(plugins: &str) -> Registry {
    parse(&format!(r#"{{"version":1,"plugins":{plugins},"later":true}}"#)).unwrap()
}

fn skipped(plugins: &str) -> String {
    let registry = read(plugins);
    let reasons: Vec<_> =
        registry.skipped.iter().map(|skip| format!("{}: {}", skip.key, skip.reason)).collect();
    reasons.join("\n")
}

#[test]
fn a_small_entry_is_enough() {
    // 072-284, 072-288, 072-289
    let registry = read(r#"{"serve web":{"id":"serve-web"}}"#);
    let (path, entry) = registry.entries.first_key_value().unwrap();
    assert_eq!(path.to_string(), "serve web");
    assert_eq!((entry.kind, entry.official), (Kind::Command, false));
    assert!(entry.binaries.is_empty() && entry.requires.is_empty() && entry.suggests.is_empty());
}

#[test]
fn a_group_needs_no_binaries() {
    // 072-285
    let registry =
        read(r#"{"serve":{"id":"serve","kind":"command_group","suggests":["serve web"]}}"#);
    let entry = registry.entries.values().next().unwrap();
    assert_eq!(entry.kind, Kind::CommandGroup);
    assert_eq!(entry.suggests[0].to_string(), "serve web");
}

#[test]
fn what_cannot_be_used_is_left_out_and_named() {
    // 072-281, 072-282, 072-286
    let plugins = r#"{
        "good":{"id":"good"},
        "none":{},
        "evil":{"id":"../x"},
        "w":{"id":"w","kind":"wasm"},
        "--help":{"id":"h"},
        "odd":7
    }"#;
    assert_eq!(read(plugins).entries.len(), 1);
    let reasons = skipped(plugins);
    for wanted in
        ["none: missing field `id`", "evil: `../x` cannot", "w: unknown kind `wasm`", "--help: "]
    {
        assert!(reasons.contains(wanted), "{wanted}\n{reasons}");
    }
}

#[test]
fn an_id_that_two_entries_have_means_neither() {
    // 072-283
    let registry = read(r#"{"a":{"id":"x"},"b":{"id":"x"},"c":{"id":"y"}}"#);
    assert_eq!(registry.entries.len(), 1);
    assert_eq!(registry.skipped.len(), 2);
    assert!(skipped(r#"{"a":{"id":"x"},"a":{"id":"y"}}"#).contains("twice"));
}

#[test]
fn another_version_is_refused() {
    // 072-279
    let error = parse(r#"{"version":2,"plugins":{}}"#).unwrap_err().to_string();
    assert!(error.contains("version 2"), "{error}");
    for bad in ["", "[]", "{}", r#"{"version":1}"#, r#"{"version":1,"plugins":[]}"#] {
        assert!(parse(bad).is_err(), "{bad}");
    }
}
