//! What a file looks like, and what is in it: how it is known that a file is still the same.
//!
//! A look is taken without reading the file. It holds the time of the last change of the inode, which no
//! program can set, so bytes that were replaced under the old size and time of modification are noticed.
//! What may be executed is never decided by a look alone: that is for the checksum, which is compared
//! again with the bytes that are executed.

use std::{
    fs,
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
};

use camino::Utf8Path;
use jp_plugin_registry::Sha256;
pub use jp_plugin_registry::files::open;
use serde::{Deserialize, Serialize};

/// The largest file that is summed. A program beyond this is nothing that somebody waits for.
pub const MOST: u64 = 1 << 30;

/// What can be seen of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Look {
    pub size: u64,
    /// Seconds and nanoseconds.
    pub modified: (i64, i64),
    /// When the inode was changed last.
    pub changed: (i64, i64),
    pub inode: u64,
    pub device: u64,
}

impl Look {
    /// The look of a regular file; `None` if there is none.
    pub fn of(path: &Utf8Path) -> Option<Self> {
        fs::metadata(path).ok().filter(fs::Metadata::is_file).map(|found| Self::from(&found))
    }
}

impl From<&fs::Metadata> for Look {
    fn from(found: &fs::Metadata) -> Self {
        Self {
            size: found.len(),
            modified: (found.mtime(), found.mtime_nsec()),
            changed: (found.ctime(), found.ctime_nsec()),
            inode: found.ino(),
            device: found.dev(),
        }
    }
}

/// A checksum as the kernel's side compares it; `None` if the text is none.
pub fn checksum(hex: &str) -> Option<[u8; 32]> {
    hex.parse().ok().map(|sum: Sha256| *sum.bytes())
}

/// The SHA-256 checksum of a file in hexadecimal digits, with the look of what was summed.
pub fn sum(path: &Utf8Path) -> io::Result<(Look, String)> {
    let file = open(path)?;
    let found = file.metadata()?;
    if found.len() > MOST {
        return Err(io::Error::other("it is larger than 1 GiB"));
    }
    let sum = Sha256::of(file.take(MOST))?.to_string();
    Ok((Look::from(&found), sum))
}

#[cfg(test)]
mod tests {
    use rustix::fs::{CWD, Mode, mkfifoat};

    use super::*;

    /// A file can become a pipe between the look at it and the sum of it.
    #[test]
    fn a_pipe_holds_nobody_up() {
        let directory = tempfile::tempdir().unwrap();
        let path = Utf8Path::from_path(directory.path()).unwrap().join("jp-pipe");
        mkfifoat(CWD, path.as_std_path(), Mode::from(0o755)).unwrap();
        assert_eq!(Look::of(&path), None);
        assert!(sum(&path).is_err());
    }
}
