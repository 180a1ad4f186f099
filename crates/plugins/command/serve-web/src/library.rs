//! The conversations: asked for at every request, and read once as long as they do not change.
//!
//! The host is the only source. A page begins with a fresh listing, which says whether what was read
//! before is still all there is; so a page is never older than its request, and a conversation of twenty
//! thousand events is not read again for each of its pages. What is kept is bounded in bytes, and so is
//! all that is in memory: a conversation has its room before it is read, and until nobody uses it.

mod cache;
mod conversation;
mod names;
mod paging;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jp_plugin_sdk::{RequestError, Summary, asynchronous::Session};
use serde_json::value::RawValue;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
};

use self::{cache::Cache, conversation::EVENT};
pub(crate) use self::{
    conversation::{Conversation, Part},
    names::pick,
    paging::Page,
};

/// How many bytes of conversations are kept.
const KEPT: usize = 64 << 20;
/// How much of conversations is in memory at a time, what is kept included, in KiB of events: four of the
/// largest are read side by side.
const ROOM: usize = 1 << 20;
/// How much one can have, in KiB: 48 MiB as it is stored, by the limits of the host. Texts are stored in
/// base64, and of three bytes in four letters come eighteen if none of them can be written as it is.
const LARGEST: u32 = (48 << 10) / 4 * 18;

/// All conversations of the workspace.
#[derive(Debug)]
pub(crate) struct Library {
    session: Session,
    cache: Mutex<Cache>,
    room: Arc<Semaphore>,
}

/// Events of a conversation, and the room they take.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) events: Vec<Box<RawValue>>,
    room: OwnedSemaphorePermit,
}

/// A conversation as it is now.
#[derive(Debug, Clone)]
pub(crate) struct Opened {
    pub(crate) summary: Summary,
    pub(crate) conversation: Arc<Conversation>,
}

/// Why a conversation cannot be shown.
#[derive(Debug, thiserror::Error)]
pub(crate) enum OpenError {
    #[error("There is no conversation `{0}`.")]
    NotFound(String),
    #[error("`{name}` may be any of {count} conversations; give more of its id.")]
    Ambiguous { name: String, count: usize },
    #[error(transparent)]
    Host(#[from] RequestError),
}

impl Library {
    pub(crate) fn new(session: Session) -> Self {
        let cache = Mutex::new(Cache::new(KEPT));
        Self { session, cache, room: Arc::new(Semaphore::new(ROOM)) }
    }

    /// The host behind it.
    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// All conversations, the latest first.
    pub(crate) async fn list(&self) -> Result<Vec<Summary>, RequestError> {
        self.session.list_conversations().await
    }

    /// The conversation that is meant, in a fresh listing.
    pub(crate) async fn find(&self, name: &str) -> Result<Summary, OpenError> {
        pick(&self.list().await?, name)
    }

    /// A conversation as it is now, read only if it is not known already.
    pub(crate) async fn open(&self, summary: Summary) -> Result<Opened, RequestError> {
        if let Some(conversation) = self.cache().get(&summary) {
            return Ok(Opened { summary, conversation });
        }
        let room = self.room().await?;
        // Somebody may have read it while we waited.
        if let Some(conversation) = self.cache().get(&summary) {
            return Ok(Opened { summary, conversation });
        }
        let Read { events, room } = self.read_into(room, &summary).await?;
        // Looking through a long conversation takes a while, in which others want their answers.
        let make = move || Conversation::new(events).within(room);
        let conversation = spawn_blocking(make).await;
        let conversation = Arc::new(conversation.map_err(|_| RequestError::Closed)?);
        self.cache().put(&summary, Arc::clone(&conversation));
        Ok(Opened { summary, conversation })
    }

    /// The events of a conversation for somebody who looks at each once; they are not kept.
    pub(crate) async fn read(&self, summary: &Summary) -> Result<Read, RequestError> {
        self.read_into(self.room().await?, summary).await
    }

    /// Room for a conversation of which nobody knows yet how large it is.
    async fn room(&self) -> Result<OwnedSemaphorePermit, RequestError> {
        let room = Arc::clone(&self.room).acquire_many_owned(LARGEST).await;
        // The semaphore is never closed.
        room.map_err(|_| RequestError::Closed)
    }

    /// Reads, and gives back the room that was not needed.
    async fn read_into(
        &self,
        mut room: OwnedSemaphorePermit,
        summary: &Summary,
    ) -> Result<Read, RequestError> {
        let (session, id) = (self.session.clone(), summary.id.clone());
        // The host answers whether or not anybody waits for it, and its answer has to have room: so this
        // goes on when whoever asked for it is gone.
        let read = tokio::spawn(async move {
            let events = session.read_raw_events(&id).await?;
            drop(room.split(spare(&events)));
            Ok(Read { events, room })
        });
        read.await.map_err(|_| RequestError::Closed)?
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How much less than the most these events take, in KiB.
fn spare(events: &[Box<RawValue>]) -> usize {
    let bytes: usize = events.iter().map(|event| event.get().len() + EVENT).sum();
    let most = usize::try_from(LARGEST).unwrap_or(usize::MAX);
    most.saturating_sub(bytes.div_ceil(1 << 10))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_needed_is_given_back() {
        let raw = |text: String| RawValue::from_string(text).unwrap();
        let of = |events: &[Box<RawValue>]| usize::try_from(LARGEST).unwrap() - spare(events);
        assert_eq!(of(&[]), 0);
        assert_eq!(of(&[raw("1".to_owned())]), 1);
        assert_eq!(of(&[raw(format!("\"{}\"", "x".repeat(10 << 10)))]), 11);
        assert_eq!(of(&vec![raw("1".to_owned()); 1 << 10]), EVENT + 1);
    }

    /// What is stored in base64 is larger as the host gives it: a letter that has to be escaped is a byte
    /// there and six here.
    #[test]
    fn there_is_room_for_the_largest() {
        let stored = base64_simd::STANDARD.encode_to_string("\u{1}".repeat(3 << 10));
        let given = serde_json::to_string(&"\u{1}".repeat(3 << 10)).unwrap();
        let most = usize::try_from(LARGEST).unwrap();
        assert_eq!(given.len() - 2, stored.len() / (4 << 10) * (18 << 10));
        assert_eq!(most, 48 * (given.len() - 2) / stored.len().div_ceil(1 << 10));
        assert!(4 * most + (KEPT >> 10) <= ROOM, "four are read at a time, whatever is kept");
    }
}
