//! How much a server may cost us, with the reasons.

use std::time::Duration;

/// The largest message that is read, in bytes. A picture of a screen has one or two MiB; what is larger
/// than this is no answer that a model could use.
pub const MAX_MESSAGE: usize = 16 * 1024 * 1024;

/// So many pages of tools are asked for. Servers that page at all have a few.
pub const MAX_PAGES: usize = 100;

/// So many tools are kept. No model reads more, and a server that lists without end has to stop somewhere.
pub const MAX_TOOLS: usize = 10_000;

/// So much of one tool is kept, as it came, in bytes: its schemas and its words. The longest that people write
/// by hand has a tenth of it.
pub(crate) const MAX_TOOL: usize = 256 * 1024;

/// So much of all tools of a server together.
pub(crate) const MAX_LIST: usize = 8 * 1024 * 1024;

/// So many questions are answered within one call, and so many rounds are made without a person.
pub const MAX_QUESTIONS: usize = 20;

/// Progress lets a call last so many times as long as its time, and no longer.
pub(crate) const PROGRESS_FACTOR: u32 = 10;

/// So much of stderr is kept, its end.
pub(crate) const STDERR_TAIL: usize = 64 * 1024;

/// The longest probe for the newer era. A server that stays silent to what it does not know costs this
/// once; the era is remembered.
pub(crate) const PROBE: Duration = Duration::from_secs(8);

/// So long a program may take to leave by itself when its input ends.
pub(crate) const FAREWELL: Duration = Duration::from_millis(500);

/// So long is waited until a message that nobody waits for is written, a cancellation for example.
pub(crate) const LAST_WORD: Duration = Duration::from_secs(1);

/// So long the first listing waits until the server has promised to tell about changes.
pub(crate) const SUBSCRIBE: Duration = Duration::from_secs(1);

/// So many requests of a server wait for our answer at most. One that asks and does not read what we
/// answer would fill the memory otherwise.
pub(crate) const MAX_OWED: usize = 64;

/// So often a server may refuse one request before it is not sent again: once because it wants to know who
/// we are, and once because it wants more.
pub(crate) const MAX_CHALLENGES: usize = 2;

/// The longest name of a tool, in bytes.
pub(crate) const MAX_NAME: usize = 512;
