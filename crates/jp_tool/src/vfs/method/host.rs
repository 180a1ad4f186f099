//! The host itself: what `host.capabilities` gives.

use serde::{Deserialize, Serialize};

/// Ask what the host can do.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCapabilities {}

/// What the host can do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostCapabilitiesResult {
    /// The version of the protocol, as in `init`.
    pub protocol_version: String,
    /// The names of the methods it serves. Names and not an enum: a newer host has more.
    pub methods: Vec<String>,
    /// How much is too much.
    pub limits: Limits,
}

/// Where the host draws a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// The largest file, or part of one, that is read in one go.
    pub file_bytes: u64,
    /// The longest line that a tool may write.
    pub message_bytes: u64,
    /// For how long a tool may be silent while nothing is owed to it.
    pub request_timeout_secs: u64,
    /// How long a tool may take to end after `cancel`.
    pub cancel_grace_secs: u64,
}
