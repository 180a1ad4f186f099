//! Descriptions, and what the configuration makes of them.

use jp_config::{Config, Layer};
use jp_tool::SchemaResponse;
use serde_json::{Value, json};

use super::*;
use crate::tool::definition::split;

/// The configuration of a tool, as people write it.
fn config(toml: &str) -> ToolConfig {
    let text = format!("[conversation.tools.t]\nsource = \"local\"\ncommand = \"t\"\n{toml}");
    let config =
        Config::load(vec![Layer::workspace("w.toml", text)]).unwrap_or_else(|it| panic!("{it}"));
    config.app.conversation.tools.get("t").unwrap().config.clone()
}

/// What a source says: two parameters at the top, and some below.
fn provided() -> ToolSchema {
    let answer = json!({ "tools": [{
        "name": "edit",
        "summary": "Edit a file.",
        "description": "At length.",
        "parameters": {
            "path": { "type": "string", "summary": "The file.", "required": true },
            "edits": {
                "type": "array",
                "minItems": 1,
                "items": { "type": "object", "properties": {
                    "pattern": { "type": "string", "summary": "What.", "description": "More." },
                    "count": { "type": "integer", "default": 1, "minimum": 1 },
                } },
            },
            "how": { "oneOf": [{ "type": "string" }, { "type": "integer" }], "default": "a" },
        },
    }]});
    SchemaResponse::parse(&answer.to_string()).unwrap().tools.remove(0)
}

fn merged(toml: &str) -> (ToolSchema, Origins) {
    let config = config(toml);
    merge(provided(), &Overrides::of(&config), Origin::Program).unwrap()
}

fn refused(toml: &str) -> String {
    merge(provided(), &Overrides::of(&config(toml)), Origin::Program).unwrap_err().to_string()
}

fn json_of(parameter: &Parameter) -> Value {
    serde_json::to_value(parameter).unwrap()
}

#[test]
fn without_overrides_everything_stays() {
    // D06-024
    let (schema, origins) = merged("");
    assert_eq!(schema, provided());
    assert_eq!(origins, Origins::all(&provided(), Origin::Program));
    assert_eq!(origins.summary, Some(Origin::Program));
    assert_eq!(origins.examples, None);
}

#[test]
fn texts_are_replaced_one_by_one() {
    // D06-020, D06-021, D06-022, D06-024
    for (toml, summary, description, examples) in [
        ("summary = 'S'", Some("S"), Some("At length."), None),
        ("description = 'D'", Some("Edit a file."), Some("D"), None),
        ("examples = 'E'", Some("Edit a file."), Some("At length."), Some("E")),
        ("summary = ''", Some(""), Some("At length."), None),
    ] {
        let (schema, origins) = merged(toml);
        assert_eq!(schema.summary.as_deref(), summary, "{toml}");
        assert_eq!(schema.description.as_deref(), description, "{toml}");
        assert_eq!(schema.examples.as_deref(), examples, "{toml}");
        assert_eq!(schema.parameters, provided().parameters, "{toml}");
        let said = [origins.summary, origins.description, origins.examples];
        let by_config = said.iter().filter(|origin| **origin == Some(Origin::Config)).count();
        assert_eq!(by_config, 1, "{toml}");
    }
}

#[test]
fn an_override_of_one_parameter_leaves_the_rest() {
    // D06-023, D06-024
    let (schema, origins) = merged("parameters.path.summary = 'Which file.'");
    let mut expected = provided();
    expected.parameters["path"].summary = Some("Which file.".to_owned());
    assert_eq!(schema, expected);
    let path = ParameterOrigin { origin: Origin::Program, overridden: vec!["summary".to_owned()] };
    assert_eq!(origins.parameters["path"], path);
    assert_eq!(origins.parameters["edits"].overridden, [""; 0]);
    let names: Vec<_> = schema.parameters.keys().collect();
    assert_eq!(names, ["path", "edits", "how"]);
}

#[test]
fn nested_parts_are_merged_and_alternatives_replaced() {
    let (schema, origins) = merged(
        "[conversation.tools.t.parameters.edits]\nmaxItems = 9\n\
         items.properties.count = { summary = 'How often.', default = 2 }\n\
         [conversation.tools.t.parameters.how]\noneOf = [{ type = 'null' }]\ndescription = 'D'\n",
    );
    insta::assert_snapshot!(json_of(&schema.parameters["edits"]), @r#"{"type":"array","items":{"type":"object","properties":{"pattern":{"type":"string","summary":"What.","description":"More."},"count":{"type":"integer","summary":"How often.","default":2,"minimum":1}}},"minItems":1,"maxItems":9}"#);
    insta::assert_snapshot!(json_of(&schema.parameters["how"]), @r#"{"description":"D","default":"a","oneOf":[{"type":"null"}]}"#);
    insta::assert_snapshot!(origins.parameters["edits"].overridden.join(" "), @"maxItems items.properties.count.summary items.properties.count.default");
    insta::assert_snapshot!(origins.parameters["how"].overridden.join(" "), @"description oneOf");
}

#[test]
fn every_field_can_be_overridden() {
    let full = "type = ['object', 'null']\nsummary = 's'\ndescription = 'd'\ndefault = 1\nrequired = true\n\
         enum = [1]\nitems = { type = 'string' }\nproperties = { a = { type = 'null' } }\n\
         oneOf = [{ type = 'object' }]\nminimum = 1\nmaximum = 2\nminLength = 3\nmaxLength = 4\n\
         minItems = 5\nmaxItems = 6\npattern = 'p'\nformat = 'f'\n";
    let (schema, origins) = merged(&format!("[conversation.tools.t.parameters.path]\n{full}"));
    let whole = config(&format!("[conversation.tools.t.parameters.x]\n{full}"));
    let whole = Overrides::of(&whole).whole("t").unwrap();
    assert_eq!(schema.parameters["path"], whole.parameters["x"]);
    assert_eq!(origins.parameters["path"].overridden.len(), full.lines().count());
}

#[test]
fn a_default_makes_a_parameter_optional() {
    // D06-015
    for (toml, required) in [
        ("path.summary = 'x'", true),
        ("path.default = 'x'", false),
        ("path.required = false", false),
        ("path = { default = 'x', required = true }", true),
    ] {
        let (schema, _) = merged(&format!("parameters.{toml}"));
        assert_eq!(schema.parameters["path"].is_required(), required, "{toml}");
    }
}

#[test]
fn an_override_of_what_is_not_there_is_an_error() {
    insta::assert_snapshot!(refused("parameters.paht.summary = 'x'"), @"`parameters.paht` is set for a parameter that the tool does not have; did you mean `path`? It has `path`, `edits`, `how`");
    insta::assert_snapshot!(refused("parameters.zzzzz.summary = 'x'"), @"`parameters.zzzzz` is set for a parameter that the tool does not have; it has `path`, `edits`, `how`");
    insta::assert_snapshot!(refused("parameters.edits.items.properties.pattren.summary = 'x'"), @"`parameters.edits.items.properties.pattren` is set for a parameter that the tool does not have; did you mean `pattern`? It has `pattern`, `count`");
    let nothing = ToolSchema { parameters: IndexMap::new(), ..provided() };
    let config = config("parameters.path.summary = 'x'");
    let error = merge(nothing, &Overrides::of(&config), Origin::Program).unwrap_err();
    insta::assert_snapshot!(error, @"`parameters.path` is set for a parameter that the tool does not have; it has none");
    // Where the source leaves open what is inside, the configuration can say it.
    let (schema, _) = merged("parameters.path.properties.a.type = 'string'");
    assert!(schema.parameters["path"].properties.as_ref().unwrap().contains_key("a"));
}

#[test]
fn a_table_of_parameters_is_whole_or_changes_single_fields() {
    // D06-016, D06-017, D06-026
    for (toml, whole) in [
        ("", None),
        ("[conversation.tools.t.parameters]", Some(0)),
        ("parameters.a.type = 'string'", Some(1)),
        ("parameters.a.enum = [1]", Some(1)),
        ("parameters.a.oneOf = [{ type = 'string' }]", Some(1)),
        ("parameters.a = { summary = 'x' }\nparameters.b.type = 'null'", Some(2)),
        ("parameters.a = { summary = 'x', default = 1 }", None),
        ("parameters.a = {}", None),
        ("parameters.a.items.type = 'string'", None),
    ] {
        let config = config(toml);
        let schema = Overrides::of(&config).whole("t");
        assert_eq!(schema.map(|schema| schema.parameters.len()), whole, "{toml}");
    }
}

#[test]
fn toml_and_a_program_say_the_same_with_the_same_words() {
    // D06-010, D06-011, D06-019
    let described = provided();
    let written = config(
        r#"
        summary = "Edit a file."
        description = "At length."
        [conversation.tools.t.parameters.path]
        type = "string"
        summary = "The file."
        required = true
        [conversation.tools.t.parameters.edits]
        type = "array"
        minItems = 1
        [conversation.tools.t.parameters.edits.items]
        type = "object"
        properties.pattern = { type = "string", summary = "What.", description = "More." }
        properties.count = { type = "integer", default = 1, minimum = 1 }
        [conversation.tools.t.parameters.how]
        oneOf = [{ type = "string" }, { type = "integer" }]
        default = "a"
        "#,
    );
    let written = Overrides::of(&written).whole("edit").unwrap();
    assert_eq!(written, described);
    let (by_toml, by_program) = (split("edit", written), split("edit", described));
    assert_eq!(by_toml, by_program);
    assert_eq!(by_toml.0.schema(), by_program.0.schema());
    let (definition, docs) = by_program;
    assert_eq!(definition.summary.as_deref(), Some("Edit a file."));
    assert_eq!(docs.description.as_deref(), Some("At length."));
    assert_eq!(docs.parameters["edits[].pattern"], "More.");
}

#[test]
fn the_documented_tables_mean_what_the_document_says() {
    // D06-026
    let document = include_str!("../../../../../docs/configuration.md");
    let rule = "If at least one entry has a `type`, an `enum` or a `oneOf`";
    assert!(document.contains(rule));
    let after = document.split_once("### The parameters of a tool").unwrap().1;
    let example = after.split_once("```toml\n").unwrap().1.split_once("```").unwrap().0;
    let config = Config::load(vec![Layer::workspace("w.toml", example)]).unwrap();
    let whole = |name: &str| {
        let tool = config.app.conversation.tools.get(name).unwrap();
        Overrides::of(tool.config).whole(name).is_some()
    };
    assert!(whole("whole"));
    assert!(!whole("changed"));
}
