//! What a model is told up front, and what it is told when it asks.

use jp_tool::SchemaResponse;
use serde_json::json;

use super::*;

fn tool(parameters: Value) -> (ToolDefinition, ToolDocs) {
    let mut answer = json!({ "tools": [{
        "name": "at_source",
        "summary": "A sentence.",
        "description": "A page.",
        "examples": "A call.",
    }]});
    answer["tools"][0]["parameters"] = parameters;
    let schema = SchemaResponse::parse(&answer.to_string()).unwrap().tools.remove(0);
    split("in_config", schema)
}

#[test]
fn the_summary_is_told_up_front_and_the_rest_on_request() {
    // D06-012, D06-013, D06-019
    let (definition, docs) = tool(json!({
        "a": { "type": "string", "summary": "Short.", "description": "Long." },
        "b": { "type": "string", "description": "Only long." },
    }));
    assert_eq!(definition.name, "in_config");
    assert_eq!(definition.summary.as_deref(), Some("A sentence."));
    assert_eq!(docs.description.as_deref(), Some("A page."));
    assert_eq!(docs.examples.as_deref(), Some("A call."));
    let told = definition.schema().to_string();
    assert!(told.contains("Short.") && !told.contains("ong."), "{told}");
    assert_eq!(
        (docs.parameters["a"].as_str(), docs.parameters["b"].as_str()),
        ("Long.", "Only long.")
    );
}

#[test]
fn what_has_no_default_is_required() {
    // D06-014, D06-015
    let (definition, _) = tool(json!({
        "a": {},
        "b": { "default": null },
        "c": { "required": false },
        "d": { "default": 1, "required": true },
        "e": { "properties": { "f": {}, "g": { "default": "" } } },
    }));
    let schema = definition.schema();
    assert_eq!(schema["required"], json!(["a", "d", "e"]));
    assert_eq!(schema["properties"]["e"]["required"], json!(["f"]));
}

#[test]
fn a_tool_that_takes_nothing_says_so() {
    let schema = tool(json!({})).0.schema();
    insta::assert_snapshot!(schema, @r#"{"type":"object","properties":{},"required":[],"additionalProperties":false}"#);
}

fn rich() -> Value {
    json!({
        "path": { "type": "string", "summary": "The file.", "minLength": 1, "maxLength": 9, "pattern": "^a" },
        "mode": { "enum": ["fast", "slow", null], "default": "fast" },
        "when": { "type": ["string", "null"], "format": "date-time", "required": false },
        "edits": {
            "type": "array", "summary": "What to do.", "minItems": 1, "maxItems": 5,
            "items": {
                "type": "object",
                "properties": {
                    "count": { "type": "integer", "minimum": 1, "maximum": 2.5, "default": 1 },
                    "text": { "type": "string", "summary": "What.", "description": "At length." },
                },
            },
        },
        "how": {
            "summary": "One way or the other.",
            "oneOf": [
                { "type": "integer", "summary": "A line." },
                { "type": "object", "properties": { "from": { "type": "integer", "description": "First." } } },
            ],
        },
    })
}

#[test]
fn a_rich_definition_in_the_words_of_json_schema() {
    let (definition, docs) = tool(rich());
    insta::assert_snapshot!(serde_json::to_string_pretty(&definition.schema()).unwrap(), @r#"
    {
      "type": "object",
      "properties": {
        "path": {
          "type": "string",
          "description": "The file.",
          "minLength": 1,
          "maxLength": 9,
          "pattern": "^a"
        },
        "mode": {
          "default": "fast",
          "enum": [
            "fast",
            "slow",
            null
          ]
        },
        "when": {
          "type": [
            "string",
            "null"
          ],
          "format": "date-time"
        },
        "edits": {
          "type": "array",
          "description": "What to do.",
          "minItems": 1,
          "maxItems": 5,
          "items": {
            "type": "object",
            "properties": {
              "count": {
                "type": "integer",
                "default": 1,
                "minimum": 1,
                "maximum": 2.5
              },
              "text": {
                "type": "string",
                "description": "What."
              }
            },
            "required": [
              "text"
            ],
            "additionalProperties": false
          }
        },
        "how": {
          "description": "One way or the other.",
          "oneOf": [
            {
              "type": "integer",
              "description": "A line."
            },
            {
              "type": "object",
              "properties": {
                "from": {
                  "type": "integer"
                }
              },
              "required": [
                "from"
              ],
              "additionalProperties": false
            }
          ]
        }
      },
      "required": [
        "path",
        "edits",
        "how"
      ],
      "additionalProperties": false
    }
    "#);
    let explained: Vec<_> = docs.parameters.keys().collect();
    assert_eq!(explained, ["edits[].text", "how(2).from"]);
}

#[test]
fn properties_beside_alternatives_do_not_refuse_each_other() {
    let (definition, _) = tool(json!({ "call": {
        "type": "object",
        "properties": { "id": { "type": "string" } },
        "oneOf": [
            { "properties": { "action": { "enum": ["stop"] } } },
            { "properties": { "action": { "enum": ["go"] }, "speed": { "type": "integer" } } },
        ],
    } }));
    let validator = jsonschema::validator_for(&definition.schema()).unwrap();
    for (call, valid) in [
        (json!({ "id": "a", "action": "stop" }), true),
        (json!({ "id": "a", "action": "go", "speed": 1 }), true),
        (json!({ "id": "a", "action": "go" }), false),
        (json!({ "action": "stop" }), false),
    ] {
        assert_eq!(validator.is_valid(&json!({ "call": call })), valid, "{call}");
    }
}

#[test]
fn what_has_parts_has_a_type() {
    for (parameter, kind) in [
        (json!({ "properties": {} }), json!("object")),
        (json!({ "items": {} }), json!("array")),
        (json!({ "items": {}, "properties": {} }), json!(null)),
        (json!({ "type": "null", "items": {} }), json!("null")),
        (json!({ "enum": [1] }), json!(null)),
    ] {
        assert_eq!(schema(&serde_json::from_value(parameter).unwrap())["type"], kind);
    }
}
