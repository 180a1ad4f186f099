//! Definitions and arguments that were made to hurt.

use std::time::{Duration, Instant};

use super::*;

/// Generous, because a machine can be busy; what it guards against takes hours.
const SOON: Duration = Duration::from_secs(20);

fn invalid(parameters: Value) -> String {
    Validator::new(&definition(parameters)).unwrap_err().to_string()
}

#[test]
fn a_definition_that_cannot_be_checked_is_refused_before_any_call() {
    insta::assert_snapshot!(invalid(json!({ "a": { "type": "string", "pattern": "(" } })), @"parameter `a` is not valid: `(` is not a regular expression, or a very large one");
    insta::assert_snapshot!(
        invalid(json!({ "a": { "type": "array", "items": { "properties": { "b": { "pattern": "[z-a]" } } } } })),
        @"parameter `a[].b` is not valid: `[z-a]` is not a regular expression, or a very large one"
    );
    insta::assert_snapshot!(invalid(json!({ "a": { "oneOf": [{}, { "pattern": "*" }] } })), @"parameter `a(2)` is not valid: `*` is not a regular expression, or a very large one");
    insta::assert_snapshot!(invalid(json!({ "a": { "oneOf": [] } })), @"parameter `a` is not valid: [] has less than 1 item");
    insta::assert_snapshot!(invalid(json!({ "a": { "pattern": "((a{1000}){1000}){1000}" } })), @"parameter `a` is not valid: `((a{1000}){1000}){1000}` is not a regular expression, or a very large one");
}

#[test]
fn a_definition_is_limited_in_depth() {
    let nested = |depth: usize| {
        let mut parameter = Parameter::default();
        for level in 0..depth {
            let inner = std::mem::take(&mut parameter);
            match level % 3 {
                0 => parameter.items = Some(Box::new(inner)),
                1 => parameter.properties = Some([("a".to_owned(), inner)].into_iter().collect()),
                _ => parameter.one_of = Some(vec![inner]),
            }
        }
        Validator::new(&define(IndexMap::from_iter([("deep".to_owned(), parameter)])))
    };
    assert!(nested(MAX_DEPTH - 1).is_ok());
    insta::assert_snapshot!(nested(MAX_DEPTH).unwrap_err(), @"parameter `deep` is nested more than 64 levels deep");
    assert!(nested(2000).is_err());
}

#[test]
fn a_pattern_cannot_run_for_long() {
    let start = Instant::now();
    for pattern in ["^(a+)+$", "^(a|aa)+$", "^(?=a)(a+)+(?<!b)\\1$", "(.*)*\\1x"] {
        let parameters = json!({ "v": { "type": "string", "pattern": pattern } });
        let text = format!("{}b", "a".repeat(50_000));
        assert!(prepare(parameters, json!({ "v": text })).is_err(), "{pattern}");
    }
    assert!(start.elapsed() < SOON);
}

#[test]
fn large_arguments_are_checked_and_messages_stay_short() {
    let start = Instant::now();
    let big = "x".repeat(10 * 1024 * 1024);
    let string = json!({ "v": { "type": "string" } });
    assert!(prepare(string.clone(), json!({ "v": big })).is_ok());
    let integer = json!({ "v": { "type": "integer" } });
    for (parameters, arguments) in [
        (integer.clone(), json!({ "v": big })),
        (integer.clone(), json!({ "v": format!("[{big}") })),
        (json!({ "v": { "enum": [1] } }), json!({ "v": big })),
        (
            json!({ "v": { "oneOf": [{ "type": "null" }, { "type": "integer" }] } }),
            json!({ "v": big }),
        ),
        (string.clone(), Value::Object(Map::from_iter([(big.clone(), json!(1))]))),
        (string.clone(), json!({ "v": vec![json!({ "a": big }); 2] })),
        (json!({ "v": { "items": { "type": "null" } } }), json!({ "v": vec![1; 300_000] })),
        (
            json!({ "v": { "items": { "oneOf": [{ "type": "null" }, { "enum": ["a"] }] } } }),
            json!({ "v": vec![1; 30_000] }),
        ),
        (json!({ "v": { "type": "array", "maxItems": 3 } }), json!({ "v": vec![1; 300_000] })),
    ] {
        let error = refused(parameters, arguments);
        assert!(error.len() < 20_000, "{} bytes", error.len());
    }
    let many: Map<_, _> = (0..100_000).map(|n| (format!("unknown{n}"), json!(n))).collect();
    assert!(refused(integer, Value::Object(many)).len() < 20_000);
    assert!(start.elapsed() < SOON);
}

#[test]
fn many_problems_are_counted() {
    let error =
        refused(json!({ "v": { "items": { "type": "null" } } }), json!({ "v": vec![1; 120] }));
    assert_eq!(error.lines().count(), 52);
    assert!(error.ends_with("\n- and 70 more"), "{error}");
}

#[test]
fn defaults_cannot_fill_the_memory() {
    let parameters = json!({ "v": { "items": { "properties": { "d": { "default": "x".repeat(1024 * 1024) } } } } });
    insta::assert_snapshot!(refused(parameters, json!({ "v": vec![json!({}); 5000] })), @"the arguments for `t` do not fit: the defaults would make the arguments too large");
}

#[test]
fn deep_arguments_are_no_deeper_than_their_definition() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let anything: Value = serde_json::from_str(&deep(127)).unwrap();
    check(
        &json!({ "v": {} }),
        &json!({ "v": anything.clone() }),
        &json!({ "v": anything.clone() }),
    );
    let error = refused(json!({ "v": { "type": "string" } }), json!({ "v": anything }));
    assert!(error.ends_with("[[…"), "{error}");
    // As a text it is deeper than JSON may be, and stays a text.
    let error = refused(json!({ "v": { "type": "array" } }), json!({ "v": deep(100_000) }));
    assert!(error.len() < 200, "{error}");
}

#[test]
fn numbers_at_the_edges() {
    let check_number = |kind: &str, given: Value, valid: bool| {
        let parameters = json!({ "v": { "type": kind, "minimum": 0 } });
        assert_eq!(prepare(parameters, json!({ "v": given })).is_ok(), valid, "{kind} {given}");
    };
    for value in [json!(u64::MAX), json!(i64::MAX), json!(0), json!(1e300)] {
        check_number("number", value.clone(), true);
        check_number("integer", value, true);
    }
    check_number("integer", json!(i64::MIN), false);
    for text in
        ["NaN", "nan", "Infinity", "-inf", "1e400", "0x10", "1_000", "", "18446744073709551616"]
    {
        check_number("number", json!(text), false);
    }
    check_number("integer", json!("18446744073709551615"), true);
}

#[test]
fn odd_names_are_quoted_in_messages() {
    let error = refused(json!({ "a": {} }), json!({ "a": 1, "b\u{1b}[2J\n": 1 }));
    insta::assert_snapshot!(error, @r#"the arguments for `t` do not fit: `["b\u{1b}[2J\n"]` is not known; there is `a`"#);
    let parameters = json!({ "a/b~c": { "oneOf": [{ "properties": { "d e": { "default": "1", "type": "string" } } }] } });
    check(&parameters, &json!({ "a/b~c": {} }), &json!({ "a/b~c": { "d e": "1" } }));
    insta::assert_snapshot!(refused(parameters, json!({ "a/b~c": { "d e": 1 } })), @r#"the arguments for `t` do not fit: `["a/b~c"]` fits none of 1 alternatives; the closest is number 1, but `["a/b~c"]["d e"]`: expected a string, found 1"#);
}
