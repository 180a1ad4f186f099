//! The texts that people read: the documentation and the file a workspace starts with. Both are
//! held to what the program does.

use serde_json::{Map, json};

use super::{config, merged};
use crate::{AppConfig, Layer, ToolTable, reference, template};

const DOCUMENT: &str = include_str!("../../../../docs/configuration.md");

#[test]
fn the_reference_in_the_documentation_is_the_one_that_is_generated() {
    let begin = "<!-- keys: generated, see crates/jp_config/src/reference.rs -->\n";
    let after = DOCUMENT.split_once(begin).map_or("", |(_, after)| after);
    let written = after.split_once("<!-- end of keys -->").map_or("", |(keys, _)| keys);
    let wanted = reference();
    assert!(
        written == wanted,
        "docs/configuration.md: replace what is between the two marks by this:\n\n{wanted}"
    );
}

#[test]
fn the_examples_in_the_documentation_load() {
    let blocks: Vec<&str> = DOCUMENT
        .split("```toml\n")
        .skip(1)
        .map(|it| it.split("```").next().unwrap_or_default())
        .collect();
    assert!(blocks.len() >= 4);
    for block in blocks {
        config(block);
    }
    let servers = include_str!("../../../../docs/mcp.md").split("```toml\n").skip(1);
    for block in servers.map(|it| it.split("```").next().unwrap_or_default()) {
        assert!(merged(vec![Layer::user("u.toml", block)]).warnings().is_empty());
    }
}

#[test]
fn a_new_file_points_at_its_schema_and_changes_nothing() {
    let text = template(&[]);
    assert_eq!(text.lines().next(), Some("#:schema ./config.schema.json"));
    assert_eq!(config(&text).app, AppConfig::default());
}

#[test]
fn the_examples_in_a_new_file_are_right() {
    let text = template(&[]);
    let examples = text.lines().filter_map(|it| it.strip_prefix("# "));
    let examples = examples.filter(|it| it.starts_with('[') || it.contains(" = "));
    let text: Vec<&str> = examples.collect();
    let config = config(&text.join("\n"));
    assert_eq!(*config.app.assistant.instructions, ["Answer briefly."]);
    assert!(config.app.tool("word_count").is_some());
}

#[test]
fn a_new_file_holds_the_tools_it_was_given() {
    let keys = |json: serde_json::Value| json.as_object().cloned().unwrap_or_else(Map::new);
    let tools = [
        ToolTable {
            name: "fs_read".to_owned(),
            remark: "Read files.\nNothing else.".to_owned(),
            keys: keys(json!({ "source": "builtin", "run": "unattended" })),
        },
        ToolTable {
            name: "my.count".to_owned(),
            remark: String::new(),
            keys: keys(json!({ "source": "local", "options": { "a": { "b": [1] } } })),
        },
    ];
    let text = template(&tools);
    insta::assert_snapshot!(text.split_once("color = \"never\"\n").unwrap().1, @r##"

    # Read files.
    # Nothing else.
    [conversation.tools.fs_read]
    source = "builtin"
    run = "unattended"

    [conversation.tools."my.count"]
    source = "local"

    [conversation.tools."my.count".options.a]
    b = [1]
    "##);
    let config = config(&text);
    let names: Vec<&str> = config.app.conversation.tools.iter().map(|it| it.name).collect();
    assert_eq!(names, ["fs_read", "my.count"]);
}
