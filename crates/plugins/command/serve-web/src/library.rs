//! The conversations: asked for at every request, and read once as long as they do not change.
//!
//! The host is the only source. A page begins with a fresh listing, which says whether what was read
//! before is still all there is; so a page is never older than its request, and a conversation of twenty
//! thousand events is not read again for each of its pages. What is kept is bounded in bytes, and so is
//! how much is being read at a time.

mod cache;
mod conversation;
mod names;
mod paging;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jp_plugin_sdk::{RequestError, Summary, asynchronous::Session};
use serde_json::value::RawValue;
use tokio::{sync::Semaphore, task::spawn_blocking};

use self::cache::Cache;
pub(crate) use self::{
    conversation::{Conversation, Part},
    names::pick,
    paging::Page,
};

/// How many bytes of conversations are kept.
const KEPT: usize = 64 << 20;
/// How many conversations are read at a time. One has 48 MiB at most, by the limits of the host.
const AT_ONCE: usize = 4;

/// All conversations of the workspace.
#[derive(Debug)]
pub(crate) struct Library {
    session: Session,
    cache: Mutex<Cache>,
    reading: Semaphore,
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
        Self { session, cache, reading: Semaphore::new(AT_ONCE) }
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
        // The semaphore is never closed.
        let _permit = self.reading.acquire().await.map_err(|_| RequestError::Closed)?;
        // Somebody may have read it while we waited.
        if let Some(conversation) = self.cache().get(&summary) {
            return Ok(Opened { summary, conversation });
        }
        let events = self.session.read_raw_events(&summary.id).await?;
        // Looking through a long conversation takes a while, in which others want their answers.
        let conversation = spawn_blocking(move || Conversation::new(events)).await;
        let conversation = Arc::new(conversation.map_err(|_| RequestError::Closed)?);
        self.cache().put(&summary, Arc::clone(&conversation));
        Ok(Opened { summary, conversation })
    }

    /// The events of a conversation for somebody who looks at each once; they are not kept.
    pub(crate) async fn read(&self, summary: &Summary) -> Result<Vec<Box<RawValue>>, RequestError> {
        let _permit = self.reading.acquire().await.map_err(|_| RequestError::Closed)?;
        self.session.read_raw_events(&summary.id).await
    }

    fn cache(&self) -> MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
