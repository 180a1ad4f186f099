//! Where a call is written down: the conversation that it is made for.

use std::cell::{Cell, RefCell};

use jiff::Timestamp;
use jp_conversation::{ConversationId, Event, EventKind};
use jp_llm::tool::{CallEnd, text_of};
use jp_workspace::{Locked, Store as _};

use crate::{
    cmd::conversation::{PATIENCE, find},
    ctx::Ctx,
    error::Result,
};

/// A conversation that is ours until this is dropped, or none.
pub(crate) struct Journal {
    conversation: RefCell<Option<Box<dyn Locked>>>,
    /// Whether the conversation is there for this call alone, and nothing is in it yet.
    empty: Cell<bool>,
    /// The call that has not ended yet.
    open: RefCell<Option<String>>,
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
        Ok(Self {
            conversation: RefCell::new(conversation),
            empty: Cell::new(named == Some("new")),
            open: RefCell::default(),
            failure: RefCell::default(),
        })
    }

    pub(crate) fn id(&self) -> Option<ConversationId> {
        self.conversation.borrow().as_ref().map(|conversation| conversation.id())
    }

    /// Writes down what happened.
    pub(crate) fn record(&self, kind: EventKind) {
        match &kind {
            EventKind::ToolCallRequest { id, .. } => *self.open.borrow_mut() = Some(id.clone()),
            EventKind::ToolCallResponse { .. } => *self.open.borrow_mut() = None,
            _ => {}
        }
        let mut conversation = self.conversation.borrow_mut();
        let Some(conversation) = conversation.as_mut() else { return };
        if let Err(error) = conversation.append(&[Event::new(Timestamp::now(), kind)]) {
            self.failure.borrow_mut().get_or_insert(error);
        }
        self.empty.set(false);
    }

    /// Whether everything was written down. Where nothing was, no conversation is left behind; a call
    /// that was broken off gets an end.
    pub(crate) fn finish(self) -> Result {
        let open = self.open.borrow_mut().take();
        if let Some(id) = open {
            let content = text_of(&CallEnd::Cancelled);
            self.record(EventKind::ToolCallResponse { id, content, is_error: true });
        }
        if self.empty.get()
            && let Some(conversation) = self.conversation.into_inner()
        {
            return Ok(conversation.remove()?);
        }
        self.failure.into_inner().map_or(Ok(()), |error| Err(error.into()))
    }
}
