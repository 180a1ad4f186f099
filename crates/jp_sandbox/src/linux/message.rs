//! What jp and the helper's processes say to each other.

use serde::{Deserialize, Serialize};

use crate::{
    confinement::{Confinement, Program},
    failure::Failure,
};

/// What to start and how.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Order {
    pub(super) confinement: Confinement,
    pub(super) program: Program,
}

/// jp to the helper. The last descriptor is a socket to talk about it over, unless that is the one by which
/// this was sent.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Start {
    /// Start this, with the first three descriptors as its standard streams.
    Run(Written),
    /// Try what the machine offers, and answer with it.
    Probe,
}

/// An [`Order`] as it was encoded, where it stands.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Written {
    /// In the message.
    Here(Vec<u8>),
    /// In the file of the fourth descriptor, because it is too long for a message.
    Aside {
        /// The length of the file.
        bytes: u64,
    },
}

/// jp to a supervisor. The end of the connection means that everything has to end.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) enum Control {
    /// Send this signal to the program and its process group.
    Signal(i32),
    /// End everything now.
    Kill,
}

/// The first process inside, or the tool before it executes, to the supervisor.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Inner {
    /// It could not be done.
    Failed(Failure),
    /// The descriptor is the listener for the proxy.
    Listener,
    /// The descriptor refers to the tool's process.
    Tool,
    /// The descriptor is where the tool's calls are asked about.
    Calls,
    /// The tool has ended, and something that it started has not.
    LeftBehind,
    /// The tool has ended.
    Ended(crate::event::Ended),
}
