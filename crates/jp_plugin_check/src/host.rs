//! The services of the host, on conversations that exist for the check.
//!
//! Titles and texts hold what breaks careless plugins: quotes, line breaks, dollar signs, other scripts,
//! no title at all, and an event of a type that nobody knows.

use std::collections::HashMap;

use jiff::Timestamp;
use jp_conversation::{ConversationId, Event, EventKind};
use jp_plugin::{
    HostToPlugin, Request, RequestId,
    to_host::{Asked, PushEvents},
    to_plugin::{Config, Conversations, Done, Error, Events, Init, Pushed, Summary, Workspace},
};
use jp_workspace::{Locked, MemoryStore, Select, Store as _, StoreError, Wait};
use serde_json::{Map, Value, json, value::RawValue};

/// The title of the first conversation.
const TITLE: &str = "A \"title\" with 'quotes', $(dollars), a \\ and\ta tab: 日本語";

/// What a plugin is told about where it runs.
#[derive(Debug, Clone)]
pub struct Ground {
    pub root: std::path::PathBuf,
    pub config: Value,
    pub args: Vec<String>,
    pub options: Map<String, Value>,
}

/// A host with a few conversations.
pub(crate) struct Host {
    store: MemoryStore,
    locks: HashMap<String, Box<dyn Locked>>,
    config: Value,
}

impl Ground {
    pub(crate) fn init(&self) -> HostToPlugin {
        HostToPlugin::Init(Box::new(Init {
            version: jp_plugin::VERSION,
            workspace: Workspace {
                root: self.root.clone(),
                storage: self.root.join(".jp"),
                id: "check".to_owned(),
            },
            config: self.config.clone(),
            args: self.args.clone(),
            log_level: 4,
            options: Some(self.options.clone()),
            paths: None,
        }))
    }
}

impl Host {
    pub(crate) fn new(config: Value) -> Result<Self, StoreError> {
        let host = Self { store: MemoryStore::default(), locks: HashMap::new(), config };
        let now = Timestamp::now();
        let mut first = host.store.create(Some(TITLE), now)?;
        first.push(&said(), now)?;
        let other = EventKind::Unknown {
            kind: "hologram".to_owned(),
            object: Map::from_iter([("type".to_owned(), json!("hologram"))]),
        };
        first.append(&[Event::new(now, other)])?;
        drop(first);
        drop(host.store.create(None, now)?);
        Ok(host)
    }

    /// Does what was asked for, or says why not.
    pub(crate) fn answer(&mut self, asked: Asked) -> HostToPlugin {
        let Asked { request, id } = asked;
        let (kind, about) = (request.kind(), conversation(&request).map(str::to_owned));
        self.serve(request, id.clone())
            .unwrap_or_else(|message| refused(id, kind, about.filter(|_| kind == "lock"), message))
    }

    fn serve(&mut self, request: Request, id: Option<RequestId>) -> Result<HostToPlugin, String> {
        Ok(match request {
            Request::ListConversations => {
                let listing = self.store.list().map_err(text)?;
                let summary = |it: jp_workspace::Summary| Summary {
                    id: it.id.to_string(),
                    title: it.title,
                    last_activated_at: it.last_activated_at.to_string(),
                    events_count: it.events_count,
                };
                let data = listing.conversations.into_iter().map(summary).collect();
                HostToPlugin::Conversations(Conversations { id, data })
            }
            Request::ReadEvents(about) => {
                let data = self.events(&about.conversation)?;
                HostToPlugin::Events(Events { id, conversation: about.conversation, data })
            }
            Request::ReadConfig(wanted) => {
                let data = part(&self.config, wanted.path.as_deref())?;
                HostToPlugin::Config(Config { id, path: wanted.path, data })
            }
            Request::Lock(about) => {
                self.lock(&about.conversation)?;
                HostToPlugin::Locked(Done { id, conversation: about.conversation })
            }
            Request::Unlock(about) => {
                let held = self.locks.remove(&about.conversation);
                held.ok_or("the conversation is not locked by this plugin")?;
                HostToPlugin::Unlocked(Done { id, conversation: about.conversation })
            }
            Request::PushEvents(PushEvents { conversation, events }) => {
                let locked = self.locks.get_mut(&conversation);
                let locked = locked.ok_or("the conversation is not locked by this plugin")?;
                let count = locked.push(&events, Timestamp::now()).map_err(text)?;
                let count = u64::try_from(count).unwrap_or(u64::MAX);
                HostToPlugin::Pushed(Pushed { id, conversation, count })
            }
            Request::CreateConversation(wanted) => {
                let made = self.store.create(wanted.title.as_deref(), Timestamp::now());
                let made = made.map_err(text)?;
                let conversation = made.id().to_string();
                self.locks.insert(conversation.clone(), made);
                HostToPlugin::Created(Done { id, conversation })
            }
        })
    }

    fn lock(&mut self, conversation: &str) -> Result<(), String> {
        if self.locks.contains_key(conversation) {
            return Ok(());
        }
        let locked = self.store.lock(found(conversation)?, Wait::No).map_err(text)?;
        self.locks.insert(conversation.to_owned(), locked);
        Ok(())
    }

    fn events(&self, conversation: &str) -> Result<Vec<Box<RawValue>>, String> {
        let stream = self.store.events(found(conversation)?, Select::All).map_err(text)?;
        let raw = |object| serde_json::value::to_raw_value(&object).map_err(text);
        stream.objects().map(|object| object.map_err(text).and_then(raw)).collect()
    }
}

/// The answer to a request that was not done.
pub(crate) fn refused(
    id: Option<RequestId>,
    request: &str,
    conversation: Option<String>,
    message: impl Into<String>,
) -> HostToPlugin {
    let (request, message) = (request.to_owned(), message.into());
    HostToPlugin::Error(Error { id, request, conversation, message })
}

fn conversation(request: &Request) -> Option<&str> {
    match request {
        Request::ReadEvents(about) | Request::Lock(about) | Request::Unlock(about) => {
            Some(&about.conversation)
        }
        Request::PushEvents(push) => Some(&push.conversation),
        _ => None,
    }
}

fn found(conversation: &str) -> Result<ConversationId, String> {
    conversation.parse().map_err(|_| format!("conversation not found: {conversation}"))
}

/// The value under the keys of `--cfg`.
fn part(config: &Value, path: Option<&str>) -> Result<Value, String> {
    let keys = path.into_iter().flat_map(|path| path.split('.'));
    let mut at = config;
    for key in keys {
        at = at.get(key).ok_or_else(|| format!("there is no `{key}` in the configuration"))?;
    }
    Ok(at.clone())
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

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
