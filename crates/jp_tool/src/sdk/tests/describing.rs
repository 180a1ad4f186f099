//! Types and comments become descriptions; nothing is run for it.

use std::collections::BTreeMap;

use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use super::*;
use crate::{Parameter, SchemaResponse, ToolError, ToolSchema};

/// Read a file,
/// or a part of it.
///
/// Binary files are refused.
///
/// So are directories.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Everything {
    /// The file to read.
    ///
    /// Relative to the root.
    path: String,
    #[serde(default)]
    start: Option<u32>,
    end: Option<u8>,
    #[serde(default = "five")]
    count: i64,
    /// How to read.
    mode: Mode,
    #[serde(default)]
    fallback: Option<Mode>,
    /// Which one.
    ///
    /// There are several.
    noted: Noted,
    edits: Vec<Edit>,
    #[schemars(length(min = 1, max = 9), regex(pattern = "^a"))]
    name: String,
    shape: Shape,
    pair: (String, u8),
    labels: BTreeMap<String, String>,
    anything: Value,
    tree: Option<Box<Tree>>,
}

fn five() -> i64 {
    5
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Text,
    Bytes,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Noted {
    /// Whatever comes.
    First,
    /// The end.
    Last,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Edit {
    /// What is there.
    old: String,
    new: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[expect(dead_code, reason = "only described")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

/// A tree.
#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Tree {
    leaves: u8,
    branches: Vec<Tree>,
}

#[test]
fn a_type_is_described_in_the_words_of_the_configuration() {
    // D06-009, D06-010, D06-012, D06-013, D06-014, D06-015
    let schema = schema_of::<Everything>("everything");
    let lines = serde_json::to_value(&schema).unwrap();
    let parameters = lines["parameters"].as_object().unwrap();
    let text: String =
        parameters.iter().map(|(name, words)| format!("{name}: {words}\n")).collect();
    insta::assert_snapshot!(schema.summary.unwrap(), @"Read a file, or a part of it.");
    insta::assert_snapshot!(schema.description.unwrap(), @r"
    Binary files are refused.

    So are directories.
    ");
    insta::assert_snapshot!(text, @r#"
    path: {"type":"string","summary":"The file to read.","description":"Relative to the root."}
    start: {"type":["integer","null"],"default":null,"minimum":0}
    end: {"type":["integer","null"],"required":false,"minimum":0,"maximum":255}
    count: {"type":"integer","default":5}
    mode: {"type":"string","summary":"How to read.","enum":["text","bytes"]}
    fallback: {"type":["string","null"],"default":null,"enum":["text","bytes",null]}
    noted: {"type":"string","summary":"Which one.","description":"There are several.\n\n- `first`: Whatever comes.\n- `last`: The end.","enum":["first","last"]}
    edits: {"type":"array","items":{"type":"object","properties":{"old":{"type":"string","summary":"What is there."},"new":{"type":["string","null"],"required":false}}}}
    name: {"type":"string","minLength":1,"maxLength":9,"pattern":"^a"}
    shape: {"oneOf":[{"type":"object","properties":{"kind":{"type":"string","enum":["circle"]},"radius":{"type":"number"}}},{"type":"object","properties":{"kind":{"type":"string","enum":["square"]},"side":{"type":"number"}}}]}
    pair: {"type":"array","items":{"oneOf":[{"type":"string"},{"type":"integer","minimum":0,"maximum":255}]},"minItems":2,"maxItems":2}
    labels: {"type":"object"}
    anything: {}
    tree: {"type":["object","null"],"summary":"A tree.","required":false,"properties":{"leaves":{"type":"integer","minimum":0,"maximum":255},"branches":{"type":"array","items":{"type":"object","summary":"A tree.","properties":{"leaves":{"type":"integer","minimum":0,"maximum":255},"branches":{"type":"array","items":{"type":"object"}}}}}}}
    "#);
}

#[test]
fn a_description_is_read_back_as_it_was_written() {
    // D06-008
    let schema = schema_of::<Everything>("everything");
    let text = serde_json::to_string(&SchemaResponse { tools: vec![schema.clone()] }).unwrap();
    assert_eq!(SchemaResponse::parse(&text).unwrap().tools, [schema]);
}

#[test]
fn a_type_and_the_configuration_say_the_same_about_a_parameter() {
    // D06-011
    let written = r#"
        [old]
        type = "string"
        summary = "What is there."

        [new]
        type = ["string", "null"]
        required = false
    "#;
    let written: IndexMap<String, Parameter> = toml::from_str(written).unwrap();
    assert_eq!(schema_of::<Edit>("edit").parameters, written);
}

#[test]
fn what_is_required_is_what_the_reader_refuses_to_miss() {
    // D06-014, D06-015
    let schema = schema_of::<Everything>("everything");
    let required: Vec<&str> = schema
        .parameters
        .iter()
        .filter(|(_, p)| p.is_required())
        .map(|(name, _)| &**name)
        .collect();
    insta::assert_snapshot!(required.join(" "), @"path mode noted edits name shape pair labels anything");
}

#[derive(Deserialize, JsonSchema)]
#[serde(tag = "mode", rename_all = "snake_case")]
#[expect(dead_code, reason = "only described")]
enum Forms {
    Lines { path: String, from: u32 },
    Bytes { path: String, from: String },
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only described")]
struct Flat {
    path: String,
    #[serde(flatten)]
    edit: Edit,
}

#[test]
fn arguments_of_several_forms_are_described_together() {
    let parameters = |schema: ToolSchema| serde_json::to_string(&schema.parameters).unwrap();
    insta::assert_snapshot!(parameters(schema_of::<Forms>("forms")), @r#"{"mode":{"type":"string","enum":["lines","bytes"]},"path":{"type":"string"},"from":{"oneOf":[{"type":"integer","minimum":0},{"type":"string"}]}}"#);
    insta::assert_snapshot!(parameters(schema_of::<Flat>("flat")), @r#"{"path":{"type":"string"},"old":{"type":"string","summary":"What is there."},"new":{"type":["string","null"],"required":false}}"#);
    insta::assert_snapshot!(parameters(schema_of::<NoArgs>("none")), @"{}");
    insta::assert_snapshot!(parameters(schema_of::<Tree>("tree")), @r#"{"leaves":{"type":"integer","minimum":0,"maximum":255},"branches":{"type":"array","items":{"type":"object"}}}"#);
}

#[test]
fn asking_for_the_description_runs_nothing() {
    // D06-003, D06-045
    fn never(_: Edit, _: &Call) -> Result<Reply, ToolError> {
        panic!("the tool was run")
    }
    let tools = || [tool("a", never).examples("a(old: \"x\")"), tool("b", never)];
    for action in ["schema", "Schema"] {
        let line = invocation("nobody", action, &json!({ "nonsense": 1 }), &json!({}));
        let (mut lines, exit) = feed(tools(), line.as_bytes());
        assert_eq!(exit, Exit::Success);
        let response: SchemaResponse = serde_json::from_value(lines.remove(0)).unwrap();
        let names: Vec<&str> = response.tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(response.tools[0].examples.as_deref(), Some("a(old: \"x\")"));
        assert_eq!(response.tools[0].actions, None);
    }
}
