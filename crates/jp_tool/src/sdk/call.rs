//! What a tool knows about a call besides its arguments, and how it ends early.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::arguments;
use crate::{Context, Invocation, Question, ToolError};

/// A call without its arguments, which have a type of their own.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The name under which the tool was called.
    pub name: String,
    /// Where it was called, and what it may do.
    pub context: Context,
    /// The answers to the questions asked so far, by the id of the question.
    pub answers: Map<String, Value>,
    /// What the configuration sets for this tool.
    pub options: Map<String, Value>,
}

impl Call {
    /// The call and its arguments.
    pub fn split(invocation: Invocation) -> (Self, Map<String, Value>) {
        let Invocation { tool, context } = invocation;
        let call = Self { name: tool.name, context, answers: tool.answers, options: tool.options };
        (call, tool.arguments)
    }

    /// The answer to a question, if it was asked and answered. The error names the question when
    /// the answer has another type.
    pub fn answer<T: DeserializeOwned>(&self, id: &str) -> Result<Option<T>, ToolError> {
        arguments::one("the answer", id, &self.answers)
    }

    /// A value that the configuration sets for this tool. The error names it when it has another
    /// type.
    pub fn option<T: DeserializeOwned>(&self, key: &str) -> Result<Option<T>, ToolError> {
        arguments::one("the option", key, &self.options)
    }

    /// The answer to this question. Where there is none yet, `?` ends the tool with the question;
    /// it is started again, with the answer, from the beginning.
    pub fn ask<T: DeserializeOwned>(&self, question: Question) -> Result<T, Stop> {
        let answer = self.answer(&question.id)?;
        answer.ok_or_else(|| Stop::Question(Box::new(question)))
    }
}

/// Why a tool does not go on: an error, or a question that has to be answered first.
///
/// A tool that never [asks](Call::ask) can fail with a plain [`ToolError`].
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// It failed.
    Error(ToolError),
    /// It cannot go on without an answer.
    Question(Box<Question>),
}

/// Everything that can become an error of a tool, the error itself included.
impl<E> From<E> for Stop
where
    ToolError: From<E>,
{
    fn from(error: E) -> Self {
        Self::Error(error.into())
    }
}
