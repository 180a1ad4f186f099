//! Where the host draws a line.

use std::time::Duration;

use jp_tool::vfs;

/// How much is too much, and how long is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The largest file, or part of one, that is read in one go; also the largest body of a response.
    pub file_bytes: u64,
    /// The longest line that a tool may write.
    pub message_bytes: usize,
    /// For how long a tool may be silent while nothing is owed to it, and for how long it may leave
    /// its input unread.
    pub request_timeout: Duration,
    /// How long a tool may take to end after it was told to.
    pub cancel_grace: Duration,
    /// How long it may take after `SIGTERM`.
    pub kill_after: Duration,
    /// How long a request to the network may take.
    pub http_timeout: Duration,
    /// How long a program may run.
    pub process_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            file_bytes: 10_000_000,
            message_bytes: 16 << 20,
            request_timeout: Duration::from_mins(1),
            cancel_grace: Duration::from_secs(5),
            kill_after: Duration::from_secs(2),
            http_timeout: Duration::from_secs(30),
            process_timeout: Duration::from_mins(10),
        }
    }
}

impl Limits {
    /// The limits as `host.capabilities` tells them.
    pub(crate) fn told(&self) -> vfs::Limits {
        vfs::Limits {
            file_bytes: self.file_bytes,
            message_bytes: u64::try_from(self.message_bytes).unwrap_or(u64::MAX),
            request_timeout_secs: self.request_timeout.as_secs(),
            cancel_grace_secs: self.cancel_grace.as_secs(),
        }
    }
}
