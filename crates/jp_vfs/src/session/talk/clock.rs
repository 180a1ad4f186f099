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
    /// What counts from now. The time is only asked for before a wait: who gets answer after answer is not waited for.
    from_now: FromNow,
}

/// What begins anew when the time is asked for next, each with what stands before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FromNow {
    Nothing,
    /// It has just read something.
    Reading,
    /// Its next word is only waited for since then.
    Silence,
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
            from_now: FromNow::Nothing,
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
            self.from_now = self.from_now.max(FromNow::Reading);
            if self.is_owed {
                self.from_now = FromNow::Silence;
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
        let begins = std::mem::replace(&mut self.from_now, FromNow::Nothing);
        if begins >= FromNow::Reading {
            self.last_read = Instant::now();
        }
        if begins >= FromNow::Silence {
            self.last_word = self.last_read;
        }
    }
}
