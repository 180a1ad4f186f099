//! What a plugin can ask for: conversations and their events, the configuration, locks.
//!
//! A request in, an answer out, and nothing else: who asks, and how the answer reaches him, is not known here.
//! A plugin names conversations by any text it likes; what is not the id of one is not found.

mod events;
mod locks;

use std::{fmt, sync::Arc};

use jiff::Timestamp;
use jp_config::Config;
use jp_conversation::ConversationId;
use jp_plugin::{
    Request, RequestId,
    to_host::{Asked, CreateConversation, PushEvents, ReadConfig},
    to_plugin::{Config as ConfigPart, Conversations, Done, Error, HostToPlugin, Pushed, Summary},
};
use jp_workspace::{Select, Store, StoreError};

pub use self::events::Events;
use self::{events::Room, locks::Locks};

/// Serves one plugin.
pub struct Services {
    store: Arc<dyn Store>,
    config: Arc<Config>,
    now: fn() -> Timestamp,
    locks: Locks,
    room: Room,
}

/// What a request is answered with.
#[derive(Debug)]
pub enum Answer {
    /// A line, its end included.
    Line(Vec<u8>),
    /// A line that may be long, made as it is written.
    Events(Events),
}

/// How long a request can take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cost {
    /// Less than it takes to ask somebody else.
    Little,
    /// As long as a disk takes.
    Disk,
}

/// Why a request was not served.
#[derive(Debug, thiserror::Error)]
enum Refused {
    #[error("conversation not found: {0}")]
    NoId(String),
    #[error("{0}")]
    Store(#[from] StoreError),
    #[error("{0}")]
    Path(#[from] jp_config::PathError),
    #[error("the conversation is not locked by this plugin: {0}; send `lock` first")]
    NotLocked(ConversationId),
    #[error(
        "conversation {id} has {bytes} bytes of events, more than the limit of {}",
        events::LARGEST
    )]
    Large { id: ConversationId, bytes: u64 },
    #[error(
        "the list of {count} conversations has {bytes} bytes, more than the limit of {LONGEST_LIST}"
    )]
    Many { count: usize, bytes: usize },
}

/// The most bytes that a list of conversations has as an answer. It is in memory several times, as the store
/// knows it and as it is told.
const LONGEST_LIST: usize = 32 << 20;
/// What an entry of it has beside its title.
const ENTRY: usize = 120;

impl Services {
    pub fn new(store: Arc<dyn Store>, config: Arc<Config>, now: fn() -> Timestamp) -> Self {
        Self { store, config, now, locks: Locks::default(), room: Room::default() }
    }

    /// Serves a request. This may wait for the disk.
    pub fn serve(&self, asked: Asked) -> Answer {
        let Asked { request, id } = asked;
        let served = match &request {
            Request::ListConversations => self.list(id.clone()),
            Request::ReadEvents(read) => match self.events(&read.conversation, id.as_ref()) {
                Ok(events) => return Answer::Events(events),
                Err(refused) => Err(refused),
            },
            Request::ReadConfig(read) => self.config(read, id.clone()),
            Request::Lock(lock) => {
                let locked = self.lock(&lock.conversation);
                locked
                    .map(|conversation| HostToPlugin::Locked(Done { id: id.clone(), conversation }))
            }
            Request::Unlock(unlock) => {
                let unlocked = self.unlock(&unlock.conversation);
                unlocked.map(|conversation| {
                    HostToPlugin::Unlocked(Done { id: id.clone(), conversation })
                })
            }
            Request::PushEvents(push) => self.push(push, id.clone()),
            Request::CreateConversation(create) => self.create(create, id.clone()),
        };
        let message = served.unwrap_or_else(|refused| {
            HostToPlugin::Error(Error {
                id,
                request: request.kind().to_owned(),
                conversation: named(&request),
                message: refused.to_string(),
            })
        });
        Answer::Line(encode(&message))
    }

    /// Frees all locks. One that is in use at this moment is freed when it is not.
    pub fn release(&self) {
        self.locks.release();
    }

    pub(crate) fn cost(request: &Request) -> Cost {
        match request {
            Request::ReadConfig(_) | Request::Unlock(_) => Cost::Little,
            Request::ListConversations
            | Request::ReadEvents(_)
            | Request::Lock(_)
            | Request::PushEvents(_)
            | Request::CreateConversation(_) => Cost::Disk,
        }
    }

    fn list(&self, id: Option<RequestId>) -> Result<HostToPlugin, Refused> {
        let listing = self.store.list()?;
        for damage in &listing.damaged {
            tracing::warn!(path = %damage.path, reason = %damage.reason, "damaged");
        }
        let conversations = &listing.conversations;
        let titles = conversations.iter().filter_map(|it| it.title.as_deref());
        let bytes = conversations.len() * ENTRY + titles.map(written_len).sum::<usize>();
        if bytes > LONGEST_LIST {
            return Err(Refused::Many { count: conversations.len(), bytes });
        }
        let summaries = listing.conversations.into_iter().map(|it| Summary {
            id: it.id.to_string(),
            title: it.title,
            last_activated_at: it.last_activated_at.to_string(),
            events_count: it.events_count,
        });
        Ok(HostToPlugin::Conversations(Conversations { id, data: summaries.collect() }))
    }

    fn events(&self, name: &str, id: Option<&RequestId>) -> Result<Events, Refused> {
        let conversation = parse(name)?;
        let bytes = self.store.size(conversation)?;
        if bytes > events::LARGEST {
            return Err(Refused::Large { id: conversation, bytes });
        }
        let room = self.room.take(bytes);
        // Somebody may have written to it while this waited for room. What he wrote is for the next who asks.
        let stream = self.store.events(conversation, Select::Within(bytes))?;
        Ok(Events::new(stream, room, name, id))
    }

    fn config(&self, read: &ReadConfig, id: Option<RequestId>) -> Result<HostToPlugin, Refused> {
        let data = self.config.get(read.path.as_deref())?;
        Ok(HostToPlugin::Config(ConfigPart { id, path: read.path.clone(), data }))
    }

    fn lock(&self, name: &str) -> Result<String, Refused> {
        self.locks.take(&*self.store, parse(name)?)?;
        Ok(name.to_owned())
    }

    fn unlock(&self, name: &str) -> Result<String, Refused> {
        let id = parse(name)?;
        if self.locks.free(id) { Ok(name.to_owned()) } else { Err(Refused::NotLocked(id)) }
    }

    fn push(&self, push: &PushEvents, id: Option<RequestId>) -> Result<HostToPlugin, Refused> {
        let conversation = parse(&push.conversation)?;
        let pushed =
            self.locks.with(conversation, |locked| locked.push(&push.events, (self.now)()));
        let count = pushed.ok_or(Refused::NotLocked(conversation))??;
        let conversation = push.conversation.clone();
        Ok(HostToPlugin::Pushed(Pushed { id, conversation, count: count as u64 }))
    }

    fn create(
        &self,
        create: &CreateConversation,
        id: Option<RequestId>,
    ) -> Result<HostToPlugin, Refused> {
        let locked = self.store.create(create.title.as_deref(), (self.now)())?;
        let conversation = locked.id().to_string();
        self.locks.keep(locked);
        Ok(HostToPlugin::Created(Done { id, conversation }))
    }
}

impl fmt::Debug for Services {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Services").field("locks", &self.locks).finish_non_exhaustive()
    }
}

/// The message as a line.
pub(crate) fn encode(message: &HostToPlugin) -> Vec<u8> {
    let mut line = Vec::new();
    if let Err(error) = message.write_line(&mut line) {
        // Texts, numbers and lists of them always have a JSON form; if not, nobody must wait in vain.
        line.clear();
        let error = Error {
            id: message.id().cloned(),
            request: String::new(),
            conversation: None,
            message: format!("the answer cannot be written: {error}"),
        };
        let _ = HostToPlugin::Error(error).write_line(&mut line);
    }
    line
}

/// How many bytes a text has as JSON, without its quotes.
fn written_len(text: &str) -> usize {
    let written = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(written).sum()
}

/// The conversation that an error about locks repeats.
fn named(request: &Request) -> Option<String> {
    match request {
        Request::Lock(about) | Request::Unlock(about) => Some(shorten(&about.conversation)),
        _ => None,
    }
}

fn parse(name: &str) -> Result<ConversationId, Refused> {
    name.parse().map_err(|_| Refused::NoId(shorten(name)))
}

/// What a plugin wrote, in a length that is fit to be repeated.
fn shorten(text: &str) -> String {
    text.chars().take(200).collect()
}

#[cfg(test)]
mod tests;
