//! What is in a directory and what is known about a path, as far as a tool needs it.

use std::{
    io,
    time::{Duration, SystemTime},
};

use rustix::fs::{Dir, FileType, Stat};

use super::walk::{kind_at, kind_of};

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link. Only entries of a directory are of this kind: everything else follows it.
    Symlink,
    /// A FIFO, a socket, a device. These are never read or written.
    Other,
}

impl From<FileType> for Kind {
    fn from(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Directory,
            FileType::Symlink => Self::Symlink,
            _ => Self::Other,
        }
    }
}

/// A name in a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// The name, without a directory.
    pub name: String,
    /// What it is.
    pub kind: Kind,
}

/// The entries of a directory in no particular order, read as they are asked for.
///
/// A name that is not UTF-8 is left out, because no path could name it.
#[derive(Debug)]
pub struct Entries {
    dir: Dir,
    leaves_out: bool,
}

impl Entries {
    pub(super) fn new(dir: Dir) -> Self {
        Self { dir, leaves_out: false }
    }

    /// Whether a name was left out until now.
    pub fn leaves_out(&self) -> bool {
        self.leaves_out
    }
}

impl Iterator for Entries {
    type Item = io::Result<Entry>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.dir.read()? {
                Ok(entry) => entry,
                Err(error) => return Some(Err(error.into())),
            };
            let name = match entry.file_name().to_str() {
                Ok("." | "..") => continue,
                Err(_) => {
                    self.leaves_out = true;
                    continue;
                }
                Ok(name) => name.to_owned(),
            };
            // Some file systems keep the kind only with the file itself.
            let kind = match entry.file_type() {
                FileType::Unknown => self.dir.fd().and_then(|dir| kind_at(dir, &name)),
                kind => Ok(kind),
            };
            return Some(Ok(Entry { name, kind: kind.unwrap_or(FileType::Unknown).into() }));
        }
    }
}

/// What is known about a file or directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: Kind,
    /// The size in bytes.
    pub len: u64,
    /// When the content was last changed, if the clock of the file system makes sense.
    pub modified: Option<SystemTime>,
    /// Whether anybody may run it.
    pub executable: bool,
}

impl From<&Stat> for Metadata {
    fn from(stat: &Stat) -> Self {
        let seconds = u64::try_from(stat.st_mtime).ok().map(Duration::from_secs);
        let nanos = u32::try_from(stat.st_mtime_nsec).ok().map(u64::from).map(Duration::from_nanos);
        let since_epoch = seconds.zip(nanos).and_then(|(s, n)| s.checked_add(n));
        Self {
            kind: kind_of(stat).into(),
            len: u64::try_from(stat.st_size).unwrap_or(0),
            modified: since_epoch.and_then(|since| SystemTime::UNIX_EPOCH.checked_add(since)),
            executable: stat.st_mode & 0o111 != 0,
        }
    }
}
