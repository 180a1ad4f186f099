//! How long a tool may be silent, and how long it may leave unread what was sent to it.

use std::time::{Duration, Instant};

use super::End;
use crate::session::outbox::Sent;

/// The time of one session.
#[derive(Debug)]
pub(super) struct Clock {
    patience: Duration,
    /// Whether the tool may say where it stands and then wait for input.
    stays_alive: bool,
    /// Whether it is expected to say something. One that stays alive is not, between two inputs.
    is_expected: bool,
    /// When it last did something that counts, or had to be waited for until then.
    last_word: Instant,
    /// When it last read something, or when there was last something new to read.
    last_read: Instant,
    /// Whether something was left to read after the last attempt to send.
    has_backlog: bool,
}

/// What a tool is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Debts {
    /// Whether it has to say something: nothing is under way for it, and it was not told to end.
    pub(super) word: bool,
    /// Whether it has something to read.
    pub(super) reading: bool,
}

impl Clock {
    pub(super) fn new(patience: Duration, stays_alive: bool) -> Self {
        let now = Instant::now();
        Self {
            patience,
            stays_alive,
            is_expected: true,
            last_word: now,
            last_read: now,
            has_backlog: false,
        }
    }

    /// The tool has said something, or it is its turn again.
    pub(super) fn heard(&mut self) {
        self.last_word = Instant::now();
    }

    /// The tool has said where it stands.
    pub(super) fn heard_state(&mut self) {
        self.is_expected = !self.stays_alive;
        self.heard();
    }

    /// The tool was given input.
    pub(super) fn gave_input(&mut self) {
        self.is_expected = true;
        self.heard();
    }

    /// Something was sent, or an attempt was made.
    pub(super) fn sent(&mut self, sent: Sent) {
        if !self.has_backlog || sent != Sent::Part(false) {
            self.last_read = Instant::now();
        }
        self.has_backlog = matches!(sent, Sent::Part(_));
    }

    /// When patience ends, if nothing happens until then.
    pub(super) fn deadline(&self, debts: Debts) -> Option<Instant> {
        let silent = (debts.word && self.is_expected)
            .then(|| self.last_word.max(self.last_read) + self.patience);
        let deaf = debts.reading.then(|| self.last_read + self.patience);
        silent.into_iter().chain(deaf).min()
    }

    /// Why the session ends, if patience has.
    pub(super) fn impatience(&self, debts: Debts) -> Option<End> {
        let deadline = self.deadline(debts)?;
        (Instant::now() >= deadline).then_some(if debts.reading {
            End::Deaf(self.patience)
        } else {
            End::Silent(self.patience)
        })
    }
}
