//! Conversations on disk.
//!
//! Each conversation is a directory. **The event file is also the lock**: whoever holds the lock of
//! `events.jsonl` may write to the conversation. The file is never replaced or unlinked while the
//! conversation exists, so two processes cannot hold locks on two different files of one name; and
//! the kernel frees the lock when its holder dies, however it dies.
//!
//! What a crash can leave behind, and who clears it up:
//!
//! | a crash while… | leaves | which |
//! |---|---|---|
//! | appending | an unfinished batch | readers leave out, the next writer cuts off |
//! | creating | a directory `.new-…` | nobody lists, the next `create` removes |
//! | removing | a directory `.gone-…` | nobody lists, the next `create` removes |
//! | converting an array | `events.json` beside `events.jsonl` | nobody reads |
//! | writing anything | a mark in the index | a listing looks at the files, then takes away |

mod create;
mod locked;

use std::{
    fs::{File, TryLockError},
    io::{self, ErrorKind},
    os::{
        fd::OwnedFd,
        unix::fs::{FileExt, MetadataExt},
    },
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    thread,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jiff::Timestamp;
use jp_conversation::{ConversationId, Stream};
use memchr::memchr_iter;
use rustix::fs::OFlags;

use self::locked::LockedOnDisk;
use super::{
    Damage, Listing, Locked, Metadata, Select, Store, StoreError, Summary, Wait,
    index::{Entry, Index},
    metadata, sort,
};
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
}

/// A file of events beyond this is not read whole; its last events still are.
const STREAM_LIMIT: u64 = 1 << 30;

/// A listing may hold a lock while it takes a note; nobody is told of that.
const GLANCE: Duration = Duration::from_millis(20);

impl FsStore {
    /// The store in this `.jp` directory. Nothing is read or made yet.
    pub fn new(storage: &Utf8Path) -> Self {
        let index = Mutex::new(Index::new(storage.to_owned()));
        let shared = Shared {
            storage: storage.to_owned(),
            conversations: OnceLock::new(),
            index,
            last_written: Mutex::new(None),
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
        let names = beneath::names(root).map_err(failed("list", &self.path_of("")))?;
        names
            .into_iter()
            .find(|name| ConversationId::from_directory_name(name) == Some(id))
            .ok_or(StoreError::NotFound(id))
    }

    fn index(&self) -> MutexGuard<'_, Index> {
        // An index that a panic left half changed is checked against the disk like any other.
        self.shared.index.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn last_written(&self) -> MutexGuard<'_, Option<(ConversationId, u64)>> {
        self.shared.last_written.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the metadata in a directory; a conversation without any is untitled.
    fn read_metadata(&self, directory: &str) -> Result<Metadata, StoreError> {
        let name = format!("{directory}/{METADATA}");
        let path = self.path_of(&name);
        let Some(root) = self.root()? else {
            return Ok(Metadata::default());
        };
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
        let path = self.path_of(directory).join(events.form.file_name());
        let bytes =
            beneath::read_file(&events.file, STREAM_LIMIT).map_err(failed("read", &path))?;
        match events.form {
            Form::Lines => Ok(Stream::from_lines(bytes)),
            Form::Array => {
                Stream::from_array(bytes).map_err(|source| StoreError::Array { path, source })
            }
        }
    }

    /// Counts the events of a conversation: those behind what `base` has counted already.
    fn measure(&self, directory: &str, base: &Entry) -> Result<Extent, StoreError> {
        let path = self.path_of(directory);
        let Some(root) = self.root()? else { return Ok(Extent::default()) };
        let events = match open_events(root, directory, OFlags::RDONLY) {
            Ok(events) => events,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Extent::default()),
            Err(error) => return Err(self.events_failed("read", directory, error)),
        };
        let (stream, before) = match events.form {
            Form::Array => (self.read_stream(&events, directory)?, Extent::default()),
            Form::Lines => {
                let before = Extent { bytes: base.bytes, count: base.count, last: base.last };
                read_behind(&events.file, before).map_err(failed("read", &path.join(EVENTS)))?
            }
        };
        let last = stream.events().rev().flatten().next().map(|it| it.timestamp.as_microsecond());
        Ok(Extent {
            // An array is counted whole each time; it is not appended to.
            bytes: if events.form == Form::Lines { before.bytes + stream.byte_len() } else { 0 },
            count: before.count + stream.len() as u64,
            last: last.or(before.last),
        })
    }

    /// Builds the index entry of a conversation from its files, as far as they can be read.
    fn examine(
        &self,
        id: ConversationId,
        directory: &str,
        base: &Entry,
        damaged: &mut Vec<Damage>,
    ) -> Examined {
        let before = damaged.len();
        let mut note = |error: StoreError| damaged.push(self.damage(directory, &error));
        let metadata = self.read_metadata(directory).map_err(&mut note).unwrap_or_default();
        let extent = self.measure(directory, base).map_err(&mut note).unwrap_or_default();
        let entry = Entry {
            directory: Entry::directory_field(id, directory),
            title: metadata.title,
            activated: metadata.last_activated_at.map(Timestamp::as_microsecond),
            last: extent.last,
            count: extent.count,
            bytes: extent.bytes,
            dirty: false,
        };
        Examined { entry, whole: damaged.len() == before }
    }

    fn damage(&self, directory: &str, error: &StoreError) -> Damage {
        match error {
            StoreError::Io { path, source, .. } => {
                Damage { path: path.clone(), reason: source.to_string() }
            }
            StoreError::Damaged { path, reason } => {
                Damage { path: path.clone(), reason: reason.clone() }
            }
            StoreError::Array { path, source } => {
                Damage { path: path.clone(), reason: source.to_string() }
            }
            other => Damage { path: self.path_of(directory), reason: other.to_string() },
        }
    }

    /// What the index knows, where the directory has not changed since the two were compared.
    fn join_known(&self, index: &Index) -> Joined {
        let mut joined = Joined::default();
        joined.listing.conversations.reserve(index.entries.len());
        for (id, entry) in &index.entries {
            if entry.dirty {
                self.join_unknown(*id, &entry.directory_name(*id), entry, &mut joined);
            } else {
                joined.listing.conversations.push(entry.summary(*id));
            }
        }
        joined
    }

    /// Joins the names in the directory with what the index knows.
    fn join_names(&self, index: &Index, names: &[String]) -> Joined {
        let mut joined = Joined::default();
        joined.listing.conversations.reserve(names.len());
        for name in names {
            let Some(id) = ConversationId::from_directory_name(name) else { continue };
            match index.entries.get(&id).filter(|entry| entry.directory_name(id) == *name) {
                Some(entry) if !entry.dirty => {
                    joined.listing.conversations.push(entry.summary(id));
                }
                Some(entry) => self.join_unknown(id, name, entry, &mut joined),
                None => self.join_unknown(id, name, &Entry::default(), &mut joined),
            }
        }
        joined
    }

    /// Looks at the files of a conversation.
    fn join_unknown(&self, id: ConversationId, name: &str, base: &Entry, joined: &mut Joined) {
        let Examined { entry, whole } = self.examine(id, name, base, &mut joined.listing.damaged);
        joined.listing.conversations.push(entry.summary(id));
        // What is damaged stays unknown, so that every listing reports it.
        if whole {
            joined.unsettled.push((id, entry));
        }
    }

    /// Notes what was found, for those conversations that nobody is writing to and that are still
    /// as they were found. Their locks are held until the note is made, a few at a time and for a
    /// moment only. Says whether the index knows all of them now.
    fn settle(&self, index: &mut Index, unsettled: &[(ConversationId, Entry)]) -> io::Result<bool> {
        let Ok(Some(root)) = self.root() else { return Ok(false) };
        let mut settled = 0;
        for chunk in unsettled.chunks(64) {
            let mut locks = Vec::with_capacity(chunk.len());
            let mut found = Vec::with_capacity(chunk.len());
            for (id, entry) in chunk {
                let name = entry.directory_name(*id);
                let events = open_events(root, &name, OFlags::RDONLY).ok();
                let lock = events.filter(|events| events.file.try_lock_shared().is_ok());
                let Some(lock) = lock else { continue };
                let again = self.examine(*id, &name, entry, &mut Vec::new());
                if again.whole && again.entry == *entry {
                    locks.push(lock);
                    found.push((*id, again.entry));
                }
            }
            settled += found.len();
            index.settle(found)?;
        }
        Ok(settled == unsettled.len())
    }

    /// Opens and locks the event file of a conversation.
    fn lock_events(&self, id: ConversationId, wait: Wait) -> Result<Held, StoreError> {
        let limit = match wait {
            Wait::No => GLANCE,
            Wait::AtMost(limit) => limit.max(GLANCE),
        };
        let started = Instant::now();
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
            let left = limit.saturating_sub(started.elapsed());
            match lock_within(left, || events.file.try_lock()) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::TimedOut => {
                    return Err(StoreError::Locked(id));
                }
                Err(error) => return Err(self.events_failed("lock", &directory, error)),
            }
            let metadata = events.file.metadata();
            let metadata = metadata.and_then(|it| beneath::check_regular(&it).map(|()| it));
            let metadata = metadata.map_err(|e| self.events_failed("open", &directory, e))?;
            // While we waited, the conversation may have been removed, or converted to lines. Then
            // this lock is worth nothing; what to lock now is found by looking again.
            let converted = events.form == Form::Array
                && beneath::exists(root, &format!("{directory}/{EVENTS}"));
            if metadata.nlink() > 0 && !converted {
                return Ok(Held { directory, events, len: metadata.len() });
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

    fn events_failed(&self, action: &'static str, directory: &str, error: io::Error) -> StoreError {
        failed(action, &self.path_of(directory).join(EVENTS))(error)
    }
}

impl Store for FsStore {
    fn list(&self) -> Result<Listing, StoreError> {
        let Some(root) = self.root()? else { return Ok(Listing::default()) };
        let mut index = self.index();
        // The index first: a conversation is made before it is noted, so one that was noted and has
        // no directory afterwards is gone, not new.
        if let Err(error) = index.refresh() {
            tracing::debug!(%error, "the conversation log could not be read");
        }
        let list_failed = || failed("list", &self.path_of(""));
        let changed = beneath::modified(root).map_err(list_failed())?;
        let is_seen = index.seen == Some(changed);
        let joined = if is_seen {
            self.join_known(&index)
        } else {
            let names = beneath::names(root).map_err(list_failed())?;
            self.join_names(&index, &names)
        };
        let Joined { mut listing, unsettled } = joined;
        let saved = self.settle(&mut index, &unsettled).and_then(|all_settled| {
            if !is_seen {
                index.remove_others(&listing.conversations)?;
                // Only where the log knows them all does it stand for the directory.
                if all_settled && index.entries.len() == listing.conversations.len() {
                    index.see(changed)?;
                }
            }
            index.compact_if_worth_it()
        });
        if let Err(error) = saved {
            tracing::debug!(%error, "the conversation log could not be saved");
        }
        sort(&mut listing.conversations);
        Ok(listing)
    }

    fn create(&self, title: Option<&str>, now: Timestamp) -> Result<Box<dyn Locked>, StoreError> {
        Ok(Box::new(self.create_on_disk(title, now)?))
    }

    fn lock(&self, id: ConversationId, wait: Wait) -> Result<Box<dyn Locked>, StoreError> {
        let held = self.lock_events(id, wait)?;
        Ok(Box::new(LockedOnDisk::new(self.clone(), id, held)?))
    }

    fn metadata(&self, id: ConversationId) -> Result<Metadata, StoreError> {
        self.read_metadata(&self.directory(id)?)
    }

    fn events(&self, id: ConversationId, select: Select) -> Result<Stream, StoreError> {
        let root = self.root_of(id)?;
        let directory = self.directory(id)?;
        let path = self.path_of(&directory).join(EVENTS);
        let events = match open_events(root, &directory, OFlags::RDONLY) {
            Ok(events) => events,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Stream::default()),
            Err(error) => return Err(failed("read", &path)(error)),
        };
        match (select, events.form) {
            (Select::Last(count), Form::Lines) => {
                last_events(&events.file, count).map_err(failed("read", &path))
            }
            (Select::Last(count), Form::Array) => {
                let mut stream = self.read_stream(&events, &directory)?;
                stream.keep_last(count);
                Ok(stream)
            }
            (Select::All, _) => self.read_stream(&events, &directory),
        }
    }
}

/// What a listing found out.
#[derive(Default)]
struct Joined {
    listing: Listing,
    /// What was found in the files of conversations that the index did not know for certain.
    unsettled: Vec<(ConversationId, Entry)>,
}

/// How much of an event file there is, as far as it is finished.
#[derive(Debug, Clone, Copy, Default)]
struct Extent {
    bytes: u64,
    count: u64,
    /// The time of the last event, in microseconds.
    last: Option<i64>,
}

struct Examined {
    entry: Entry,
    /// Nothing of it was damaged.
    whole: bool,
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

impl Entry {
    fn summary(&self, id: ConversationId) -> Summary {
        let latest = self.activated.max(self.last);
        Summary {
            id,
            title: self.title.clone(),
            last_activated_at: latest
                .and_then(|at| Timestamp::from_microsecond(at).ok())
                .or_else(|| id.created_at())
                .unwrap_or_default(),
            events_count: self.count,
        }
    }
}

/// Opens the event file of a conversation, in whichever of the two forms it is.
fn open_events(root: &OwnedFd, directory: &str, flags: OFlags) -> io::Result<Events> {
    let lines = format!("{directory}/{EVENTS}");
    match beneath::open_unchecked(root, &lines, flags | OFlags::APPEND) {
        Ok(file) => Ok(Events { file, form: Form::Lines }),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let array = format!("{directory}/{EVENTS_ARRAY}");
            let file = beneath::open_unchecked(root, &array, flags)?;
            Ok(Events { file, form: Form::Array })
        }
        Err(error) => Err(error),
    }
}

/// Reads the events behind those that were counted before, and says which those are. A file that
/// is shorter than that is not the one that was counted.
fn read_behind(file: &File, before: Extent) -> io::Result<(Stream, Extent)> {
    let metadata = file.metadata()?;
    beneath::check_regular(&metadata)?;
    let Some(new) = metadata.len().checked_sub(before.bytes).filter(|_| before.bytes > 0) else {
        let bytes = beneath::read_file(file, STREAM_LIMIT)?;
        return Ok((Stream::from_lines(bytes), Extent::default()));
    };
    if new > STREAM_LIMIT {
        return Err(io::Error::new(ErrorKind::FileTooLarge, "too many new events"));
    }
    let mut bytes = vec![0; usize::try_from(new).unwrap_or(0)];
    file.read_exact_at(&mut bytes, before.bytes)?;
    Ok((Stream::from_lines(bytes), before))
}

/// Reads backwards from the end until there are enough events.
fn last_events(file: &File, count: usize) -> io::Result<Stream> {
    let metadata = file.metadata()?;
    beneath::check_regular(&metadata)?;
    let len = metadata.len();
    let mut start = len;
    let mut chunk = 64 << 10;
    loop {
        start = start.saturating_sub(chunk);
        if len - start > STREAM_LIMIT {
            return Err(io::Error::new(ErrorKind::FileTooLarge, "the last events are too large"));
        }
        let mut bytes = vec![0; usize::try_from(len - start).unwrap_or(0)];
        file.read_exact_at(&mut bytes, start)?;
        // Unless this is the start of the file, the first line is probably the end of one.
        let whole = if start == 0 {
            0
        } else {
            memchr_iter(b'\n', &bytes).next().map_or(bytes.len(), |at| at + 1)
        };
        let mut stream = Stream::from_lines(bytes.split_off(whole));
        if start == 0 || stream.len() >= count {
            stream.keep_last(count);
            return Ok(stream);
        }
        chunk *= 4;
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
