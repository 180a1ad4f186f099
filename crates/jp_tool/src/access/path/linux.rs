//! Linux: one call resolves a whole path beneath a handle.
//!
//! What makes it safe is the handle. `/proc/self/fd/N` tells where the opened thing is, so a rule is
//! compared with what was opened and not with what a path meant a moment ago. The text needs care:
//! the kernel appends ` (deleted)` to the path of something that is gone, and that is a possible name
//! as well.

use std::{
    os::fd::{AsFd, AsRawFd, OwnedFd},
    process,
    sync::OnceLock,
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{Mode, OFlags, ResolveFlags},
    io::Result,
};

/// Opens a place to search from or to look at, without permission to read it.
pub(super) const SEARCH: OFlags = OFlags::PATH;

/// Whether this kernel resolves beneath a handle and `/proc` tells the truth about handles.
pub(super) fn usable(dir: &OwnedFd, canonical: &Utf8Path) -> bool {
    open_plain(dir, ".", SEARCH | OFlags::CLOEXEC).is_ok()
        && path_of(dir).is_some_and(|path| path == canonical)
}

/// Opens a path that has no link on it.
pub(super) fn open_plain(dir: &OwnedFd, path: &str, flags: OFlags) -> Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    rustix::fs::openat2(dir, path, flags, Mode::empty(), resolve)
}

/// Opens a path through links that stay beneath `dir`, and finds the canonical path of what was
/// opened relative to it. `None` when either is not possible; the walk then tells why.
pub(super) fn open_linked(
    dir: &OwnedFd,
    canonical: &Utf8Path,
    path: &str,
    flags: OFlags,
) -> Option<(OwnedFd, Utf8PathBuf)> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    let handle = rustix::fs::openat2(dir, path, flags, Mode::empty(), resolve).ok()?;
    let place = path_of(&handle)?;
    let relative = match place.strip_prefix(canonical).ok()? {
        root if root.as_str().is_empty() => Utf8PathBuf::from("."),
        relative => relative.to_owned(),
    };
    if relative.as_str().ends_with(" (deleted)") && !is_at(dir, &relative, &handle) {
        return None;
    }
    Some((handle, relative))
}

/// Opens again what a handle stands for, for reading or writing.
pub(super) fn reopen(handle: &OwnedFd, flags: OFlags) -> Result<OwnedFd> {
    rustix::fs::open(proc_path(handle), flags | OFlags::CLOEXEC, Mode::empty())
}

fn path_of(handle: &OwnedFd) -> Option<Utf8PathBuf> {
    let buffer = Vec::with_capacity(256);
    let bytes = match own_handles() {
        Some(dir) => rustix::fs::readlinkat(dir, handle.as_raw_fd().to_string(), buffer),
        None => rustix::fs::readlink(proc_path(handle), buffer),
    };
    Some(Utf8PathBuf::from(bytes.ok()?.into_string().ok()?))
}

/// The directory of this process's handles, which takes longer to find than to read. The one of a
/// parent would tell of other handles, so it is used only by the process that opened it.
fn own_handles() -> Option<&'static OwnedFd> {
    static OPENED: OnceLock<Option<(u32, OwnedFd)>> = OnceLock::new();
    let opened = OPENED.get_or_init(|| {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let dir = rustix::fs::open("/proc/self/fd", flags, Mode::empty()).ok()?;
        Some((process::id(), dir))
    });
    opened.as_ref().filter(|(owner, _)| *owner == process::id()).map(|(_, dir)| dir)
}

fn proc_path(handle: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", handle.as_fd().as_raw_fd())
}

/// Whether a path still leads to what the handle stands for.
fn is_at(dir: &OwnedFd, path: &Utf8Path, handle: &OwnedFd) -> bool {
    let found = open_plain(dir, path.as_str(), SEARCH | OFlags::CLOEXEC);
    match (found.and_then(rustix::fs::fstat), rustix::fs::fstat(handle)) {
        (Ok(found), Ok(held)) => (found.st_dev, found.st_ino) == (held.st_dev, held.st_ino),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use rustix::fs::{AtFlags, CWD};

    use super::*;

    #[test]
    fn the_path_of_something_deleted_is_not_taken_for_a_name() {
        let temp = tempfile::tempdir().unwrap();
        let dir = rustix::fs::openat(CWD, temp.path(), SEARCH, Mode::empty()).unwrap();
        let make = |name: &str| {
            let flags = OFlags::CREATE | OFlags::WRONLY;
            rustix::fs::openat(&dir, name, flags, Mode::from_raw_mode(0o600)).unwrap()
        };
        let held = make("f");
        rustix::fs::unlinkat(&dir, "f", AtFlags::empty()).unwrap();
        let _decoy = make("f (deleted)");
        let path = path_of(&held).unwrap();
        assert_eq!(path.file_name(), Some("f (deleted)"));
        assert!(!is_at(&dir, Utf8Path::new("f (deleted)"), &held));
        let decoy = make("f (deleted)");
        assert!(is_at(&dir, Utf8Path::new("f (deleted)"), &decoy));
    }
}
