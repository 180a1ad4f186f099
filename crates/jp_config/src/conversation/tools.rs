//! The tools by name, and the entry `"*"` that holds defaults for all of them.
//!
//! After a load every tool is complete: what it did not say was taken from `"*"`, and what `"*"`
//! did not say from the built-in defaults. So a reader of this map never looks at `"*"`.

use std::borrow::Cow;

use indexmap::IndexMap;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::tool::{Tool, ToolConfig};
use crate::types::format::Format;

/// The key that holds defaults for all tools.
pub const ALL_TOOLS: &str = "*";

/// Tools by name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "IndexMap<String, ToolConfig>", into = "IndexMap<String, ToolConfig>")]
pub struct Tools(IndexMap<String, ToolConfig>);

impl Tools {
    /// The tool of this name; `"*"` is not one.
    pub fn get(&self, name: &str) -> Option<Tool<'_>> {
        let (name, config) = self.0.get_key_value(name)?;
        tool(name, config)
    }

    /// Every tool in the order it was first mentioned, `"*"` left out.
    pub fn iter(&self) -> impl Iterator<Item = Tool<'_>> {
        self.0.iter().filter_map(|(name, config)| tool(name, config))
    }

    /// What holds for a tool that says nothing itself.
    pub fn defaults(&self) -> Cow<'_, ToolConfig> {
        self.0.get(ALL_TOOLS).map_or_else(|| Cow::Owned(ToolConfig::default()), Cow::Borrowed)
    }
}

impl Default for Tools {
    fn default() -> Self {
        Self(IndexMap::from([(ALL_TOOLS.to_owned(), ToolConfig::default())]))
    }
}

impl TryFrom<IndexMap<String, ToolConfig>> for Tools {
    type Error = String;

    fn try_from(tools: IndexMap<String, ToolConfig>) -> Result<Self, Self::Error> {
        for (name, config) in &tools {
            if name == ALL_TOOLS {
                let is_own = !config.options.is_empty()
                    || config.access.is_some()
                    || config.sandbox.is_some()
                    || config.system.is_some()
                    || !config.program_files.is_empty();
                if is_own {
                    return Err(format!("`\"*\"` cannot hold `{}`", OWN.join("`, `")));
                }
            } else if config.source.is_none() {
                return Err(format!("tool `{name}` has no `source`"));
            }
        }
        Ok(Self(tools))
    }
}

impl From<Tools> for IndexMap<String, ToolConfig> {
    fn from(tools: Tools) -> Self {
        tools.0
    }
}

impl JsonSchema for Tools {
    fn schema_name() -> Cow<'static, str> {
        "Tools".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let defaults = defaults_schema(generator);
        json_schema!({
            "type": "object",
            "properties": { ALL_TOOLS: defaults },
            "additionalProperties": generator.subschema_for::<ToolConfig>(),
            "propertyNames": Format::ToolName.schema(),
        })
    }
}

/// What belongs to one tool alone, so that `"*"` cannot have it.
const OWN: [&str; 5] = ["options", "access", "sandbox", "system", "program_files"];

/// The schema of `"*"`: a tool's, without the need for a source and without what is a tool's own.
fn defaults_schema(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = ToolConfig::json_schema(generator);
    schema.remove("x-jp-required");
    schema.insert(
        "description".to_owned(),
        "Defaults for every tool. A tool that sets a key itself keeps its own value; `style` and \
         `questions` are completed key by key."
            .into(),
    );
    for key in OWN {
        if let Some(property) = schema.pointer_mut(&format!("/properties/{key}")) {
            let description =
                format!("`{key}` belongs to one tool; set it under the tool's own name");
            *property = json!({ "description": description, "not": {} });
        }
    }
    schema
}

fn tool<'a>(name: &'a str, config: &'a ToolConfig) -> Option<Tool<'a>> {
    let source = config.source.as_ref().filter(|_| name != ALL_TOOLS)?;
    Some(Tool { name, source, config })
}
