//! A conversation that only this plugin can write to, for as long as the guard lives.

use jp_plugin::{Request, to_host::PushEvents};
use serde_json::Value;

use super::{Result, Session, about, wait};
use crate::answer;

/// A lock. Dropped, it is given back.
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
    pub fn push_events(&self, events: Vec<Value>) -> Result<u64> {
        let conversation = self.conversation.clone();
        let request = Request::PushEvents(PushEvents { conversation, events });
        answer::pushed(&self.session.ask(request)?)
    }

    /// Gives the lock back, and says whether that went well.
    pub fn unlock(mut self) -> Result {
        self.give_back()
    }

    fn give_back(&mut self) -> Result {
        self.is_held = false;
        let core = &self.session.core;
        let answer = wait(|reply| {
            core.ask_in_order(Request::Unlock(about(&self.conversation)), reply);
            core.release(&self.conversation);
        });
        answer::unlocked(&answer?)
    }
}

impl Drop for Locked {
    fn drop(&mut self) {
        if self.is_held {
            // Where it cannot be given back the host is gone, and the lock with it.
            let _ = self.give_back();
        }
    }
}
