//! The questions that operations on files ask the policy, and the gate in front of sensitive paths.
//!
//! Most are one look at the rules with a canonical path. A rename, a link that is itself the object,
//! and a file with several names need more than one, and those are easy to forget; so they are here
//! together and not in the operations. What the rules allow then has to pass the gate, by where it is
//! and by how it was called: a link named `.env` is sensitive wherever it leads.

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{FileType, Stat};

use super::{Files, FsAccessError, files::Place, unresolvable, walk::kind_of};
use crate::access::{AccessPolicy, Capability};

impl Files {
    pub(super) fn permits(&self, capability: Capability, canonical: &Utf8Path) -> bool {
        self.policy.as_ref().is_none_or(|policy| policy.can(capability, canonical))
            && self.pass(canonical).is_ok()
    }

    pub(super) fn judge(
        &self,
        capability: Capability,
        canonical: &Utf8Path,
    ) -> Result<(), FsAccessError> {
        self.policy.as_ref().map_or(Ok(()), |policy| policy.check(capability, canonical))?;
        self.pass(canonical)
    }

    /// Where a path leads, and the path as it was written, which is another one if links are on it.
    pub(super) fn judge_found(
        &self,
        capability: Capability,
        canonical: &Utf8Path,
        lexical: &Utf8Path,
    ) -> Result<(), FsAccessError> {
        self.judge(capability, canonical)?;
        self.pass(lexical)
    }

    pub(super) fn pass(&self, path: &Utf8Path) -> Result<(), FsAccessError> {
        Ok(self.sensitive.as_ref().map_or(Ok(()), |gate| gate.pass(path))?)
    }

    /// The place of the entry and, if it is a link, the place where it leads.
    pub(super) fn judge_place(
        &self,
        capability: Capability,
        place: &Place<'_>,
    ) -> Result<(), FsAccessError> {
        if place.kind == Some(FileType::Symlink) {
            let target = self.root.find(place.input, &place.lexical)?;
            self.judge(capability, &target.relative)?;
        }
        self.judge_found(capability, &place.relative, &place.lexical)
    }

    pub(super) fn judge_move(
        &self,
        from: &Utf8Path,
        to: &Utf8Path,
        kind: FileType,
    ) -> Result<(), FsAccessError> {
        let is_dir = kind == FileType::Directory;
        self.policy.as_ref().map_or(Ok(()), |policy| policy.check_move(from, to, is_dir))?;
        let gate = self.sensitive.as_ref().filter(|_| is_dir);
        Ok(gate.map_or(Ok(()), |gate| gate.pass_move(from))?)
    }

    /// A file with several names is denied if a rule denies it under another one.
    pub(super) fn judge_links(
        &self,
        input: &Utf8Path,
        capability: Capability,
        stat: &Stat,
    ) -> Result<(), FsAccessError> {
        let Some(policy) = &self.policy else {
            return Ok(());
        };
        if stat.st_nlink < 2 || kind_of(stat) != FileType::RegularFile || policy.fs.is_empty() {
            return Ok(());
        }
        match self.links.denied_name(&self.root, &policy.fs, capability, stat) {
            Ok(None) => Ok(()),
            Ok(Some(other)) => Err(FsAccessError::Denied {
                capability: capability.as_str(),
                target: Utf8PathBuf::from(other.to_string_lossy().into_owned()),
                grants: policy.fs.grants(),
                covered: true,
            }),
            Err(reason) => Err(unresolvable(
                input,
                format!("the file has several names, and one may be denied: {reason}"),
            )),
        }
    }
}

impl AccessPolicy {
    /// What a move needs besides `delete` on its source and `create` or `update` on its target. Rules
    /// stay where they are when a directory moves, and what cannot be read now must not become readable
    /// by moving it. The paths are canonical.
    pub fn check_move(
        &self,
        from: &Utf8Path,
        to: &Utf8Path,
        is_dir: bool,
    ) -> Result<(), FsAccessError> {
        // A rule below the target may grant what the target itself does not.
        let below_to = self.fs.readable_paths().any(|path| path.starts_with(to));
        let becomes_readable = self.can_read(to) || below_to;
        if becomes_readable {
            self.check(Capability::Read, from)?;
        }
        if !is_dir {
            return Ok(());
        }
        for path in self.fs.canonical_paths() {
            if path.starts_with(from) {
                self.check(Capability::Delete, path)?;
                if becomes_readable {
                    self.check(Capability::Read, path)?;
                }
            } else if path != to && path.starts_with(to) {
                self.check(Capability::Create, path)?;
            }
        }
        Ok(())
    }
}
