//! How a call of a tool ended: done, failed, or with a question.
//!
//! A tool prints its outcome as one JSON object, the envelope, but it may just as well print plain
//! text, and that text may be JSON. So whether a text is an envelope is a guess, and a wrong one
//! loses whatever the envelope has no place for: an answer of some web service such as
//! `{"type":"success","content":"x","id":7}` would arrive without its `id`. Therefore an envelope
//! is an object with the fields shown here and no others, at any depth. Anything else is text.

mod causes;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::object::{self, Object};
use crate::{AnswerType, Question, bounded};

/// How a call of a tool ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", from = "Object<Envelope>")]
pub enum Outcome {
    /// It is done.
    Success {
        /// What the tool has to say.
        content: String,
    },
    /// It failed.
    Error(ToolError),
    /// It cannot go on without an answer.
    NeedsInput {
        /// What has to be answered.
        question: Question,
    },
}

impl Outcome {
    /// Reads an envelope; the error says why the text is none, for authors of tools.
    pub fn parse(text: &str) -> Result<Self, NotAnOutcome> {
        object::parse(text).map(|envelope: Envelope| Object(envelope).into()).map_err(NotAnOutcome)
    }

    /// A success with this content.
    pub fn success(content: impl Into<String>) -> Self {
        Self::Success { content: content.into() }
    }
}

/// Why a tool failed.
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[error("{message}")]
pub struct ToolError {
    /// What went wrong.
    pub message: String,
    /// What led to it, from the outside in. Of a long list, the beginning is read.
    #[serde(default, deserialize_with = "bounded::trace")]
    pub trace: Vec<String>,
    /// Whether the same call may succeed a moment later.
    #[serde(default)]
    pub transient: bool,
}

impl ToolError {
    /// An error that will not go away, without a trace.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), trace: Vec::new(), transient: false }
    }

    /// An error with the chain of its causes as the trace.
    pub fn from_error(error: &dyn std::error::Error) -> Self {
        let causes = std::iter::successors(error.source(), |cause| cause.source());
        Self { trace: causes.map(ToString::to_string).collect(), ..Self::new(error.to_string()) }
    }

    /// The same error with one more cause at the end of the trace.
    #[must_use]
    pub fn because(mut self, cause: impl Into<String>) -> Self {
        self.trace.push(cause.into());
        self
    }

    /// The same error, as one that may go away: the host tries again.
    #[must_use]
    pub fn transient(self) -> Self {
        Self { transient: true, ..self }
    }
}

/// A text that is no outcome.
#[derive(Debug, Error)]
#[error("not the outcome of a tool")]
pub struct NotAnOutcome(#[source] serde_json::Error);

/// The envelope as it is read, with no tolerance.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Envelope {
    Success {
        content: String,
    },
    Error {
        message: String,
        #[serde(default, deserialize_with = "bounded::trace")]
        trace: Vec<String>,
        #[serde(default)]
        transient: bool,
    },
    NeedsInput {
        question: Object<WholeQuestion>,
    },
}

impl From<Object<Envelope>> for Outcome {
    fn from(Object(envelope): Object<Envelope>) -> Self {
        match envelope {
            Envelope::Success { content } => Self::Success { content },
            Envelope::Error { message, trace, transient } => {
                Self::Error(ToolError { message, trace, transient })
            }
            Envelope::NeedsInput { question: Object(question) } => {
                Self::NeedsInput { question: question.into() }
            }
        }
    }
}

/// A [`Question`] with no tolerance.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WholeQuestion {
    id: String,
    text: String,
    pre_amble: Option<String>,
    answer_type: AnswerType,
    default: Option<Value>,
}

impl From<WholeQuestion> for Question {
    fn from(whole: WholeQuestion) -> Self {
        let WholeQuestion { id, text, pre_amble, answer_type, default } = whole;
        Self { id, text, pre_amble, answer_type, default }
    }
}

#[cfg(test)]
mod tests;
