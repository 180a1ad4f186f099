//! Which changes the policy allows.
//!
//! Each change is judged by the rule for its own path. Then come the consequences, because some
//! changes cannot be made without others:
//!
//! - what is below a directory that is not made cannot be made,
//! - a directory in which something stays cannot be removed,
//! - a directory that becomes something else goes as a whole or not at all,
//! - a file that was moved away stays if its new place is refused; otherwise nobody would have it.
//!
//! A link is judged at its own path, and by where it leads: see [`links`].
//!
//! A pipe or a socket that the tool left behind is nobody's work: whoever listened has ended with the
//! call. It is left out, which is said, and is no reason to call anything refused.

pub(crate) mod links;
mod moved;

use std::{collections::BTreeMap, fmt, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{AccessPolicy, Capability, Decision, is_settings};

use crate::{
    Change, Changes, Kind, Node, Outside, Reason, Refused, Reviewed, Shown, ground::Ground,
};

/// So often the consequences are drawn; each can have others. What is not settled then is refused.
const ROUNDS: usize = 32;

/// The changes, each of them allowed or refused.
#[derive(Debug)]
pub struct Judged {
    pub(crate) ground: Arc<Ground>,
    pub(crate) allowed: Vec<Change>,
    pub(crate) refused: Vec<Refused>,
    pub(crate) left_out: Vec<Change>,
    /// Where links may lead, asked again when they are made.
    pub(crate) outside: Outside,
}

impl Changes {
    /// Judges every change. Without a policy, or with one that has no rules for files, everything
    /// inside the workspace is allowed. A link may lead to what is `outside` of it and seen by the
    /// tool. `gate` is asked about each path that the rules allow and says no with a message; it is
    /// meant for sensitive paths.
    pub fn judge<E: fmt::Display>(
        mut self,
        policy: Option<&AccessPolicy>,
        outside: Outside,
        gate: impl Fn(&Utf8Path) -> Result<(), E>,
    ) -> Judged {
        let is_left = |change: &mut Change| change.kind == Kind::Created(Node::Special);
        let left_out: Vec<Change> = self.list.extract_if(.., is_left).collect();
        let mut verdict = Verdict::default();
        let one = One { root: &self.ground.root, policy, outside: &outside };
        for (index, change) in self.list.iter().enumerate() {
            let reason = one.judge(&gate, change);
            verdict.reasons.extend(reason.map(|reason| (index, reason)));
        }
        verdict.settle(&self);
        let is_hidden = |path: &Utf8Path| policy.is_some_and(|policy| !policy.can_read(path));
        let (allowed, refused) = (Vec::new(), Vec::new());
        let mut judged = Judged { ground: self.ground, allowed, refused, left_out, outside };
        for (index, change) in self.list.into_iter().enumerate() {
            match verdict.reasons.remove(&index) {
                None => judged.allowed.push(change),
                Some(reason) => {
                    let hidden = is_hidden(&change.path);
                    judged.refused.push(Refused { change, reason, hidden });
                }
            }
        }
        judged
    }
}

impl Judged {
    /// What a commit will do.
    pub fn allowed(&self) -> &[Change] {
        &self.allowed
    }

    /// What it will not do.
    pub fn refused(&self) -> &[Refused] {
        &self.refused
    }

    /// Pipes and sockets that the tool left behind. Nobody misses them, and nothing depends on them.
    pub fn left_out(&self) -> &[Change] {
        &self.left_out
    }
}

impl Reviewed for Judged {
    fn allowed(&self) -> &[Change] {
        self.allowed()
    }

    fn refused(&self) -> &[Refused] {
        self.refused()
    }

    fn show(&self, change: &Change, lines: usize) -> Shown {
        self.show(change, lines)
    }
}

/// What a change is judged by when nothing but itself is looked at.
struct One<'a> {
    root: &'a Utf8Path,
    policy: Option<&'a AccessPolicy>,
    outside: &'a Outside,
}

impl One<'_> {
    /// What speaks against a change by itself.
    fn judge<E: fmt::Display>(
        &self,
        gate: &impl Fn(&Utf8Path) -> Result<(), E>,
        change: &Change,
    ) -> Option<Reason> {
        if let Some(obstacle) = &change.obstacle {
            return Some(Reason::Obstacle(obstacle.clone()));
        }
        let closed = || gate(&change.path).err().map(|error| Reason::Sensitive(error.to_string()));
        // No rule for a directory above grants settings of jp, and the gate says better why.
        if is_settings(&change.path)
            && let Some(reason) = closed()
        {
            return Some(reason);
        }
        let denied = |capability: &Capability| deny(self.policy?, *capability, &change.path);
        if let Some(reason) = change.kind.needs().iter().find_map(denied) {
            return Some(reason);
        }
        if let Some(target) = change.kind.link()
            && !links::may_lead(self.root, self.outside, &change.path, target)
        {
            return Some(Reason::LeavesRoot { target: target.to_owned() });
        }
        if change.kind.link().is_some()
            && let Some(rule) = self.policy.and_then(|policy| rule_through(policy, &change.path))
        {
            return Some(Reason::MovesRule { rule });
        }
        closed()
    }
}

/// The rule whose path leads through this one. Rule paths are resolved anew for each call, so whoever
/// makes a link there chooses what the rule is about from then on.
fn rule_through(policy: &AccessPolicy, path: &Utf8Path) -> Option<Utf8PathBuf> {
    let mut rules = policy.fs.iter().map(jp_tool::access::FsRule::path);
    rules.find(|rule| rule.starts_with(path)).map(Utf8Path::to_owned)
}

fn deny(policy: &AccessPolicy, capability: Capability, path: &Utf8Path) -> Option<Reason> {
    if policy.fs.is_empty() {
        return None;
    }
    match policy.fs.decide(path, capability) {
        Decision::Allowed(_) => None,
        Decision::Denied(rule) => Some(Reason::Denied { capability, rule: Some(rule.clone()) }),
        Decision::Uncovered => Some(Reason::Denied { capability, rule: None }),
    }
}

/// The reasons so far, by the index of the change.
#[derive(Debug, Default)]
struct Verdict {
    reasons: BTreeMap<usize, Reason>,
}

impl Verdict {
    /// Draws the consequences until there are no more.
    fn settle(&mut self, changes: &Changes) {
        let mut moves = moved::Moves::default();
        for _ in 0..ROUNDS {
            let before = self.reasons.len();
            self.refuse_below_missing(&changes.list);
            moves.refuse(&changes.ground, &changes.list, &mut self.reasons);
            self.refuse_not_empty(&changes.list);
            self.refuse_halves(&changes.list);
            if self.reasons.len() == before {
                return;
            }
        }
        for (index, change) in changes.list.iter().enumerate() {
            if change.kind.gone().is_some() {
                self.refuse(index, Reason::Depends(Utf8PathBuf::from(".")));
            }
        }
        self.refuse_below_missing(&changes.list);
    }

    /// What would have to be in a directory that is not made. Directories come first in the list.
    fn refuse_below_missing(&mut self, list: &[Change]) {
        let mut missing: Option<&Utf8Path> = None;
        for (index, change) in list.iter().enumerate() {
            if let Some(dir) = missing.filter(|dir| change.path.starts_with(dir)) {
                self.refuse(index, Reason::Depends(dir.to_owned()));
            } else if change.kind.made() == Some(&Node::Directory)
                && self.reasons.contains_key(&index)
            {
                missing = Some(&change.path);
            }
        }
    }

    /// Directories that cannot go because something in them stays. From the end of the list, so that
    /// one that stays keeps those above it.
    fn refuse_not_empty(&mut self, list: &[Change]) {
        // The latest removal that is refused, of which a directory further up may be an ancestor.
        let mut stays: Vec<&Utf8Path> = Vec::new();
        for (index, change) in list.iter().enumerate().rev() {
            let mut inside = None;
            while let Some(path) = stays.pop_if(|path| path.starts_with(&change.path)) {
                inside = Some(path);
            }
            let Some(old) = change.kind.gone() else {
                // The directory of what stays is not touched, so those above it are not either.
                stays.extend(inside);
                continue;
            };
            if let Some(inside) = inside.filter(|_| *old == Node::Directory) {
                self.refuse(index, Reason::Depends(inside.to_owned()));
            }
            if self.reasons.contains_key(&index) {
                stays.push(&change.path);
            }
        }
    }

    /// The removals in a directory that should have become something else and does not.
    fn refuse_halves(&mut self, list: &[Change]) {
        let mut whole: Option<&Utf8Path> = None;
        for (index, change) in list.iter().enumerate() {
            if let Some(dir) = whole.filter(|dir| change.path.starts_with(dir)) {
                self.refuse(index, Reason::Depends(dir.to_owned()));
            } else if matches!(&change.kind, Kind::Replaced { old: Node::Directory, .. })
                && self.reasons.contains_key(&index)
            {
                whole = Some(&change.path);
            }
        }
    }

    fn refuse(&mut self, index: usize, reason: Reason) {
        self.reasons.entry(index).or_insert(reason);
    }
}

#[cfg(test)]
mod tests;
