//! A program that is opened once, looked at, and then executed: that file, and no other.
//!
//! The danger lies between the look and the start. A path can lead to another file by then, and the same
//! file can have other bytes. So an [`Image`] keeps the file open, which makes its number its own, and
//! remembers when it was last changed. Where it is executed, in the view of the process, the path is opened
//! again; only if that is the same file, and it has not been changed, is it executed, by that descriptor.
//! While a program runs the kernel lets nobody write to its file, so one more look after the start closes
//! the gap that is left. A script is read by its interpreter a little later; who can write to the file
//! itself, and not only replace it, can still win against that.

use std::{
    fs::File,
    io,
    os::unix::fs::{FileExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use jp_sandbox::confinement::FileIdentity;
use rustix::fs::OFlags;
use sha2::{Digest as _, Sha256};

/// A file that may be executed as it was when it was opened.
#[derive(Debug)]
pub struct Image {
    file: File,
    path: PathBuf,
    identity: FileIdentity,
}

impl Image {
    /// Opens the file at an absolute path.
    pub fn open(path: impl Into<PathBuf>) -> io::Result<Self> {
        let path = path.into();
        let flags = OFlags::NONBLOCK.bits().cast_signed();
        let file = File::options().read(true).custom_flags(flags).open(&path)?;
        if !file.metadata()?.is_file() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        let identity = FileIdentity::of(&file)?;
        Ok(Self { file, path, identity })
    }

    /// Where it was opened, and where it is executed.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its SHA-256 checksum in hexadecimal digits: that of what is executed later. Fails if it was changed
    /// meanwhile.
    pub fn sha256(&self) -> io::Result<String> {
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 64 * 1024];
        let mut at = 0;
        loop {
            match self.file.read_at(&mut buffer, at)? {
                0 => break,
                length => {
                    hash.update(&buffer[..length]);
                    at += length as u64;
                }
            }
        }
        if !self.is_unchanged() {
            return Err(io::Error::other("it was changed while it was read"));
        }
        Ok(hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect())
    }

    /// Which file it is.
    pub fn identity(&self) -> FileIdentity {
        self.identity
    }

    /// Whether nobody has changed it since it was opened.
    pub fn is_unchanged(&self) -> bool {
        FileIdentity::of(&self.file).is_ok_and(|now| now == self.identity)
    }
}
