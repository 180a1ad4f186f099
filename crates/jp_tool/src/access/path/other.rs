//! Systems whose kernel does not resolve a path beneath a handle: the walk does everything.
//!
//! The functions have the names and meanings of the Linux file and are never called after
//! [`usable`] said no; they answer with the error or the absence that leads back to the walk.

use std::{fs::File, os::fd::OwnedFd};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{Mode, OFlags},
    io::{Errno, Result},
};

/// Opens a place to search from or to look at.
pub(super) const SEARCH: OFlags = OFlags::RDONLY;

pub(super) fn usable(_dir: &OwnedFd, _canonical: &Utf8Path) -> bool {
    false
}

pub(super) fn open_plain(_dir: &OwnedFd, _path: &str, _flags: OFlags) -> Result<OwnedFd> {
    Err(Errno::NOSYS)
}

pub(super) fn look_through_links(_dir: &OwnedFd, _path: &str) -> Result<OwnedFd> {
    Err(Errno::NOSYS)
}

pub(super) fn open_unnamed(_dir: &OwnedFd, _mode: Mode) -> Result<OwnedFd> {
    Err(Errno::NOSYS)
}

pub(super) fn give_name(_file: &OwnedFd, _dir: &OwnedFd, _name: &str) -> Result<()> {
    Err(Errno::NOSYS)
}

pub(super) fn reserve(_file: &File, _len: u64) -> Result<()> {
    Err(Errno::NOSYS)
}

pub(super) fn copy_acl(_from: &OwnedFd, _to: &OwnedFd) -> Result<()> {
    Err(Errno::NOSYS)
}

pub(super) fn guess_path(_canonical: &Utf8Path, _handle: &OwnedFd) -> Option<Utf8PathBuf> {
    None
}
