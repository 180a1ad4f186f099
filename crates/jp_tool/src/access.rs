//! What a tool may touch: one policy, and the one definition of what it means.
//!
//! A policy has a list of rules for each kind of resource. A kind with no rules is not restricted by
//! the policy; with one rule or more, everything that no rule covers is denied. Among the rules that
//! match a target the most specific one decides alone, and of two that are equally specific the one
//! that stands later in the list.
//!
//! [`Decision`] has three answers because its readers differ on the third: a tool's own check and
//! the kernel treat what no rule covers as denied, a host with a person at hand may ask.

mod command;
#[cfg(test)]
mod draws;
mod env;
mod fs;
mod net;
#[cfg(unix)]
pub mod path;
pub mod sensitive;
mod specificity;

use serde::{Deserialize, Serialize};

pub use self::{
    command::{CommandAccessError, CommandRule, Commands, InvalidCommandRule},
    env::{EnvAccessError, EnvName, EnvRule, InvalidEnvName},
    fs::{Capability, FsAccessError, FsRule, FsRules, is_settings},
    net::{InvalidNetRule, NetAccessError, NetRule, NetTarget, is_public},
    sensitive::{SensitiveError, SensitiveGate, SensitivePaths, SensitivePatternError},
    specificity::{EnvSpecificity, FsSpecificity, NetSpecificity},
};

/// Everything a tool may touch.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct AccessPolicy {
    /// Files and directories of the workspace.
    #[serde(default)]
    pub fs: FsRules,
    /// Hosts that can be talked to.
    #[serde(default)]
    pub net: Vec<NetRule>,
    /// Environment variables that can be read.
    #[serde(default)]
    pub env: Vec<EnvRule>,
    /// Programs that can be started. Absent: any; present: only these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commands: Option<Commands>,
}

/// What a list of rules says about a target, and which rule says it.
#[derive(Debug, PartialEq, Eq)]
pub enum Decision<'a, R> {
    /// This rule allows it.
    Allowed(&'a R),
    /// This rule denies it.
    Denied(&'a R),
    /// No rule matches.
    Uncovered,
}

// It only holds a reference, so it is `Copy` whatever the rule is; a derive would ask the rule.
impl<R> Clone for Decision<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R> Copy for Decision<'_, R> {}

impl<'a, R> Decision<'a, R> {
    /// The answer of the rule that won, if one did.
    pub(crate) fn of(winner: Option<&'a R>, allows: impl FnOnce(&R) -> bool) -> Self {
        match winner {
            Some(rule) if allows(rule) => Self::Allowed(rule),
            Some(rule) => Self::Denied(rule),
            None => Self::Uncovered,
        }
    }

    /// Whether a rule allows it.
    pub fn is_allowed(&self) -> bool {
        matches!(self, Self::Allowed(_))
    }
}
