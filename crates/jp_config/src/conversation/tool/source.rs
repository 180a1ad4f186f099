//! `source`: where a tool's definition comes from, written as one string.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};

use crate::types::format::{Format, FormatError};

/// What stands for all tools of a server.
const ALL: &str = "*";

/// Where a tool's definition comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum ToolSource {
    /// A program of the user's, started by `command`.
    Local {
        /// Which of the program's tools, where the source names it.
        tool: Option<String>,
    },
    /// Part of jp itself.
    Builtin {
        /// Which of the built-in tools, where the source names it.
        tool: Option<String>,
    },
    /// A tool of an MCP server, or all of them.
    Mcp {
        /// The server's name.
        server: String,
        /// The tool's name there; `*` for all.
        tool: String,
    },
}

impl ToolSource {
    /// The tool that the source itself names.
    pub fn tool(&self) -> Option<&str> {
        match self {
            Self::Local { tool } | Self::Builtin { tool } => tool.as_deref(),
            Self::Mcp { tool, .. } => Some(tool),
        }
    }

    /// The server all of whose tools are meant, by `mcp.<server>.*`.
    pub fn all_of(&self) -> Option<&str> {
        match self {
            Self::Mcp { server, tool } if tool == ALL => Some(server),
            _ => None,
        }
    }

    /// Whether the tool is a program of the user's.
    pub fn is_local(&self) -> bool {
        matches!(self, Self::Local { .. })
    }
}

impl FromStr for ToolSource {
    type Err = FormatError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (kind, rest) = match text.split_once('.') {
            Some((kind, rest)) => (kind, Some(rest)),
            None => (text, None),
        };
        if rest.is_some_and(|rest| rest.is_empty() || !rest.bytes().all(|it| it.is_ascii_graphic()))
        {
            return Err(FormatError::new("is not a tool source: no tool is named after the dot"));
        }
        let tool = rest.map(str::to_owned);
        match kind {
            "local" => Ok(Self::Local { tool }),
            "builtin" => Ok(Self::Builtin { tool }),
            "mcp" => match rest.and_then(|rest| rest.split_once('.')) {
                Some((server, tool)) if !server.is_empty() && !tool.is_empty() => {
                    Ok(Self::Mcp { server: server.to_owned(), tool: tool.to_owned() })
                }
                _ => Err(FormatError::new("does not name both the server and the tool")
                    .help("write `mcp.<server>.<tool>`")),
            },
            _ => Err(FormatError::new("is not a tool source")
                .help("a source is `local`, `local.<tool>`, `builtin`, `builtin.<tool>` or `mcp.<server>.<tool>`")
                .nearest(kind, ["local", "builtin", "mcp"], rest)),
        }
    }
}

impl fmt::Display for ToolSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Local { tool: None } => f.write_str("local"),
            Self::Local { tool: Some(tool) } => write!(f, "local.{tool}"),
            Self::Builtin { tool: None } => f.write_str("builtin"),
            Self::Builtin { tool: Some(tool) } => write!(f, "builtin.{tool}"),
            Self::Mcp { server, tool } => write!(f, "mcp.{server}.{tool}"),
        }
    }
}

impl TryFrom<String> for ToolSource {
    type Error = FormatError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        text.parse()
    }
}

impl From<ToolSource> for String {
    fn from(source: ToolSource) -> Self {
        source.to_string()
    }
}

impl JsonSchema for ToolSource {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "ToolSource".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        Format::ToolSource.schema()
    }
}
