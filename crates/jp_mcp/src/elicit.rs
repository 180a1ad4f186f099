//! Questions of a server.

use serde_json::{Map, Value, json};
use url::Url;

use crate::BoxFuture;

/// Somebody who answers questions that a server asks while a call waits.
pub trait Elicitor: Send + Sync {
    /// Answers a question. The time of the call stands still meanwhile; if the call ends for another
    /// reason, the future is dropped.
    fn elicit(&self, form: Form) -> BoxFuture<'_, ElicitAnswer>;
}

/// A question: several fields may have to be filled in, or a page has to be visited.
#[derive(Debug, Clone, PartialEq)]
pub struct Form {
    /// What it is about. Words of the server: not to be trusted.
    pub message: String,
    /// The JSON Schema of the answer: an object, whose properties are the fields.
    pub schema: Value,
    /// A page that the person should visit instead. This client does not say that it can do so, so the
    /// right answer is to decline.
    pub url: Option<Url>,
}

/// The answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitAnswer {
    /// The fields, by name.
    Accept(Map<String, Value>),
    /// No answer is given.
    Decline,
    /// The person does not want to go on.
    Cancel,
}

impl ElicitAnswer {
    /// As it is sent.
    pub(crate) fn into_result(self) -> Value {
        match self {
            Self::Accept(content) => json!({ "action": "accept", "content": content }),
            Self::Decline => json!({ "action": "decline" }),
            Self::Cancel => json!({ "action": "cancel" }),
        }
    }
}
