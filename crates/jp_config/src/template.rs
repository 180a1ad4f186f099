//! The configuration file that a new workspace starts with. Its first line points at the schema
//! file beside it, so that editors complete and check what is typed.

use serde_json::{Map, Value};

use crate::emit;
use crate::node::Node;

/// The name of the schema file, to be written beside the configuration file.
pub const SCHEMA_FILE: &str = "config.schema.json";

/// A tool to put into a new configuration file.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolTable {
    /// The tool's name.
    pub name: String,
    /// A remark above its table; may be empty.
    pub remark: String,
    /// Its keys, as they appear in `[conversation.tools.<name>]`.
    pub keys: Map<String, Value>,
}

impl ToolTable {
    /// The table with its header, as it stands in a configuration file.
    pub fn to_toml(&self) -> String {
        let path = ["conversation".to_owned(), "tools".to_owned(), self.name.clone()];
        let node = Node::annotate(Value::Object(self.keys.clone()), None);
        match node.as_ref().and_then(Node::as_table) {
            Some(keys) => emit::table(&path, keys, None),
            None => String::new(),
        }
    }
}

/// The text of a new `.jp/config.toml` with these tools in it.
///
/// Everything else in it is a remark, so it changes nothing; the examples are valid once the
/// mark before them is removed.
pub fn template(tools: &[ToolTable]) -> String {
    let mut text = format!("#:schema ./{SCHEMA_FILE}\n{HEAD}");
    if tools.is_empty() {
        text.push_str(EXAMPLE_TOOL);
    }
    for tool in tools {
        text.push('\n');
        for line in tool.remark.lines() {
            text.extend(["# ", line, "\n"]);
        }
        text.push_str(&tool.to_toml());
    }
    text
}

const HEAD: &str = r#"
# Settings of this workspace. Only what differs from the defaults needs to be here;
# `jp config show --origin` prints every value and where it comes from.

# [assistant]
# name = "JP"
# instructions = ["Answer briefly."]

# [style]
# color = "never"
"#;

const EXAMPLE_TOOL: &str = r#"
# [conversation.tools.word_count]
# source = "local"
# command = "wc -w"
# run = "ask"
"#;
