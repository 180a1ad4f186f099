//! What is known about a server without asking it.

use crate::server_spec::Era;

/// What is known about a server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Status {
    /// Whether it runs.
    pub state: State,
    /// The era it was found to speak in: what to remember for next time.
    pub era: Option<Era>,
    /// The revision of the protocol that was agreed on.
    pub protocol: Option<String>,
    /// What it calls itself; short and plain.
    pub server: Option<String>,
    /// And its version.
    pub version: Option<String>,
    /// How to use it, in its own words: not to be trusted.
    pub instructions: Option<String>,
    /// What its user should know about how it was started.
    pub warnings: Vec<String>,
    /// The end of what it wrote to stderr, in the life that is or was the last: not to be trusted.
    pub stderr: String,
    /// Lines on its output that were no messages, and were skipped.
    pub garbage: u64,
    /// How often it was started.
    pub starts: u64,
}

/// Whether a server runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// Nobody needed it yet, or it was closed.
    #[default]
    Idle,
    /// It can be called.
    Ready,
    /// It ended by itself; the next call starts it again.
    Dead,
}
