//! How much a client can ask for, in one place. The documentation repeats these numbers.

use std::time::Duration;

use plugin_server::Patience;

/// The port, unless somebody names another.
pub(crate) const PORT: u16 = 3142;

/// Of connections. More of them wait until one is closed.
pub(crate) const SERVER: plugin_server::Limits = plugin_server::Limits {
    connections: 2_048,
    idle: Duration::from_secs(30),
    head: 16 << 10,
    fields: 64,
    patience: Patience { credit: Duration::from_secs(30), rate: 16 << 10 },
};
/// How long the body of a request may take.
pub(crate) const UPLOAD: Duration = Duration::from_secs(20);
/// How long the answer to a request may take to begin.
pub(crate) const ANSWER: Duration = Duration::from_secs(30);
/// How much longer, once jp was told to write something.
pub(crate) const WRITE: Duration = Duration::from_mins(1);

/// The body of a request, in bytes.
pub(crate) const BODY: usize = 8 << 20;
/// The values in a body: each may take a hundred times as much memory as the bytes that it is written
/// in. The host takes twice as many, and ends a plugin that sends more.
pub(crate) const VALUES: usize = 100_000;
/// How many bodies are in memory at once, with what becomes of them. More wait.
pub(crate) const BODIES: usize = 8;
/// The events that can be appended with one request.
pub(crate) const BATCH: usize = 1_000;
/// The characters of a title.
pub(crate) const TITLE: usize = 1_000;

/// The conversations on a page.
pub(crate) const CONVERSATIONS: Page = Page { usual: 50, most: 200 };
/// The events on a page.
pub(crate) const EVENTS: Page = Page { usual: 100, most: 1_000 };
/// A page of events ends where it has more bytes than this.
pub(crate) const PAGE: usize = 1 << 20;
/// The characters of what is searched for.
pub(crate) const SEARCH: usize = 200;

/// The bytes of events that are kept for the next request.
pub(crate) const CACHE: usize = 64 << 20;
/// How many conversations are read from the host at once; each has up to 48 MiB.
pub(crate) const READING: usize = 2;
/// How many answers are made at once, from the events that they are made of; more wait.
pub(crate) const MAKING: usize = 4;
/// The bytes of answers on their way to clients. What does not fit waits before it is made.
pub(crate) const ANSWERS: usize = 128 << 20;

/// How many things a page has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Page {
    pub(crate) usual: u16,
    pub(crate) most: u16,
}
