//! A directory tree that is entered only through its own handle.
//!
//! Both sides of a change set can be hostile: a tool fills the one with links, and whoever shares the
//! workspace can put links into the other. So no path is ever looked up as text. The kernel resolves
//! it beneath the handle, and a link or the border of a file system on the way is an error. What is
//! the last component is used as a name in the directory that was opened.

use std::{
    ffi::{CStr, CString},
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
};

use camino::Utf8Path;
use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat},
    io::{Errno, Result},
};

use crate::change::{Node, Seen};

/// The kernel gives up with `EAGAIN` when the tree is moved during a look; that often it is repeated.
const ATTEMPTS: usize = 16;

/// The permissions without which nobody but the superuser can work in a directory.
pub(crate) const OWNER: u32 = 0o700;

/// An open directory and everything below it on the same file system.
#[derive(Debug)]
pub(crate) struct Tree {
    top: OwnedFd,
}

impl Tree {
    /// Opens the top. Links in its own path are followed: this is where trust begins.
    pub(crate) fn open(path: &Utf8Path) -> Result<Self> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self { top: rustix::fs::open(path.as_std_path(), flags, Mode::empty())? })
    }

    /// Opens a directory to read its entries.
    pub(crate) fn dir(&self, path: &Utf8Path) -> Result<OwnedFd> {
        self.beneath(path, OFlags::RDONLY | OFlags::DIRECTORY)
    }

    /// Opens the directory that a path is in, and gives the name that it has there. The top itself
    /// has no name.
    pub(crate) fn spot<'a>(&self, path: &'a Utf8Path) -> Result<(OwnedFd, &'a str)> {
        let name = path.file_name().ok_or(Errno::BUSY)?;
        let parent = path.parent().unwrap_or(Utf8Path::new(""));
        Ok((self.beneath(parent, OFlags::PATH | OFlags::DIRECTORY)?, name))
    }

    /// Opens a regular file for reading. Waits for nothing, whatever turns out to have the name.
    pub(crate) fn file(&self, path: &Utf8Path) -> Result<OwnedFd> {
        let file = self.beneath(path, OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY)?;
        match kind_of(&rustix::fs::fstat(&file)?) {
            FileType::RegularFile => Ok(file),
            _ => Err(Errno::INVAL),
        }
    }

    /// The same for a file of ours whose permissions keep even its owner out.
    pub(crate) fn file_of_ours(&self, path: &Utf8Path) -> Result<OwnedFd> {
        match self.file(path) {
            Err(Errno::ACCESS) => {}
            other => return other,
        }
        let handle = self.handle(path)?;
        let mode = rustix::fs::fstat(&handle)?.st_mode;
        chmod(&handle, mode | 0o400)?;
        let file = self.file(path);
        chmod(&handle, mode)?;
        file
    }

    /// A handle that stands for a path, without permission to do anything with it. A link is a link.
    pub(crate) fn handle(&self, path: &Utf8Path) -> Result<OwnedFd> {
        let (dir, name) = self.spot(path)?;
        handle_at(&dir, name)
    }

    /// What is at a path. Nothing is there if something on the way is missing.
    pub(crate) fn stat(&self, path: &Utf8Path) -> Result<Option<Stat>> {
        if path.as_str().is_empty() {
            return rustix::fs::fstat(&self.top).map(Some);
        }
        match self.spot(path) {
            Ok((dir, name)) => stat_at(&dir, name),
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn beneath(&self, path: &Utf8Path, flags: OFlags) -> Result<OwnedFd> {
        let path = if path.as_str().is_empty() { "." } else { path.as_str() };
        let resolve = ResolveFlags::BENEATH
            | ResolveFlags::NO_SYMLINKS
            | ResolveFlags::NO_MAGICLINKS
            | ResolveFlags::NO_XDEV;
        let mut result = Err(Errno::AGAIN);
        for _ in 0..ATTEMPTS {
            let flags = flags | OFlags::CLOEXEC;
            result = rustix::fs::openat2(&self.top, path, flags, Mode::empty(), resolve);
            if !matches!(result, Err(Errno::AGAIN)) {
                break;
            }
        }
        result
    }
}

/// A handle for a name in a directory.
pub(crate) fn handle_at(dir: &OwnedFd, name: impl rustix::path::Arg) -> Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}

/// What a name in a directory stands for.
pub(crate) fn stat_at(dir: &OwnedFd, name: impl rustix::path::Arg) -> Result<Option<Stat>> {
    match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The names in a directory, without `.` and `..`.
pub(crate) fn names(dir: BorrowedFd<'_>) -> Result<impl Iterator<Item = Result<CString>>> {
    let entries = Dir::read_from(dir)?;
    Ok(entries.filter_map(|entry| match entry {
        Ok(entry) if is_dots(entry.file_name()) => None,
        Ok(entry) => Some(Ok(entry.file_name().to_owned())),
        Err(error) => Some(Err(error)),
    }))
}

/// Changes the permissions of what a handle stands for, even if it may not be opened.
pub(crate) fn chmod(handle: &OwnedFd, mode: u32) -> Result<()> {
    rustix::fs::chmod(proc_path(handle), Mode::from_raw_mode(mode & 0o7777))
}

/// A name for what a handle stands for.
pub(crate) fn proc_path(handle: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", handle.as_fd().as_raw_fd())
}

/// The text of a link; what is not UTF-8 in it is replaced, and `false` says so.
pub(crate) fn read_link(dir: &OwnedFd, name: impl rustix::path::Arg) -> Result<(String, bool)> {
    let target = rustix::fs::readlinkat(dir, name, Vec::new())?;
    Ok(match target.into_string() {
        Ok(text) => (text, true),
        Err(error) => (error.into_cstring().to_string_lossy().into_owned(), false),
    })
}

/// What kind of thing it is; for a link, with its text.
pub(crate) fn node_at(dir: &OwnedFd, name: &CStr, stat: &Stat) -> Result<(Node, bool)> {
    Ok(match kind_of(stat) {
        FileType::RegularFile => (Node::File, true),
        FileType::Directory => (Node::Directory, true),
        FileType::Symlink => {
            let (target, is_text) = read_link(dir, name)?;
            (Node::Link { target }, is_text)
        }
        _ => (Node::Special, true),
    })
}

pub(crate) fn kind_of(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}

pub(crate) fn size_of(stat: &Stat) -> u64 {
    u64::try_from(stat.st_size).unwrap_or(0)
}

/// When anything about it last changed, in nanoseconds. Nobody can set this time.
pub(crate) fn changed_at(stat: &Stat) -> i128 {
    i128::from(stat.st_ctime) * 1_000_000_000 + i128::from(stat.st_ctime_nsec)
}

impl From<&Stat> for Seen {
    fn from(stat: &Stat) -> Self {
        let is_dir = kind_of(stat) == FileType::Directory;
        let modified = i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec);
        Self {
            dev: stat.st_dev,
            inode: stat.st_ino,
            is_dir,
            size: if is_dir { 0 } else { size_of(stat) },
            modified: (!is_dir).then_some(modified),
            changed: (!is_dir && stat.st_nlink < 2).then(|| changed_at(stat)),
        }
    }
}

fn is_dots(name: &CStr) -> bool {
    matches!(name.to_bytes(), b"." | b"..")
}

/// Compares two files from their beginnings. The sizes are known to be equal; a file that ends early
/// all the same is different.
pub(crate) fn same_content(mut a: impl io::Read, mut b: impl io::Read) -> io::Result<bool> {
    let (mut left, mut right) = (vec![0; 64 << 10], vec![0; 64 << 10]);
    loop {
        let (m, n) = (fill(&mut a, &mut left)?, fill(&mut b, &mut right)?);
        if m != n || left[..m] != right[..n] {
            return Ok(false);
        }
        if m < left.len() {
            return Ok(true);
        }
    }
}

fn fill(from: &mut impl io::Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
