//! What is in an answer, for each request: the same for sessions of every kind.

use jp_plugin::{HostToPlugin, Level, Log, PluginToHost, to_plugin::Summary};
use serde_json::{Map, Value, value::RawValue};

use crate::error::RequestError;

type Result<T> = std::result::Result<T, RequestError>;

pub(crate) fn conversations(answer: HostToPlugin) -> Result<Vec<Summary>> {
    match answer {
        HostToPlugin::Conversations(answer) => Ok(answer.data),
        _ => Err(RequestError::Unexpected("list_conversations")),
    }
}

pub(crate) fn raw_events(answer: HostToPlugin) -> Result<Vec<Box<RawValue>>> {
    match answer {
        HostToPlugin::Events(answer) => Ok(answer.data),
        _ => Err(RequestError::Unexpected("read_events")),
    }
}

/// The events, and what is to be said if there are some that cannot be read: one must not hide all others.
pub(crate) fn events(answer: HostToPlugin) -> Result<(Vec<Value>, Option<PluginToHost>)> {
    let raw = raw_events(answer)?;
    let mut events = Vec::with_capacity(raw.len());
    let mut reason = None;
    for event in &raw {
        match serde_json::from_str(event.get()) {
            Ok(event) => events.push(event),
            Err(error) => reason = Some(error),
        }
    }
    let left_out = raw.len() - events.len();
    let log = reason.map(|error| Log {
        level: Level::Warn,
        message: format!("events that cannot be read were left out: {error}"),
        fields: Map::from_iter([("count".to_owned(), Value::from(left_out))]),
    });
    Ok((events, log.map(PluginToHost::Log)))
}

pub(crate) fn config(answer: HostToPlugin) -> Result<Value> {
    match answer {
        HostToPlugin::Config(answer) => Ok(answer.data),
        _ => Err(RequestError::Unexpected("read_config")),
    }
}

pub(crate) fn locked(answer: &HostToPlugin) -> Result<()> {
    match answer {
        HostToPlugin::Locked(_) => Ok(()),
        _ => Err(RequestError::Unexpected("lock")),
    }
}

pub(crate) fn unlocked(answer: &HostToPlugin) -> Result<()> {
    match answer {
        HostToPlugin::Unlocked(_) => Ok(()),
        _ => Err(RequestError::Unexpected("unlock")),
    }
}

pub(crate) fn pushed(answer: &HostToPlugin) -> Result<u64> {
    match answer {
        HostToPlugin::Pushed(answer) => Ok(answer.count),
        _ => Err(RequestError::Unexpected("push_events")),
    }
}

pub(crate) fn created(answer: HostToPlugin) -> Result<String> {
    match answer {
        HostToPlugin::Created(answer) => Ok(answer.conversation),
        _ => Err(RequestError::Unexpected("create_conversation")),
    }
}
