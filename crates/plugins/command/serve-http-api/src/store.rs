//! The conversations, as the host has them: asked for as seldom as possible, and never out of date.
//!
//! Every answer is as new as its request. Many requests at once still cost one listing: whoever arrives
//! while a listing is under way waits for the next one, together with all others who do. Events are kept
//! as long as the listing says that nothing was added.

mod cache;
mod listing;

use std::sync::{
    Arc, Mutex as Short, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use jp_plugin_sdk::{RequestError, asynchronous::Session};
use serde_json::{Value, value::RawValue};
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};

use self::cache::Cache;
pub(crate) use self::listing::{Conversation, Key, Listing};
use crate::{
    etag::{Expected, Tag},
    limits,
    problem::{Kind, Problem},
    promise::Promise,
};

/// How often events are read again because somebody added some meanwhile.
const ATTEMPTS: usize = 5;

/// The events of a conversation, each as its text.
pub(crate) type Events = Arc<Vec<Box<RawValue>>>;

/// The way to the host.
#[derive(Debug)]
pub(crate) struct Store {
    session: Session,
    /// How many listings were asked for.
    begun: AtomicU64,
    /// The newest listing, and the how manieth it is.
    newest: Mutex<(u64, Arc<Listing>)>,
    cache: Short<Cache>,
    reading: Semaphore,
    /// Whoever writes holds it: two locks of one conversation would be in each other's way.
    writing: Arc<Mutex<()>>,
}

/// Events that are to be appended.
#[derive(Debug)]
pub(crate) struct Batch {
    pub(crate) events: Vec<Value>,
    pub(crate) expected: Expected,
    /// The room that they take in memory, for as long as they are there.
    pub(crate) room: OwnedSemaphorePermit,
}

/// What became of an append.
#[derive(Debug)]
pub(crate) struct Appended {
    pub(crate) count: u64,
    /// The position of the first event that was added.
    pub(crate) first: u64,
    /// The conversation as it is now.
    pub(crate) conversation: Conversation,
}

/// Why something could not be read or written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("there is no conversation {0}")]
    NotFound(String),
    #[error("conversation {0} is locked by another process; try again when it is done")]
    Locked(String),
    #[error("conversation {0} has changed since you read it; read it again")]
    Changed(String),
    #[error("{0}")]
    Rejected(String),
    #[error("conversation {0} changes faster than it can be read; try again")]
    Busy(String),
    #[error("jp is ending, and nothing was written")]
    Gone,
    #[error("nothing was written, because it took too long to begin")]
    Late,
    #[error("jp was told to write, and did not say what became of it; look before you try again")]
    Unknown,
    #[error(transparent)]
    Host(RequestError),
}

type Result<T> = std::result::Result<T, StoreError>;

impl Store {
    pub(crate) fn new(session: Session) -> Self {
        Self {
            session,
            begun: AtomicU64::new(0),
            newest: Mutex::default(),
            cache: Short::default(),
            reading: Semaphore::new(limits::READING),
            writing: Arc::default(),
        }
    }

    /// All conversations, as they are now.
    pub(crate) async fn list(&self) -> Result<Arc<Listing>> {
        let on_arrival = self.begun.load(Ordering::SeqCst);
        let mut newest = self.newest.lock().await;
        // One that was begun since then is new enough, whoever asked for it.
        if newest.0 > on_arrival {
            return Ok(Arc::clone(&newest.1));
        }
        let number = self.begun.fetch_add(1, Ordering::SeqCst) + 1;
        let summaries = self.session.list_conversations().await;
        let listing = Arc::new(Listing::new(summaries.map_err(|error| about("", error))?));
        *newest = (number, Arc::clone(&listing));
        Ok(listing)
    }

    /// One conversation, as it is now.
    pub(crate) async fn get(&self, id: &str) -> Result<Conversation> {
        let listing = self.list().await?;
        listing.get(id).cloned().ok_or_else(|| StoreError::NotFound(id.to_owned()))
    }

    /// The events of a conversation, and its tag when it had just these.
    pub(crate) async fn events(&self, id: &str) -> Result<(Tag, Events)> {
        let mut before = self.get(id).await?.tag();
        for _ in 0..ATTEMPTS {
            if let Some(events) = self.cache().get(id, &before) {
                return Ok((before, events));
            }
            // It is never closed, so there always is a permit.
            let _permit = self.reading.acquire().await.ok();
            // Somebody else may have read it while this one waited.
            if let Some(events) = self.cache().get(id, &before) {
                return Ok((before, events));
            }
            let events = self.session.read_raw_events(id).await;
            let events = Arc::new(events.map_err(|error| about(id, error))?);
            let after = self.get(id).await?.tag();
            if before == after {
                self.cache().put(id, after.clone(), Arc::clone(&events));
                return Ok((after, events));
            }
            before = after;
        }
        Err(StoreError::Busy(id.to_owned()))
    }

    /// Makes a conversation.
    pub(crate) async fn create(
        self: &Arc<Self>,
        title: Option<String>,
        promise: Promise,
    ) -> Result<Conversation> {
        self.write(|store| async move {
            if !promise.begin() {
                return Err(StoreError::Late);
            }
            let created = store.session.create_conversation(title.as_deref()).await;
            let locked = created.map_err(|error| about_writing("", error))?;
            // It is there, whatever happens now.
            let conversation = store.get(locked.conversation()).await;
            let _ = locked.unlock().await;
            conversation.map_err(|_| StoreError::Unknown)
        })
        .await
    }

    /// Appends events to a conversation that is as the client expects it: all of them, or none.
    pub(crate) async fn append(
        self: &Arc<Self>,
        id: String,
        batch: Batch,
        promise: Promise,
    ) -> Result<Appended> {
        self.write(|store| async move {
            let Batch { events, expected, room } = batch;
            let locked = store.session.lock(&id).await.map_err(|error| about(&id, error))?;
            // Nobody else can write any more, so what is seen now is what is added to.
            let before = store.get(&id).await?;
            if !expected.holds(&before.tag()) {
                return Err(StoreError::Changed(id));
            }
            if !promise.begin() {
                return Err(StoreError::Late);
            }
            let pushed = locked.push_events(events).await;
            let count = pushed.map_err(|error| about_writing(&id, error))?;
            drop(room);
            // They are there, whatever happens now.
            let conversation = store.get(&id).await;
            let _ = locked.unlock().await;
            let conversation = conversation.map_err(|_| StoreError::Unknown)?;
            Ok(Appended { count, first: before.events_count, conversation })
        })
        .await
    }

    /// Does something alone, and to its end, even if the client goes away in the middle of it. One that goes
    /// away while it waits has nothing done.
    async fn write<T: Send + 'static, F>(
        self: &Arc<Self>,
        work: impl FnOnce(Arc<Self>) -> F,
    ) -> Result<T>
    where
        F: Future<Output = Result<T>> + Send + 'static,
    {
        let alone = Arc::clone(&self.writing).lock_owned().await;
        let work = work(Arc::clone(self));
        let work = async move {
            let done = work.await;
            drop(alone);
            done
        };
        tokio::spawn(work).await.unwrap_or(Err(StoreError::Unknown))
    }

    /// Waits until nobody writes.
    pub(crate) async fn idle(&self) {
        drop(self.writing.lock().await);
    }

    fn cache(&self) -> std::sync::MutexGuard<'_, Cache> {
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn about(id: &str, error: RequestError) -> StoreError {
    match error {
        error if error.is_not_found() => StoreError::NotFound(id.to_owned()),
        error if error.is_locked() => StoreError::Locked(id.to_owned()),
        error if error.is_rejected() => StoreError::Rejected(error.to_string()),
        RequestError::Closed => StoreError::Gone,
        error => StoreError::Host(error),
    }
}

/// About a request that may have been carried out although there is no good answer.
fn about_writing(id: &str, error: RequestError) -> StoreError {
    match error {
        RequestError::Closed | RequestError::Write(_) | RequestError::Unexpected(_) => {
            StoreError::Unknown
        }
        error => about(id, error),
    }
}

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        let kind = match &error {
            StoreError::NotFound(_) => Kind::NotFound,
            StoreError::Locked(_) => Kind::Locked,
            StoreError::Changed(_) => Kind::Changed,
            StoreError::Rejected(_) => Kind::Invalid,
            StoreError::Host(RequestError::TooLong(_)) => Kind::TooLarge,
            StoreError::Busy(_) | StoreError::Gone | StoreError::Late => Kind::Unavailable,
            StoreError::Unknown => Kind::Unknown,
            StoreError::Host(_) => Kind::Internal,
        };
        kind.because(error.to_string())
    }
}
