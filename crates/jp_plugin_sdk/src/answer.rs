//! What is in an answer, for each request: the same for sessions of every kind.

use jp_plugin::{HostToPlugin, to_plugin::Summary};
use serde_json::{Value, value::RawValue};

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

pub(crate) fn events(answer: HostToPlugin) -> Result<Vec<Value>> {
    let raw = raw_events(answer)?;
    let events = raw.iter().map(|event| serde_json::from_str(event.get()));
    events.collect::<std::result::Result<_, _>>().map_err(RequestError::Json)
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
