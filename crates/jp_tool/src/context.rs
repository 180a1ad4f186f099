//! What the host tells a tool about where it runs. The checks that a tool makes before it acts are in
//! `checks.rs`; they have to find out where a path leads, which this crate does on Unix only.

#[cfg(unix)]
mod checks;

use camino::Utf8PathBuf;
use serde::{Deserialize, Serialize};

use crate::{Action, access::AccessPolicy};

/// Where a tool runs and what it may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Context {
    /// The root of the workspace.
    pub root: Utf8PathBuf,
    /// What the tool is asked to do.
    #[serde(default)]
    pub action: Action,
    /// What the tool may touch. `None`: everything in the workspace.
    #[serde(default)]
    pub access: Option<AccessPolicy>,
    /// The id of the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// The conversation in which the tool was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
}

#[cfg(test)]
mod tests;
