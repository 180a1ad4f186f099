//! What a plugin says to the host.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::{
    describe::Describe,
    envelope::{Envelope, MessageError, Refusal},
    id::RequestId,
    print::{Log, Print},
    values::MAX_VALUES,
};

/// A message of a plugin.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PluginToHost {
    /// It has read `init`.
    Ready(Ready),
    /// It is done.
    Exit(Exit),
    /// What it is; the answer to `describe`.
    Describe(Describe),
    /// Text for the user. There is no answer.
    Print(Print),
    /// A message for the log. There is no answer.
    Log(Log),
    /// Something the host is to do and to answer.
    #[serde(untagged)]
    Request(Asked),
}

/// A request with the name its answer will carry.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Asked {
    #[serde(flatten)]
    pub request: Request,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
}

/// What a plugin can ask for.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Request {
    ListConversations,
    ReadEvents(Conversation),
    ReadConfig(ReadConfig),
    Lock(Conversation),
    Unlock(Conversation),
    PushEvents(PushEvents),
    CreateConversation(CreateConversation),
}

/// The acknowledgement of `init`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ready {
    /// The version of the protocol that the plugin needs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<u64>,
}

/// The end of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exit {
    /// What `jp` exits with. A number that no process can exit with, and what is no number, is 1; a
    /// plugin that gives none is content.
    #[serde(default, deserialize_with = "exit_code")]
    pub code: u8,
    /// What went wrong, for the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The conversation that a request is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversation {
    pub conversation: String,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadConfig {
    /// Which part, in the keys of `--cfg`; all of it without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PushEvents {
    pub conversation: String,
    pub events: Vec<Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CreateConversation {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
}

/// Reads one line of a plugin.
pub fn parse(line: &[u8]) -> Result<PluginToHost, MessageError> {
    let envelope = Envelope::open(line)?;
    let id = envelope.id()?;
    let request = match &*envelope.kind {
        "ready" => return envelope.payload(id.as_ref()).map(PluginToHost::Ready),
        "exit" => return envelope.payload(id.as_ref()).map(PluginToHost::Exit),
        "describe" => return envelope.payload(id.as_ref()).map(PluginToHost::Describe),
        "print" => return envelope.payload(id.as_ref()).map(PluginToHost::Print),
        "log" => return envelope.payload(id.as_ref()).map(PluginToHost::Log),
        "list_conversations" => Request::ListConversations,
        "read_events" => Request::ReadEvents(envelope.payload(id.as_ref())?),
        "read_config" => Request::ReadConfig(envelope.payload(id.as_ref())?),
        "lock" => Request::Lock(envelope.payload(id.as_ref())?),
        "unlock" => Request::Unlock(envelope.payload(id.as_ref())?),
        "push_events" => Request::PushEvents(envelope.payload(id.as_ref())?),
        "create_conversation" => Request::CreateConversation(envelope.payload(id.as_ref())?),
        _ => return Err(envelope.unknown(id)),
    };
    Ok(PluginToHost::Request(Asked { request, id }))
}

/// The answer to a message of more values than are read, none of which is made. `None` for what is no message, and
/// for the few by which a plugin says what it is and how it ends: without them nobody knows what to go on with.
pub fn refuse_values(line: &[u8]) -> Option<Refusal> {
    let envelope = Envelope::open(line).ok()?;
    if ["ready", "exit", "describe"].contains(&&*envelope.kind) {
        return None;
    }
    let message = format!("the message has more than {MAX_VALUES} values");
    match envelope.id() {
        Ok(id) => Some(envelope.refusal(id, message)),
        Err(MessageError::Refused(refusal)) => Some(refusal),
        Err(MessageError::Framing(_)) => None,
    }
}

impl Request {
    /// The `type` of the request, which an error repeats.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ListConversations => "list_conversations",
            Self::ReadEvents(_) => "read_events",
            Self::ReadConfig(_) => "read_config",
            Self::Lock(_) => "lock",
            Self::Unlock(_) => "unlock",
            Self::PushEvents(_) => "push_events",
            Self::CreateConversation(_) => "create_conversation",
        }
    }
}

fn exit_code<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u8, D::Error> {
    let code = Value::deserialize(deserializer)?;
    Ok(code.as_u64().and_then(|code| u8::try_from(code).ok()).unwrap_or(1))
}

#[cfg(test)]
mod tests;
