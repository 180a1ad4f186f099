//! Conversations on disk.
//!
//! Each conversation is a directory. **The event file is also the lock**: whoever holds the lock of
//! `events.jsonl` may write to the conversation, and the kernel frees the lock when its holder dies,
//! however he dies. We never replace or unlink that file while the conversation exists; whoever had
//! to wait for a lock looks again whether the file he locked is still the one of that name.
//!
//! What a crash can leave behind, and who clears it up:
//!
//! | a crash while… | leaves | which |
//! |---|---|---|
//! | appending | an unfinished batch | readers leave out, the next writer cuts off |
//! | creating | a directory `.new-…` | nobody lists, a later `create` removes |
//! | removing | a directory `.gone-…` | nobody lists, a later `create` removes |
//! | renaming | a file `.metadata.json.…` | nobody reads |
//! | converting an array | `events.json` beside `events.jsonl` | nobody reads |
//! | writing anything | a mark in the index | a listing looks at the files, then takes away |

mod create;
mod list;
mod locked;
mod read;

use std::{
    fs::{File, TryLockError},
    io::{self, ErrorKind},
    os::fd::OwnedFd,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use jp_conversation::{ConversationId, Stream};
use rustix::fs::{FileType, OFlags};

use self::locked::LockedOnDisk;
use super::{Listing, Locked, Metadata, Select, Store, StoreError, Wait, index::Index, metadata};
use crate::{
    beneath,
    layout::{CONVERSATIONS, EVENTS, EVENTS_ARRAY, METADATA},
};

/// The store below a `.jp` directory. Clones share what they know of the disk.
#[derive(Debug, Clone)]
pub struct FsStore {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    /// The `.jp` directory.
    storage: Utf8PathBuf,
    /// `.jp/conversations`, once it is there.
    conversations: OnceLock<OwnedFd>,
    index: Mutex<Index>,
    /// The conversation that this process wrote to last, and how long its file was then. As long as
    /// it is, its end need not be looked at.
    last_written: Mutex<Option<(ConversationId, u64)>>,
    /// Held by whoever looks through a long event file: of each there may be a line or an array in memory that is
    /// as long as it may be.
    turn: Mutex<()>,
}

/// A listing may hold a lock while it takes a note; nobody is told of that.
const GLANCE: Duration = Duration::from_millis(20);
/// Event files up to this are looked through side by side.
const SHORT: u64 = 1 << 20;

impl FsStore {
    /// The store in this `.jp` directory. Nothing is read or made yet.
    pub fn new(storage: &Utf8Path) -> Self {
        let shared = Shared {
            storage: storage.to_owned(),
            conversations: OnceLock::new(),
            index: Mutex::new(Index::new(storage.to_owned())),
            last_written: Mutex::new(None),
            turn: Mutex::new(()),
        };
        Self { shared: Arc::new(shared) }
    }

    /// The directory of a conversation.
    pub fn path(&self, id: ConversationId) -> Result<Utf8PathBuf, StoreError> {
        Ok(self.path_of(&self.directory(id)?))
    }

    fn path_of(&self, name: &str) -> Utf8PathBuf {
        self.shared.storage.join(CONVERSATIONS).join(name)
    }

    /// The handle of `.jp/conversations`; `None` while there is no such directory.
    fn root(&self) -> Result<Option<&OwnedFd>, StoreError> {
        if let Some(root) = self.shared.conversations.get() {
            return Ok(Some(root));
        }
        let open = || beneath::open_dir(beneath::open_root(&self.shared.storage)?, CONVERSATIONS);
        match open() {
            Ok(root) => Ok(Some(self.shared.conversations.get_or_init(|| root))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed("open", &self.path_of(""))(error)),
        }
    }

    fn root_of(&self, id: ConversationId) -> Result<&OwnedFd, StoreError> {
        self.root()?.ok_or(StoreError::NotFound(id))
    }

    /// The name of a conversation's directory. We make them without words behind the id, which is
    /// found without looking; others are found by the index or by looking at every name.
    fn directory(&self, id: ConversationId) -> Result<String, StoreError> {
        let root = self.root_of(id)?;
        let plain = id.to_string();
        if beneath::exists(root, &plain) {
            return Ok(plain);
        }
        let known = self.index().entries.get(&id).and_then(|entry| entry.directory.clone());
        if let Some(name) = known.filter(|name| beneath::exists(root, name)) {
            return Ok(name);
        }
        let is_it = |name: &str| ConversationId::from_directory_name(name) == Some(id);
        let names = beneath::directories(root, is_it);
        let names = names.map_err(failed("list", &self.path_of("")))?;
        names.into_iter().next().ok_or(StoreError::NotFound(id))
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        // An index that a panic left half changed is checked against the disk like any other.
        self.shared.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn last_written(&self) -> MutexGuard<'_, Option<(ConversationId, u64)>> {
        self.shared.last_written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody else looks through a long event file, if this one is long. Whoever needs the index as
    /// well takes that first.
    fn turn(&self, len: u64) -> Option<MutexGuard<'_, ()>> {
        let wait = || self.shared.turn.lock().unwrap_or_else(PoisonError::into_inner);
        (len > SHORT).then(wait)
    }

    /// Reads the metadata in a directory; a conversation without any is untitled.
    fn read_metadata(&self, directory: &str) -> Result<Metadata, StoreError> {
        let name = format!("{directory}/{METADATA}");
        let path = self.path_of(&name);
        let Some(root) = self.root()? else { return Ok(Metadata::default()) };
        match beneath::read(root, &name, metadata::LIMIT) {
            Ok(bytes) => {
                Metadata::from_json(&bytes).map_err(|reason| StoreError::Damaged { path, reason })
            }
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Metadata::default()),
            Err(error) => Err(failed("read", &path)(error)),
        }
    }

    /// The whole stream in a directory.
    fn read_stream(&self, events: &Events, directory: &str) -> Result<Stream, StoreError> {
        match events.form {
            Form::Lines => {
                let path = self.path_of(directory).join(EVENTS);
                let bytes = read::whole(&events.file).map_err(failed("read", &path))?;
                Ok(Stream::from_lines(bytes))
            }
            Form::Array => self.read_array(events, directory, read::LIMIT_OF_ARRAY),
        }
    }

    /// The stream of an array, which has no more bytes than this.
    fn read_array(
        &self,
        events: &Events,
        directory: &str,
        limit: u64,
    ) -> Result<Stream, StoreError> {
        let path = self.path_of(directory).join(EVENTS_ARRAY);
        let limit = limit.min(read::LIMIT_OF_ARRAY);
        let bytes = beneath::read_file(&events.file, limit).map_err(failed("read", &path))?;
        Stream::from_array(bytes).map_err(|source| StoreError::Array { path, source })
    }

    /// Opens and locks the event file of a conversation.
    fn lock_events(&self, id: ConversationId, wait: Wait) -> Result<Held, StoreError> {
        let limit = match wait {
            Wait::No => GLANCE,
            Wait::AtMost(limit) => limit.max(GLANCE),
        };
        let mut started = None;
        // Almost always the directory is named by the id alone, and the file is there.
        let mut directory = id.to_string();
        loop {
            let root = self.root_of(id)?;
            let events = match open_events(root, &directory, OFlags::RDWR) {
                Ok(events) => events,
                Err(error) if error.kind() == ErrorKind::NotFound => {
                    directory = self.directory(id)?;
                    self.open_or_make_events(root, id, &directory)?
                }
                Err(error) => return Err(self.events_failed("open", &directory, error)),
            };
            let had_to_wait = events.file.try_lock().is_err();
            if had_to_wait {
                let left = limit.saturating_sub(started.get_or_insert_with(Instant::now).elapsed());
                match lock_within(left, || events.file.try_lock()) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::TimedOut => {
                        return Err(StoreError::Locked(id));
                    }
                    Err(error) => return Err(self.events_failed("lock", &directory, error)),
                }
            }
            let stat = rustix::fs::fstat(&events.file);
            let stat = stat.map_err(|e| self.events_failed("open", &directory, e.into()))?;
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                let error = io::Error::new(ErrorKind::InvalidInput, "not a regular file");
                return Err(self.events_failed("open", &directory, error));
            }
            // While we waited, the conversation may have been removed, or converted to lines. Then
            // this lock is worth nothing; what to lock now is found by looking again.
            let is_current = stat.st_nlink > 0
                && (!had_to_wait && events.form == Form::Lines
                    || is_current(root, &directory, &events, stat.st_ino));
            if is_current {
                let len = u64::try_from(stat.st_size).unwrap_or(0);
                return Ok(Held { directory, events, len });
            }
        }
    }

    /// Opens the events where they are not the usual file: an array, or none at all yet.
    fn open_or_make_events(
        &self,
        root: &OwnedFd,
        id: ConversationId,
        directory: &str,
    ) -> Result<Events, StoreError> {
        match open_events(root, directory, OFlags::RDWR) {
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            result => return result.map_err(|e| self.events_failed("open", directory, e)),
        }
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        match beneath::open_unchecked(root, &format!("{directory}/{EVENTS}"), flags) {
            Ok(file) => Ok(Events { file, form: Form::Lines }),
            // The directory is gone.
            Err(error) if error.kind() == ErrorKind::NotFound => Err(StoreError::NotFound(id)),
            Err(error) => Err(self.events_failed("open", directory, error)),
        }
    }

    /// Opens the events to read them; `None` while nothing was said.
    fn open_to_read(
        &self,
        id: ConversationId,
        directory: &str,
    ) -> Result<Option<Events>, StoreError> {
        match open_events(self.root_of(id)?, directory, OFlags::RDONLY) {
            Ok(events) => Ok(Some(events)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                // Unless somebody has just removed the conversation.
                self.directory(id)?;
                Ok(None)
            }
            Err(error) => Err(self.events_failed("read", directory, error)),
        }
    }

    fn events_failed(&self, action: &'static str, directory: &str, error: io::Error) -> StoreError {
        failed(action, &self.path_of(directory).join(EVENTS))(error)
    }
}

impl Store for FsStore {
    fn list(&self) -> Result<Listing, StoreError> {
        self.list_on_disk()
    }

    fn create(&self, title: Option<&str>, now: Timestamp) -> Result<Box<dyn Locked>, StoreError> {
        Ok(Box::new(self.create_on_disk(title, now)?))
    }

    fn lock(&self, id: ConversationId, wait: Wait) -> Result<Box<dyn Locked>, StoreError> {
        let held = self.lock_events(id, wait)?;
        tracing::debug!(%id, "locked");
        Ok(Box::new(LockedOnDisk::new(self.clone(), id, held)?))
    }

    fn metadata(&self, id: ConversationId) -> Result<Metadata, StoreError> {
        self.read_metadata(&self.directory(id)?)
    }

    fn size(&self, id: ConversationId) -> Result<u64, StoreError> {
        let directory = self.directory(id)?;
        let Some(events) = self.open_to_read(id, &directory)? else { return Ok(0) };
        let found =
            events.file.metadata().map_err(|e| self.events_failed("read", &directory, e))?;
        Ok(found.len())
    }

    fn events(&self, id: ConversationId, select: Select) -> Result<Stream, StoreError> {
        let directory = self.directory(id)?;
        let Some(events) = self.open_to_read(id, &directory)? else {
            return Ok(Stream::default());
        };
        match (select, events.form) {
            (Select::Last(count), Form::Lines) => read::last(&events.file, count)
                .map_err(|error| self.events_failed("read", &directory, error)),
            (Select::Last(count), Form::Array) => {
                let mut stream = self.read_stream(&events, &directory)?;
                stream.keep_last(count);
                Ok(stream)
            }
            (Select::Within(bytes), Form::Lines) => read::first(&events.file, bytes)
                .map(Stream::from_lines)
                .map_err(|error| self.events_failed("read", &directory, error)),
            (Select::Within(bytes), Form::Array) => self.read_array(&events, &directory, bytes),
            (Select::All, _) => self.read_stream(&events, &directory),
        }
    }
}

/// A locked event file.
struct Held {
    /// The name of the conversation's directory.
    directory: String,
    events: Events,
    len: u64,
}

/// An open event file. That it is a regular file is checked by whoever looks at its metadata.
#[derive(Debug)]
struct Events {
    file: File,
    form: Form,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// One event a line, appended to.
    Lines,
    /// One JSON array, as older stores have it.
    Array,
}

impl Form {
    fn file_name(self) -> &'static str {
        match self {
            Self::Lines => EVENTS,
            Self::Array => EVENTS_ARRAY,
        }
    }
}

/// Opens the event file of a conversation, in whichever of the two forms it is.
fn open_events(root: &OwnedFd, directory: &str, flags: OFlags) -> io::Result<Events> {
    let lines = || {
        let name = format!("{directory}/{EVENTS}");
        let file = beneath::open_unchecked(root, &name, flags | OFlags::APPEND)?;
        Ok(Events { file, form: Form::Lines })
    };
    let array = || {
        let file = beneath::open_unchecked(root, &format!("{directory}/{EVENTS_ARRAY}"), flags)?;
        Ok(Events { file, form: Form::Array })
    };
    let is_missing = |error: &io::Error| error.kind() == ErrorKind::NotFound;
    // Between the first two looks somebody may have turned the array into lines.
    for look in [&lines as &dyn Fn() -> io::Result<Events>, &array] {
        match look() {
            Err(error) if is_missing(&error) => {}
            result => return result,
        }
    }
    lines()
}

/// Whether an open event file is the one that its conversation has now.
fn is_current(root: &OwnedFd, directory: &str, events: &Events, inode: u64) -> bool {
    let is = |name: &str| beneath::inode(root, &format!("{directory}/{name}")).ok();
    match events.form {
        Form::Lines => is(EVENTS) == Some(inode),
        Form::Array => is(EVENTS).is_none() && is(EVENTS_ARRAY) == Some(inode),
    }
}

/// Tries to lock until it succeeds or the limit has passed. The kernel could wait for us, but not
/// for a limited time.
pub(super) fn lock_within(
    limit: Duration,
    try_lock: impl Fn() -> Result<(), TryLockError>,
) -> io::Result<()> {
    let mut started = None;
    let mut pause = Duration::from_micros(50);
    loop {
        match try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) => {}
        }
        if started.get_or_insert_with(Instant::now).elapsed() >= limit {
            return Err(io::Error::new(ErrorKind::TimedOut, "somebody else holds the lock"));
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn failed(action: &'static str, path: &Utf8Path) -> impl FnOnce(io::Error) -> StoreError + use<> {
    let path = path.to_owned();
    move |source| StoreError::Io { action, path, source }
}
