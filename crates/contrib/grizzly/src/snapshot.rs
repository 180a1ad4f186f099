//! The bytes of a database at one moment, taken without asking anybody.
//!
//! The database belongs to a program that is writing it. Opening it the usual way would take locks, even
//! read-only, map the shared memory beside it and, where that is missing, make it. So nothing is opened
//! here but plain files for reading: the database and its write-ahead log are read whole, the log is laid
//! over the pages, and SQLite gets the result as memory.
//!
//! The danger is a picture of two moments. With a log it cannot happen: whoever writes pages into the
//! database takes them from the log, so every page that changed while the file was read is in the log
//! that is read after it, as long as that is still the same log when it has been read. Its header says so:
//! it changes with every restart, before anything else of the log does. Without a log the file itself must
//! not have changed, and no rollback journal may lie beside it. Where something moved, the picture is
//! thrown away and taken again.
//!
//! That a file has not changed is seen by its time, which goes in steps. So the last change must be older
//! than a step before the reading begins: by the clock, or, because clocks are set back and other machines
//! have their own, because we have seen the file look the same for as long.

mod files;
mod wal;

use std::{
    io,
    thread::sleep,
    time::{Duration, Instant, SystemTime},
};

use camino::{Utf8Path, Utf8PathBuf};
use thiserror::Error;

pub use self::files::Stamp;
use self::files::{Sidecar, read_bounded};
use self::wal::{HEADER, Log};

/// How long the taker of a picture waits between two tries.
const PAUSE: Duration = Duration::from_millis(20);
/// File systems write down the time of a change in steps; a change that is this old was seen.
const SETTLED: Duration = Duration::from_millis(20);
/// The same for file systems that count whole seconds.
const SETTLED_COARSE: Duration = Duration::from_millis(2100);
/// What every SQLite database begins with.
const MAGIC: &[u8; 16] = b"SQLite format 3\0";
/// The length of the header of a database.
const DATABASE_HEADER: usize = 100;
/// The newest format that SQLite can write: a database with a log.
const NEWEST_FORMAT: u8 = 2;

/// Where a database is, and how much of it is read into memory at most.
#[derive(Debug, Clone)]
pub struct Source {
    path: Utf8PathBuf,
    max_bytes: u64,
}

/// The pages of a database as they were at one moment.
#[derive(Debug)]
pub struct Snapshot {
    /// A database without a log, ready to be given to SQLite.
    pub image: Vec<u8>,
    /// What the files looked like just before.
    pub stamp: Stamp,
    /// Whether files that still look like that are still the same. Not so if they had been written a
    /// moment before: the next change would leave the same time behind.
    pub is_settled: bool,
}

/// Since when the files of a database have looked as they do, by a clock that nobody sets.
#[derive(Debug, Default)]
pub struct Watch(Option<(Stamp, Instant)>);

impl Watch {
    /// Since when they have looked like this, which is now if they did not before.
    fn since(&mut self, stamp: &Stamp) -> Instant {
        match &self.0 {
            Some((before, since)) if before == stamp => *since,
            _ => self.0.insert((stamp.clone(), Instant::now())).1,
        }
    }
}

/// Why there is no picture of a database.
#[derive(Debug, Error)]
pub enum SnapshotError {
    /// There is no file.
    #[error("{path}: there is no such file; say where Bear keeps its notes with --database PATH")]
    NotFound {
        /// The path as given.
        path: Utf8PathBuf,
    },
    /// It is a directory, a device or the like.
    #[error("{path}: not a file; --database wants the file `database.sqlite` itself")]
    NotAFile {
        /// The path as given.
        path: Utf8PathBuf,
    },
    /// The system does not allow it.
    #[error(
        "{path}: may not be read; on macOS, let the program that starts grizzly use the data of other \
         apps (System Settings, Privacy); in a sandbox, let it read the directory of the database"
    )]
    Denied {
        /// The file.
        path: Utf8PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The system refuses.
    #[error("{path}: cannot be read")]
    Io {
        /// The file.
        path: Utf8PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It does not begin like a database.
    #[error("{path}: not an SQLite database, or one that is encrypted as a whole")]
    NotSqlite {
        /// The path as given.
        path: Utf8PathBuf,
    },
    /// SQLite has learned a format that is not known here.
    #[error(
        "{path}: written in format {format} of SQLite, known is {NEWEST_FORMAT}; a newer grizzly is needed"
    )]
    NewerFormat {
        /// The path as given.
        path: Utf8PathBuf,
        /// The number in its header.
        format: u8,
    },
    /// It would not fit into the memory that was set aside.
    #[error(
        "{path}: more than {max} bytes with its log; allow more with --max-database-mib if it is yours"
    )]
    TooLarge {
        /// The path as given.
        path: Utf8PathBuf,
        /// The limit.
        max: u64,
    },
    /// It never held still.
    #[error("{path}: being written all the time; try again in a moment")]
    Busy {
        /// The path as given.
        path: Utf8PathBuf,
    },
    /// A transaction was begun and not ended, in the old way of writing.
    #[error(
        "{path}: a transaction is not finished (`-journal` lies beside it); if Bear is not running, open it once"
    )]
    Unfinished {
        /// The path as given.
        path: Utf8PathBuf,
    },
}

impl SnapshotError {
    /// Whether the same question may be answered a moment later.
    pub fn is_transient(&self) -> bool {
        matches!(self, Self::Busy { .. } | Self::Unfinished { .. })
    }
}

impl Source {
    /// A database, read if it has no more bytes than this with its log.
    pub fn new(path: impl Into<Utf8PathBuf>, max_bytes: u64) -> Self {
        Self { path: path.into(), max_bytes }
    }

    /// Where it is.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// What the files look like now.
    pub fn stamp(&self) -> Result<Stamp, SnapshotError> {
        Stamp::of(&self.resolved()?).map_err(|error| self.failed(error))
    }

    /// Takes a picture; tries again while somebody is writing, until the deadline.
    pub fn take(&self, deadline: Instant) -> Result<Snapshot, SnapshotError> {
        self.take_watched(&mut Watch::default(), deadline)
    }

    /// The same for somebody who has looked at the files before.
    pub fn take_watched(
        &self,
        watch: &mut Watch,
        deadline: Instant,
    ) -> Result<Snapshot, SnapshotError> {
        loop {
            let moved = match self.attempt(watch)? {
                Attempt::Taken(snapshot) => return Ok(snapshot),
                Attempt::Moved(error) => error,
            };
            if Instant::now() + PAUSE >= deadline {
                return Err(moved);
            }
            sleep(PAUSE);
        }
    }

    fn attempt(&self, watch: &mut Watch) -> Result<Attempt, SnapshotError> {
        let path = self.resolved()?;
        let failed = |error| self.failed(error);
        let busy = || Ok(Attempt::Moved(SnapshotError::Busy { path: self.path.clone() }));
        if Sidecar::Journal.is_in_use(&path).map_err(failed)? {
            return Ok(Attempt::Moved(SnapshotError::Unfinished { path: self.path.clone() }));
        }
        let stamp = Stamp::of(&path).map_err(failed)?;
        let since = watch.since(&stamp);
        let is_settled = is_old(stamp.latest(), since);
        let was_quiet = is_old(stamp.modified(), since);
        // The order is what makes this right: the header of the log, the database, the whole log, and the
        // header once more, because reading the log takes time in which it may begin anew.
        let header = || Sidecar::Log.read(&path, HEADER as u64).map(|header| header.bytes);
        let before = header().map_err(failed)?;
        let database = read_bounded(&path, self.max_bytes).map_err(failed)?;
        let rest = self.max_bytes.saturating_sub(database.bytes.len() as u64);
        let log = Sidecar::Log.read(&path, rest).map_err(failed)?;
        let after = header().map_err(failed)?;
        if database.is_cut || log.is_cut {
            return Err(self.too_large());
        }
        if before != after || before != log.bytes.get(..HEADER).unwrap_or(&log.bytes) {
            return busy();
        }
        let log = Log::read(&log.bytes);
        if log.is_none() && !(was_quiet && self.held_still(&path, &stamp)?) {
            return busy();
        }
        let image = self.assemble(database.bytes, log.as_ref())?;
        Ok(Attempt::Taken(Snapshot { image, stamp, is_settled }))
    }

    /// Whether nobody wrote into a database without a log since the stamp was taken.
    fn held_still(&self, path: &Utf8Path, before: &Stamp) -> Result<bool, SnapshotError> {
        let failed = |error| self.failed(error);
        if Sidecar::Journal.is_in_use(path).map_err(failed)? {
            return Ok(false);
        }
        Ok(Stamp::of(path).map_err(failed)? == *before)
    }

    /// The pages, those of the log over those of the file, marked as a database without a log.
    fn assemble(
        &self,
        mut image: Vec<u8>,
        log: Option<&Log<'_>>,
    ) -> Result<Vec<u8>, SnapshotError> {
        let not_sqlite = || SnapshotError::NotSqlite { path: self.path.clone() };
        // An empty database has no use for a log; SQLite itself throws it away.
        if image.is_empty() {
            return Err(not_sqlite());
        }
        if let Some(log) = log {
            if log.database_bytes() > self.max_bytes {
                return Err(self.too_large());
            }
            log.lay_over(&mut image);
        }
        if image.len() < DATABASE_HEADER || !image.starts_with(MAGIC) {
            return Err(not_sqlite());
        }
        if let Some(&format) = image[18..20].iter().find(|format| **format > NEWEST_FORMAT) {
            return Err(SnapshotError::NewerFormat { path: self.path.clone(), format });
        }
        image[18..20].fill(1);
        Ok(image)
    }

    /// The file itself: its log lies beside it, not beside a link to it.
    fn resolved(&self) -> Result<Utf8PathBuf, SnapshotError> {
        self.path.canonicalize_utf8().map_err(|error| self.failed(error))
    }

    fn too_large(&self) -> SnapshotError {
        SnapshotError::TooLarge { path: self.path.clone(), max: self.max_bytes }
    }

    fn failed(&self, source: io::Error) -> SnapshotError {
        let path = self.path.clone();
        match source.kind() {
            io::ErrorKind::NotFound => SnapshotError::NotFound { path },
            io::ErrorKind::PermissionDenied => SnapshotError::Denied { path, source },
            io::ErrorKind::IsADirectory => SnapshotError::NotAFile { path },
            _ => SnapshotError::Io { path, source },
        }
    }
}

/// Whether the next change after this one, which has been seen since then, is sure to have another time.
fn is_old(change: Option<SystemTime>, since: Instant) -> bool {
    let Some(change) = change else { return false };
    let since_epoch = change.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let step = if since_epoch.subsec_nanos() == 0 { SETTLED_COARSE } else { SETTLED };
    // A time that is ahead of the clock has no age.
    since.elapsed() > step || SystemTime::now().duration_since(change).is_ok_and(|age| age > step)
}

enum Attempt {
    Taken(Snapshot),
    /// Somebody wrote meanwhile; the error is for those who do not try again.
    Moved(SnapshotError),
}

#[cfg(test)]
mod tests;
