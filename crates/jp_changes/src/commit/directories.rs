//! Directories: made early, so that there is something to write into, and finished late, because one
//! that its owner cannot write to can only become so when everything is in it.

use std::os::fd::OwnedFd;

use camino::Utf8Path;
use rustix::{
    fs::{AtFlags, FileType, Mode, RenameFlags},
    io::{Errno, Result},
};

use super::{Commit, check};
use crate::{
    Change, CommitError, Kind, Node,
    change::Seen,
    ground::plain,
    tree::{OWNER, kind_of, stat_at},
};

/// The bits of a directory that the workspace decides about: who inherits its group.
const KEPT: u32 = 0o6000;

/// A directory of the set with this name is about to change places with a file.
const MADE: &str = "made";

impl Commit {
    pub(super) fn make_directory(
        &mut self,
        change: &Change,
    ) -> core::result::Result<(), CommitError> {
        if matches!(change.kind, Kind::Replaced { .. }) {
            self.replace_with_directory(change)?;
        } else {
            let (dir, name) = self.spot(change)?;
            match rustix::fs::mkdirat(&dir, name, Mode::from_raw_mode(0o777)) {
                Ok(()) => {}
                // Somebody else made it; then it is there, with the permissions they wanted.
                Err(Errno::EXIST) => {
                    let there = stat_at(&dir, name)?;
                    let is_dir = |stat| kind_of(&stat) == FileType::Directory;
                    let is_dir = there.is_some_and(is_dir);
                    return if is_dir { Ok(()) } else { Err(CommitError::Changed) };
                }
                Err(error) => return Err(error.into()),
            }
        }
        match change.mode {
            Some(mode) => Ok(self.set_mode(plain(&change.path), mode | OWNER)?),
            None => Ok(()),
        }
    }

    /// Gives the owner the right to work in a directory whose permissions will change.
    pub(super) fn open_up(&self, change: &Change) -> core::result::Result<(), CommitError> {
        let path = plain(&change.path);
        let stat = self.ground.host.stat(path)?;
        if stat.as_ref().map(Seen::from) != change.seen {
            return Err(CommitError::Changed);
        }
        let mode = change.mode.unwrap_or(0) | OWNER;
        Ok(self.set_mode(path, mode)?)
    }

    /// Gives directories the permissions that they are to have, from the inside out.
    pub(super) fn finish_directories(&mut self, changes: &[Change]) {
        for (index, change) in changes.iter().enumerate().rev() {
            let is_dir = change.kind.made() == Some(&Node::Directory)
                || matches!(change.kind, Kind::Updated { .. })
                    && change.seen.is_some_and(|seen| seen.is_dir);
            let is_made = matches!(self.results[index], Some(Ok(())));
            if let Some(mode) =
                change.mode.filter(|mode| is_dir && is_made && mode & OWNER != OWNER)
                && let Err(error) = self.set_mode(plain(&change.path), mode)
            {
                self.note(index, change, Err(error.into()));
            }
        }
    }

    /// A directory in the place of a file or link. Where it can be made in the set, both change
    /// places in one step, and there is always one of them.
    fn replace_with_directory(&mut self, change: &Change) -> core::result::Result<(), CommitError> {
        let (dir, name) = self.spot(change)?;
        check(&dir, name, change)?;
        let set = &self.ground.set.dir;
        rustix::fs::mkdirat(set, MADE, Mode::from_raw_mode(0o777))?;
        let exchanged = rustix::fs::renameat_with(set, MADE, &dir, name, RenameFlags::EXCHANGE);
        let is_dir = if exchanged.is_ok() { AtFlags::empty() } else { AtFlags::REMOVEDIR };
        rustix::fs::unlinkat(set, MADE, is_dir)?;
        match exchanged {
            Err(Errno::XDEV) => self.replace_with_directory_beside(&dir, name),
            other => Ok(other?),
        }
    }

    /// The same between two file systems, where the directory is made beside the file.
    fn replace_with_directory_beside(
        &mut self,
        dir: &OwnedFd,
        name: &str,
    ) -> core::result::Result<(), CommitError> {
        let beside = self.beside(dir)?;
        rustix::fs::mkdirat(dir, &*beside, Mode::from_raw_mode(0o777))?;
        let exchanged = rustix::fs::renameat_with(dir, &*beside, dir, name, RenameFlags::EXCHANGE);
        let is_dir = if exchanged.is_ok() { AtFlags::empty() } else { AtFlags::REMOVEDIR };
        rustix::fs::unlinkat(dir, &*beside, is_dir)?;
        Ok(exchanged?)
    }

    fn set_mode(&self, path: &Utf8Path, mode: u32) -> Result<()> {
        let dir = self.ground.host.dir(path)?;
        let kept = rustix::fs::fstat(&dir)?.st_mode & KEPT;
        rustix::fs::fchmod(&dir, Mode::from_raw_mode(mode & 0o1777 | kept))
    }
}
