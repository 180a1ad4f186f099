//! Conversations that live as long as the process: for tests, and for runs that must leave nothing.
//!
//! Events are kept as the same bytes that the store on disk writes, so that both read them alike.

use std::{
    collections::{BTreeMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use jiff::Timestamp;
use jp_conversation::{ConversationId, Event, Stream, Validator, encode_batch};
use serde_json::Value;

use super::{Listing, Locked, Metadata, Select, Store, StoreError, Summary, Wait, sort};

/// A store without a disk. Clones share the conversations.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    inner: Arc<Mutex<Inner>>,
}

#[derive(Debug, Default)]
struct Inner {
    conversations: BTreeMap<ConversationId, Conversation>,
    locked: HashSet<ConversationId>,
}

#[derive(Debug, Default)]
struct Conversation {
    metadata: Metadata,
    stream: Stream,
    last: Option<Timestamp>,
}

impl MemoryStore {
    fn inner(&self) -> MutexGuard<'_, Inner> {
        // Nothing in here can panic half way through a change.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(
        &self,
        id: ConversationId,
        read: impl FnOnce(&Conversation) -> T,
    ) -> Result<T, StoreError> {
        self.inner().conversations.get(&id).map(read).ok_or(StoreError::NotFound(id))
    }

    fn try_lock(&self, id: ConversationId) -> Result<Box<dyn Locked>, StoreError> {
        let mut inner = self.inner();
        if !inner.conversations.contains_key(&id) {
            return Err(StoreError::NotFound(id));
        }
        if !inner.locked.insert(id) {
            return Err(StoreError::Locked(id));
        }
        Ok(Box::new(LockedInMemory { store: self.clone(), id }))
    }
}

impl Store for MemoryStore {
    fn list(&self) -> Result<Listing, StoreError> {
        let inner = self.inner();
        let mut conversations: Vec<Summary> = inner
            .conversations
            .iter()
            .map(|(id, conversation)| Summary {
                id: *id,
                title: conversation.metadata.title.clone(),
                last_activated_at: conversation
                    .metadata
                    .last_activated_at
                    .max(conversation.last)
                    .or_else(|| id.created_at())
                    .unwrap_or_default(),
                events_count: conversation.stream.len() as u64,
            })
            .collect();
        sort(&mut conversations);
        Ok(Listing { conversations, damaged: Vec::new() })
    }

    fn create(&self, title: Option<&str>, now: Timestamp) -> Result<Box<dyn Locked>, StoreError> {
        let mut inner = self.inner();
        let mut id = ConversationId::at(now);
        while inner.conversations.contains_key(&id) {
            id = id.next();
        }
        let metadata = Metadata::new(title, now)?;
        inner.conversations.insert(id, Conversation { metadata, ..Conversation::default() });
        inner.locked.insert(id);
        Ok(Box::new(LockedInMemory { store: self.clone(), id }))
    }

    fn lock(&self, id: ConversationId, wait: Wait) -> Result<Box<dyn Locked>, StoreError> {
        let started = Instant::now();
        let limit = match wait {
            Wait::No => return self.try_lock(id),
            Wait::AtMost(limit) => limit,
        };
        loop {
            match self.try_lock(id) {
                Err(StoreError::Locked(_)) if started.elapsed() < limit => {
                    thread::sleep(Duration::from_millis(1));
                }
                result => return result,
            }
        }
    }

    fn metadata(&self, id: ConversationId) -> Result<Metadata, StoreError> {
        self.read(id, |conversation| conversation.metadata.clone())
    }

    fn size(&self, id: ConversationId) -> Result<u64, StoreError> {
        self.read(id, |conversation| conversation.stream.byte_len())
    }

    fn events(&self, id: ConversationId, select: Select) -> Result<Stream, StoreError> {
        let mut stream = self.read(id, |conversation| conversation.stream.clone())?;
        match select {
            Select::All => {}
            Select::Last(count) => stream.keep_last(count),
            Select::Within(bytes) => {
                let mut lines = stream.into_lines();
                lines.truncate(usize::try_from(bytes).unwrap_or(usize::MAX));
                stream = Stream::from_lines(lines);
            }
        }
        Ok(stream)
    }
}

struct LockedInMemory {
    store: MemoryStore,
    id: ConversationId,
}

impl LockedInMemory {
    fn change(&self, change: impl FnOnce(&mut Conversation)) -> Result<(), StoreError> {
        let mut inner = self.store.inner();
        inner.conversations.get_mut(&self.id).map(change).ok_or(StoreError::NotFound(self.id))
    }
}

impl Locked for LockedInMemory {
    fn id(&self) -> ConversationId {
        self.id
    }

    fn append(&mut self, events: &[Event]) -> Result<(), StoreError> {
        self.change(|conversation| {
            conversation.stream.extend(&encode_batch(events));
            conversation.last = events.last().map(|event| event.timestamp).or(conversation.last);
        })
    }

    fn push(&mut self, events: &[Value], now: Timestamp) -> Result<usize, StoreError> {
        let mut validator = Validator::default();
        self.store.read(self.id, |conversation| {
            conversation.stream.events().flatten().for_each(|event| validator.observe(&event));
        })?;
        let accepted = validator.accept(events, now)?;
        self.change(|conversation| {
            conversation.stream.extend(&accepted.bytes);
            let last = conversation.stream.events().rev().flatten().next();
            conversation.last = last.map(|event| event.timestamp);
        })?;
        Ok(accepted.count)
    }

    fn set_title(&mut self, title: Option<&str>) -> Result<(), StoreError> {
        let mut result = Ok(());
        self.change(|conversation| result = conversation.metadata.set_title(title))?;
        result
    }

    fn remove(self: Box<Self>) -> Result<(), StoreError> {
        self.store.inner().conversations.remove(&self.id);
        Ok(())
    }
}

impl Drop for LockedInMemory {
    fn drop(&mut self) {
        self.store.inner().locked.remove(&self.id);
    }
}
