//! Descriptions as programs print them, good and bad.

use std::error::Error as _;

use serde_json::{Value, json};

use super::*;

fn parse(value: &Value) -> Result<SchemaResponse, InvalidSchema> {
    SchemaResponse::parse(&value.to_string())
}

fn parameter(value: Value) -> Parameter {
    serde_json::from_value(value).unwrap()
}

#[test]
fn the_documented_answer_is_read() {
    // D06-008, D06-009
    let response = parse(&json!({
        "tools": [{
            "name": "cargo_check",
            "summary": "Run cargo check for the given package.",
            "description": "Longer description with details...",
            "parameters": { "package": { "type": "string", "summary": "Package to check." } }
        }]
    }));
    let package = Parameter {
        kind: Some(ParameterTypes::One(ParameterType::String)),
        summary: Some("Package to check.".to_owned()),
        ..Parameter::default()
    };
    let tool = ToolSchema {
        name: "cargo_check".to_owned(),
        summary: Some("Run cargo check for the given package.".to_owned()),
        description: Some("Longer description with details...".to_owned()),
        examples: None,
        actions: None,
        parameters: [("package".to_owned(), package)].into_iter().collect(),
    };
    assert_eq!(response.unwrap(), SchemaResponse { tools: vec![tool] });
}

#[test]
fn every_word_of_a_parameter_survives() {
    let full = json!({
        "type": ["object", "null"],
        "summary": "s",
        "description": "d",
        "default": null,
        "required": true,
        "enum": [1, "a", null],
        "items": { "type": "integer", "minimum": 0, "maximum": 1.5 },
        "properties": { "z": { "type": "string", "minLength": 1, "maxLength": 2 }, "a": {} },
        "oneOf": [{ "type": "number" }, { "type": "array", "minItems": 1, "maxItems": 2 }],
        "pattern": "^a$",
        "format": "uri"
    });
    let read = parameter(full.clone());
    assert_eq!(serde_json::to_string(&read).unwrap(), full.to_string());
    let names: Vec<&String> = read.properties.as_ref().unwrap().keys().collect();
    assert_eq!(names, ["z", "a"]);
}

#[test]
fn a_parameter_without_default_is_required() {
    // D06-014, D06-015
    for (value, required) in [
        (json!({}), true),
        (json!({ "type": "string" }), true),
        (json!({ "default": "a" }), false),
        (json!({ "default": null }), false),
        (json!({ "required": false }), false),
        (json!({ "default": "a", "required": true }), true),
    ] {
        assert_eq!(parameter(value.clone()).is_required(), required, "{value}");
    }
}

#[test]
fn what_does_not_describe_tools_is_refused_with_a_reason() {
    let tool = |parameters: Value| json!({ "tools": [{ "name": "a", "parameters": parameters }] });
    for (value, reason) in [
        (json!("usage: my-tool"), "expected an object"),
        (json!([[]]), "expected an object"),
        (json!({}), "missing field `tools`"),
        (json!({ "tools": {} }), "expected a sequence"),
        (json!({ "tools": [{ "parameters": {} }] }), "missing field `name`"),
        (json!({ "tools": [{ "name": "a" }] }), "missing field `parameters`"),
        (tool(json!([])), "expected a map"),
        (tool(json!({ "b": { "type": "text" } })), "unknown variant `text`"),
        (tool(json!({ "b": { "type": 1 } })), "expected a type or a list of types"),
        (tool(json!({ "b": { "required": ["c"] } })), "expected a boolean"),
    ] {
        let cause = parse(&value).unwrap_err().source().unwrap().to_string();
        assert!(cause.contains(reason), "{value}: {cause}");
    }
    assert!(SchemaResponse::parse("").is_err());
    assert!(SchemaResponse::parse("{\"tools\":[]} and more").is_err());
}

#[test]
fn a_newer_program_may_say_more() {
    let response = parse(&json!({
        "version": 2,
        "tools": [{ "name": "a", "icon": "x", "parameters": { "b": { "unit": "m" } } }]
    }));
    let tool = ToolSchema {
        name: "a".to_owned(),
        parameters: [("b".to_owned(), Parameter::default())].into_iter().collect(),
        ..ToolSchema::default()
    };
    assert_eq!(response.unwrap().tools, [tool]);
}

#[test]
fn the_actions_of_a_tool_say_whether_it_stays_alive() {
    for (actions, known, stateful) in [
        (json!(null), None, false),
        (json!(["spawn", "fetch"]), Some(vec![SessionAction::Spawn, SessionAction::Fetch]), true),
        (json!(["spawn", "pause", 7]), Some(vec![SessionAction::Spawn]), true),
        (json!(["fetch"]), Some(vec![SessionAction::Fetch]), false),
        (json!([]), Some(vec![]), false),
    ] {
        let tool = json!({ "name": "a", "actions": actions, "parameters": {} });
        let response = parse(&json!({ "tools": [tool] })).unwrap();
        assert_eq!(response.tools[0].actions, known);
        assert_eq!(response.tools[0].is_stateful(), stateful);
    }
    let wrong = json!({ "tools": [{ "name": "a", "actions": "spawn", "parameters": {} }] });
    assert!(parse(&wrong).is_err());
}

#[test]
fn a_tool_is_found_by_name_and_an_only_one_by_any() {
    let program = |names: &[&str]| SchemaResponse {
        tools: names
            .iter()
            .map(|name| ToolSchema { name: (*name).to_owned(), ..ToolSchema::default() })
            .collect(),
    };
    let find = |names: &[&str], name| match program(names).tool(name) {
        Ok(tool) => tool.name.clone(),
        Err(error) => error.to_string(),
    };
    assert_eq!(find(&["a", "b"], "b"), "b");
    assert_eq!(find(&["a"], "b"), "a");
    let offered = find(&["a", "b\u{1b}[2J"], "c");
    insta::assert_snapshot!(
        offered,
        @r#"the program does not describe a tool "c", only ["a", "b\u{1b}[2J"]"#
    );
    insta::assert_snapshot!(find(&[], "c"), @"the program describes no tool");
    insta::assert_snapshot!(
        find(&["a", "a"], "a"),
        @r#"the program describes the tool "a" more than once"#
    );
}
