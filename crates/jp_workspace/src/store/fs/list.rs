//! Listing: the index joined with the directory, and a look at the files of those conversations only
//! that the index does not know for certain.

use std::{
    collections::HashMap,
    io::{self, ErrorKind},
    mem,
    os::{fd::OwnedFd, unix::fs::MetadataExt},
};

use jiff::Timestamp;
use jp_conversation::{ConversationId, stored};
use rustix::fs::OFlags;

use super::{
    Events, Form, FsStore, beneath, failed, is_current, open_events,
    read::{self, Line},
};
use crate::{
    layout::EVENTS,
    store::{
        Damage, Listing, MOST_LISTED, StoreError, Summary,
        index::{EACH, Entry, Index},
        metadata::short,
        sort,
    },
};

/// How many locks are held at once while a note is taken.
const CHUNK: usize = 16;

impl FsStore {
    pub(super) fn list_on_disk(&self) -> Result<Listing, StoreError> {
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
        let mut joined = if is_seen {
            self.join_known(&index)?
        } else {
            let (names, cost) = names(root).map_err(list_failed())?;
            self.check(cost)?;
            self.join_names(&index, &names)?
        };
        // To look at files can take long, and whoever writes meanwhile has to mark that in the index.
        drop(index);
        self.look_at_unknown(&mut joined)?;
        let Joined { mut listing, unsettled, .. } = joined;
        let mut index = self.index();
        let saved = self.settle(&mut index, root, unsettled).and_then(|all_settled| {
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

    /// What the index knows, where the directory has not changed since the two were compared.
    fn join_known(&self, index: &Index) -> Result<Joined, StoreError> {
        let mut joined = Joined::default();
        joined.listing.conversations.reserve(index.entries.len());
        for (id, entry) in &index.entries {
            if entry.dirty {
                joined.add_unknown(*id, entry.directory_name(*id).into_owned(), entry.clone());
            } else {
                joined.add(*id, entry);
            }
            self.check(joined.cost)?;
        }
        Ok(joined)
    }

    /// Joins the names in the directory with what the index knows.
    fn join_names(&self, index: &Index, names: &[String]) -> Result<Joined, StoreError> {
        let mut joined = Joined::default();
        joined.listing.conversations.reserve(names.len());
        let chosen = self.one_each(names, &mut joined.listing.damaged);
        joined.cost += cost_of(&joined.listing.damaged);
        for (id, name) in chosen {
            match index.entries.get(&id).filter(|entry| entry.directory_name(id) == name) {
                Some(entry) if !entry.dirty => joined.add(id, entry),
                Some(entry) => joined.add_unknown(id, name.to_owned(), entry.clone()),
                None => joined.add_unknown(id, name.to_owned(), Entry::default()),
            }
            self.check(joined.cost)?;
        }
        Ok(joined)
    }

    /// Ends a listing that takes too much before it has taken it.
    fn check(&self, cost: usize) -> Result<(), StoreError> {
        if cost > MOST_LISTED {
            return Err(StoreError::Many { path: self.path_of("") });
        }
        Ok(())
    }

    /// One directory for each id: the one named by the id alone, if there are several.
    fn one_each<'a>(
        &self,
        names: &'a [String],
        damaged: &mut Vec<Damage>,
    ) -> Vec<(ConversationId, &'a str)> {
        let mut position: HashMap<ConversationId, usize> = HashMap::with_capacity(names.len());
        let mut chosen: Vec<(ConversationId, &str)> = Vec::with_capacity(names.len());
        for name in names {
            let Some(id) = ConversationId::from_directory_name(name) else { continue };
            let Some(at) = position.get(&id) else {
                position.insert(id, chosen.len());
                chosen.push((id, name));
                continue;
            };
            // The shortest name is the plain one; of two with words, the same one every time.
            let (kept, other) =
                if (name.len(), name.as_str()) < (chosen[*at].1.len(), chosen[*at].1) {
                    (name.as_str(), chosen[*at].1)
                } else {
                    (chosen[*at].1, name.as_str())
                };
            chosen[*at].1 = kept;
            let reason = format!("another directory of conversation {id}; {kept} is used");
            damaged.push(Damage { path: self.path_of(other), reason });
        }
        chosen
    }

    /// Looks at the files of conversations that the index does not know for certain.
    fn look_at_unknown(&self, joined: &mut Joined) -> Result<(), StoreError> {
        for (id, name, base) in mem::take(&mut joined.unknown) {
            let before = joined.listing.damaged.len();
            let examined = self.examine(id, &name, &base, &mut joined.listing.damaged);
            joined.cost += cost_of(&joined.listing.damaged[before..]);
            joined.cost -= base.cost();
            joined.add(id, &examined.entry);
            // What is damaged stays unknown, so that every listing reports it.
            if examined.is_whole {
                joined.unsettled.push((id, examined));
            }
            self.check(joined.cost)?;
        }
        Ok(())
    }

    /// Notes what was found. Where nobody is writing and everything is still as it was found, the
    /// conversation is known for certain from now on; its lock is held until the note is made. Where
    /// somebody is, at least what was counted need not be counted again.
    ///
    /// Says whether all of them are known for certain now.
    fn settle(
        &self,
        index: &mut Index,
        root: &OwnedFd,
        unsettled: Vec<(ConversationId, Examined)>,
    ) -> io::Result<bool> {
        let mut all = true;
        let mut unsettled = unsettled.into_iter().peekable();
        while unsettled.peek().is_some() {
            let mut locks = Vec::with_capacity(CHUNK);
            let mut found = Vec::with_capacity(CHUNK);
            for (id, examined) in unsettled.by_ref().take(CHUNK) {
                let lock = self.lock_for_note(root, id, &examined);
                all &= lock.is_some();
                found.push((id, Entry { dirty: lock.is_none(), ..examined.entry }));
                locks.push(lock);
            }
            index.settle(found)?;
        }
        Ok(all)
    }

    /// The lock of a conversation that is still exactly as it was examined.
    fn lock_for_note(
        &self,
        root: &OwnedFd,
        id: ConversationId,
        examined: &Examined,
    ) -> Option<Events> {
        let name = examined.entry.directory_name(id);
        let events = open_events(root, &name, OFlags::RDONLY).ok()?;
        events.file.try_lock_shared().ok()?;
        let stamp = Stamp::of(&events)?;
        let is_same =
            Some(stamp) == examined.stamp && is_current(root, &name, &events, stamp.inode);
        let metadata = self.read_metadata(&name).ok()?;
        let is_same_title = metadata.title.map(short) == examined.entry.title;
        (is_same && is_same_title).then_some(events)
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
        let metadata = self.read_metadata(directory).map_err(&mut note).ok();
        let counted = self.count(directory, base).map_err(&mut note).unwrap_or_else(|()| Counted {
            count: base.count,
            last: base.last,
            ..Counted::default()
        });
        if counted.unreadable > 0 {
            let path = self.path_of(directory).join(EVENTS);
            let reason = match counted.unreadable {
                1 => "one line cannot be read as an event".to_owned(),
                count => format!("{count} lines cannot be read as events"),
            };
            damaged.push(Damage { path, reason });
        }
        let (title, activated) = match metadata {
            Some(it) => (it.title.map(short), it.last_activated_at.map(Timestamp::as_microsecond)),
            None => (base.title.clone(), base.activated),
        };
        let entry = Entry {
            directory: Entry::directory_field(id, directory),
            title,
            activated,
            last: counted.last,
            count: counted.count,
            bytes: counted.bytes,
            evidence: counted.evidence,
            dirty: false,
        };
        Examined { entry, stamp: counted.stamp, is_whole: damaged.len() == before }
    }

    /// Counts the events of a conversation: those behind what `base` has counted already, if the
    /// file is still the one it has counted.
    fn count(&self, directory: &str, base: &Entry) -> Result<Counted, StoreError> {
        let Some(root) = self.root()? else { return Ok(Counted::default()) };
        let read_failed = |error| self.events_failed("read", directory, error);
        let events = match open_events(root, directory, OFlags::RDONLY) {
            Ok(events) => events,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Counted::default()),
            Err(error) => return Err(read_failed(error)),
        };
        let metadata = events.file.metadata().map_err(read_failed)?;
        beneath::check_regular(&metadata).map_err(read_failed)?;
        let _turn = self.turn(metadata.len());
        let stamp = Stamp::of(&events);
        let mut counted = match events.form {
            Form::Array => {
                let mut counted = Counted::default();
                let stream = self.read_stream(&events, directory)?;
                stream.raw().map(Line::of).for_each(|line| counted.add(line));
                counted
            }
            Form::Lines => count_lines(base, &events).map_err(read_failed)?,
        };
        counted.stamp = stamp;
        Ok(counted)
    }

    fn damage(&self, directory: &str, error: &StoreError) -> Damage {
        let (path, reason) = match error {
            StoreError::Io { path, source, .. } => (path.clone(), source.to_string()),
            StoreError::Damaged { path, reason } => (path.clone(), reason.clone()),
            StoreError::Array { path, source } => (path.clone(), source.to_string()),
            other => (self.path_of(directory), other.to_string()),
        };
        // Some quote what they are about.
        Damage { path, reason: reason.chars().take(300).collect() }
    }
}

/// Counts the lines of finished batches.
fn count_lines(base: &Entry, events: &Events) -> io::Result<Counted> {
    let mut counted = Counted::continuing(base, events);
    let committed = read::committed(&events.file, events.file.metadata()?.len())?;
    if committed > counted.bytes {
        read::lines(&events.file, counted.bytes, committed, |line| counted.add(line))?;
        counted.bytes = committed;
    }
    counted.evidence = read::evidence(&events.file, counted.bytes)?;
    Ok(counted)
}

/// What a listing found out.
#[derive(Default)]
struct Joined {
    listing: Listing,
    /// Of these the files are still to be looked at: their directories, and what the index knows.
    unknown: Vec<(ConversationId, String, Entry)>,
    /// What was found in the files of conversations that the index did not know for certain.
    unsettled: Vec<(ConversationId, Examined)>,
    /// What all that takes in memory.
    cost: usize,
}

impl Joined {
    fn add(&mut self, id: ConversationId, entry: &Entry) {
        self.cost += entry.cost();
        self.listing.conversations.push(entry.summary(id));
    }

    fn add_unknown(&mut self, id: ConversationId, directory: String, base: Entry) {
        self.cost += base.cost();
        self.unknown.push((id, directory, base));
    }
}

fn cost_of(damaged: &[Damage]) -> usize {
    damaged.iter().map(|damage| EACH + damage.path.as_str().len() + damage.reason.len()).sum()
}

/// The directories of conversations, and what they cost. No more of them are kept than can be listed.
fn names(root: &OwnedFd) -> io::Result<(Vec<String>, usize)> {
    let mut cost = 0;
    let names = beneath::directories(root, |name| {
        let is_ours = ConversationId::from_directory_name(name).is_some();
        if is_ours {
            cost += EACH + name.len();
        }
        is_ours && cost <= MOST_LISTED
    })?;
    Ok((names, cost))
}

struct Examined {
    entry: Entry,
    stamp: Option<Stamp>,
    /// Nothing of it was damaged.
    is_whole: bool,
}

/// How much of an event file there is, as far as it is finished.
#[derive(Debug, Default)]
struct Counted {
    bytes: u64,
    count: u64,
    /// The time of the last event, in microseconds.
    last: Option<i64>,
    evidence: u64,
    stamp: Option<Stamp>,
    /// How many of the new lines are not events.
    unreadable: usize,
}

impl Counted {
    /// What was counted before, if the bytes before that place are still the same; else nothing.
    fn continuing(base: &Entry, events: &Events) -> Self {
        let len = events.file.metadata().map_or(0, |metadata| metadata.len());
        let is_same = base.bytes > 0
            && base.bytes <= len
            && read::evidence(&events.file, base.bytes).ok() == Some(base.evidence);
        if !is_same {
            return Self::default();
        }
        Self { bytes: base.bytes, count: base.count, last: base.last, ..Self::default() }
    }

    /// Counts one more.
    fn add(&mut self, line: Line<'_>) {
        self.count += 1;
        let head = match line {
            Line::Whole(event) => stored::head(event).ok(),
            Line::TooLong => None,
        };
        match head {
            Some(head) => self.last = Some(head.timestamp.as_microsecond()),
            None => self.unreadable += 1,
        }
    }
}

/// What changes when a file does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    len: u64,
    modified: (i64, i64),
}

impl Stamp {
    fn of(events: &Events) -> Option<Self> {
        let metadata = events.file.metadata().ok()?;
        let modified = (metadata.mtime(), metadata.mtime_nsec());
        Some(Self { inode: metadata.ino(), len: metadata.len(), modified })
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
