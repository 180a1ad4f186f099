//! Linux: one call resolves a whole path beneath a handle.
//!
//! A path without links is opened with links forbidden, so that it is its own canonical form. For a
//! path with links the canonical form has to be found first. `/proc/self/fd/N` tells where a handle
//! is, but that is a guess and no proof: it is a path from `/`, in which the root may have moved since
//! it was opened, and the kernel appends ` (deleted)` to the path of something that is gone, which is
//! a possible name as well. So a guess counts only when the same file is found there again, from the
//! handle of the root and with links forbidden.

use std::{
    fs::File,
    os::fd::{AsRawFd, OwnedFd},
    process,
    sync::OnceLock,
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{AtFlags, FallocateFlags, Mode, OFlags, ResolveFlags, XattrFlags},
    io::{Errno, Result},
};

/// What users and groups may do with a file beside those that its permissions name.
const ACL: &str = "system.posix_acl_access";

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
    undisturbed(|| rustix::fs::openat2(dir, path, flags, Mode::empty(), resolve))
}

/// Asks again where something was renamed or mounted meanwhile, somewhere: the kernel cannot say that
/// it was elsewhere. It has to be disturbed each time, so once is nearly always enough.
fn undisturbed(mut open: impl FnMut() -> Result<OwnedFd>) -> Result<OwnedFd> {
    const RETRIES: usize = 16;
    let mut last = open();
    for _ in 0..RETRIES {
        if !matches!(last, Err(Errno::AGAIN)) {
            break;
        }
        last = open();
    }
    last
}

/// A handle that can do nothing, of what a path leads to through links that stay beneath `dir`.
pub(super) fn look_through_links(dir: &OwnedFd, path: &str) -> Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    undisturbed(|| rustix::fs::openat2(dir, path, SEARCH | OFlags::CLOEXEC, Mode::empty(), resolve))
}

/// Makes a file in a directory that has no name yet.
pub(super) fn open_unnamed(dir: &OwnedFd, mode: Mode) -> Result<OwnedFd> {
    let flags = OFlags::TMPFILE | OFlags::WRONLY | OFlags::CLOEXEC;
    rustix::fs::openat(dir, ".", flags, mode)
}

/// Gives such a file its name, if nothing has it. The link of `/proc` is followed to the handle itself,
/// for which no right is needed.
pub(super) fn give_name(file: &OwnedFd, dir: &OwnedFd, name: &str) -> Result<()> {
    let handle = format!("/proc/self/fd/{}", file.as_raw_fd());
    rustix::fs::linkat(rustix::fs::CWD, handle, dir, name, AtFlags::SYMLINK_FOLLOW)
}

/// Finds room for so much of a file, which stays as long as it is.
pub(super) fn reserve(file: &File, len: u64) -> Result<()> {
    rustix::fs::fallocate(file, FallocateFlags::KEEP_SIZE, 0, len)
}

/// Gives a file the list of who may use it that another has, or takes away the one that it has from its directory.
pub(super) fn copy_acl(from: &OwnedFd, to: &OwnedFd) -> Result<()> {
    let mut acl = vec![0; acl_size(from)?];
    if !acl.is_empty() {
        let size = rustix::fs::fgetxattr(from, ACL, acl.as_mut_slice())?;
        return rustix::fs::fsetxattr(to, ACL, &acl[..size], XattrFlags::empty());
    }
    if acl_size(to)? == 0 { Ok(()) } else { rustix::fs::fremovexattr(to, ACL) }
}

/// How long the list of a file is; 0 where there is none, or none can be.
fn acl_size(file: &OwnedFd) -> Result<usize> {
    match rustix::fs::fgetxattr_query(file, ACL) {
        Err(Errno::NODATA | Errno::NOTSUP | Errno::NOSYS) => Ok(0),
        size => size,
    }
}

/// Where a handle probably is, relative to the root that was opened at `canonical`.
pub(super) fn guess_path(canonical: &Utf8Path, handle: &OwnedFd) -> Option<Utf8PathBuf> {
    match path_of(handle)?.strip_prefix(canonical).ok()? {
        root if root.as_str().is_empty() => Some(Utf8PathBuf::from(".")),
        relative => Some(relative.to_owned()),
    }
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
    format!("/proc/self/fd/{}", handle.as_raw_fd())
}
