//! Reading the files of a database, with a limit, and noticing that they changed.
//!
//! They are opened for reading and nothing else; a file that would make the reader wait, such as a named
//! pipe, is not opened at all.

use std::{
    fs::{File, Metadata},
    io::{self, Read},
    os::unix::fs::MetadataExt,
    time::SystemTime,
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{Mode, OFlags};

/// A file beside the database that belongs to it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Sidecar {
    /// What was written and is not in the database yet.
    Log,
    /// What was in the database before a transaction that is not finished.
    Journal,
}

impl Sidecar {
    /// Its first bytes; none where it does not exist.
    pub(super) fn read(self, database: &Utf8Path, max: u64) -> io::Result<Bounded> {
        match read_bounded(&self.path(database), max) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Bounded::default()),
            read => read,
        }
    }

    /// Whether it says anything: one that is empty or was wiped is left from the last time.
    pub(super) fn is_in_use(self, database: &Utf8Path) -> io::Result<bool> {
        Ok(self.read(database, 8)?.bytes.iter().any(|byte| *byte != 0))
    }

    fn path(self, database: &Utf8Path) -> Utf8PathBuf {
        let suffix = match self {
            Self::Log => "-wal",
            Self::Journal => "-journal",
        };
        format!("{database}{suffix}").into()
    }
}

/// The first bytes of a file.
#[derive(Debug, Default)]
pub(super) struct Bounded {
    pub(super) bytes: Vec<u8>,
    /// Whether there was more.
    pub(super) is_cut: bool,
}

/// Reads a file up to a limit.
pub(super) fn read_bounded(path: &Utf8Path, max: u64) -> io::Result<Bounded> {
    let file = open(path)?;
    let expected = file.metadata()?.len().min(max).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    file.take(max.saturating_add(1)).read_to_end(&mut bytes)?;
    let is_cut = bytes.len() as u64 > max;
    bytes.truncate(usize::try_from(max).unwrap_or(usize::MAX));
    Ok(Bounded { bytes, is_cut })
}

/// What the files of a database look like from outside, and the header of the log, which changes when the
/// log begins anew with the same length.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stamp {
    database: Face,
    log: Option<Face>,
    log_header: Vec<u8>,
}

impl Stamp {
    pub(super) fn of(database: &Utf8Path) -> io::Result<Self> {
        let log = match Sidecar::Log.path(database).metadata() {
            Ok(metadata) => Some(Face::of(&metadata)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(error),
        };
        let log_header = Sidecar::Log.read(database, super::HEADER as u64)?.bytes;
        Ok(Self { database: Face::of(&database.metadata()?), log, log_header })
    }

    /// When the database was last written, where the file system knows.
    pub(super) fn modified(&self) -> Option<SystemTime> {
        self.database.modified
    }

    /// When the database or its log was last written.
    pub(super) fn latest(&self) -> Option<SystemTime> {
        self.database.modified.max(self.log.as_ref().and_then(|log| log.modified))
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Face {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Which file it is: the device and the number on it.
    identity: (u64, u64),
}

impl Face {
    fn of(metadata: &Metadata) -> Self {
        Self {
            bytes: metadata.len(),
            modified: metadata.modified().ok(),
            identity: (metadata.dev(), metadata.ino()),
        }
    }
}

/// Opens a regular file; anything else is refused as a directory would be. Opening a named pipe would wait
/// for somebody who writes into it, so the system is told not to wait.
fn open(path: &Utf8Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOCTTY | OFlags::NONBLOCK;
    let file = File::from(rustix::fs::open(path.as_std_path(), flags, Mode::empty())?);
    if file.metadata()?.is_file() {
        return Ok(file);
    }
    Err(io::Error::from(io::ErrorKind::IsADirectory))
}
