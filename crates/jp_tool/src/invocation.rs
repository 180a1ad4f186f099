//! What the host hands a tool when it starts it: `{"tool":…,"context":…}`, one line on stdin.
//!
//! The two halves can be read alone: `tool` is the call, `context` is where it happens.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::{Context, object};

/// Everything a tool is started with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invocation {
    /// Which tool is called, and with what.
    pub tool: Tool,
    /// Where it is called, and what it may do.
    pub context: Context,
}

impl Invocation {
    /// Reads the line that a tool finds on its stdin.
    pub fn parse(line: &str) -> Result<Self, InvalidInvocation> {
        object::parse(line).map_err(InvalidInvocation)
    }
}

/// A call of a tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Tool {
    /// Its name; a program with several tools picks one by it.
    pub name: String,
    /// What the assistant passed.
    #[serde(default)]
    pub arguments: Map<String, Value>,
    /// The answers to the questions asked so far, by the id of the question.
    #[serde(default)]
    pub answers: Map<String, Value>,
    /// What the configuration sets for this tool.
    #[serde(default)]
    pub options: Map<String, Value>,
}

/// A line that does not start a tool.
#[derive(Debug, Error)]
#[error("not the invocation of a tool")]
pub struct InvalidInvocation(#[source] serde_json::Error);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Action;

    #[test]
    fn empty_tables_are_written_and_need_not_be_read() {
        // D06-042
        let tool = Tool { name: "grep".to_owned(), ..Tool::default() };
        let full = r#"{"name":"grep","arguments":{},"answers":{},"options":{}}"#;
        assert_eq!(serde_json::to_string(&tool).unwrap(), full);
        for text in [full, r#"{"name":"grep"}"#, r#"{"name":"grep","user":1}"#] {
            assert_eq!(serde_json::from_str::<Tool>(text).unwrap(), tool);
        }
        assert!(serde_json::from_str::<Tool>(r#"{"arguments":{}}"#).is_err());
        assert!(serde_json::from_str::<Tool>(r#"{"name":"grep","arguments":[]}"#).is_err());
    }

    #[test]
    fn an_invocation_has_both_halves() {
        let line = r#"{"tool":{"name":"t"},"context":{"root":"/w","action":"Schema"},"more":{}}"#;
        let invocation = Invocation::parse(line).unwrap();
        assert_eq!(invocation.context.action, Action::Schema);
        let written = serde_json::to_string(&invocation).unwrap();
        assert_eq!(
            written,
            r#"{"tool":{"name":"t","arguments":{},"answers":{},"options":{}},"context":{"root":"/w","action":"schema","access":null}}"#
        );
        for line in [r#"{"tool":{"name":"t"}}"#, r#"{"context":{"root":"/w"}}"#, "[]", ""] {
            assert!(Invocation::parse(line).is_err(), "{line}");
        }
    }
}
