//! What is made up fits, what should not fit does not.

use jp_llm::tool::ToolDefinition;

use super::*;

fn parameters(parameters: Value) -> IndexMap<String, Parameter> {
    serde_json::from_value(parameters).unwrap()
}

fn made(given: Value) -> Result<Value, String> {
    let parameters = parameters(given);
    let definition = ToolDefinition { parameters: parameters.clone(), ..Default::default() };
    let validator = Validator::new(&definition).unwrap();
    good(&parameters, &validator).map(Value::Object)
}

#[test]
fn good_values_fit() {
    let check = |parameter: Value, expected: Value| {
        assert_eq!(
            made(json!({ "p": parameter.clone() })),
            Ok(json!({ "p": expected })),
            "{parameter}"
        );
    };
    check(json!({ "type": "string" }), json!(FILE));
    check(json!({ "type": "string", "maxLength": 3 }), json!("REA"));
    check(json!({ "type": "string", "minLength": 11 }), json!("README.mdxx"));
    check(json!({ "type": "string", "format": "uri" }), json!("https://example.org/"));
    check(json!({ "type": "string", "enum": ["b", "a"] }), json!("b"));
    check(json!({ "type": "string", "pattern": "^[0-9]+\\.[0-9]+\\.[0-9]+$" }), json!("1.0.0"));
    check(json!({ "type": "integer", "minimum": 5 }), json!(5));
    check(json!({ "type": "number", "maximum": -0.5 }), json!(-0.5));
    check(json!({ "type": "array", "items": { "type": "integer" }, "minItems": 2 }), json!([1, 1]));
    check(json!({ "type": ["null", "string"] }), json!(null));
    check(json!({ "oneOf": [{ "type": "boolean" }, { "type": "string" }] }), json!(false));
    check(
        json!({ "type": "object", "properties": { "a": { "type": "string" }, "b": { "default": 1 } } }),
        json!({ "a": FILE }),
    );
    check(json!({ "type": "integer", "default": 7 }), json!(7));
    assert_eq!(made(json!({ "p": { "type": "string", "required": false } })), Ok(json!({})));
    let error = made(json!({ "p": { "type": "string", "pattern": "^€{9}$" } })).unwrap_err();
    assert!(error.contains("`p`"), "{error}");
}

#[test]
fn wrong_values_do_not_fit() {
    let check = |parameter: Value, expected: &[Value]| {
        let parameter: Parameter = serde_json::from_value(parameter).unwrap();
        assert_eq!(wrong(&parameter), expected);
    };
    let object = json!({ "unexpected": ["jp-check"] });
    check(json!({ "type": "string" }), &[json!(12345), object.clone()]);
    check(json!({ "type": "integer" }), &[json!("jp-check"), object.clone()]);
    check(json!({ "type": "object" }), &[json!(12345), json!([["jp-check"]])]);
    check(
        json!({ "type": "array", "items": { "type": "string" } }),
        &[json!(12345), object.clone()],
    );
    check(
        json!({ "oneOf": [{ "type": "string" }, { "type": "object" }] }),
        &[json!(12345), json!([["jp-check"]])],
    );
    check(json!({}), &[]);
}

#[test]
fn texts_go_where_texts_are_taken() {
    let place =
        |parameter: Value| with_text(&serde_json::from_value(parameter).unwrap(), "x".to_owned());
    assert_eq!(place(json!({ "type": ["string", "null"] })), Some(json!("x")));
    let list = json!({ "type": "array", "items": { "type": "string" } });
    assert_eq!(place(list), Some(json!(["x"])));
    assert_eq!(place(json!({ "type": "integer" })), None);
}

#[test]
fn the_template_has_the_value_that_is_looked_for() {
    assert_eq!((1_234_567_u64 * 7_654_321).to_string(), PRODUCT);
    for hostile in HOSTILE {
        assert!(!(hostile.text)().contains(PRODUCT), "{}", hostile.what);
    }
}
