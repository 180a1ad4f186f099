//! What the host says to a plugin.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    envelope::{Envelope, MessageError},
    id::RequestId,
};

/// A message of the host.
#[derive(Debug, Clone, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum HostToPlugin {
    /// The first message to a plugin that is to run.
    Init(Box<Init>),
    /// The first and only message to a plugin that is to say what it is.
    Describe,
    /// The user wants it to end.
    Shutdown,
    Conversations(Conversations),
    Events(Events),
    Config(Config),
    Locked(Done),
    Unlocked(Done),
    Pushed(Pushed),
    Created(Done),
    Error(Error),
}

/// Everything a plugin has to know to begin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Init {
    pub version: u32,
    pub workspace: Workspace,
    /// The whole configuration, resolved.
    pub config: Value,
    /// The words after the command, flags untouched.
    pub args: Vec<String>,
    /// 0 error, 1 warn, 2 info, 3 debug, 4 trace.
    pub log_level: u8,
    /// `options` of the plugin in the configuration, as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Map<String, Value>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub paths: Option<Paths>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Workspace {
    pub root: PathBuf,
    /// The `.jp` directory.
    pub storage: PathBuf,
    pub id: String,
}

/// Where a plugin can keep what is its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Paths {
    pub user_data: PathBuf,
    pub user_config: PathBuf,
    /// What belongs to this user and this workspace.
    pub user_workspace: PathBuf,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conversations {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    pub data: Vec<Summary>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub id: String,
    /// `null` when it has none.
    pub title: Option<String>,
    /// In UTC, as in RFC 3339.
    pub last_activated_at: String,
    pub events_count: u64,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Events {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    pub conversation: String,
    /// Each as it is stored, with its encoded texts decoded. Kept as text, because there may be many
    /// and most are only passed on.
    pub data: Vec<Box<RawValue>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Config {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    pub data: Value,
}

/// What was asked for is done.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Done {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    pub conversation: String,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pushed {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    pub conversation: String,
    /// How many events the plugin sent.
    pub count: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Error {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<RequestId>,
    /// The `type` of what could not be done.
    pub request: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation: Option<String>,
    pub message: String,
}

/// Reads one line of the host.
pub fn parse(line: &[u8]) -> Result<HostToPlugin, MessageError> {
    let envelope = Envelope::open(line)?;
    Ok(match &*envelope.kind {
        "init" => HostToPlugin::Init(envelope.payload(None)?),
        "describe" => HostToPlugin::Describe,
        "shutdown" => HostToPlugin::Shutdown,
        "conversations" => HostToPlugin::Conversations(envelope.payload(None)?),
        "events" => HostToPlugin::Events(envelope.payload(None)?),
        "config" => HostToPlugin::Config(envelope.payload(None)?),
        "locked" => HostToPlugin::Locked(envelope.payload(None)?),
        "unlocked" => HostToPlugin::Unlocked(envelope.payload(None)?),
        "pushed" => HostToPlugin::Pushed(envelope.payload(None)?),
        "created" => HostToPlugin::Created(envelope.payload(None)?),
        "error" => HostToPlugin::Error(envelope.payload(None)?),
        _ => return Err(envelope.unknown(None)),
    })
}

impl HostToPlugin {
    /// Appends the message as one line, its end included.
    pub fn write_line(&self, to: &mut Vec<u8>) -> serde_json::Result<()> {
        serde_json::to_writer(&mut *to, self)?;
        to.push(b'\n');
        Ok(())
    }

    /// Which request this answers; `None` for what is no answer, and where the request had no id.
    pub fn id(&self) -> Option<&RequestId> {
        match self {
            Self::Init(_) | Self::Describe | Self::Shutdown => None,
            Self::Conversations(answer) => answer.id.as_ref(),
            Self::Events(answer) => answer.id.as_ref(),
            Self::Config(answer) => answer.id.as_ref(),
            Self::Locked(answer) | Self::Unlocked(answer) | Self::Created(answer) => {
                answer.id.as_ref()
            }
            Self::Pushed(answer) => answer.id.as_ref(),
            Self::Error(answer) => answer.id.as_ref(),
        }
    }
}
