//! Plays the host of a plugin, to find out whether it keeps to the protocol.
//!
//! ```text
//! Program ──starts──► plugin ──lines──► play ──requests──► host on conversations in memory
//!                            ◄──lines── faults ◄──answers─┘
//! ```
//!
//! A [`Case`] says how the host behaves: as it should, slowly, late, out of order, from a later version,
//! refusing everything, deaf, gone. What the plugin does then is looked at and becomes [`Finding`]s. The danger
//! is the plugin, which may say anything and never end, so every wait has a limit and everything that is
//! kept of what it says has a largest size.
//!
//! The crate starts no process: a [`Program`] does, confined as its owner sees fit. It prints nothing.

mod by_hand;
mod cases;
mod describe;
mod finding;
mod host;
mod play;
mod replay;
mod transcript;
mod wire;

use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite};

pub use self::{
    by_hand::by_hand,
    cases::{CASES, Case, Usual, check},
    describe::describe,
    finding::{Finding, Status},
    host::Ground,
    replay::replay,
    transcript::{Direction, Entry, InvalidTranscript, Transcript},
};

/// A plugin that can be started, again and again.
pub trait Program: Sync {
    /// Starts it. When what is returned is dropped, it is ended.
    fn start(&self) -> BoxFuture<'_, Result<Started, CannotStart>>;

    /// Starts it with a terminal as its stdin; `None` where that cannot be done.
    fn start_by_hand(&self) -> BoxFuture<'_, Result<Option<Started>, CannotStart>> {
        Box::pin(async { Ok(None) })
    }
}

/// A plugin that runs.
pub struct Started {
    pub stdin: Box<dyn AsyncWrite + Send + Unpin>,
    pub stdout: Box<dyn AsyncRead + Send + Unpin>,
    pub stderr: Box<dyn AsyncRead + Send + Unpin>,
    /// Its end. Dropped before that, the plugin is ended.
    pub end: BoxFuture<'static, Ended>,
}

/// How a plugin ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ended {
    /// For people: `exited with code 0`.
    pub text: String,
    pub is_success: bool,
}

/// The program cannot be started, so nothing can be said about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct CannotStart(pub String);

/// How long things may take.
#[derive(Debug, Clone, Copy)]
pub struct Patience {
    /// A description.
    pub describe: Duration,
    /// From `init` to `ready`, and any run as a whole.
    pub run: Duration,
    /// How long a plugin may say nothing before it is taken for one that waits for its end.
    pub quiet: Duration,
    /// From `shutdown` to `exit`, and from there to its end.
    pub grace: Duration,
}

impl Default for Patience {
    /// As the host has it.
    fn default() -> Self {
        Self {
            describe: Duration::from_secs(2),
            run: Duration::from_secs(10),
            quiet: Duration::from_secs(1),
            grace: Duration::from_secs(5),
        }
    }
}

impl std::fmt::Debug for Started {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Started").finish_non_exhaustive()
    }
}
