//! `[sandbox]`: how the programs of tools are confined, what they may use outside the workspace, and
//! what is kept from them even where a rule grants it.
//!
//! The rules of a tool (`access`) speak of the workspace only. A program also needs its toolchain and
//! its caches, and those are named here for all tools, and under `system` for one. This is not the
//! `sandbox` of a tool, which is a shorter way to write its `access`.
//!
//! Every layer can add to these lists, a file that came with somebody's workspace too. So a place
//! that holds secrets can never be opened here, and the list of such places only grows.

pub(crate) mod finish;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MergeableVec;
use crate::types::format::{SensitivePattern, SystemPath};
use crate::types::mergeable::only_grows;

/// How the programs of tools are confined, and what is kept from them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxSettings {
    /// What holds for a tool without rules of its own: `workspace` lets it write in the workspace,
    /// `strict` lets it read there and nothing else, `off` does not confine it.
    pub default: SandboxDefault,
    /// Whether a tool may run where the system can enforce its rules only in part. It is refused
    /// otherwise.
    pub allow_degraded: bool,
    /// Toolchains whose directories can be read and whose caches can be written.
    pub presets: MergeableVec<Preset>,
    /// Files and directories outside the workspace that can be read: `/path` or `~/path`.
    pub read: MergeableVec<SystemPath>,
    /// Files and directories outside the workspace that can be read and written.
    pub write: MergeableVec<SystemPath>,
    /// Paths that hold secrets, in addition to the built-in ones: `~/path`, `/path`,
    /// `path/in/the/workspace` or `**/name`. A grant that covers one is asked about once per run; with
    /// nobody to ask it is denied. No layer can shorten the list.
    #[schemars(transform = only_grows)]
    pub sensitive_paths: MergeableVec<SensitivePattern>,
}

/// What the program of one tool may use outside the workspace, in addition to what all may.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SystemConfig {
    /// Toolchains whose directories can be read and whose caches can be written.
    #[serde(skip_serializing_if = "is_empty")]
    pub presets: MergeableVec<Preset>,
    /// Files and directories outside the workspace that can be read: `/path` or `~/path`.
    #[serde(skip_serializing_if = "is_empty")]
    pub read: MergeableVec<SystemPath>,
    /// Files and directories outside the workspace that can be read and written.
    #[serde(skip_serializing_if = "is_empty")]
    pub write: MergeableVec<SystemPath>,
}

/// What holds for a tool without rules of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SandboxDefault {
    /// It writes in the workspace and in a temporary directory of its own, and reads no secrets.
    #[default]
    Workspace,
    /// It reads the workspace; no network, no other programs, no variables.
    Strict,
    /// It is not confined.
    Off,
}

/// A toolchain: where it is installed and what it caches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Preset {
    /// Cargo and rustup.
    Rust,
    /// Node and its package managers.
    Node,
    /// Python, pip and virtual environments.
    Python,
    /// The Go toolchain and its module cache.
    Go,
    /// The JVM, Maven and Gradle.
    Java,
    /// Git and its configuration.
    Git,
}

fn is_empty<T>(list: &MergeableVec<T>) -> bool {
    list.0.is_empty()
}
