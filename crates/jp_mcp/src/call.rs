//! A call of a tool, and what comes of it.

use std::fmt;

use indexmap::IndexMap;
use jp_tool::Blocks;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::{
    elicit::{ElicitAnswer, Elicitor, Form},
    meta,
};

/// A call of a tool.
#[derive(Clone)]
pub struct Call<'a> {
    /// Which tool.
    pub tool: &'a str,
    /// With what.
    pub arguments: &'a Map<String, Value>,
    /// Our part of `_meta`. `None` and an empty one are the same: nothing of ours is sent.
    pub meta: Option<Map<String, Value>>,
    /// The answers to what the server wanted to know when this call was made before.
    pub resume: Option<Resume>,
    /// Who answers questions that are asked while the call waits.
    pub elicitor: &'a dyn Elicitor,
    /// Who is told how far the call is. `None` means that nobody wants to know: the server is not asked
    /// for progress, and a server of the older era gets no `_meta` that holds nothing else.
    pub progress: Option<&'a (dyn Fn(Progress) + Send + Sync)>,
    /// Ends the call; the server is told.
    pub cancel: &'a CancellationToken,
}

/// How far a call is.
#[derive(Debug, Clone, PartialEq)]
pub struct Progress {
    /// How much is done.
    pub progress: f64,
    /// Of how much.
    pub total: Option<f64>,
    /// What is being done, in the words of the server; short and plain.
    pub message: Option<String>,
}

/// How a call ended, for now.
#[derive(Debug, Clone, PartialEq)]
pub enum Called {
    /// It is done.
    Done(CallResult),
    /// The server wants to know something first. Nothing is under way any more: call again with
    /// [`Round::resume`].
    InputRequired(Round),
}

/// What a tool answered.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CallResult {
    /// The blocks that were understood, and what is wrong with the others.
    pub content: Blocks,
    /// The answer for programs.
    pub structured: Option<Value>,
    /// Whether the tool failed.
    pub is_error: bool,
    /// What the server wrote into `_meta`.
    pub meta: Map<String, Value>,
}

impl CallResult {
    /// Whether the server says that the answer is one of jp's envelopes.
    pub fn is_marked_envelope(&self) -> bool {
        self.meta.contains_key(meta::OUTCOME)
    }
}

/// What a server wants to know before it goes on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Round {
    /// The questions, by the key that the server gave each. Never empty.
    pub forms: IndexMap<String, Form>,
    /// Answers that need no person: what the server asked of the client itself.
    pub(crate) answered: Map<String, Value>,
    /// What the server wants to have back as it is.
    pub state: Option<String>,
}

impl Round {
    /// What to call with again. A question that is not among the answers counts as cancelled.
    pub fn resume(&self, mut answers: IndexMap<String, ElicitAnswer>) -> Resume {
        let mut responses = self.answered.clone();
        for key in self.forms.keys() {
            let answer = answers.swap_remove(key).unwrap_or(ElicitAnswer::Cancel);
            responses.insert(key.clone(), answer.into_result());
        }
        Resume { responses, state: self.state.clone() }
    }
}

/// Answers to a [`Round`], as they are sent.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Resume {
    /// The answers of the last round, by key.
    pub responses: Map<String, Value>,
    /// What the server wants to have back as it is.
    pub state: Option<String>,
}

impl fmt::Debug for Call<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("tool", &self.tool).finish_non_exhaustive()
    }
}
