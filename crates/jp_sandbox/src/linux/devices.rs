//! A `/dev` with what programs expect and nothing that leads to hardware or to a terminal.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd},
};

use camino::Utf8Path;
use rustix::{
    fs::{Mode, OFlags, ResolveFlags, openat2, symlinkat},
    mount::OpenTreeFlags,
};

use super::{
    mounts::{self, MEBIBYTE, NO_EXECUTE, NO_PRIVILEGE, make_directory, make_file},
    sys,
};
use crate::view::View;

/// Devices that hold nothing of anybody's.
pub(super) const DEVICES: [&str; 5] = ["null", "zero", "full", "random", "urandom"];

/// Names for a process's own descriptors.
const LINKS: [(&str, &str); 4] = [
    ("/proc/self/fd", "fd"),
    ("/proc/self/fd/0", "stdin"),
    ("/proc/self/fd/1", "stdout"),
    ("/proc/self/fd/2", "stderr"),
];

/// Makes it below the new root, which can be written to for as long as it is built.
///
/// What a program writes there cannot be run, and it can only write to memory that it shares.
pub(super) fn provide(root: BorrowedFd<'_>, view: &View, private: u64) -> io::Result<()> {
    let shows = |path: &str| view.exactly(Utf8Path::new(path)).is_some();
    if shows("/dev") {
        return Ok(());
    }
    let here = Utf8Path::new("dev");
    for (target, name) in LINKS {
        symlinkat(target, root, here.join(name).as_std_path())?;
    }
    for name in DEVICES {
        make_file(root, &here.join(name))?;
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        let path = Utf8Path::new("/dev").join(name);
        let host = openat2(
            rustix::fs::CWD,
            path.as_std_path(),
            flags,
            Mode::empty(),
            ResolveFlags::NO_SYMLINKS,
        )?;
        let flags = OpenTreeFlags::OPEN_TREE_CLONE
            | OpenTreeFlags::OPEN_TREE_CLOEXEC
            | OpenTreeFlags::AT_EMPTY_PATH;
        let device = rustix::mount::open_tree(&host, "", flags)?;
        mounts::attach(device.as_fd(), root, here.join(name))?;
    }
    make_directory(root, &here.join("shm"))?;
    let memory = mounts::memory("1777", private.min(64 * MEBIBYTE))?;
    sys::mount_setattr(memory.as_fd(), NO_PRIVILEGE | NO_EXECUTE, false)?;
    mounts::attach(memory.as_fd(), root, here.join("shm"))
}
