//! `command`: how a local tool is started. One string for the common case, a table where the
//! arguments contain spaces or a shell is wanted.

use std::fmt;

use schemars::JsonSchema;
use serde::de::value::MapAccessDeserializer;
use serde::de::{self, MapAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// How a local tool is started.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum Command {
    /// A program and its arguments in one string, separated by spaces.
    Line(String),
    /// Program and arguments apart.
    Parts(CommandParts),
}

/// Program and arguments, each a template over the call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CommandParts {
    /// The program to start.
    pub program: String,
    /// Its arguments, one element each.
    #[serde(default)]
    pub args: Vec<String>,
    /// Whether a shell runs the line; values filled into it cannot become part of its text.
    #[serde(default)]
    pub shell: bool,
}

/// Reads a string or a table by what it finds, so that an error inside the table is the table's
/// own and not "no variant matched".
impl<'de> Deserialize<'de> for Command {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CommandVisitor)
    }
}

struct CommandVisitor;

impl<'de> Visitor<'de> for CommandVisitor {
    type Value = Command;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a command line or a table of `program`, `args` and `shell`")
    }

    fn visit_str<E: de::Error>(self, line: &str) -> Result<Command, E> {
        Ok(Command::Line(line.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Command, A::Error> {
        CommandParts::deserialize(MapAccessDeserializer::new(map)).map(Command::Parts)
    }
}
