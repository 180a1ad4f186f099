//! The messages that nobody answers: how a call begins, how it ends, and what happens in between.
//!
//! `cancel` goes both ways and means two things: from the host, that the tool has to end; from the
//! tool, that it no longer wants the answer to one request.

use std::fmt;

use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{self, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;
use thiserror::Error;

use super::Id;
use super::envelope::{Notification, Outgoing, excerpt, reason};
use crate::access::AccessPolicy;
use crate::{Action, Content, SchemaResponse, Tool, ToolError, ToolState, object};

/// The most values that a result or a state may have, at any depth. One takes up to 400 bytes, and somebody who waits
/// for it gets a copy of what is kept.
const MOST_VALUES: usize = 50_000;

/// What a tool lets the host know.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolNotification {
    /// `result`: it is done.
    Result(ResultParams),
    /// `error`: it failed.
    Error(ToolError),
    /// `state`: where a tool that stays alive stands.
    State(ToolState),
    /// `cancel`: it no longer wants the answer to a request.
    Cancel(CancelParams),
}

impl ToolNotification {
    /// Finds out what a notification of a tool is about.
    pub fn parse(notification: &Notification<'_>) -> Result<Self, InvalidNotification> {
        match &*notification.method {
            "result" => few_values(notification).and_then(params).map(Self::Result),
            "error" => params(notification).map(Self::Error),
            "state" => few_values(notification).and_then(params).map(Self::State),
            "cancel" => params(notification).map(Self::Cancel),
            other => Err(InvalidNotification::unknown(other)),
        }
    }
}

impl Serialize for ToolNotification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Result(params) => write("result", params, serializer),
            Self::Error(params) => write("error", params, serializer),
            Self::State(params) => write("state", params, serializer),
            Self::Cancel(params) => write("cancel", params, serializer),
        }
    }
}

/// What the host lets a tool know.
#[derive(Debug, Clone, PartialEq)]
pub enum HostNotification {
    /// `init`: the call. Always the first line.
    Init(Box<Init>),
    /// `apply`: input for a tool that stays alive.
    Apply(ApplyParams),
    /// `cancel`: the tool has to end.
    Cancel,
    /// `pending`: a request waits for a person.
    Pending(PendingParams),
}

impl HostNotification {
    /// Finds out what a notification of the host is about.
    pub fn parse(notification: &Notification<'_>) -> Result<Self, InvalidNotification> {
        match &*notification.method {
            "init" => params(notification).map(Self::Init),
            "apply" => params(notification).map(Self::Apply),
            "cancel" => Ok(Self::Cancel),
            "pending" => params(notification).map(Self::Pending),
            other => Err(InvalidNotification::unknown(other)),
        }
    }
}

impl Serialize for HostNotification {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Init(params) => write("init", params, serializer),
            Self::Apply(params) => write("apply", params, serializer),
            Self::Cancel => Outgoing::<()>::notification("cancel", None).serialize(serializer),
            Self::Pending(params) => write("pending", params, serializer),
        }
    }
}

/// A notification that cannot be acted on.
#[derive(Debug, Error)]
pub enum InvalidNotification {
    /// Nobody here knows it. Either side may be newer than the other, so it is ignored.
    #[error("there is no notification `{method}`")]
    Unknown {
        /// Its name, or the start of it.
        method: String,
    },
    /// It is known, but its parameters are not the ones it has.
    #[error("params of `{method}`")]
    Params {
        /// Its name.
        method: String,
        /// What is wrong with them.
        source: serde_json::Error,
    },
}

impl InvalidNotification {
    fn unknown(method: &str) -> Self {
        Self::Unknown { method: excerpt(method).into_owned() }
    }

    fn params(notification: &Notification<'_>, reason: String) -> Self {
        let source = serde_json::Error::custom(reason);
        Self::Params { method: notification.method.to_string(), source }
    }
}

/// What a tool is started with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Init {
    /// Which tool is called, and with what.
    pub tool: Tool,
    /// Where it is called.
    #[serde(default)]
    pub context: InitContext,
    /// The version of the protocol that the host speaks, [`PROTOCOL_VERSION`](super::PROTOCOL_VERSION).
    pub protocol_version: String,
}

/// Where a tool is called. There is no root: the tool could not open it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct InitContext {
    /// What the tool is asked to do.
    #[serde(default)]
    pub action: Action,
    /// The id of the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// The conversation in which the tool was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
    /// What the rules of the tool are. `None`: it has none, and may only read.
    #[serde(default)]
    pub access: Option<AccessPolicy>,
}

/// What came of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResultParams {
    /// What the tool has to say.
    pub content: Answer,
}

/// What a tool has to say at the end: to the assistant, or about itself.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A string, which stands for one text block, or a list of blocks.
    Content(Content),
    /// The description of the tools in the program, which the action `schema` asks for.
    Schema(SchemaResponse),
}

impl From<Content> for Answer {
    fn from(content: Content) -> Self {
        Self::Content(content)
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Content(content) => content.serialize(serializer),
            Self::Schema(schema) => schema.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Answer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(AnswerVisitor)
    }
}

/// Input for a tool that stays alive.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ApplyParams {
    /// A text, or the answer in the type that was asked for.
    pub input: Value,
}

/// Which request a tool no longer wants an answer to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CancelParams {
    /// The id of the request.
    pub request_id: Id,
}

/// Which request waits for a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PendingParams {
    /// The id of the request.
    pub request_id: Id,
    /// What it waits for.
    pub reason: String,
}

fn params<'a, T: Deserialize<'a>>(
    notification: &Notification<'a>,
) -> Result<T, InvalidNotification> {
    object::parse(notification.params.map_or("{}", RawValue::get))
        .map_err(|error| InvalidNotification::params(notification, reason(&error)))
}

/// The same notification, if it is one that can be read. What may be in a block, a question or a description of a
/// tool has any form, and so a limit of its own.
fn few_values<'n, 'a>(
    notification: &'n Notification<'a>,
) -> Result<&'n Notification<'a>, InvalidNotification> {
    let text = notification.params.map_or("{}", RawValue::get);
    if jp_json::has_more_values(text.as_bytes(), MOST_VALUES) {
        let reason = format!("more than {MOST_VALUES} values");
        return Err(InvalidNotification::params(notification, reason));
    }
    Ok(notification)
}

fn write<S: Serializer>(
    method: &str,
    params: &impl Serialize,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Outgoing::notification(method, Some(params)).serialize(serializer)
}

/// Told apart by what is found, not by trying one after the other, for the sake of the error.
struct AnswerVisitor;

impl<'de> Visitor<'de> for AnswerVisitor {
    type Value = Answer;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string, a list of blocks or a description of tools")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Answer, E> {
        Ok(Answer::Content(text.into()))
    }

    fn visit_string<E: de::Error>(self, text: String) -> Result<Answer, E> {
        Ok(Answer::Content(text.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Answer, A::Error> {
        Content::deserialize(SeqAccessDeserializer::new(seq)).map(Answer::Content)
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Answer, A::Error> {
        SchemaResponse::deserialize(MapAccessDeserializer::new(map)).map(Answer::Schema)
    }
}

#[cfg(test)]
mod tests;
