//! A change set while it is open: directories, a lock, and the moment at which it began.

use std::{
    collections::HashMap,
    os::fd::OwnedFd,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{Gid, Mode, OFlags},
    io::Errno,
};

use crate::{Changes, Limits, ReadError, StoreError, journal, store, tree::changed_at};

/// The file whose lock says that a set is in use.
pub(crate) const LOCK: &str = "lock";

/// So often another name is tried when a sweep got in between.
const ATTEMPTS: usize = 16;

/// What a call writes: for place `i` an upper directory `i/upper` and a working directory `i/work`
/// for the overlay. Dropping the set, and everything that was read from it, removes it all.
///
/// What the one who mounts the overlay makes himself (mount points, whiteouts for hidden names)
/// belongs into a lower layer; what is in the upper directory counts as the tool's. The one exception
/// are directories on the way to another place of the same set.
#[derive(Debug)]
pub struct ChangeSet {
    set: Arc<Set>,
}

impl ChangeSet {
    pub(crate) fn begin(
        store: &Utf8Path,
        dir: &Arc<OwnedFd>,
        places: &[Utf8PathBuf],
    ) -> Result<Self, StoreError> {
        let error = |errno: Errno| StoreError::Io { path: store.to_owned(), source: errno.into() };
        for _ in 0..ATTEMPTS {
            let id = random_id().map_err(error)?;
            if let Some(set) = Set::begin(store, dir, &id, places).map_err(error)? {
                return Ok(Self { set: Arc::new(set) });
            }
        }
        Err(error(Errno::BUSY))
    }

    /// The directory that holds `0/upper`, `0/work`, `1/upper`, …
    pub fn path(&self) -> &Utf8Path {
        &self.set.path
    }

    /// The places, in the order of the numbers.
    pub fn places(&self) -> &[Utf8PathBuf] {
        &self.set.places
    }

    /// What differs from the workspace at `root` as it is now. The call must have ended, and nothing
    /// of the set may have been committed.
    pub fn read(&self, root: &Utf8Path) -> Result<Changes, ReadError> {
        self.read_within(root, Limits::default())
    }

    /// The same with other bounds.
    pub fn read_within(&self, root: &Utf8Path, limits: Limits) -> Result<Changes, ReadError> {
        if self.set.used.load(Ordering::Acquire) {
            return Err(ReadError::Used);
        }
        Changes::read(&self.set, root, limits)
    }
}

/// The set itself, kept alive by whoever still needs its files.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) path: Utf8PathBuf,
    pub(crate) id: String,
    pub(crate) places: Vec<Utf8PathBuf>,
    pub(crate) dir: OwnedFd,
    /// What was changed at this time or later was changed by somebody else.
    pub(crate) began: i128,
    /// The permissions that the tool gave to directories which had to be opened up to be read.
    pub(crate) modes: Mutex<HashMap<Utf8PathBuf, u32>>,
    /// Whether it was committed. Files have been moved out of it then, and an opaque directory
    /// without its files would read like an order to remove them.
    pub(crate) used: AtomicBool,
    store: Arc<OwnedFd>,
    _lock: OwnedFd,
}

impl Set {
    /// `None` if a sweep took the new directory for an abandoned one.
    fn begin(
        store: &Utf8Path,
        parent: &Arc<OwnedFd>,
        id: &str,
        places: &[Utf8PathBuf],
    ) -> rustix::io::Result<Option<Self>> {
        let private = Mode::from_raw_mode(0o700);
        rustix::fs::mkdirat(&**parent, id, private)?;
        let locked = open_dir(parent, id).and_then(|dir| Ok(store::lock(&dir)?.map(|l| (dir, l))));
        let (dir, lock) = match locked {
            Ok(Some(locked)) => locked,
            Ok(None) | Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error),
        };
        let set = Self {
            path: store.join(id),
            id: id.to_owned(),
            places: places.to_vec(),
            began: tick(&lock)?,
            dir,
            modes: Mutex::default(),
            used: AtomicBool::new(false),
            store: Arc::clone(parent),
            _lock: lock,
        };
        for (index, place) in places.iter().enumerate() {
            set.add(index, place)?;
        }
        Ok(Some(set))
    }

    fn add(&self, index: usize, place: &Utf8Path) -> rustix::io::Result<()> {
        let private = Mode::from_raw_mode(0o700);
        rustix::fs::mkdirat(&self.dir, index.to_string(), private)?;
        let dir = self.place(index)?;
        rustix::fs::mkdirat(&dir, "work", private)?;
        rustix::fs::mkdirat(&dir, "upper", private)?;
        let upper = open_dir(&dir, "upper")?;
        // The tool sees the permissions of the upper directory as those of the place.
        let mut mode = 0o755;
        if let Ok(stat) = rustix::fs::lstat(place.as_std_path()) {
            mode = stat.st_mode & 0o3777;
            // Where files belong to the group of their directory they should do so here. Only who
            // is in the group can say so, and for others nothing is lost.
            let _kept = rustix::fs::fchown(&upper, None, Some(Gid::from_raw(stat.st_gid)));
        }
        rustix::fs::fchmod(&upper, Mode::from_raw_mode(mode))
    }

    /// The directory that holds the two directories of a place.
    pub(crate) fn place(&self, index: usize) -> rustix::io::Result<OwnedFd> {
        open_dir(&self.dir, &index.to_string())
    }

    pub(crate) fn upper(&self, index: usize) -> Utf8PathBuf {
        self.path.join(index.to_string()).join("upper")
    }
}

impl Drop for Set {
    fn drop(&mut self) {
        journal::clean(&self.dir, &self.id);
        // What cannot be removed now is removed by a sweep.
        let mut budget = usize::MAX;
        let _removed = store::discard(&self.store, &self.dir, &self.id, &mut budget);
    }
}

fn open_dir(dir: &OwnedFd, name: &str) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}

/// The time of the file system, once it is later than that of everything that happened before.
///
/// The clock for files can stand still for some milliseconds. A recent kernel looks at a finer one
/// when the time of a file was asked for and the file changes again; with others this waits.
fn tick(file: &OwnedFd) -> rustix::io::Result<i128> {
    let first = changed_at(&rustix::fs::fstat(file)?);
    let mut now = first;
    for attempt in 0..100 {
        rustix::fs::fchmod(file, Mode::from_raw_mode(0o600))?;
        now = changed_at(&rustix::fs::fstat(file)?);
        if now > first {
            break;
        }
        if attempt > 0 {
            thread::sleep(Duration::from_millis(1));
        }
    }
    Ok(now)
}

fn random_id() -> rustix::io::Result<String> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|_| Errno::IO)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}
