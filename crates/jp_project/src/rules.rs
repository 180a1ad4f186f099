//! What of the files may be used, as every backend asks it.
//!
//! A question is about a canonical path, and is put where the path is used. The policy comes first; what
//! it allows then has to pass the gate in front of sensitive paths, which only a person's yes opens.

use std::sync::Arc;

use camino::Utf8Path;
use jp_tool::access::{AccessPolicy, Capability, FsAccessError, FsRule, SensitiveGate};

/// What of the files may be used: the rules, and the second look at what is sensitive.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// Rule paths are canonical. `None`: everything may be used.
    pub policy: Option<AccessPolicy>,
    /// Asked after the policy has allowed it, about the canonical path, in the same act.
    pub sensitive: Option<Arc<SensitiveGate>>,
}

impl Rules {
    /// Whether this may be done with a canonical path.
    pub fn check(&self, capability: Capability, path: &Utf8Path) -> Result<(), FsAccessError> {
        self.policy.as_ref().map_or(Ok(()), |policy| policy.check(capability, path))?;
        self.check_name(path)
    }

    /// Whether something may be used under this name, which leads to what was judged: a link that is
    /// called `.env` is sensitive wherever it leads.
    pub fn check_name(&self, path: &Utf8Path) -> Result<(), FsAccessError> {
        Ok(self.sensitive.as_ref().map_or(Ok(()), |gate| gate.pass(path))?)
    }

    /// What a move needs besides `delete` on its source and `create` or `update` on its target.
    pub fn check_move(
        &self,
        from: &Utf8Path,
        to: &Utf8Path,
        is_dir: bool,
    ) -> Result<(), FsAccessError> {
        self.policy.as_ref().map_or(Ok(()), |policy| policy.check_move(from, to, is_dir))?;
        let gate = self.sensitive.as_ref().filter(|_| is_dir);
        Ok(gate.map_or(Ok(()), |gate| gate.pass_move(from))?)
    }

    /// Whether the move of a directory also depends on what is inside it; see [`Self::check_moved`].
    pub fn look_inside(&self) -> bool {
        self.policy.as_ref().is_some_and(|policy| !policy.fs.is_empty())
    }

    /// What the move of a directory needs besides for this path inside it.
    pub fn check_moved(
        &self,
        from: &Utf8Path,
        to: &Utf8Path,
        path: &Utf8Path,
    ) -> Result<(), FsAccessError> {
        let (Some(policy), Ok(rest)) = (&self.policy, path.strip_prefix(from)) else {
            return Ok(());
        };
        policy.check_moved(path, &to.join(rest))
    }

    /// Whether the content of a canonical path may be told.
    pub fn can_read(&self, path: &Utf8Path) -> bool {
        self.policy.as_ref().is_none_or(|policy| policy.can_read(path))
            && self.sensitive.as_ref().is_none_or(|gate| gate.pass(path).is_ok())
    }

    /// Whether a name may be told: of what the policy lets be read, and of what leads to something that
    /// it does. That something sensitive is there is no secret.
    pub fn is_visible(&self, path: &Utf8Path) -> bool {
        self.policy.as_ref().is_none_or(|policy| {
            let leads_to = |rule: &FsRule| rule.read() && rule.path().starts_with(path);
            policy.can_read(path) || policy.fs.iter().any(leads_to)
        })
    }
}

impl From<AccessPolicy> for Rules {
    fn from(policy: AccessPolicy) -> Self {
        Self { policy: Some(policy), sensitive: None }
    }
}
