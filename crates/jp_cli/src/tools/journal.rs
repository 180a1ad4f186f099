//! Where a call is written down: the conversation that it is made for.

use std::cell::RefCell;

use jiff::Timestamp;
use jp_conversation::{ConversationId, Event, EventKind};
use jp_workspace::{Locked, Store as _};

use crate::{
    cmd::conversation::{PATIENCE, find},
    ctx::Ctx,
    error::Result,
};

/// A conversation that is ours until this is dropped, or none.
#[derive(Default)]
pub(crate) struct Journal {
    conversation: RefCell<Option<Box<dyn Locked>>>,
    /// The first thing that could not be written.
    failure: RefCell<Option<jp_workspace::StoreError>>,
}

impl Journal {
    /// Opens the conversation that the user names: `new`, `last`, an id, or the beginning of one.
    pub(crate) fn open(ctx: &Ctx, named: Option<&str>, title: &str) -> Result<Self> {
        let conversation = match named {
            None => None,
            Some("new") => Some(ctx.store()?.create(Some(title), ctx.now())?),
            Some(id) => {
                let store = ctx.store()?;
                Some(store.lock(find(store, id)?, PATIENCE)?)
            }
        };
        Ok(Self { conversation: RefCell::new(conversation), failure: RefCell::default() })
    }

    pub(crate) fn id(&self) -> Option<ConversationId> {
        self.conversation.borrow().as_ref().map(|conversation| conversation.id())
    }

    /// Writes down what happened.
    pub(crate) fn record(&self, kind: EventKind) {
        let mut conversation = self.conversation.borrow_mut();
        let Some(conversation) = conversation.as_mut() else { return };
        if let Err(error) = conversation.append(&[Event::new(Timestamp::now(), kind)]) {
            self.failure.borrow_mut().get_or_insert(error);
        }
    }

    /// Whether everything was written down.
    pub(crate) fn finish(self) -> Result {
        self.failure.into_inner().map_or(Ok(()), |error| Err(error.into()))
    }
}
