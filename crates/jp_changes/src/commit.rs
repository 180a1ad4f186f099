//! Making the allowed changes real, in an order that a crash survives.
//!
//! First directories, then files and links, then removals from the inside out, then what takes the
//! place of a directory, then permissions of directories. Each file is complete before it gets its
//! name, so at every moment each path has what it had or what it will have. New content comes before
//! removals, and if any of it fails nothing is removed: what a tool moved is never lost on the way.
//!
//! The workspace is entered through handles and no link is followed. Before a path is touched, what is
//! there is compared with what was there when the set was read, so a change that somebody else made in
//! the meantime (while a person was reading the diff, say) is not overwritten.

mod directories;
mod put;
mod twins;

use std::{
    collections::BTreeSet,
    os::fd::OwnedFd,
    sync::{Arc, atomic::Ordering},
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{fs::AtFlags, io::Errno};

use self::twins::Twins;
use crate::{
    Change, CommitError, Failure, Judged, Kind, Node, Outside, Report,
    change::Seen,
    ground::{Ground, plain},
    judge::links::may_lead,
    tree::{chmod, handle_at, read_link, stat_at},
};

/// Up to so many files are brought to disk one by one; more of them together.
const ONE_BY_ONE: usize = 64;

impl Judged {
    /// Makes the allowed changes. The set is used up: what was allowed and failed stays out of the
    /// workspace, and is in the report.
    pub fn commit(self) -> Report {
        if self.ground.set.used.swap(true, Ordering::AcqRel) {
            let used = |change| Failure { change, error: CommitError::Used };
            return Report {
                done: Vec::new(),
                failed: self.allowed.into_iter().map(used).collect(),
            };
        }
        let mut commit = Commit::new(self.ground, &self.allowed);
        for step in [Step::Directories, Step::Contents, Step::Removals, Step::Replacements] {
            commit.take(step, &self.allowed);
        }
        commit.finish_directories(&self.allowed);
        commit.check_links(&self.outside, &self.allowed);
        commit.sync();
        commit.report(self.allowed)
    }
}

/// The order of things.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Directories are made and opened up, from the outside in.
    Directories,
    /// Files and links get their new content.
    Contents,
    /// What is gone is removed, from the inside out.
    Removals,
    /// A file or link takes the place of a directory that is empty by now.
    Replacements,
}

impl Step {
    fn of(change: &Change) -> Self {
        let is_dir = change.seen.is_some_and(|seen| seen.is_dir);
        match &change.kind {
            Kind::Created(Node::Directory) | Kind::Replaced { new: Node::Directory, .. } => {
                Self::Directories
            }
            Kind::Updated { .. } if is_dir => Self::Directories,
            Kind::Deleted(_) => Self::Removals,
            Kind::Replaced { old: Node::Directory, .. } => Self::Replacements,
            _ => Self::Contents,
        }
    }

    /// Whether something that was there is gone afterwards without a successor beside it.
    fn removes(self) -> bool {
        matches!(self, Self::Removals | Self::Replacements)
    }
}

struct Commit {
    ground: Arc<Ground>,
    /// What became of each change, by its index.
    results: Vec<Option<Result<(), CommitError>>>,
    failed: bool,
    /// Whether each file is brought to disk before it gets its name. Otherwise all of them were.
    sync_each: bool,
    /// The directories, relative to the root, in which something changed.
    touched: BTreeSet<Utf8PathBuf>,
    /// Where a file may be written beside the one it replaces; noted in the journal at first need.
    beside: BTreeSet<Utf8PathBuf>,
    noted: bool,
    /// Files with several names, copied once.
    twins: Twins,
}

impl Commit {
    fn new(ground: Arc<Ground>, changes: &[Change]) -> Self {
        let contents = changes.iter().filter(|change| change.kind.has_content());
        let sync_each = contents.count() <= ONE_BY_ONE;
        // If this fails, files are brought to disk one by one.
        let all_synced = !sync_each && rustix::fs::syncfs(&ground.set.dir).is_ok();
        let not_new = changes.iter().filter(|change| Step::of(change) != Step::Removals);
        let beside = not_new.map(|change| parent(&change.path).to_owned()).collect();
        Self {
            ground,
            results: changes.iter().map(|_| None).collect(),
            failed: false,
            sync_each: !all_synced,
            touched: BTreeSet::new(),
            beside,
            noted: false,
            twins: Twins::default(),
        }
    }

    fn take(&mut self, step: Step, changes: &[Change]) {
        let indices = 0..changes.len();
        // Directories stand before what is in them, and are removed after it.
        let ordered: Vec<usize> =
            if step.removes() { indices.rev().collect() } else { indices.collect() };
        for index in ordered {
            let change = &changes[index];
            if Step::of(change) != step {
                continue;
            }
            let result = if step.removes() && self.failed {
                Err(CommitError::Skipped)
            } else {
                self.make(step, change)
            };
            self.note(index, change, result);
        }
    }

    fn make(&mut self, step: Step, change: &Change) -> Result<(), CommitError> {
        match (step, &change.kind) {
            // Directories get their permissions at the end, when nothing has to be written to them
            // any more; until then their owner can work in them.
            (Step::Directories, Kind::Updated { .. }) => self.open_up(change),
            (Step::Directories, _) => self.make_directory(change),
            (Step::Contents, Kind::Updated { content: false, .. }) => self.change_mode(change),
            (Step::Contents, _) => self.put(change),
            (Step::Removals, _) => self.remove(change),
            (Step::Replacements, _) => self.replace_directory(change),
        }
    }

    fn note(&mut self, index: usize, change: &Change, result: Result<(), CommitError>) {
        if result.is_ok() {
            self.touched.insert(parent(&change.path).to_owned());
        } else {
            self.failed = true;
        }
        self.results[index] = Some(result);
    }

    /// Only the permissions differ, so the file stays what it is.
    fn change_mode(&self, change: &Change) -> Result<(), CommitError> {
        let (dir, name) = self.spot(change)?;
        let handle = handle_at(&dir, name)?;
        let stat = rustix::fs::fstat(&handle)?;
        if change.seen != Some(Seen::from(&stat)) {
            return Err(CommitError::Changed);
        }
        Ok(chmod(&handle, change.mode.unwrap_or(stat.st_mode))?)
    }

    fn remove(&self, change: &Change) -> Result<(), CommitError> {
        let (dir, name) = self.spot(change)?;
        if stat_at(&dir, name)?.is_none() {
            return Ok(());
        }
        check(&dir, name, change)?;
        let is_dir = change.kind.gone() == Some(&Node::Directory);
        let flags = if is_dir { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        match rustix::fs::unlinkat(&dir, name, flags) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(Errno::NOTEMPTY | Errno::EXIST) => Err(CommitError::Changed),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens the directory in which a change is, with the name there.
    fn spot<'a>(&self, change: &'a Change) -> Result<(OwnedFd, &'a str), CommitError> {
        Ok(self.ground.host.spot(plain(&change.path))?)
    }

    /// Each link was judged by itself; together, and with those of the user, they could lead out
    /// all the same. Such a link goes again.
    fn check_links(&mut self, outside: &Outside, changes: &[Change]) {
        for (index, change) in changes.iter().enumerate() {
            let is_made = matches!(self.results[index], Some(Ok(())));
            let Some(target) = change.kind.link().filter(|_| is_made) else {
                continue;
            };
            if may_lead(&self.ground.root, outside, &change.path, target) {
                continue;
            }
            if let Ok((dir, name)) = self.spot(change)
                && read_link(&dir, name).is_ok_and(|(text, _)| text == target)
            {
                let _gone = rustix::fs::unlinkat(&dir, name, AtFlags::empty());
            }
            self.note(index, change, Err(CommitError::LeavesRoot));
        }
    }

    /// Brings the names to disk.
    fn sync(&self) {
        // A failure here takes nothing back, and there is nothing else to be done about it.
        if self.touched.len() > ONE_BY_ONE
            && let Ok(root) = self.ground.host.dir(Utf8Path::new(""))
        {
            let _synced = rustix::fs::syncfs(root);
            return;
        }
        for path in &self.touched {
            if let Ok(dir) = self.ground.host.dir(path) {
                let _synced = rustix::fs::fsync(dir);
            }
        }
    }

    fn report(self, changes: Vec<Change>) -> Report {
        let mut report = Report::default();
        for (change, result) in changes.into_iter().zip(self.results) {
            match result {
                Some(Ok(())) => report.done.push(change),
                Some(Err(error)) => report.failed.push(Failure { change, error }),
                None => report.failed.push(Failure { change, error: CommitError::Skipped }),
            }
        }
        report
    }
}

impl From<Errno> for CommitError {
    fn from(errno: Errno) -> Self {
        match errno {
            // A link or another file system is on the way now, or the directory is gone.
            Errno::LOOP | Errno::XDEV | Errno::NOTDIR | Errno::NOENT => Self::Changed,
            errno => Self::Io(errno.into()),
        }
    }
}

/// Whether the workspace still has what it had when the set was read.
fn check(dir: &OwnedFd, name: &str, change: &Change) -> Result<(), CommitError> {
    let now = stat_at(dir, name)?.as_ref().map(Seen::from);
    if now == change.seen { Ok(()) } else { Err(CommitError::Changed) }
}

fn parent(path: &Utf8Path) -> &Utf8Path {
    path.parent().unwrap_or(Utf8Path::new(""))
}

#[cfg(test)]
mod tests;
