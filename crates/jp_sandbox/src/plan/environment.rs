//! Which variables a process gets.
//!
//! No kernel feature is needed: the environment of a restricted process is built from nothing. It has
//! the few variables without which hardly any program runs, and what the rules grant.

use jp_tool::access::{AccessPolicy, Decision};

use super::{Plan, Profile, Request};

/// What every restricted process gets, as names or beginnings of names followed by `*`.
pub const MINIMAL: [&str; 5] = ["PATH", "HOME", "USER", "LANG", "LC_*"];

/// Where the variables of a process come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Environment {
    /// All of the host's.
    Host,
    /// The minimal ones and those that the rules grant.
    Minimal,
}

impl Plan {
    /// Whether a variable of the host is handed on. A rule that names a minimal variable and denies
    /// it is heeded; a lone `*` that denies is what holds anyway and takes none of them away.
    pub fn passes(&self, policy: Option<&AccessPolicy>, variable: &str) -> bool {
        if self.environment == Environment::Host {
            return true;
        }
        let decision = policy.map_or(Decision::Uncovered, |policy| policy.decide_env(variable));
        match decision {
            Decision::Allowed(_) => true,
            Decision::Denied(rule) => rule.name == "*" && is_minimal(variable),
            Decision::Uncovered => is_minimal(variable),
        }
    }
}

pub(super) fn of(request: &Request<'_>) -> Environment {
    let has_rules = request.policy.is_some_and(|policy| !policy.env.is_empty());
    match request.profile {
        Profile::Strict | Profile::Sealed { .. } => Environment::Minimal,
        Profile::Workspace | Profile::Off if has_rules => Environment::Minimal,
        Profile::Workspace | Profile::Off => Environment::Host,
    }
}

fn is_minimal(variable: &str) -> bool {
    MINIMAL.iter().any(|name| match name.strip_suffix('*') {
        Some(prefix) => variable.starts_with(prefix),
        None => variable == *name,
    })
}
