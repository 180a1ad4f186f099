//! `[conversation.tools.<name>.access]`: what a tool may touch, as it is written in files.
//!
//! These types have the shape of the policy in `jp_tool`, but a list here is one that layers build
//! together. [`compile`] turns the result into the policy; nothing else does.

pub mod compile;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MergeableVec;

/// What a local tool may touch. A kind of resource without rules is not restricted; with one rule
/// or more, everything that no rule covers is denied.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AccessConfig {
    /// Files and directories of the workspace. The rule with the longest path that matches decides
    /// alone; of two with the same path, the later.
    #[serde(skip_serializing_if = "is_empty")]
    pub fs: MergeableVec<FsRuleConfig>,
    /// Hosts that can be talked to. The most specific rule that matches decides.
    #[serde(skip_serializing_if = "is_empty")]
    pub net: MergeableVec<NetRuleConfig>,
    /// Environment variables that can be read. The rule with the longest name that matches decides.
    #[serde(skip_serializing_if = "is_empty")]
    pub env: MergeableVec<EnvRuleConfig>,
    /// Programs that can be started, by name. Unset: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<BTreeMap<String, CommandRuleConfig>>,
}

/// What may be done below a path. What is not granted is denied.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FsRuleConfig {
    /// A path below the root of the workspace; `.` is all of it. Characters such as `*` mean
    /// themselves.
    pub path: String,
    /// Read files, list directories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read: Option<bool>,
    /// Create, update and delete, where they are not set themselves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub write: Option<bool>,
    /// Make new files and directories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub create: Option<bool>,
    /// Change and rename what is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub update: Option<bool>,
    /// Remove what is there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delete: Option<bool>,
    /// Run files as programs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execute: Option<bool>,
}

/// Whether a host may be talked to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NetRuleConfig {
    /// A host name or address, without scheme, port or path. There are no wildcards.
    pub host: String,
    /// Only this scheme. Unset: `http` and `https`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// Only this port. Unset: the default port of the scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// Only this path and what is below it. Unset: every path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_prefix: Option<String>,
    /// Whether what matches is allowed.
    #[serde(default)]
    pub allow: bool,
}

/// Whether an environment variable may be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct EnvRuleConfig {
    /// A name, or the beginning of names with a `*` behind it.
    pub name: String,
    /// Whether what matches may be read.
    #[serde(default)]
    pub read: bool,
}

/// How a program may be started.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CommandRuleConfig {
    /// Lists of arguments that are allowed; a `**` at the end of one stands for any that follow.
    /// Unset: any arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub args: Option<Vec<Vec<String>>>,
    /// Variables that the program may be given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub envs: Vec<String>,
}

/// A shorter way to write the same, for tools that need no more.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxConfig {
    /// Files and directories.
    pub filesystem: FilesystemSandbox,
    /// Hosts and the variables that may be sent to them.
    pub network: NetworkSandbox,
    /// Programs that can be started, by name. Unset: any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commands: Option<BTreeMap<String, CommandRuleConfig>>,
}

/// Files and directories.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct FilesystemSandbox {
    /// Paths that can be read.
    #[serde(skip_serializing_if = "is_empty")]
    pub allow: MergeableVec<String>,
    /// Whether they can be written to as well.
    pub writable: bool,
}

/// Hosts and the variables that may be sent to them.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NetworkSandbox {
    /// Hosts that can be talked to: `api.github.com`, or with scheme, port or path
    /// `https://api.github.com/repos`.
    #[serde(skip_serializing_if = "is_empty")]
    pub allow: MergeableVec<String>,
    /// Variables whose values may be put into requests.
    #[serde(skip_serializing_if = "is_empty")]
    pub envs: MergeableVec<String>,
}

fn is_empty<T>(list: &MergeableVec<T>) -> bool {
    list.0.is_empty()
}
