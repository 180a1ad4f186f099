//! The directory in which change sets are kept while calls run.
//!
//! Each set is a directory with a random name, and whoever uses it holds a lock on a file in it. The
//! kernel lets go of the lock when the process ends, however it ends. So a set whose lock is free is
//! rubbish, and whoever comes by removes it.

use std::{
    fs::DirBuilder,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::fs::DirBuilderExt,
    },
    sync::Arc,
};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{AtFlags, FlockOperation, Mode, OFlags, XattrFlags},
    io::Errno,
};

use crate::{
    ChangeSet, StoreError, Swept, journal, remove,
    set::LOCK,
    tree::{self, names},
};

/// So many entries of abandoned sets are removed in one sweep; the rest waits for the next.
const SWEEP: usize = 200_000;

/// What the kernel calls the file system of an overlay, which cannot hold the upper side of another.
const OVERLAY: i128 = 0x794c_7630;

/// Where change sets are kept: a directory of the user's own.
#[derive(Debug, Clone)]
pub struct Store {
    path: Utf8PathBuf,
    dir: Arc<OwnedFd>,
}

impl Store {
    /// Opens the directory and makes it if it is not there. It has to belong to us, nobody else gets
    /// in, and its file system has to be able to hold the writable side of an overlay.
    pub fn open(dir: &Utf8Path) -> Result<Self, StoreError> {
        let error = |source: io::Error| StoreError::Io { path: dir.to_owned(), source };
        if !is_plain(dir) {
            return Err(StoreError::NotAbsolute(dir.to_owned()));
        }
        DirBuilder::new().recursive(true).mode(0o700).create(dir).map_err(error)?;
        let path = dir.canonicalize_utf8().map_err(error)?;
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let open = rustix::fs::open(path.as_std_path(), flags, Mode::empty());
        let handle = open.map_err(|errno| error(errno.into()))?;
        own(&path, &handle)?;
        check_file_system(&path, &handle)?;
        Ok(Self { path, dir: Arc::new(handle) })
    }

    /// Opens the first of these directories that is on the file system of the workspace, because
    /// from there a file can be moved into place; otherwise the first that can be used at all.
    /// Those inside the workspace are passed over.
    pub fn open_near(root: &Utf8Path, candidates: &[Utf8PathBuf]) -> Result<Self, StoreError> {
        let canonical = root.canonicalize_utf8().unwrap_or_else(|_| root.to_owned());
        let device = device_of(&canonical);
        let is_outside =
            |path: &&Utf8PathBuf| !path.starts_with(root) && !path.starts_with(&canonical);
        let (near, far): (Vec<_>, Vec<_>) = candidates
            .iter()
            .filter(is_outside)
            .partition(|candidate| device.is_some() && device_of(candidate) == device);
        let mut problem = StoreError::Nowhere(root.to_owned());
        for candidate in near.into_iter().chain(far) {
            match Self::open(candidate) {
                // It led into the workspace by a link.
                Ok(store) if store.path.starts_with(&canonical) => {}
                Ok(store) => return Ok(store),
                Err(error) => problem = error,
            }
        }
        Err(problem)
    }

    /// Where it is.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Begins a set for these places: absolute paths, canonical, there or not. What changes in the
    /// workspace from now on counts as changed by somebody else. Sets that were left behind are
    /// removed on the way.
    pub fn begin(&self, places: &[Utf8PathBuf]) -> Result<ChangeSet, StoreError> {
        for place in places {
            if !is_plain(place) {
                return Err(StoreError::NotAbsolute(place.clone()));
            }
            if self.path.starts_with(place) || place.starts_with(&self.path) {
                return Err(StoreError::Overlap { place: place.clone(), store: self.path.clone() });
            }
        }
        // Rubbish that cannot be removed is no reason not to work.
        let _swept = self.sweep();
        ChangeSet::begin(&self.path, &self.dir, places)
    }

    /// Removes the sets that nobody uses any more. Work is bounded: what is left is removed by the
    /// next sweep.
    pub fn sweep(&self) -> Result<Swept, StoreError> {
        let error = |errno: Errno| StoreError::Io { path: self.path.clone(), source: errno.into() };
        let mut swept = Swept::default();
        let mut budget = SWEEP;
        for name in names(self.dir.as_fd()).map_err(error)? {
            let name = name.map_err(error)?;
            let Some(id) = name.to_str().ok().filter(|name| is_id(name)) else {
                continue;
            };
            match self.sweep_one(id, &mut budget) {
                Ok(Some(true)) => swept.removed += 1,
                Ok(None) => swept.in_use += 1,
                Ok(Some(false)) | Err(_) => swept.left += 1,
            }
        }
        Ok(swept)
    }

    /// Removes a set; nothing happens to one in use.
    fn sweep_one(&self, id: &str, budget: &mut usize) -> rustix::io::Result<Option<bool>> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let set = rustix::fs::openat(&*self.dir, id, flags, Mode::empty())?;
        // Without a lock file it is one that is just being made or that was half removed. With the
        // lock in our hands its maker, if there is one, takes another name.
        let Some(_lock) = lock(&set)? else {
            return Ok(None);
        };
        journal::clean(&set, id);
        discard(&self.dir, &set, id, budget).map(Some)
    }
}

/// Takes the lock of a set; `None` if somebody has it.
pub(crate) fn lock(set: &OwnedFd) -> rustix::io::Result<Option<OwnedFd>> {
    let flags = OFlags::RDWR | OFlags::CREATE | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(set, LOCK, flags, Mode::from_raw_mode(0o600))?;
    match rustix::fs::flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => {}
        Err(Errno::WOULDBLOCK) => return Ok(None),
        Err(error) => return Err(error),
    }
    // The file may have been removed, with its set, between the two calls.
    let held = rustix::fs::fstat(&file)?;
    let there = tree::stat_at(set, LOCK)?;
    Ok(there.is_some_and(|there| there.st_ino == held.st_ino).then_some(file))
}

/// Removes a set whose lock is held. `false` if the budget did not suffice.
pub(crate) fn discard(
    store: &OwnedFd,
    set: &OwnedFd,
    id: &str,
    budget: &mut usize,
) -> rustix::io::Result<bool> {
    if !remove::empty(set, LOCK, budget)? {
        return Ok(false);
    }
    rustix::fs::unlinkat(set, LOCK, AtFlags::empty())?;
    rustix::fs::unlinkat(store, id, AtFlags::REMOVEDIR)?;
    Ok(true)
}

/// The file system that something at this path is on or would be on.
fn device_of(path: &Utf8Path) -> Option<u64> {
    let stat = |path: &Utf8Path| rustix::fs::stat(path.as_std_path()).ok();
    path.ancestors().find_map(stat).map(|stat| stat.st_dev)
}

/// A path that names one place without looking at the disk.
fn is_plain(path: &Utf8Path) -> bool {
    let is_name = |part| matches!(part, Utf8Component::RootDir | Utf8Component::Normal(_));
    path.is_absolute() && !path.as_str().contains('\0') && path.components().all(is_name)
}

fn is_id(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// Makes sure that the directory is ours alone.
fn own(path: &Utf8Path, dir: &OwnedFd) -> Result<(), StoreError> {
    let error = |errno: Errno| StoreError::Io { path: path.to_owned(), source: errno.into() };
    let stat = rustix::fs::fstat(dir).map_err(error)?;
    if stat.st_uid != rustix::process::geteuid().as_raw() {
        return Err(StoreError::NotOurs { path: path.to_owned(), owner: stat.st_uid });
    }
    if stat.st_mode & 0o7777 != 0o700 {
        rustix::fs::fchmod(dir, Mode::from_raw_mode(0o700)).map_err(error)?;
    }
    Ok(())
}

/// An overlay writes attributes to its upper side, and is not stacked on another's.
fn check_file_system(path: &Utf8Path, dir: &OwnedFd) -> Result<(), StoreError> {
    let unsuitable = |reason: String| StoreError::Unsuitable { path: path.to_owned(), reason };
    let kind = rustix::fs::fstatfs(dir).map_err(|errno| unsuitable(errno.to_string()))?.f_type;
    if i128::from(kind) == OVERLAY {
        return Err(unsuitable("it is an overlay itself".to_owned()));
    }
    let name = "user.jp.probe";
    rustix::fs::fsetxattr(dir, name, b"y", XattrFlags::empty())
        .and_then(|()| rustix::fs::fremovexattr(dir, name))
        .or_else(|errno| if errno == Errno::NODATA { Ok(()) } else { Err(errno) })
        .map_err(|errno| unsuitable(format!("no extended attributes of users: {errno}")))
}

#[cfg(test)]
mod tests;
