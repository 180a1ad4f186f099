//! A call of a tool, and how it ends for whoever made it.

use jp_tool::Blocks;
use serde_json::{Map, Value};

use super::outcome::Failure;

/// What the model, or a person, asks for.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolCall {
    /// Tells calls of one turn apart; the answer carries it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// What it is given, as it was written.
    pub arguments: Map<String, Value>,
}

/// How a call ended.
#[derive(Debug, Clone, PartialEq)]
pub enum CallEnd {
    /// The tool did what it was asked for and says this.
    Done(Blocks),
    /// It failed, or could not be run.
    Failed(Failure),
    /// It was not run, or its result is kept back, because of this.
    Skipped(String),
    /// It was ended before it was done.
    Cancelled,
}

impl CallEnd {
    /// Whether whoever asked for it has to be told that it did not work.
    pub fn is_error(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Cancelled)
    }
}
