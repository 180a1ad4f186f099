//! A conversation that only this plugin can write to, for as long as the guard lives.

use jp_plugin::{Request, to_host::PushEvents};
use serde_json::Value;
use tokio::sync::oneshot;

use super::{Result, Session, about};
use crate::{answer, core::Answer, error::RequestError};

/// A lock. Dropped, it is given back, a moment later: a drop cannot wait. [`Locked::unlock`] can.
#[derive(Debug)]
#[must_use = "dropped, it is given back at once"]
pub struct Locked {
    session: Session,
    conversation: String,
    is_held: bool,
}

impl Locked {
    pub(super) fn new(session: Session, conversation: String) -> Self {
        Self { session, conversation, is_held: true }
    }

    /// The id of the conversation.
    pub fn conversation(&self) -> &str {
        &self.conversation
    }

    /// Appends events, all or none, and returns how many. One without a `timestamp` gets one.
    pub async fn push_events(&self, events: Vec<Value>) -> Result<u64> {
        let conversation = self.conversation.clone();
        let request = Request::PushEvents(PushEvents { conversation, events });
        answer::pushed(&self.session.ask(request).await?)
    }

    /// Gives the lock back, and says whether that went well.
    pub async fn unlock(mut self) -> Result {
        let answer = self.give_back().await.unwrap_or(Err(RequestError::Closed))?;
        answer::unlocked(&answer)
    }

    /// A `lock` that comes later is behind it in the queue.
    fn give_back(&mut self) -> oneshot::Receiver<Answer> {
        self.is_held = false;
        let request = Request::Unlock(about(&self.conversation));
        let answer = self.session.queue_request(request, true);
        self.session.core.release(&self.conversation);
        answer
    }

    /// The lock was not given.
    pub(super) fn forget(mut self) {
        self.is_held = false;
        self.session.core.release(&self.conversation);
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        if self.is_held {
            drop(self.give_back());
        }
    }
}
