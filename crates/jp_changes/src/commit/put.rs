//! Files and links: whole before they are visible.
//!
//! On one file system the file that the tool wrote is itself moved into place. That leaves nothing
//! behind in the workspace at any moment, costs no copy, and keeps its times. On another it has to be
//! copied: a new file has no name until it is complete; one that replaces another is written beside it
//! under a name that the journal knows.

use std::{
    fs::{File, FileTimes},
    io,
    os::fd::{AsFd, OwnedFd},
};

use camino::Utf8PathBuf;
use rustix::{
    fs::{AtFlags, CWD, Gid, Mode, OFlags, RenameFlags, Stat, Uid},
    io::Errno,
};

use super::{Commit, check};
use crate::{
    Change, CommitError, journal, overlay,
    tree::{proc_path, stat_at},
};

/// How the kernel says that a file system has no files without a name.
const NO_TMPFILE: [Errno; 4] = [Errno::OPNOTSUPP, Errno::ISDIR, Errno::INVAL, Errno::NOENT];

type Done = Result<(), CommitError>;

impl Commit {
    /// Gives a path its new content.
    pub(super) fn put(&mut self, change: &Change) -> Done {
        let (dir, name) = self.spot(change)?;
        check(&dir, name, change)?;
        self.prepare(change)?;
        let (tree, path) = self.ground.source(change);
        let (from, from_name) = tree.spot(path)?;
        let flags = match change.seen {
            None => RenameFlags::NOREPLACE,
            Some(_) => RenameFlags::empty(),
        };
        match rustix::fs::renameat_with(&from, from_name, &dir, name, flags) {
            Ok(()) => Ok(()),
            Err(Errno::EXIST) => Err(CommitError::Changed),
            Err(Errno::XDEV) => self.copy(change, &dir, name),
            Err(error) => Err(error.into()),
        }
    }

    /// A file or link in the place of a directory, which is empty by now.
    pub(super) fn replace_directory(&mut self, change: &Change) -> Done {
        let (dir, name) = self.spot(change)?;
        check(&dir, name, change)?;
        self.prepare(change)?;
        let (tree, path) = self.ground.source(change);
        let (from, from_name) = tree.spot(path)?;
        match exchange(&from, from_name, &dir, name) {
            Err(CommitError::Io(error)) if is(&error, &[Errno::XDEV]) => {
                let beside = self.beside(&dir)?;
                self.make_beside(change, &dir, &beside)?;
                exchange(&dir, &beside, &dir, name).inspect_err(|_| {
                    let _gone = rustix::fs::unlinkat(&dir, &*beside, AtFlags::empty());
                })
            }
            other => other,
        }
    }

    /// Makes the file in the set what it is to be in the workspace: its permissions, without the
    /// marks of the overlay, and on disk.
    fn prepare(&self, change: &Change) -> Done {
        if !change.kind.has_content() {
            return Ok(());
        }
        let file = self.ground.new_file(change)?;
        for mark in overlay::marks(&file)?.names {
            rustix::fs::fremovexattr(&file, mark)?;
        }
        if let Some(mode) = change.mode {
            rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
        }
        if self.sync_each {
            rustix::fs::fsync(&file)?;
        }
        Ok(())
    }

    /// The way between two file systems.
    fn copy(&mut self, change: &Change, dir: &OwnedFd, name: &str) -> Done {
        let is_new = change.seen.is_none();
        if is_new && self.link_twin(change, dir, name)? {
            return Ok(());
        }
        if is_new {
            let done = match change.kind.link() {
                Some(target) => no_clobber(rustix::fs::symlinkat(target, dir, name)),
                None => self.copy_without_name(change, dir, name),
            };
            match done {
                // Not every file system has files without a name.
                Err(CommitError::Io(error)) if is(&error, &NO_TMPFILE) => {}
                Ok(()) => return self.remember_twin(change),
                failed => return failed,
            }
        }
        let beside = self.beside(dir)?;
        self.make_beside(change, dir, &beside)?;
        let done = if is_new {
            no_clobber(rustix::fs::linkat(dir, &*beside, dir, name, AtFlags::empty()))
        } else {
            rustix::fs::renameat(dir, &*beside, dir, name).map_err(CommitError::from)
        };
        if is_new || done.is_err() {
            let _gone = rustix::fs::unlinkat(dir, &*beside, AtFlags::empty());
        }
        done.and_then(|()| self.remember_twin(change))
    }

    /// Makes the complete file or link under the name that the journal knows.
    fn make_beside(&self, change: &Change, dir: &OwnedFd, beside: &str) -> Done {
        if let Some(target) = change.kind.link() {
            return Ok(rustix::fs::symlinkat(target, dir, beside)?);
        }
        if self.link_twin(change, dir, beside)? {
            return Ok(());
        }
        let old = match change.path.file_name() {
            Some(name) => stat_at(dir, name)?,
            None => None,
        };
        self.copy_beside(change, dir, beside, old.as_ref())
    }

    fn copy_without_name(&self, change: &Change, dir: &OwnedFd, name: &str) -> Done {
        let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
        let new = match rustix::fs::openat(dir, ".", flags, Mode::from_raw_mode(0o600)) {
            Ok(new) => new,
            Err(errno) => return Err(CommitError::Io(errno.into())),
        };
        self.fill(change, &new)?;
        let from = proc_path(&new);
        no_clobber(rustix::fs::linkat(CWD, from, dir, name, AtFlags::SYMLINK_FOLLOW))
    }

    fn copy_beside(
        &self,
        change: &Change,
        dir: &OwnedFd,
        beside: &str,
        old: Option<&Stat>,
    ) -> Done {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let mode = Mode::from_raw_mode(0o600);
        let new = rustix::fs::openat(dir, beside, flags | OFlags::CLOEXEC, mode)?;
        if let Some(old) = old {
            // Only the superuser can give files away, and nobody else has to.
            let owner = (Uid::from_raw(old.st_uid), Gid::from_raw(old.st_gid));
            let _kept = rustix::fs::fchown(&new, Some(owner.0), Some(owner.1));
        }
        self.fill(change, &new).inspect_err(|_| {
            let _gone = rustix::fs::unlinkat(dir, beside, AtFlags::empty());
        })
    }

    /// Content, permissions and the time of the last write, all on disk.
    fn fill(&self, change: &Change, new: &OwnedFd) -> Done {
        let mut from = self.ground.new_file(change)?;
        let times = FileTimes::new().set_modified(from.metadata()?.modified()?);
        let mut to = File::from(new.try_clone()?);
        io::copy(&mut from, &mut to)?;
        rustix::fs::fchmod(new, Mode::from_raw_mode(change.mode.unwrap_or(0o600)))?;
        to.set_times(times)?;
        Ok(rustix::fs::fsync(new.as_fd())?)
    }

    /// The name for a file that is written beside another. From the first one on, the journal has
    /// all directories in which there can be one.
    pub(super) fn beside(&mut self, dir: &OwnedFd) -> Result<String, CommitError> {
        let Self { ground, beside, noted, .. } = self;
        if !*noted {
            let dirs = beside.iter().map(Utf8PathBuf::as_path);
            journal::write(&ground.set.dir, &ground.root, dirs)?;
            *noted = true;
        }
        let name = journal::temporary_name(&ground.set.id);
        match rustix::fs::unlinkat(dir, &*name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(name),
            Err(error) => Err(error.into()),
        }
    }
}

/// A file changes places with a directory, which must be empty.
fn exchange(from: &OwnedFd, from_name: &str, dir: &OwnedFd, name: &str) -> Done {
    let swap = || rustix::fs::renameat_with(from, from_name, dir, name, RenameFlags::EXCHANGE);
    swap().map_err(io::Error::from)?;
    // Somebody could have put something into the directory at the last moment.
    if rustix::fs::unlinkat(from, from_name, AtFlags::REMOVEDIR).is_ok() {
        return Ok(());
    }
    swap()?;
    Err(CommitError::Changed)
}

fn no_clobber(result: rustix::io::Result<()>) -> Done {
    match result {
        Err(Errno::EXIST) => Err(CommitError::Changed),
        other => Ok(other?),
    }
}

fn is(error: &io::Error, errnos: &[Errno]) -> bool {
    Errno::from_io_error(error).is_some_and(|errno| errnos.contains(&errno))
}
