//! What happens to a confined process, as its starter hears of it.

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// Something that happened.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// The program runs.
    Started,
    /// The network namespace is there; its listener for the proxy comes with this.
    Listening,
    /// It never ran.
    Failed(Failure),
    /// What it was denied, in the order in which it asked; comes before the end.
    Blocked(Vec<Blocked>),
    /// It is about to be over, and processes it started are still there; they are ended now. Only
    /// heard where it has a namespace for its processes.
    LeftBehind,
    /// It has ended, and everything it started with it.
    Ended(Ended),
}

/// How a program ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ended {
    /// With this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
}

/// Something that a program asked for and its confinement denies.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Blocked {
    /// A file or directory that the host has.
    Path {
        /// Which.
        path: Utf8PathBuf,
        /// What for.
        wanted: Wanted,
    },
    /// An address.
    Address(String),
}

/// What a program wanted with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Wanted {
    /// To read or to find it.
    Read,
    /// To make, change or remove it.
    Write,
    /// To run it.
    Execute,
}
