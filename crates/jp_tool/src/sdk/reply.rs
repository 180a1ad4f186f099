//! What a tool answers, in whatever form is at hand.

use serde::{Serialize, Serializer};

use super::Stop;
use crate::{ContentBlock, Outcome, Question, ToolError, ToolResult};

/// The answer of a tool: text, blocks, or a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Reply {
    /// An envelope around text, an error or a question.
    Outcome(Outcome),
    /// Typed blocks.
    Blocks(ToolResult),
}

impl Reply {
    /// Whether it says that the tool failed.
    pub fn is_error(&self) -> bool {
        match self {
            Self::Outcome(outcome) => matches!(outcome, Outcome::Error(_)),
            Self::Blocks(result) => result.is_error,
        }
    }
}

impl Serialize for Reply {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Outcome(outcome) => outcome.serialize(serializer),
            Self::Blocks(result) => result.serialize(serializer),
        }
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Outcome::success(text).into()
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Outcome::success(text).into()
    }
}

impl From<Outcome> for Reply {
    fn from(outcome: Outcome) -> Self {
        Self::Outcome(outcome)
    }
}

impl From<ToolResult> for Reply {
    fn from(result: ToolResult) -> Self {
        Self::Blocks(result)
    }
}

impl From<Vec<ContentBlock>> for Reply {
    fn from(blocks: Vec<ContentBlock>) -> Self {
        ToolResult::new(blocks).into()
    }
}

impl From<Question> for Reply {
    fn from(question: Question) -> Self {
        Outcome::NeedsInput { question }.into()
    }
}

impl From<ToolError> for Reply {
    fn from(error: ToolError) -> Self {
        Outcome::Error(error).into()
    }
}

impl From<Stop> for Reply {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Error(error) => error.into(),
            Stop::Question(question) => (*question).into(),
        }
    }
}
