//! Schemas as servers write them.

use super::*;
use crate::tool::{arguments::Validator, definition::ToolDefinition};

fn server() -> Value {
    json!({
        "type": "object",
        "$defs": { "path": { "type": "string", "description": "Where.", "minLength": 1 } },
        "properties": {
            "path": { "$ref": "#/$defs/path" },
            "limit": { "type": "integer", "default": 10, "minimum": 1, "exclusiveMaximum": 100 },
            "name": { "anyOf": [{ "type": "string" }, { "type": "null" }], "title": "Name" },
            "tags": { "type": "array", "items": { "type": "string" }, "uniqueItems": true },
            "deep": { "type": "object", "properties": { "a": { "type": "boolean" } }, "required": ["a"] },
            "mode": { "const": "fast" },
        },
        "required": ["path"],
        "dependentRequired": { "limit": ["tags"] },
        "additionalProperties": false,
    })
}

#[test]
fn what_parameters_can_say_is_said() {
    let read = parameters(&server());
    assert_eq!(read.keys().collect::<Vec<_>>(), ["path", "limit", "name", "tags", "deep", "mode"]);
    let path = &read["path"];
    assert_eq!(path.kind, Some(ParameterTypes::One(ParameterType::String)));
    assert_eq!((path.summary.as_deref(), path.min_length), (Some("Where."), Some(1)));
    assert!(path.is_required() && !read["limit"].is_required() && !read["name"].is_required());
    assert_eq!(read["limit"].default, Some(json!(10)));
    let both = vec![ParameterType::String, ParameterType::Null];
    assert_eq!(read["name"].kind, Some(ParameterTypes::Many(both)));
    assert!(read["deep"].properties.as_ref().unwrap()["a"].is_required());
    assert_eq!(read["mode"].values, Some(vec![json!("fast")]));
}

fn validator(schema: &Value) -> Validator {
    let definition = ToolDefinition {
        name: "t".to_owned(),
        parameters: parameters(schema),
        input: Some(schema.clone()),
        ..ToolDefinition::default()
    };
    assert_eq!(&definition.schema(), schema);
    Validator::of_server(&definition, without_defaults(&parameters(schema))).unwrap()
}

/// What our parameters have no words for still decides.
#[test]
fn calls_are_checked_by_what_the_server_wrote() {
    let validator = validator(&server());
    for (arguments, is_right) in [
        (json!({ "path": "a" }), true),
        (json!({}), false),
        (json!({ "path": "" }), false),
        (json!({ "path": "a", "limit": 100, "tags": [] }), false),
        (json!({ "path": "a", "limit": 5 }), false),
        (json!({ "path": "a", "limit": 5, "tags": ["x"] }), true),
        (json!({ "path": "a", "tags": ["x", "x"] }), false),
        (json!({ "path": "a", "other": 1 }), false),
        (json!({ "path": "a", "name": null }), true),
    ] {
        let Value::Object(given) = arguments.clone() else { panic!() };
        let prepared = validator.prepare(given.clone());
        assert_eq!(prepared.is_ok(), is_right, "{arguments}: {prepared:?}");
        // What the server does with what is not given is its own business.
        if let Ok(prepared) = prepared {
            assert_eq!(prepared, given);
        }
    }
    // What a model wrote is still tidied up.
    let Value::Object(given) = json!({ "path": "a", "limit": "5", "tags": ["x"] }) else {
        panic!()
    };
    assert_eq!(validator.prepare(given).unwrap()["limit"], json!(5));
}

#[test]
fn the_configuration_is_laid_over_it() {
    let changes: IndexMap<String, ToolParameter> = serde_json::from_value(json!({
        "path": { "summary": "Below src only.", "default": "src" },
        "limit": { "required": true, "maximum": 50 },
        "deep": { "properties": { "a": { "summary": "Really?" } } },
    }))
    .unwrap();
    let mut schema = server();
    lay_over(&mut schema, &changes);
    assert_eq!(schema["properties"]["path"]["description"], "Below src only.");
    assert_eq!(schema["properties"]["path"]["default"], "src");
    assert_eq!(schema["properties"]["limit"]["maximum"], 50);
    assert_eq!(schema["properties"]["limit"]["exclusiveMaximum"], 100);
    assert_eq!(schema["properties"]["deep"]["properties"]["a"]["description"], "Really?");
    assert_eq!(schema["required"], json!(["limit"]));
    assert_eq!(schema["dependentRequired"], server()["dependentRequired"]);
}

/// Each level has twenty references to all of it; read to its depth that would be more than there are atoms.
#[test]
fn references_do_not_multiply_for_ever() {
    fn count(parameters: &IndexMap<String, Parameter>) -> usize {
        let below = parameters.values().filter_map(|one| one.properties.as_ref()).map(count);
        parameters.len() + below.sum::<usize>()
    }
    let all = (0..20).map(|number| (number.to_string(), json!({ "$ref": "#" })));
    let schema = json!({ "properties": all.collect::<Map<_, _>>() });
    let read = parameters(&schema);
    assert!(!read.is_empty());
    assert!(count(&read) <= MAX_PARTS, "{}", count(&read));
}

#[test]
fn nothing_that_a_server_writes_breaks_it() {
    for schema in [
        json!(null),
        json!([]),
        json!({ "properties": 1 }),
        json!({ "properties": { "a": true, "b": { "$ref": "#/properties/b" }, "c": { "type": 7 } } }),
        json!({ "properties": { "a": { "allOf": [{ "$ref": "#" }] }, "b": { "enum": 1, "items": [1] } } }),
    ] {
        let read = parameters(&schema);
        assert!(read.len() <= 3);
        assert_eq!(of_object(&schema)["type"], "object");
    }
}
