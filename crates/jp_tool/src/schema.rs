//! How a program describes the tools in it: `{"tools":[…]}`.
//!
//! A program that is started with the action `schema` prints this object and does nothing else. The
//! entries have the shape of the configuration, so that a parameter means the same wherever it was
//! written.

mod parameter;

use indexmap::IndexMap;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use thiserror::Error;

pub use self::parameter::{Parameter, ParameterType, ParameterTypes};
use crate::{SessionAction, object};

/// The tools of one program.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SchemaResponse {
    /// One entry for each tool.
    pub tools: Vec<ToolSchema>,
}

impl SchemaResponse {
    /// Reads what a program printed.
    pub fn parse(text: &str) -> Result<Self, InvalidSchema> {
        object::parse(text).map_err(InvalidSchema)
    }

    /// The entry for the tool of this name. The only entry of a program answers to any name, so
    /// that a program with one tool need not know what it is called in the configuration.
    pub fn tool(&self, name: &str) -> Result<&ToolSchema, SchemaMatchError> {
        if let [only] = self.tools.as_slice() {
            return Ok(only);
        }
        let mut named = self.tools.iter().filter(|tool| tool.name == name);
        match (named.next(), named.next()) {
            (Some(tool), None) => Ok(tool),
            (Some(_), Some(_)) => Err(SchemaMatchError::Twice { name: name.to_owned() }),
            (None, _) if self.tools.is_empty() => Err(SchemaMatchError::Nothing),
            (None, _) => Err(SchemaMatchError::Missing {
                name: name.to_owned(),
                offered: self.tools.iter().map(|tool| tool.name.clone()).collect(),
            }),
        }
    }
}

/// What a program says about one of its tools.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ToolSchema {
    /// The name of the tool.
    pub name: String,
    /// One sentence about the tool, sent to the assistant with every request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The long explanation, given to the assistant when it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Examples of calls, given to the assistant when it asks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub examples: Option<String>,
    /// What can be done to a tool that stays alive; absent for one that does not. An action that
    /// nobody here knows is left out.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "known_actions")]
    pub actions: Option<Vec<SessionAction>>,
    /// The parameters, by name. A tool that takes none says so with an empty table.
    pub parameters: IndexMap<String, Parameter>,
}

impl ToolSchema {
    /// Whether the tool can stay alive: without a `spawn` there is nothing to stay.
    pub fn is_stateful(&self) -> bool {
        self.actions.as_ref().is_some_and(|actions| actions.contains(&SessionAction::Spawn))
    }
}

/// A text that does not describe tools.
#[derive(Debug, Error)]
#[error("not a description of tools")]
pub struct InvalidSchema(#[source] serde_json::Error);

/// A description in which the wanted tool cannot be found.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SchemaMatchError {
    /// It describes no tool at all.
    #[error("the program describes no tool")]
    Nothing,
    /// It describes other tools only.
    #[error("the program does not describe a tool {name:?}, only {offered:?}")]
    Missing {
        /// The tool that was looked for.
        name: String,
        /// The tools that are described.
        offered: Vec<String>,
    },
    /// It describes the tool more than once, and nobody can say which one is meant.
    #[error("the program describes the tool {name:?} more than once")]
    Twice {
        /// The tool that was looked for.
        name: String,
    },
}

fn known_actions<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Vec<SessionAction>>, D::Error> {
    let listed = Option::<Vec<Value>>::deserialize(deserializer)?;
    Ok(listed.map(|actions| {
        actions.iter().filter_map(|action| SessionAction::deserialize(action).ok()).collect()
    }))
}

#[cfg(test)]
mod tests;
