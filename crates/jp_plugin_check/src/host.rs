//! The services of the host, on conversations that exist for the check.
//!
//! Titles and texts hold what breaks careless plugins: quotes, line breaks, dollar signs, other scripts,
//! no title at all, and an event of a type that nobody knows.

use std::sync::Arc;

use jiff::Timestamp;
use jp_config::Config;
use jp_conversation::{Event, EventKind};
use jp_plugin::{
    HostToPlugin, RequestId,
    to_host::Asked,
    to_plugin::{Error, Init, Workspace},
};
use jp_plugin_host::{Answer, Services};
use jp_workspace::{MemoryStore, Store as _, StoreError};
use serde_json::{Map, Value, json};

/// The title of the first conversation.
const TITLE: &str = "A \"title\" with 'quotes', $(dollars), a \\ and\ta tab: 日本語";

/// What a plugin is told about where it runs.
#[derive(Debug, Clone)]
pub struct Ground {
    pub root: std::path::PathBuf,
    pub config: Arc<Config>,
    pub args: Vec<String>,
    pub options: Map<String, Value>,
}

/// A host with a few conversations: the real services, on a store in memory.
pub(crate) struct Host(Services);

impl Ground {
    pub(crate) fn init(&self) -> HostToPlugin {
        HostToPlugin::Init(Box::new(Init {
            version: jp_plugin::VERSION,
            workspace: Workspace {
                root: self.root.clone(),
                storage: self.root.join(".jp"),
                id: "check".to_owned(),
            },
            config: self.config.get(None).unwrap_or_default(),
            args: self.args.clone(),
            log_level: 4,
            options: Some(self.options.clone()),
            paths: None,
        }))
    }

    pub(crate) fn host(&self) -> Result<Host, StoreError> {
        let store = MemoryStore::default();
        let now = Timestamp::now();
        let mut first = store.create(Some(TITLE), now)?;
        first.push(&said(), now)?;
        let other = EventKind::Unknown {
            kind: "hologram".to_owned(),
            object: Map::from_iter([("type".to_owned(), json!("hologram"))]),
        };
        first.append(&[Event::new(now, other)])?;
        drop(first);
        drop(store.create(None, now)?);
        Ok(Host(Services::new(Arc::new(store), Arc::clone(&self.config), Timestamp::now)))
    }
}

impl Host {
    /// The answer to a request, as one line of JSON.
    pub(crate) fn answer(&self, asked: Asked) -> Vec<u8> {
        match self.0.serve(asked) {
            Answer::Line(line) => line,
            Answer::Events(events) => {
                let mut line = Vec::new();
                events.write(|piece| {
                    line.extend_from_slice(&piece);
                    true
                });
                line
            }
        }
    }
}

/// The answer to a request that was not done.
pub(crate) fn refused(
    id: Option<RequestId>,
    request: &str,
    message: impl Into<String>,
) -> HostToPlugin {
    let (request, message) = (request.to_owned(), message.into());
    HostToPlugin::Error(Error { id, request, conversation: None, message })
}

fn said() -> Vec<Value> {
    vec![
        json!({"type": "turn_start"}),
        json!({"type": "chat_request", "content": "Where is \"main\"?\nSay `$PWD`, too."}),
        json!({"type": "chat_response", "reasoning": "Search first."}),
        json!({"type": "tool_call_request", "id": "tc_1", "name": "fs_grep_files", "arguments": {"pattern": "fn main"}}),
        json!({"type": "tool_call_response", "id": "tc_1", "content": "src/main.rs:1:fn main() {}", "is_error": false}),
        json!({"type": "chat_response", "message": "It is in **src/main.rs**. TODO: 🎉"}),
    ]
}
