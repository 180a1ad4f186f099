//! Removing a directory that a stranger filled, with a bound on the work.
//!
//! Depth is the danger: a tool can nest directories so deep that no path reaches the end and no stack
//! holds a recursion. So a directory that is not empty is moved up to the top and emptied there like
//! any other, and depth never grows.

use std::{
    ffi::CString,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    fs::{AtFlags, Mode, OFlags, RenameFlags},
    io::{Errno, Result},
};

use crate::tree::{OWNER, chmod, handle_at, names};

/// So many names are held at a time.
const BATCH: usize = 1_024;

/// Empties a directory except for one name, which stays. `budget` is how many entries may be looked
/// at; `false` says that it was not enough and that something is left.
pub(crate) fn empty(top: &OwnedFd, keep: &str, budget: &mut usize) -> Result<bool> {
    let mut moved = 0;
    loop {
        let batch = batch(top, Some(keep))?;
        if batch.is_empty() {
            return Ok(true);
        }
        for name in batch {
            if !remove(top, &name, &mut moved, budget)? {
                return Ok(false);
            }
        }
    }
}

/// Removes one entry of the top.
fn remove(top: &OwnedFd, name: &CString, moved: &mut u64, budget: &mut usize) -> Result<bool> {
    if !spend(budget) {
        return Ok(false);
    }
    if unlink(top, name)? {
        return Ok(true);
    }
    let dir = open(top, name)?;
    loop {
        let batch = batch(&dir, None)?;
        if batch.is_empty() {
            unlink(top, name)?;
            return Ok(true);
        }
        for inner in batch {
            if !spend(budget) {
                return Ok(false);
            }
            if !unlink(&dir, &inner)? {
                // To move a directory is to write to it.
                drop(open(&dir, &inner)?);
                move_up(&dir, &inner, top, moved)?;
            }
        }
    }
}

/// Removes a name; `false` if it is a directory with something in it.
fn unlink(dir: &OwnedFd, name: &CString) -> Result<bool> {
    match rustix::fs::unlinkat(dir, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => return Ok(true),
        Err(Errno::ISDIR | Errno::PERM) => {}
        Err(error) => return Err(error),
    }
    match rustix::fs::unlinkat(dir, name, AtFlags::REMOVEDIR) {
        Ok(()) | Err(Errno::NOENT) => Ok(true),
        Err(Errno::NOTEMPTY | Errno::EXIST) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Opens a directory after giving its owner the right to work in it.
fn open(dir: &OwnedFd, name: &CString) -> Result<OwnedFd> {
    let handle = handle_at(dir, name)?;
    let mode = rustix::fs::fstat(&handle)?.st_mode;
    if mode & OWNER != OWNER {
        chmod(&handle, mode | OWNER)?;
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}

/// Gives a directory a free name at the top.
fn move_up(from: &OwnedFd, name: &CString, top: &OwnedFd, moved: &mut u64) -> Result<()> {
    loop {
        *moved += 1;
        let free = format!("gone-{moved}");
        match rustix::fs::renameat_with(from, name, top, free, RenameFlags::NOREPLACE) {
            Err(Errno::EXIST) => {}
            other => return other,
        }
    }
}

fn batch(dir: &OwnedFd, keep: Option<&str>) -> Result<Vec<CString>> {
    let is_kept = |name: &CString| keep.is_some_and(|keep| name.as_bytes() == keep.as_bytes());
    let all = names(dir.as_fd())?;
    all.filter(|name| !name.as_ref().is_ok_and(is_kept)).take(BATCH).collect()
}

fn spend(budget: &mut usize) -> bool {
    let left = budget.checked_sub(1);
    *budget = left.unwrap_or(0);
    left.is_some()
}
