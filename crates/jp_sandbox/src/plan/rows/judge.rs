//! One rule and the finished view: the same, less, or more, and the reason.

use std::cmp::Ordering;

use jp_tool::access::Capability;

use super::Outcome;
use crate::{
    confinement::Tier,
    plan::{
        Fidelity, Kind, Lifetime, Request, secrets, words,
        workspace::{Node, WRITES},
    },
    view::{What, Write},
};

/// Compares one node with the view.
pub(super) struct Judge<'a> {
    pub(super) request: &'a Request<'a>,
    pub(super) outcome: &'a Outcome<'a>,
    pub(super) node: &'a Node,
}

impl Judge<'_> {
    /// How faithfully a capability of the rule is kept, and why.
    pub(super) fn answer(&self, capability: Capability) -> (Fidelity, String) {
        if self.node.is_impossible {
            return (Fidelity::Exact, words::IMPOSSIBLE.to_owned());
        }
        let granted = self.node.grants.has(capability);
        let compared = match (granted, self.has(capability, granted)) {
            (true, false) => (Fidelity::Stricter, self.why_less(capability).to_owned()),
            (false, true) => (Fidelity::Looser, self.why_more(capability).to_owned()),
            _ => (Fidelity::Exact, self.remark_of_exact(capability).to_owned()),
        };
        let remarks = self.outcome.remarks.iter().filter(|remark| {
            remark.path == self.node.path && remark.capabilities.contains(&capability)
        });
        let remarked = remarks.map(|remark| (remark.fidelity, remark.reason.clone()));
        remarked.fold(compared, |worst, next| match next.0.cmp(&worst.0) {
            Ordering::Greater => next,
            Ordering::Equal if worst.1.is_empty() => next,
            _ => worst,
        })
    }

    /// Whether the process has a capability at the path of the rule. `granted` is the answer where
    /// the view leaves it to the judge, or where the question makes no sense.
    fn has(&self, capability: Capability, granted: bool) -> bool {
        let what = self.outcome.view.at(&self.node.path);
        match (capability, what) {
            (Capability::Read, What::Host { .. }) => true,
            (Capability::Execute, What::Host { execute, write }) => {
                // What is not there and cannot be made cannot be run either.
                if self.is_missing() && write == Write::No { granted && execute } else { execute }
            }
            (Capability::Read, What::Blank) if self.is_missing() => granted,
            (Capability::Read | Capability::Execute, _) => false,
            // What exists cannot be created.
            (Capability::Create, _) if self.node.kind == Kind::File => granted,
            (_, What::Host { write, .. }) => self.writes(capability, write, granted),
            (_, What::Blank) if self.is_missing() => granted,
            (_, What::Blank | What::Hidden | What::Private { .. }) => false,
        }
    }

    fn writes(&self, capability: Capability, write: Write, granted: bool) -> bool {
        if capability == Capability::Delete && self.is_mounted() {
            return false;
        }
        match write {
            Write::No => false,
            Write::Direct => true,
            Write::Judged => granted,
        }
    }

    fn is_missing(&self) -> bool {
        self.node.kind == Kind::Missing
    }

    /// Whether the path is a mount. The root is not meant to be removed by anybody.
    fn is_mounted(&self) -> bool {
        self.request.tier == Tier::Namespaces
            && self.node.path != self.request.root
            && self.outcome.view.exactly(&self.node.path).is_some()
            || self.request.tier == Tier::Landlock
                && self.node.path != self.request.root
                && !self.parent_is_writable()
    }

    /// Without mounts it is the directory around it that lets something be removed.
    fn parent_is_writable(&self) -> bool {
        let parent = self.node.path.parent().map(|parent| self.outcome.view.at(parent));
        matches!(parent, Some(What::Host { write: Write::Direct, .. }))
    }

    fn why_less(&self, capability: Capability) -> &'static str {
        let is_write = WRITES.contains(&capability);
        let node = self.node;
        if secrets::unapproved(self.request).any(|secret| node.path.starts_with(secret)) {
            words::SENSITIVE_RULE
        } else if capability == Capability::Create && self.is_made_unseen() {
            words::UNSEEN
        } else if !node.grants.reads() && is_write {
            words::WITHOUT_READ
        } else if !node.grants.reads() {
            words::RUN_WITHOUT_READ
        } else if matches!(node.kind, Kind::Link(_) | Kind::Other) {
            words::UNUSUAL
        } else if self.is_expanded() && self.request.tier == Tier::Landlock {
            words::SIBLINGS
        } else if self.is_expanded() && is_write && node.grants.writes_all() {
            words::HELD
        } else if is_write && self.request.transactional && !self.request.can_judge() {
            words::DRY_RUN_BLOCKED
        } else if capability == Capability::Delete && self.is_mounted() {
            if node.kind == Kind::File { words::FILE_IN_PLACE } else { words::NOT_ITSELF }
        } else if is_write && !self.request.can_judge() {
            self.why_not_judged()
        } else if self.is_missing() && capability == Capability::Execute {
            words::NO_PROGRAM_YET
        } else if self.is_missing() {
            words::NOT_THERE
        } else {
            words::LESS
        }
    }

    /// Whether it is a directory in which names can be made though nothing of it is seen.
    fn is_made_unseen(&self) -> bool {
        let is_blank = self.outcome.view.at(&self.node.path) == What::Blank;
        is_blank && self.node.kind == Kind::Directory
    }

    /// Whether the place around it was replaced by its entries.
    fn is_expanded(&self) -> bool {
        self.outcome.expanded.iter().any(|path| self.node.path.starts_with(path))
    }

    fn why_not_judged(&self) -> &'static str {
        match self.request.lifetime {
            Lifetime::Server => words::NOT_JUDGED_SERVER,
            Lifetime::Call => words::NOT_JUDGED_LANDLOCK,
        }
    }

    fn why_more(&self, capability: Capability) -> &'static str {
        match self.request.tier {
            Tier::Landlock => words::NO_NARROWING,
            _ if capability == Capability::Execute && self.is_missing() => words::PROGRAM_YET,
            _ => words::MORE,
        }
    }

    fn remark_of_exact(&self, capability: Capability) -> &'static str {
        let grants = self.node.grants;
        let is_judged = self.outcome.view.at(&self.node.path).is_judged();
        match capability {
            Capability::Execute if grants.reads() && !grants.executes() => words::INTERPRETED,
            Capability::Create | Capability::Update | Capability::Delete
                if is_judged && grants.writes_some() =>
            {
                words::JUDGED
            }
            _ => "",
        }
    }
}
