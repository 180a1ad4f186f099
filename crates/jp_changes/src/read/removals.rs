//! What is gone: a name that was removed takes everything below it along.
//!
//! The overlay notes only the topmost name. Each path below it has a rule of its own, so each becomes
//! a change of its own.

use std::{
    ffi::CStr,
    os::fd::{AsFd, OwnedFd},
};

use camino::Utf8Path;
use rustix::fs::{FileType, Stat};

use super::walk::{Walker, io_error, join, look, obstacle};
use crate::{
    Change, Kind, Node, Obstacle, ReadError,
    change::Seen,
    tree::{changed_at, kind_of, names, size_of},
};

impl Walker<'_> {
    pub(super) fn delete(
        &mut self,
        place: usize,
        parent: &Utf8Path,
        dir: &OwnedFd,
        name: &CStr,
        is_known: bool,
    ) -> Result<(), ReadError> {
        let index = self.list.len();
        if self.delete_one(place, parent, dir, name, is_known)? {
            return self.empty(index);
        }
        Ok(())
    }

    /// One more name that is gone; `true` if it is a directory that has to be looked into.
    fn delete_one(
        &mut self,
        place: usize,
        parent: &Utf8Path,
        dir: &OwnedFd,
        name: &CStr,
        is_known: bool,
    ) -> Result<bool, ReadError> {
        let (path, is_text) = join(parent, name);
        let (stat, node) = match look(dir, name) {
            Ok(Some(found)) => found,
            Ok(None) => return Ok(false),
            Err(errno) => return Err(io_error(&path, errno)),
        };
        let is_dir = node == Node::Directory;
        let mut change = self.deleted(place, &path, &stat, node);
        change.implied = !is_known;
        if !is_text {
            change.obstacle = Some(Obstacle::NotUtf8);
        } else if self.ground.is_place(&path) {
            change.obstacle = Some(Obstacle::OtherPlace);
        }
        let can_look = is_dir && change.obstacle.is_none();
        self.push(change)?;
        Ok(can_look)
    }

    /// Adds a removal for everything below the directory that the change at `index` takes away.
    pub(super) fn empty(&mut self, index: usize) -> Result<(), ReadError> {
        if self.list[index].kind.gone() != Some(&Node::Directory) {
            return Ok(());
        }
        let mut todo = vec![index];
        while let Some(index) = todo.pop() {
            let Change { path, place, .. } = self.list[index].clone();
            let dir = match self.ground.host.dir(&path) {
                Ok(dir) => dir,
                Err(errno) => {
                    self.list[index].obstacle.get_or_insert(obstacle(errno));
                    continue;
                }
            };
            for name in names(dir.as_fd()).map_err(|errno| io_error(&path, errno))? {
                let name = name.map_err(|errno| io_error(&path, errno))?;
                self.count()?;
                let next = self.list.len();
                if self.delete_one(place, &path, &dir, &name, false)? {
                    todo.push(next);
                }
            }
        }
        Ok(())
    }

    pub(super) fn deleted(&self, place: usize, path: &Utf8Path, stat: &Stat, node: Node) -> Change {
        let mut change = Change::new(place, path, Kind::Deleted(node));
        change.size = if kind_of(stat) == FileType::RegularFile { size_of(stat) } else { 0 };
        change.seen = Some(Seen::from(stat));
        change.obstacle = self.conflict(stat);
        change
    }

    /// Whether somebody else changed it after the call began. A directory changes with its entries,
    /// and those are looked at one by one.
    pub(super) fn conflict(&self, stat: &Stat) -> Option<Obstacle> {
        let is_later = changed_at(stat) >= self.ground.set.began;
        (is_later && kind_of(stat) != FileType::Directory).then_some(Obstacle::Conflict)
    }
}
