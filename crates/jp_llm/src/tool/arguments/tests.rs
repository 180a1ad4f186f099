//! Arguments as models send them, and definitions as nobody should write them.

mod hostile;
mod words;

use indexmap::IndexMap;
use jp_tool::ToolSchema;
use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::tool::definition::split;

fn definition(parameters: Value) -> ToolDefinition {
    define(serde_json::from_value(parameters).unwrap())
}

fn define(parameters: IndexMap<String, Parameter>) -> ToolDefinition {
    split("t", ToolSchema { parameters, ..ToolSchema::default() }).0
}

fn prepare(parameters: Value, arguments: Value) -> Result<Value, String> {
    let validator = Validator::new(&definition(parameters)).unwrap();
    let Value::Object(arguments) = arguments else { panic!("{arguments} are no arguments") };
    validator.prepare(arguments).map(Value::Object).map_err(|error| error.to_string())
}

#[track_caller]
fn check(parameters: &Value, arguments: &Value, expected: &Value) {
    let prepared = prepare(parameters.clone(), arguments.clone());
    // The texts are compared too, because 5 equals 5.0 for nobody but us.
    assert_eq!(
        prepared.map(|it| it.to_string()),
        Ok(expected.to_string()),
        "{parameters} {arguments}"
    );
}

fn refused(parameters: Value, arguments: Value) -> String {
    prepare(parameters, arguments).unwrap_err()
}

#[test]
fn defaults_are_filled_in_at_every_depth() {
    let parameters = json!({
        "a": { "type": "string" },
        "b": { "type": "integer", "default": 5 },
        "c": { "type": ["null", "string"], "default": null },
        "d": { "type": "object", "required": false, "properties": {
            "e": { "type": "boolean", "default": true },
            "f": { "type": "array", "required": false, "items": {
                "type": "object", "properties": { "g": { "default": [] } } } },
        } },
        "h": { "type": "object", "default": {}, "properties": { "i": { "default": "j" } } },
        // Nobody can mean these.
        "k": { "type": "string", "default": null },
        "l": { "enum": [1, 2], "default": 3 },
        "m": { "type": "string", "pattern": "^a", "default": "b" },
    });
    let h = json!({ "i": "j" });
    check(&parameters, &json!({ "a": "x" }), &json!({ "a": "x", "b": 5, "c": null, "h": h }));
    check(
        &parameters,
        &json!({ "b": 1, "a": "x", "c": "y", "d": { "f": [{}, { "g": 1 }] }, "h": { "i": 0 }, "k": "z" }),
        &json!({ "b": 1, "a": "x", "c": "y", "d": { "f": [{ "g": [] }, { "g": 1 }], "e": true },
            "h": { "i": 0 }, "k": "z" }),
    );
    check(&json!({}), &json!({}), &json!({}));
}

#[test]
fn a_string_becomes_what_it_is_the_text_of() {
    let becomes = |parameter: Value, text: &str, expected: Value| {
        check(&json!({ "v": parameter }), &json!({ "v": text }), &json!({ "v": expected }));
    };
    let kind = |kind: &str| json!({ "type": kind });
    becomes(kind("integer"), "5", json!(5));
    becomes(kind("integer"), "-12", json!(-12));
    becomes(kind("number"), "5", json!(5));
    becomes(kind("number"), "0.25", json!(0.25));
    becomes(kind("number"), "2.50", json!(2.5));
    becomes(kind("number"), "-0.10", json!(-0.1));
    becomes(kind("number"), "1e3", json!(1000.0));
    becomes(kind("number"), "1.5E-3", json!(0.0015));
    becomes(kind("number"), "0.0", json!(0.0));
    becomes(kind("boolean"), "true", json!(true));
    becomes(kind("boolean"), "false", json!(false));
    becomes(kind("null"), "null", json!(null));
    becomes(json!({ "enum": [1, "a"] }), "1", json!(1));
    becomes(json!({ "type": ["integer", "boolean"] }), "true", json!(true));
    becomes(kind("array"), " [1, \"a\"] ", json!([1, "a"]));
    becomes(kind("object"), "{\"a\": {\"b\": 1.5}}", json!({ "a": { "b": 1.5 } }));
    // What is inside is looked at as well.
    becomes(json!({ "items": { "type": "integer" } }), "[\"1\", 2]", json!([1, 2]));
    becomes(
        json!({ "properties": { "a": { "type": "null" } } }),
        "{\"a\":\"null\"}",
        json!({ "a": null }),
    );
    // A string that is taken stays, whatever it looks like.
    for text in ["5", "true", "null", "[1]", "{}"] {
        becomes(kind("string"), text, json!(text));
        becomes(json!({}), text, json!(text));
        becomes(json!({ "type": ["integer", "null", "string"] }), text, json!(text));
        becomes(json!({ "enum": [text, 5, true, null] }), text, json!(text));
    }
    // A string that means something else, or more, stays and is refused.
    for (kind, texts) in [
        (
            "integer",
            &[
                "05",
                " 5",
                "5 ",
                "+5",
                "5.0",
                "5.5",
                "-0",
                "1e2",
                "0x5",
                "five",
                "",
                "9".repeat(30).as_str(),
            ][..],
        ),
        (
            "number",
            &[
                "1e400",
                "1e-400",
                "1e3 ",
                "01.5",
                ".5",
                "5.",
                "NaN",
                "0.1000000000000000055511151231257827",
            ],
        ),
        ("boolean", &["True", "yes", "1", "TRUE"]),
        ("null", &["", "None", "NULL"]),
        ("array", &["[1", "[1] x", "a,b", "[123456789012345678901234567890]", "[1e400]", "{}"]),
        ("object", &["{\"a\":1,\"a\":2}", "{a:1}", "[]"]),
    ] {
        for text in texts {
            let error = refused(json!({ "v": { "type": kind } }), json!({ "v": text }));
            assert!(error.contains(&format!("found {}", &json!(text).to_string()[..1])), "{error}");
        }
    }
}

#[test]
fn a_whole_number_is_an_integer_however_it_is_written() {
    let check = |parameter: Value, given: Value, expected: Value| {
        check(&json!({ "v": parameter }), &json!({ "v": given }), &json!({ "v": expected }));
    };
    // Numbers are compared as they are written: `1` is not `1.0` here.
    check(json!({ "type": "integer" }), json!(1.0), json!(1));
    check(json!({ "type": "integer" }), json!(-3e2), json!(-300));
    check(json!({ "type": ["integer", "null"] }), json!(0.0), json!(0));
    check(json!({ "items": { "type": "integer" } }), json!([2.0]), json!([2]));
    check(json!({ "type": "number" }), json!(1.0), json!(1.0));
    check(json!({ "type": "integer" }), json!(1e18), json!(1_000_000_000_000_000_000_u64));
    let error = refused(json!({ "v": { "type": "integer" } }), json!({ "v": 1.5 }));
    assert!(error.contains("`v`"), "{error}");
}

#[test]
fn problems_are_reported_all_at_once() {
    let parameters = json!({
        "path": { "type": "string", "summary": "The file to edit." },
        "count": { "type": "integer", "minimum": 1, "maximum": 9, "default": 1 },
        "mode": { "enum": ["fast", "slow", 3], "default": "fast" },
        "edits": { "type": "array", "minItems": 1, "maxItems": 3, "items": {
            "type": "object", "properties": {
                "pattern": { "type": "string", "minLength": 2, "maxLength": 4, "pattern": "^a" },
                "with": { "type": ["string", "null"], "default": null },
            } } },
    });
    insta::assert_snapshot!(refused(parameters.clone(), json!({})), @r"
    the arguments for `t` do not fit:
    - `path` is missing: The file to edit.
    - `edits` is missing
    ");
    insta::assert_snapshot!(refused(parameters.clone(), json!({
        "paht": "x",
        "zzzzzz": 1,
        "count": 12,
        "mode": "quick",
        "edits": [{ "pattern": "ab" }, 5, { "pattern": 7, "with": [1, 2], "wiht": 1 }, {}],
    })), @r#"
    the arguments for `t` do not fit:
    - `path` is missing: The file to edit.
    - `count`: expected at most 9, found 12
    - `mode`: expected one of "fast", "slow", 3, found "quick"
    - `edits`: expected at most 3 elements, found 4 elements
    - `edits[1]`: expected an object, found 5
    - `edits[2].pattern`: expected a string, found 7
    - `edits[2].with`: expected null or a string, found [1,2]
    - `edits[2].wiht` is not known; did you mean `with`?
    - `edits[3].pattern` is missing
    - `paht` is not known; did you mean `path`?
    - `zzzzzz` is not known; there is `path`, `count`, `mode`, `edits`
    "#);
    insta::assert_snapshot!(refused(parameters.clone(), json!({
        "path": { "a": "b".repeat(100) }, "count": 0.5, "mode": 3.5,
        "edits": [{ "pattern": "" }, { "pattern": "abcde" }, { "pattern": "bcd" }],
    })), @r#"
    the arguments for `t` do not fit:
    - `path`: expected a string, found {"a":"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…
    - `count`: expected an integer, found 0.5
    - `mode`: expected one of "fast", "slow", 3, found 3.5
    - `edits[0].pattern`: expected at least 2 characters, found 0 characters
    - `edits[1].pattern`: expected at most 4 characters, found 5 characters
    - `edits[2].pattern`: expected text that matches `^a`, found "bcd"
    "#);
    insta::assert_snapshot!(refused(parameters, json!({ "path": "a", "edits": [] })), @"the arguments for `t` do not fit: `edits`: expected at least 1 element, found 0 elements");
    insta::assert_snapshot!(refused(json!({}), json!({ "a": 1 })), @"the arguments for `t` do not fit: `a` is not known; nothing is expected here");
    insta::assert_snapshot!(
        refused(json!({ "2": { "items": { "type": "null" } } }), json!({ "2": [null, 1], "a.b": 1, "": 1 })),
        @r#"
    the arguments for `t` do not fit:
    - `2[1]`: expected null, found 1
    - `["a.b"]` is not known; there is `2`
    - `[""]` is not known; there is `2`
    "#
    );
}

#[test]
fn the_closest_alternative_is_named() {
    let how = json!({ "how": { "oneOf": [
        { "type": "integer", "summary": "A line.", "minimum": 1 },
        { "type": "object", "summary": "A range.", "properties": {
            "kind": { "enum": ["range"] }, "from": { "type": "integer" }, "to": { "type": "integer", "default": 9 } } },
        { "type": "object", "properties": {
            "kind": { "enum": ["text"] }, "pattern": { "type": "string" } } },
    ] } });
    let case = |given: Value| refused(how.clone(), json!({ "how": given }));
    insta::assert_snapshot!(case(json!(0)), @"the arguments for `t` do not fit: `how` fits none of 3 alternatives; the closest is number 1 (A line.), but `how`: expected at least 1, found 0");
    insta::assert_snapshot!(case(json!({ "kind": "range", "from": "x" })), @r#"the arguments for `t` do not fit: `how` fits none of 3 alternatives; the closest is number 2 (A range.), but `how.from`: expected an integer, found "x""#);
    insta::assert_snapshot!(case(json!({ "kind": "text" })), @"the arguments for `t` do not fit: `how` fits none of 3 alternatives; the closest is number 3, but `how.pattern` is missing");
    insta::assert_snapshot!(case(json!({ "kind": "text", "patern": "a", "pattern": "b" })), @"the arguments for `t` do not fit: `how` fits none of 3 alternatives; the closest is number 3, but `how.patern` is not known; did you mean `pattern`?");
    insta::assert_snapshot!(case(json!([1])), @"the arguments for `t` do not fit: `how` fits none of 3 alternatives; the closest is number 1 (A line.), but `how`: expected an integer, found [1]");
    // Defaults and texts of the alternative that fits.
    check(&how, &json!({ "how": "7" }), &json!({ "how": 7 }));
    check(
        &how,
        &json!({ "how": { "kind": "range", "from": "2" } }),
        &json!({ "how": { "kind": "range", "from": 2, "to": 9 } }),
    );
    check(
        &how,
        &json!({ "how": "{\"kind\":\"text\",\"pattern\":\"5\"}" }),
        &json!({ "how": { "kind": "text", "pattern": "5" } }),
    );
    insta::assert_snapshot!(
        refused(json!({ "v": { "oneOf": [{ "type": "integer" }, { "type": "number" }] } }), json!({ "v": 1 })),
        @"the arguments for `t` do not fit: `v`: expected something that fits one alternative only, found 1"
    );
    insta::assert_snapshot!(
        refused(json!({ "v": { "oneOf": [{ "items": { "oneOf": [{ "type": "string" }, { "type": "null" }] } }, { "type": "null" }] } }),
            json!({ "v": ["a", null, 1] })),
        @"the arguments for `t` do not fit: `v` fits none of 2 alternatives; the closest is number 1, but `v[2]` fits none of 2 alternatives; the closest is number 1, but `v[2]`: expected a string, found 1"
    );
    // A string that one alternative takes stays a string.
    let either = json!({ "v": { "oneOf": [{ "type": "integer" }, { "type": "string" }] } });
    check(&either, &json!({ "v": "5" }), &json!({ "v": "5" }));
    check(&either, &json!({ "v": 5 }), &json!({ "v": 5 }));
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[0-9.e+\\- nulltruefs\\[\\]{}\":,]{0,12}".prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec(("[ab]", inner), 0..3)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

proptest! {
    /// What passed passes again unchanged, and whatever was valid to begin with is not touched.
    #[test]
    fn preparing_twice_is_preparing_once(v in any_json(), kinds in prop::sample::subsequence(
        vec!["string", "integer", "number", "boolean", "null", "array", "object"], 1..4,
    )) {
        let validator = Validator::new(&definition(json!({ "v": { "type": kinds } }))).unwrap();
        let given = Map::from_iter([("v".to_owned(), v)]);
        let was_valid = validator.schema.is_valid(&Value::Object(given.clone()));
        if let Ok(once) = validator.prepare(given.clone()) {
            prop_assert_eq!(validator.prepare(once.clone()).unwrap(), once.clone());
            if was_valid {
                prop_assert_eq!(once, given);
            }
        } else {
            prop_assert!(!was_valid);
        }
    }

    /// A value that became another says the same as before.
    #[test]
    fn nothing_is_lost_when_a_string_becomes_a_value(text in "-?[0-9]{0,24}(\\.[0-9]{0,20})?(e-?[0-9]{1,3})?") {
        let parameters = json!({ "v": { "type": "number" } });
        if let Ok(prepared) = prepare(parameters, json!({ "v": text })) {
            prop_assert_eq!(meaning(&prepared["v"].to_string()), meaning(&text), "{}", text);
        }
    }
}

/// What a decimal number says, however it is written: its sign, its digits without zeros around them, and
/// where the point is.
fn meaning(text: &str) -> (bool, String, i64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{}{fraction}", whole.trim_start_matches('-'));
    let trailing = digits.len() - digits.trim_end_matches('0').len();
    let (digits, fraction) = (digits.trim_matches('0').to_owned(), fraction.len());
    if digits.is_empty() {
        return (false, digits, 0);
    }
    let [trailing, fraction] = [trailing, fraction].map(|it| i64::try_from(it).unwrap());
    let exponent: i64 = exponent.parse().unwrap();
    (text.starts_with('-'), digits, exponent + trailing - fraction)
}
