//! Files to which the tool gave several names.
//!
//! Where files are moved into place, each name is moved and they stay one file. Where they are copied,
//! the first name is copied and the others are made names of the copy. Only copies that this commit
//! made are given further names: no file that was there before gets an alias.

use std::{collections::HashMap, os::fd::OwnedFd};

use camino::Utf8PathBuf;
use rustix::fs::AtFlags;

use super::Commit;
use crate::{Change, CommitError, ground::plain, tree::stat_at};

/// What was copied, by the file in the set that it is a copy of.
#[derive(Debug, Default)]
pub(super) struct Twins {
    copies: HashMap<(u64, u64), Copy>,
}

/// A copy in the workspace, and how it is recognised.
#[derive(Debug)]
struct Copy {
    path: Utf8PathBuf,
    identity: (u64, u64),
}

impl Commit {
    /// Makes `name` another name of a copy of the same file; `false` if there is none.
    pub(super) fn link_twin(
        &self,
        change: &Change,
        dir: &OwnedFd,
        name: &str,
    ) -> Result<bool, CommitError> {
        let Some(copy) = self.source_of(change)?.and_then(|file| self.twins.copies.get(&file))
        else {
            return Ok(false);
        };
        let (from, from_name) = self.ground.host.spot(plain(&copy.path))?;
        // Somebody may have put something else there since.
        let there = stat_at(&from, from_name)?.map(|stat| (stat.st_dev, stat.st_ino));
        if there != Some(copy.identity) {
            return Ok(false);
        }
        Ok(rustix::fs::linkat(&from, from_name, dir, name, AtFlags::empty()).is_ok())
    }

    /// Remembers what was copied, if it has other names that may come.
    pub(super) fn remember_twin(&mut self, change: &Change) -> Result<(), CommitError> {
        let Some(file) = self.source_of(change)? else { return Ok(()) };
        let (dir, name) = self.spot(change)?;
        if let Some(stat) = stat_at(&dir, name)? {
            let copy = Copy { path: change.path.clone(), identity: (stat.st_dev, stat.st_ino) };
            self.twins.copies.insert(file, copy);
        }
        Ok(())
    }

    /// The file in the set that has the new content, if it has several names.
    fn source_of(&self, change: &Change) -> Result<Option<(u64, u64)>, CommitError> {
        if !change.kind.has_content() {
            return Ok(None);
        }
        let (tree, path) = self.ground.source(change);
        let stat = tree.stat(path)?;
        Ok(stat.filter(|stat| stat.st_nlink > 1).map(|stat| (stat.st_dev, stat.st_ino)))
    }
}
