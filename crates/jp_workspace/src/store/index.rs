//! What a listing shows, in one file: reading ten thousand `metadata.json` would take ten times as
//! long as listing their directory, and counting events longer still.
//!
//! The file is a log of records, one JSON array a line. The last word on a conversation wins:
//!
//! ```text
//! ["e",id,"directory","title",activated,last,count,bytes,evidence,dirty]   what is known of it
//! ["u",id]            unknown: from now on somebody may be writing to it, so look at its files
//! ["d",id]            it is gone
//! ["s",nanoseconds]   the directory, as it was at this time, has the same conversations as the log
//! ```
//!
//! Two rules make a listing exact, whoever dies when:
//!
//! - A writer, who holds the lock of his conversation, marks it unknown *before* he changes anything.
//!   If the mark is there already, he need not write at all.
//! - A listing looks at the files of what is unknown, and takes the mark away again only while it
//!   holds that same lock, so that nobody is in the middle of writing. While somebody else holds it,
//!   the listing notes how far it has counted and leaves the mark.
//!
//! What was counted is used again only if the bytes before that place are still the same, so a file
//! that something else has changed is counted anew when `jp` next writes to it.
//!
//! Even the names in the directory are read only when it has changed: its modification time is noted
//! when names and log agree, unless it is so young that another change could have the same. The log
//! can be deleted at any time; it is built again from the conversations.
//!
//! Records are appended under a shared lock of the log. Rewriting the log takes an exclusive one, and
//! whoever finds that the file he has open is no longer linked opens the new one.

mod entry;

use std::{
    collections::HashSet,
    fmt::Write as _,
    fs::File,
    io::{self, ErrorKind, Write as _},
    os::{fd::OwnedFd, unix::fs::FileExt},
    time::Duration,
};

use camino::Utf8PathBuf;
use indexmap::IndexMap;
use jiff::Timestamp;
use jp_conversation::ConversationId;
use memchr::memchr_iter;
use rustc_hash::FxBuildHasher;
use rustix::fs::OFlags;
use serde::de::IgnoredAny;

pub(super) use self::entry::{EACH, Entry};
use self::entry::{EntryRecord, push_entry};
use super::{MOST_LISTED, Summary, fs::lock_within};
use crate::{
    beneath,
    layout::{CACHE, INDEX},
};

/// The log and what was read from it so far.
#[derive(Debug)]
pub(super) struct Index {
    /// The `.jp` directory.
    storage: Utf8PathBuf,
    log: Option<File>,
    /// In the order of the log, which is nearly the order of a listing.
    pub(super) entries: IndexMap<ConversationId, Entry, FxBuildHasher>,
    /// What they cost, all together.
    cost: usize,
    /// The modification time of the directory when it was last compared with the log.
    pub(super) seen: Option<i128>,
    /// How far the log was read.
    offset: u64,
    /// Whether `entries` is what the open log says, so that something can be said of all of it.
    is_complete: bool,
    /// How many records were read; a log with many more than entries is worth rewriting.
    records: usize,
}

/// Rewriting takes milliseconds; whoever holds the log longer than this is not running.
const PATIENCE: Duration = Duration::from_secs(2);
/// How often a log is opened anew because somebody has replaced it.
const ATTEMPTS: u32 = 10;
/// File systems that count time coarsely do so in at most two seconds.
const YOUNG: Duration = Duration::from_secs(3);
/// A log of all that can be listed is no longer than that, and rewritten before it has twice as much. One beyond
/// this is not read but built anew.
const LIMIT: u64 = 4 * MOST_LISTED as u64;
/// How many bytes of it are read at once. No record is as long.
const PIECE: u64 = 1 << 20;

impl Index {
    pub(super) fn new(storage: Utf8PathBuf) -> Self {
        let entries = IndexMap::default();
        let (log, cost, seen, offset, is_complete, records) = (None, 0, None, 0, false, 0);
        Self { storage, log, entries, cost, seen, offset, is_complete, records }
    }

    /// Reads what others have written since the last time. A log that is missing or damaged leaves
    /// no entries, so that the caller builds them again.
    pub(super) fn refresh(&mut self) -> io::Result<()> {
        if !self.log.as_ref().is_some_and(beneath::is_linked) {
            self.forget();
            // A log that we may not write to can still be read.
            let for_writing = self.open_log(OFlags::RDWR | OFlags::APPEND);
            self.log = for_writing.or_else(|_| self.open_log(OFlags::RDONLY)).ok();
        }
        let Some(log) = &self.log else {
            // There is no log, and nothing in it.
            self.is_complete = true;
            return Ok(());
        };
        let len = log.metadata()?.len();
        if len < self.offset || len > LIMIT {
            return self.discard();
        }
        let log = log.try_clone()?;
        if self.read(&log, len)?.is_err() {
            tracing::debug!("the conversation log is damaged and will be built again");
            return self.discard();
        }
        self.is_complete = true;
        Ok(())
    }

    /// Takes note of all whole records of the log that were not read yet, a piece after the other.
    fn read(&mut self, log: &File, len: u64) -> io::Result<Result<(), serde_json::Error>> {
        let mut bytes = Vec::new();
        loop {
            let want = PIECE.min(len.saturating_sub(self.offset));
            bytes.resize(usize::try_from(want).unwrap_or(0), 0);
            log.read_exact_at(&mut bytes, self.offset)?;
            let before = self.offset;
            if let Err(error) = self.fold(&bytes) {
                return Ok(Err(error));
            }
            if self.offset == before && want == PIECE {
                return Ok(Err(serde::de::Error::custom("no record is as long")));
            }
            if want < PIECE {
                // What is left is still being written.
                return Ok(Ok(()));
            }
        }
    }

    /// Makes every listing look at the files of a conversation. The caller holds its lock.
    pub(super) fn mark_unknown(&mut self, id: ConversationId) -> io::Result<()> {
        if self.is_marked(id) && self.is_current() {
            return Ok(());
        }
        self.refresh()?;
        if self.is_marked(id) {
            return Ok(());
        }
        match self.append(&format!("[\"u\",{id}]\n")) {
            // Without a log there is nothing in it that could be wrong.
            Err(_) if self.is_absent() => Ok(()),
            result => result,
        }
    }

    /// Notes what was found out about conversations. The caller holds their locks.
    pub(super) fn settle(&mut self, found: Vec<(ConversationId, Entry)>) -> io::Result<()> {
        let mut records = String::new();
        for (id, entry) in &found {
            push_entry(*id, entry, &mut records)?;
        }
        self.append(&records)?;
        for (id, entry) in found {
            self.insert(id, entry);
        }
        Ok(())
    }

    /// Notes that all conversations but these are gone.
    pub(super) fn remove_others(&mut self, there: &[Summary]) -> io::Result<()> {
        let there: HashSet<ConversationId> = there.iter().map(|summary| summary.id).collect();
        let gone: Vec<_> = self.entries.keys().copied().filter(|id| !there.contains(id)).collect();
        let records: String = gone.iter().map(|id| format!("[\"d\",{id}]\n")).collect();
        self.append(&records)?;
        if !gone.is_empty() {
            self.entries.retain(|id, _| there.contains(id));
            self.cost = self.entries.values().map(Entry::cost).sum();
            self.seen = None;
        }
        Ok(())
    }

    /// Notes that a conversation is gone, or was made anew.
    pub(super) fn remove(&mut self, id: ConversationId) -> io::Result<()> {
        self.refresh()?;
        if !self.take_out(id) {
            return Ok(());
        }
        self.append(&format!("[\"d\",{id}]\n"))
    }

    /// Notes that the log and a directory with this modification time name the same conversations.
    /// A log that somebody has deleted meanwhile names none; of the new one this must not be said.
    pub(super) fn see(&mut self, modified: i128) -> io::Result<()> {
        let age = Timestamp::now().as_nanosecond() - modified;
        if !self.is_complete || age < YOUNG.as_nanos().cast_signed() {
            return Ok(());
        }
        if let Some(log) = &self.log {
            lock_within(PATIENCE, || log.try_lock_shared())?;
            let written = if beneath::is_linked(log) {
                (&*log).write_all(format!("[\"s\",{modified}]\n").as_bytes())
            } else {
                Ok(())
            };
            let _ = log.unlock();
            return written;
        }
        Ok(())
    }

    /// Rewrites the log if it holds much that nobody needs.
    pub(super) fn compact_if_worth_it(&mut self) -> io::Result<()> {
        if self.records > self.entries.len() + self.entries.len() / 2 + 64 {
            return self.compact();
        }
        Ok(())
    }

    /// Rewrites the log. Somebody else's lock is a reason to leave it to another time.
    fn compact(&mut self) -> io::Result<()> {
        // The lock is on this handle, and goes with it however this ends.
        let log = self.open_log(OFlags::RDWR | OFlags::APPEND | OFlags::CREATE)?;
        if log.try_lock().is_err() || !beneath::is_linked(&log) {
            return Ok(());
        }
        // Nobody can append any more; what was appended until now has to be in the new log.
        self.forget();
        self.log = None;
        let len = log.metadata()?.len();
        if len > LIMIT {
            return self.discard();
        }
        self.read(&log, len)?.map_err(io::Error::other)?;
        // The latest first, as they are listed: sorting what is sorted costs next to nothing.
        self.entries.sort_unstable_by(|a_id, a, b_id, b| {
            (b.activated.max(b.last), b_id).cmp(&(a.activated.max(a.last), a_id))
        });
        let mut text = String::with_capacity(self.entries.len() * 128);
        for (id, entry) in &self.entries {
            push_entry(*id, entry, &mut text)?;
        }
        if let Some(seen) = self.seen {
            let _ = writeln!(text, "[\"s\",{seen}]");
        }
        self.put_in_place_of(&log, &text)
    }

    /// Puts a new log in place of the one that it was made from. To make it durable can take longer than
    /// others wait for the lock: then somebody has put an empty log there, with marks in it that the new one
    /// does not have, and that one stays.
    ///
    /// What is left is the moment between the look and the renaming, in which nothing waits for a disk.
    fn put_in_place_of(&self, old: &File, text: &str) -> io::Result<()> {
        let cache = self.cache()?;
        let temporary = beneath::write_temporary(&cache, INDEX, text.as_bytes())?;
        let put = if beneath::is_linked(old) {
            beneath::rename(&cache, &temporary, INDEX)
        } else {
            Err(io::Error::new(ErrorKind::TimedOut, "somebody has put another log in place"))
        };
        put.inspect_err(|_| drop(beneath::unlink(&cache, &temporary)))
    }

    /// Takes an entry into the table. One more conversation than before, and what was said of the
    /// directory is not true any more.
    fn insert(&mut self, id: ConversationId, entry: Entry) {
        self.cost += entry.cost();
        match self.entries.insert(id, entry) {
            Some(old) => self.cost -= old.cost(),
            None => self.seen = None,
        }
    }

    /// Whether there was an entry to take out of the table.
    fn take_out(&mut self, id: ConversationId) -> bool {
        let Some(old) = self.entries.shift_remove(&id) else { return false };
        self.cost -= old.cost();
        true
    }

    fn is_marked(&self, id: ConversationId) -> bool {
        self.entries.get(&id).is_some_and(|entry| entry.dirty)
    }

    /// Whether nobody has written to the log since it was read.
    fn is_current(&self) -> bool {
        let stat = self.log.as_ref().and_then(|log| rustix::fs::fstat(log).ok());
        stat.is_some_and(|it| it.st_nlink > 0 && u64::try_from(it.st_size) == Ok(self.offset))
    }

    /// Appends records for others to read, and for us when we next refresh.
    fn append(&mut self, records: &str) -> io::Result<()> {
        if records.is_empty() {
            return Ok(());
        }
        for _ in 0..ATTEMPTS {
            let log = match self.log.take() {
                Some(log) => log,
                None => self.make_log()?,
            };
            match lock_within(PATIENCE, || log.try_lock_shared()) {
                Ok(()) => {}
                Err(error) if error.kind() == ErrorKind::TimedOut => {
                    // Whoever rewrites the log is not running. Without a log all is unknown, which is
                    // always true.
                    beneath::replace(self.cache()?, INDEX, b"")?;
                    self.forget();
                    continue;
                }
                Err(error) => return Err(error),
            }
            // Somebody may have put a new log in place before the lock was ours.
            if !beneath::is_linked(&log) {
                self.forget();
                continue;
            }
            let result = (&log).write_all(records.as_bytes());
            let _ = log.unlock();
            self.log = Some(log);
            return result;
        }
        Err(io::Error::new(ErrorKind::ResourceBusy, "the log is replaced all the time"))
    }

    /// Makes a log, or opens one that somebody else has made since we looked.
    fn make_log(&mut self) -> io::Result<File> {
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE;
        match self.open_log(flags | OFlags::EXCL) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                self.is_complete = false;
                self.open_log(flags)
            }
            result => result,
        }
    }

    fn open_log(&self, flags: OFlags) -> io::Result<File> {
        if !flags.contains(OFlags::CREATE) {
            let storage = beneath::open_root(&self.storage)?;
            return beneath::open_file(storage, &format!("{CACHE}/{INDEX}"), flags);
        }
        let make = || beneath::open_file(self.cache()?, INDEX, flags);
        match make() {
            // Somebody has deleted the cache in this very moment.
            Err(error) if error.kind() == ErrorKind::NotFound => make(),
            result => result,
        }
    }

    /// The cache directory, which tells git to leave it alone.
    fn cache(&self) -> io::Result<OwnedFd> {
        let storage = beneath::open_root(&self.storage)?;
        let cache = beneath::ensure_dir(storage, CACHE)?;
        if !beneath::exists(&cache, ".gitignore") {
            beneath::replace(&cache, ".gitignore", b"*\n")?;
        }
        Ok(cache)
    }

    /// Whether there is no log that anybody could read, and we cannot make one either.
    fn is_absent(&self) -> bool {
        let storage = beneath::open_root(&self.storage);
        storage.is_ok_and(|storage| !beneath::exists(storage, &format!("{CACHE}/{INDEX}")))
    }

    fn forget(&mut self) {
        self.entries.clear();
        self.cost = 0;
        (self.seen, self.offset, self.records, self.is_complete) = (None, 0, 0, false);
    }

    /// Removes a log that cannot be read.
    fn discard(&mut self) -> io::Result<()> {
        self.forget();
        self.log = None;
        match beneath::unlink(self.cache()?, INDEX) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            result => result,
        }
    }

    /// Takes note of all whole records. A record that is still being written is read the next time.
    fn fold(&mut self, bytes: &[u8]) -> Result<(), serde_json::Error> {
        let mut start = 0;
        for end in memchr_iter(b'\n', bytes) {
            self.fold_record(&bytes[start..end])?;
            // A few bytes of it could each take a hundred in memory.
            if self.cost > MOST_LISTED {
                return Err(serde::de::Error::custom("more conversations than can be listed"));
            }
            self.records += 1;
            start = end + 1;
        }
        self.offset += start as u64;
        Ok(())
    }

    fn fold_record(&mut self, line: &[u8]) -> Result<(), serde_json::Error> {
        // The kind stands at a fixed place, so that a line is parsed once and as what it is.
        match line.get(2) {
            Some(b'e') => {
                let record: EntryRecord = serde_json::from_slice(line)?;
                let id = ConversationId::from_u64(record.1);
                let entry = Entry::from(record);
                // The name leads to files; a log that came with a workspace may say anything.
                if let Some(name) = &entry.directory
                    && (name.contains('/') || ConversationId::from_directory_name(name) != Some(id))
                {
                    return Err(serde::de::Error::custom("not the directory of a conversation"));
                }
                self.insert(id, entry);
            }
            Some(b'u') => {
                let (_, id): (IgnoredAny, u64) = serde_json::from_slice(line)?;
                let id = ConversationId::from_u64(id);
                let entry = self.entries.get(&id).cloned().unwrap_or_default();
                self.insert(id, Entry { dirty: true, ..entry });
            }
            Some(b's') => {
                let (_, modified): (IgnoredAny, i128) = serde_json::from_slice(line)?;
                self.seen = Some(modified);
            }
            _ => {
                let (_, id): (IgnoredAny, u64) = serde_json::from_slice(line)?;
                self.take_out(ConversationId::from_u64(id));
                self.seen = None;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
