//! The locks that are held for a plugin. Dropping them frees them, and so does the end of the program.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use jp_conversation::ConversationId;
use jp_workspace::{Locked, Store, StoreError, Wait};

/// One conversation; whoever writes to it holds the mutex meanwhile.
type Held = Arc<Mutex<Box<dyn Locked>>>;

#[derive(Default)]
pub(super) struct Locks {
    held: Mutex<HashMap<ConversationId, Held>>,
}

impl Locks {
    /// Locks a conversation; one that is locked already stays so.
    pub(super) fn take(&self, store: &dyn Store, id: ConversationId) -> Result<(), StoreError> {
        if !self.held().contains_key(&id) {
            self.keep(store.lock(id, Wait::No)?);
        }
        Ok(())
    }

    pub(super) fn keep(&self, locked: Box<dyn Locked>) {
        let id = locked.id();
        self.held().insert(id, Arc::new(Mutex::new(locked)));
    }

    /// Does something with a locked conversation; `None` if it is not locked.
    pub(super) fn with<T>(
        &self,
        id: ConversationId,
        work: impl FnOnce(&mut dyn Locked) -> T,
    ) -> Option<T> {
        let held = Arc::clone(self.held().get(&id)?);
        let mut locked = held.lock().unwrap_or_else(PoisonError::into_inner);
        Some(work(&mut **locked))
    }

    /// Whether there was a lock to free.
    pub(super) fn free(&self, id: ConversationId) -> bool {
        self.held().remove(&id).is_some()
    }

    pub(super) fn release(&self) {
        self.held().clear();
    }

    fn held(&self) -> MutexGuard<'_, HashMap<ConversationId, Held>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Locks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.held().keys()).finish()
    }
}
