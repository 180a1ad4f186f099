//! The two steps of reading a line: what kind of message it is, then what is in it.
//!
//! The order decides what happens to a bad line. One that is no message at all means that the two
//! sides have lost each other, so it ends the plugin. A message whose kind and id are known can be
//! answered, so it is, and the plugin goes on.

use std::borrow::Cow;

use serde::{Deserialize, de::DeserializeOwned};
use serde_json::value::RawValue;

use crate::id::RequestId;

/// How many characters the message of a refusal has, at the most.
const MOST_SAID: usize = 300;

/// Why a line was not taken.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// It is no message; nothing that follows can be trusted to be one.
    #[error(transparent)]
    Framing(#[from] Framing),
    /// It is a message that cannot be served.
    #[error("{}", .0.message)]
    Refused(Refusal),
}

/// A line that is no message.
#[derive(Debug, thiserror::Error)]
pub enum Framing {
    #[error("it is not UTF-8")]
    Encoding,
    #[error("it is not one JSON object: {0}")]
    Json(serde_json::Error),
    #[error("it is JSON, but not an object with a `type`")]
    NoType,
}

/// What the answer to a message that cannot be served says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    pub id: Option<RequestId>,
    /// The `type` of the message.
    pub request: String,
    pub message: String,
}

/// A line, its kind and its id.
pub(crate) struct Envelope<'a> {
    text: &'a str,
    pub(crate) kind: Cow<'a, str>,
    id: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Head<'a> {
    #[serde(borrow, rename = "type")]
    kind: Option<&'a RawValue>,
    #[serde(borrow)]
    id: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    pub(crate) fn open(line: &'a [u8]) -> Result<Self, Framing> {
        let text = simdutf8::basic::from_utf8(line).map_err(|_| Framing::Encoding)?;
        let is_object = text.trim_start().starts_with('{');
        let head: Head<'a> = match serde_json::from_str(text) {
            Ok(head) if is_object => head,
            // A list of the values in order would be read as an object by serde.
            Ok(_) => return Err(Framing::NoType),
            Err(error) => return Err(not_a_message(text, error)),
        };
        let kind = head.kind.and_then(string).ok_or(Framing::NoType)?;
        Ok(Self { text, kind, id: head.id })
    }

    /// The id of the message; `null` is as good as none.
    pub(crate) fn id(&self) -> Result<Option<RequestId>, MessageError> {
        let Some(raw) = self.id.filter(|raw| raw.get() != "null") else { return Ok(None) };
        let refuse = |message| MessageError::Refused(self.refusal(None, message));
        let text = string(raw).ok_or_else(|| refuse("`id` must be a string".to_owned()))?;
        let id = RequestId::try_from(text.into_owned());
        id.map(Some).map_err(|error| refuse(error.to_string()))
    }

    /// What is in the message.
    pub(crate) fn payload<T: DeserializeOwned>(
        &self,
        id: Option<&RequestId>,
    ) -> Result<T, MessageError> {
        serde_json::from_str(self.text).map_err(|error| {
            MessageError::Refused(self.refusal(id.cloned(), format!("{}: {error}", self.name())))
        })
    }

    pub(crate) fn unknown(&self, id: Option<RequestId>) -> MessageError {
        let message = format!("unknown message type `{}`", self.name());
        MessageError::Refused(self.refusal(id, message))
    }

    /// What is wrong is often said with the value that is, and that can be as long as the line.
    pub(crate) fn refusal(&self, id: Option<RequestId>, message: String) -> Refusal {
        let message = match message.char_indices().nth(MOST_SAID) {
            Some((end, _)) => format!("{}…", &message[..end]),
            None => message,
        };
        Refusal { id, request: self.name(), message }
    }

    /// The kind, in the length that an answer repeats.
    fn name(&self) -> String {
        self.kind.chars().take(64).collect()
    }
}

/// Why the head of a line cannot be read: no JSON, or JSON of another shape.
fn not_a_message(text: &str, error: serde_json::Error) -> Framing {
    match serde_json::from_str::<serde::de::IgnoredAny>(text) {
        Ok(_) => Framing::NoType,
        Err(_) => Framing::Json(error),
    }
}

/// The value, if it is a string.
fn string(raw: &RawValue) -> Option<Cow<'_, str>> {
    let text = raw.get();
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        serde_json::from_str(text).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inner))
    }
}
