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
    /// Who has to say something next. One that stays alive waits for input in between.
    next: Side,
    /// Whether it waits for something that it has asked for, which is not sent yet.
    is_owed: bool,
    /// When it last did something that counts, or read something that it had asked for.
    last_word: Instant,
    /// When it last read something, or when there was last something new to read.
    last_read: Instant,
    /// Whether something was left to read after the last attempt to send.
    has_backlog: bool,
    /// Whether it is now that it last read something, or that its last word counts from. The time is only asked for
    /// before a wait: who gets answer after answer is not waited for.
    is_read_now: bool,
    is_word_now: bool,
}

/// One of the two who talk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Tool,
    Host,
}

/// What a tool is waited for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Debts {
    /// Whether it has to say something: nothing is under way for it, and it was not told to end.
    pub(super) word: bool,
}

impl Clock {
    pub(super) fn new(patience: Duration, stays_alive: bool) -> Self {
        let now = Instant::now();
        Self {
            patience,
            stays_alive,
            next: Side::Tool,
            is_owed: false,
            last_word: now,
            last_read: now,
            has_backlog: false,
            is_read_now: false,
            is_word_now: false,
        }
    }

    /// The tool has asked for something, or something that it asked for is ready to be sent.
    pub(super) fn owes_answer(&mut self) {
        // The time is counted from when it is sent.
        self.is_owed = true;
    }

    /// The tool has said something.
    pub(super) fn heard(&mut self) {
        self.last_word = Instant::now();
    }

    /// The tool has said where it stands.
    pub(super) fn heard_state(&mut self) {
        self.next = if self.stays_alive { Side::Host } else { Side::Tool };
        self.heard();
    }

    /// The tool was given input.
    pub(super) fn gave_input(&mut self) {
        self.next = Side::Tool;
        self.heard();
    }

    /// Something was sent, or an attempt was made.
    pub(super) fn sent(&mut self, sent: Sent) {
        if !self.has_backlog || sent != Sent::Part(false) {
            self.is_read_now = true;
            if self.is_owed {
                self.is_word_now = true;
                self.is_owed = matches!(sent, Sent::Part(_));
            }
        }
        self.has_backlog = matches!(sent, Sent::Part(_));
    }

    /// When patience ends, if nothing happens until then.
    pub(super) fn deadline(&mut self, debts: Debts) -> Option<Instant> {
        self.look();
        let is_awaited = debts.word && self.next == Side::Tool && !self.is_owed;
        let silent = is_awaited.then(|| self.last_word + self.patience);
        // What nobody has tried to send yet cannot have been left unread.
        let deaf = self.has_backlog.then(|| self.last_read + self.patience);
        silent.into_iter().chain(deaf).min()
    }

    /// Why the session ends, if patience has.
    pub(super) fn impatience(&mut self, debts: Debts) -> Option<End> {
        let deadline = self.deadline(debts)?;
        (Instant::now() >= deadline).then_some(if self.has_backlog {
            End::Deaf(self.patience)
        } else {
            End::Silent(self.patience)
        })
    }

    /// Takes down the time of what has happened since the last look.
    fn look(&mut self) {
        if self.is_read_now || self.is_word_now {
            let now = Instant::now();
            if std::mem::take(&mut self.is_read_now) {
                self.last_read = now;
            }
            if std::mem::take(&mut self.is_word_now) {
                self.last_word = now;
            }
        }
    }
}
