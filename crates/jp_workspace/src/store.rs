//! Conversations: what can be done with them, whatever they are kept in.
//!
//! Reading needs no lock: events are only ever appended, so a reader sees a prefix. Writing does:
//! [`Store::lock`] and [`Store::create`] hand out a [`Locked`] conversation that nobody else, in this
//! process or another, can write to until it is dropped. A process that dies drops it too.

mod fs;
mod index;
mod memory;
mod metadata;

#[cfg(test)]
mod conformance;

use std::{cmp::Reverse, io, time::Duration};

use camino::Utf8PathBuf;
use jiff::Timestamp;
use jp_conversation::{ConversationId, Event, NotAnArray, Rejection, Stream};
use serde_json::Value;

pub use self::{fs::FsStore, memory::MemoryStore, metadata::Metadata};

/// Where conversations are kept.
pub trait Store: Send + Sync {
    /// All conversations, the latest first, without reading what was said in them.
    fn list(&self) -> Result<Listing, StoreError>;

    /// Makes a conversation; its maker holds the lock.
    fn create(&self, title: Option<&str>, now: Timestamp) -> Result<Box<dyn Locked>, StoreError>;

    /// Locks a conversation for writing.
    fn lock(&self, id: ConversationId, wait: Wait) -> Result<Box<dyn Locked>, StoreError>;

    /// The title and times of a conversation.
    fn metadata(&self, id: ConversationId) -> Result<Metadata, StoreError>;

    /// How many bytes the events of a conversation have, without reading them.
    fn size(&self, id: ConversationId) -> Result<u64, StoreError>;

    /// The events of a conversation, or the last of them.
    fn events(&self, id: ConversationId, select: Select) -> Result<Stream, StoreError>;
}

/// A conversation that only the owner of this value can write to.
pub trait Locked: Send {
    fn id(&self) -> ConversationId;

    /// Appends our own events: all of them or, after a crash, none.
    fn append(&mut self, events: &[Event]) -> Result<(), StoreError>;

    /// Appends events that came from outside, in their plain form, after checking them all. Returns
    /// how many were pushed. A refusal changes no byte.
    fn push(&mut self, events: &[Value], now: Timestamp) -> Result<usize, StoreError>;

    fn set_title(&mut self, title: Option<&str>) -> Result<(), StoreError>;

    /// Removes the conversation and everything in it.
    fn remove(self: Box<Self>) -> Result<(), StoreError>;
}

/// How long to wait for a lock that somebody else holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wait {
    /// Not at all.
    No,
    AtMost(Duration),
}

/// Which events to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Select {
    All,
    /// The last so many, without reading the rest.
    Last(usize),
    /// Those in the first so many bytes, as [`Store::size`] counts them. Of an array, which has to be read whole,
    /// all of them or none.
    Within(u64),
}

/// The conversations of a store, and what was found damaged on the way.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    pub conversations: Vec<Summary>,
    pub damaged: Vec<Damage>,
}

/// One line of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    pub id: ConversationId,
    pub title: Option<String>,
    pub last_activated_at: Timestamp,
    pub events_count: u64,
}

/// A file that could not be read as what it should be. The conversation is still listed, with what
/// is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Damage {
    pub path: Utf8PathBuf,
    pub reason: String,
}

/// Why the store could not do it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error("conversation not found: {0}")]
    NotFound(ConversationId),
    #[error("conversation is locked by another process")]
    Locked(ConversationId),
    #[error(transparent)]
    Rejected(#[from] Rejection),
    #[error("cannot {action} {path}: {source}")]
    Io { action: &'static str, path: Utf8PathBuf, source: io::Error },
    #[error("{path} is damaged: {reason}")]
    Damaged { path: Utf8PathBuf, reason: String },
    #[error("the title has {0} bytes, more than the limit of {limit}", limit = metadata::MAX_TITLE)]
    LongTitle(usize),
    #[error("{path} is damaged: {source}")]
    Array { path: Utf8PathBuf, source: NotAnArray },
    #[error(
        "{path} has more conversations than can be listed: they take more than {} MiB; move some of its directories \
         elsewhere",
        MOST_LISTED >> 20
    )]
    Many { path: Utf8PathBuf },
}

/// So much all conversations of a listing may take, as [`index::Entry::cost`] counts it. The index and the listing
/// have all of them in memory, and so has whoever passes the listing on.
const MOST_LISTED: usize = 64 << 20;

/// The newest first; two of the same moment by id, so that the order never depends on the disk.
fn sort(conversations: &mut [Summary]) {
    conversations.sort_unstable_by_key(|conversation| {
        Reverse((conversation.last_activated_at, conversation.id))
    });
}
