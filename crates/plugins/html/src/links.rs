//! Where things are, and how much of them is shown: the two things that differ between a file and a
//! server.

/// Addresses of what a transcript refers to.
pub trait Links {
    /// A turn.
    fn turn(&self, number: usize) -> String {
        format!("#turn-{number}")
    }

    /// An event.
    fn event(&self, position: usize) -> String {
        format!("#e{position}")
    }

    /// Everything of an event, for one that is too long to be shown; where there is no such address, it
    /// is shown whole.
    fn whole(&self, position: usize) -> Option<String> {
        let _ = position;
        None
    }
}

/// Everything is on the same page, and whole.
#[derive(Debug, Clone, Copy)]
pub struct OnePage;

impl Links for OnePage {}

/// What a tool returned, or was given, is cut beyond so many bytes if all of it can be seen elsewhere.
pub const LONGEST: usize = 64 << 10;

/// What was said is cut beyond so many bytes if all of it can be seen elsewhere.
pub const LONGEST_WORDS: usize = 256 << 10;

/// How much HTML a page has room for, in bytes.
///
/// Limits on text say little about HTML: a letter of code can become a span around an entity, thirty
/// times as long. So what was made is measured, and an event that does not fit is a line with a link to
/// all of it. That line is there for every event, so a page has some hundreds of bytes for each beyond
/// its room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    left: usize,
}

impl Room {
    /// The most that one event may take, so that it leaves room for others.
    const EVENT: usize = 2 << 20;

    /// Room for so many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { left: bytes }
    }

    /// Without any end.
    pub(crate) fn endless() -> Self {
        Self { left: usize::MAX }
    }

    pub(crate) fn fits(self, bytes: usize) -> bool {
        bytes <= self.left.min(Self::EVENT)
    }

    pub(crate) fn take(&mut self, bytes: usize) {
        self.left = self.left.saturating_sub(bytes);
    }
}
