//! A conversation on disk that is ours to write to.

use std::{
    fs,
    io::{self, ErrorKind, Write},
    os::unix::fs::FileExt,
};

use jiff::Timestamp;
use jp_conversation::{ConversationId, Event, Validator, encode_batch, stored};
use rustix::fs::OFlags;
use serde_json::Value;

use super::{
    Events, Form, FsStore, Held, Locked, Metadata, OwnedFd, StoreError, beneath,
    create::GONE,
    failed,
    read::{self, Line},
};
use crate::layout::{CACHE, EVENTS, EVENTS_ARRAY, INDEX, METADATA};

pub(super) struct LockedOnDisk {
    store: FsStore,
    id: ConversationId,
    directory: String,
    /// The lock is on this file, and dropping it frees the lock.
    events: Events,
    /// How long the file is. Nobody else can change it.
    len: u64,
    /// Whether listings know that somebody is writing.
    is_marked: bool,
    has_written: bool,
    /// What a push is checked against; read when there is a push.
    validator: Option<Validator>,
}

impl LockedOnDisk {
    /// Takes over an event file that is locked, and repairs what an earlier holder left undone.
    pub(super) fn new(store: FsStore, id: ConversationId, held: Held) -> Result<Self, StoreError> {
        let Held { directory, events, len } = held;
        let (is_marked, has_written, validator) = (false, false, None);
        let mut locked =
            Self { store, id, directory, events, len, is_marked, has_written, validator };
        let is_ours = *locked.store.last_written() == Some((id, len));
        if locked.events.form == Form::Lines && !is_ours && !locked.ends_well()? {
            locked.repair()?;
        }
        Ok(locked)
    }

    /// Whether the last batch is finished; see `jp_conversation::Stream`.
    fn ends_well(&self) -> Result<bool, StoreError> {
        let mut end = [b'}', b'\n'];
        let from = usize::try_from(2_u64.saturating_sub(self.len)).unwrap_or(2);
        let at = self.len.saturating_sub(2);
        self.events.file.read_exact_at(&mut end[from..], at).map_err(|e| self.failed("read", e))?;
        Ok(end[1] == b'\n' && end[0] != b' ')
    }

    /// Cuts off a batch that a crash left unfinished.
    fn repair(&mut self) -> Result<(), StoreError> {
        let committed =
            read::committed(&self.events.file, self.len).map_err(|e| self.failed("read", e))?;
        let lost = self.len - committed;
        tracing::warn!(id = %self.id, bytes = lost, "an unfinished write was removed");
        self.events.file.set_len(committed).map_err(|e| self.failed("repair", e))?;
        self.len = committed;
        Ok(())
    }

    /// Appends the bytes of a batch, all of them in one write.
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        if bytes.is_empty() {
            return Ok(());
        }
        self.mark()?;
        if self.events.form == Form::Array {
            self.convert()?;
        }
        // Somebody who does not ask for locks, git for example, may have put another file in place
        // since we looked, which for the first write was a moment ago.
        if self.has_written && !beneath::is_linked(&self.events.file) {
            let message = "the file was replaced by another while it was locked";
            return Err(self.failed("write", io::Error::other(message)));
        }
        self.has_written = true;
        if let Err(error) = self.events.file.write_all(bytes) {
            // A full disk: what did arrive of the batch must not stay.
            let undone = self.events.file.set_len(self.len);
            return Err(self.failed("write", undone.err().unwrap_or(error)));
        }
        self.len += bytes.len() as u64;
        *self.store.last_written() = Some((self.id, self.len));
        tracing::debug!(id = %self.id, bytes = bytes.len(), "appended");
        Ok(())
    }

    /// Tells listings to look at the files, before the first change.
    fn mark(&mut self) -> Result<(), StoreError> {
        if !self.is_marked {
            let marked = self.store.index().mark_unknown(self.id);
            marked.map_err(failed("write", &self.store.shared.storage.join(CACHE).join(INDEX)))?;
            self.is_marked = true;
        }
        Ok(())
    }

    /// Replaces an array by a file of lines. The array stays until the lines are durable; the new
    /// file is locked before it gets the name that others would lock.
    fn convert(&mut self) -> Result<(), StoreError> {
        // The array is in memory until it is written.
        let _turn = self.store.turn(u64::MAX);
        let stream = self.store.read_stream(&self.events, &self.directory)?;
        let root = self.store.root_of(self.id)?;
        let bytes = stream.into_lines();
        let make = || {
            let directory = beneath::open_dir(root, &self.directory)?;
            let temporary = beneath::unique_name(".events.")?;
            let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
            let mut file = beneath::open_file(&directory, &temporary, flags)?;
            file.try_lock()?;
            file.write_all(&bytes)?;
            file.sync_all()?;
            beneath::rename_new(&directory, &temporary, EVENTS)?;
            rustix::fs::fsync(&directory)?;
            beneath::unlink(&directory, EVENTS_ARRAY)?;
            Ok(Events { file, form: Form::Lines })
        };
        self.events = make().map_err(|error| self.failed("convert", error))?;
        self.len = bytes.len() as u64;
        Ok(())
    }

    fn read_validator(&self) -> Result<Validator, StoreError> {
        let _turn = self.store.turn(self.len);
        let mut validator = Validator::default();
        let observe = |line: Line<'_>| {
            if let Line::Whole(event) = line
                && let Ok(head) = stored::head(event)
            {
                validator.observe_head(&head);
            }
        };
        match self.events.form {
            Form::Lines => {
                read::lines(&self.events.file, 0, self.len, observe)
                    .map_err(|error| self.failed("read", error))?;
            }
            Form::Array => {
                let stream = self.store.read_stream(&self.events, &self.directory)?;
                stream.raw().map(Line::of).for_each(observe);
            }
        }
        Ok(validator)
    }

    fn open_directory(&self) -> Result<OwnedFd, StoreError> {
        let root = self.store.root_of(self.id)?;
        beneath::open_dir(root, &self.directory).map_err(|error| self.failed("open", error))
    }

    fn failed(&self, action: &'static str, error: io::Error) -> StoreError {
        let path = self.store.path_of(&self.directory).join(self.events.form.file_name());
        failed(action, &path)(error)
    }
}

impl Locked for LockedOnDisk {
    fn id(&self) -> ConversationId {
        self.id
    }

    fn append(&mut self, events: &[Event]) -> Result<(), StoreError> {
        self.write(&encode_batch(events))?;
        if let Some(validator) = &mut self.validator {
            for event in events {
                validator.observe(event);
            }
        }
        Ok(())
    }

    fn push(&mut self, events: &[Value], now: Timestamp) -> Result<usize, StoreError> {
        let mut validator = match self.validator.take() {
            Some(validator) => validator,
            None => self.read_validator()?,
        };
        let accepted = validator.accept(events, now);
        self.validator = Some(validator);
        let accepted = accepted?;
        self.write(&accepted.bytes)
            // What was not written must not count as an earlier event.
            .inspect_err(|_| self.validator = None)?;
        Ok(accepted.count)
    }

    fn set_title(&mut self, title: Option<&str>) -> Result<(), StoreError> {
        // A title that is refused must not have moved anything.
        Metadata::default().set_title(title)?;
        let path = self.store.path_of(&self.directory).join(METADATA);
        let directory = self.open_directory()?;
        self.mark()?;
        let mut metadata = match self.store.read_metadata(&self.directory) {
            Ok(metadata) => metadata,
            Err(StoreError::Damaged { .. }) => {
                // A title mends it; what was there is kept for whoever wants to look.
                let kept = format!("{METADATA}.damaged");
                beneath::rename(&directory, METADATA, &kept).map_err(failed("write", &path))?;
                Metadata::default()
            }
            Err(error) => return Err(error),
        };
        metadata.set_title(title)?;
        beneath::replace(directory, METADATA, metadata.to_json().as_bytes())
            .map_err(failed("write", &path))
    }

    fn remove(self: Box<Self>) -> Result<(), StoreError> {
        let root = self.store.root_of(self.id)?;
        let path = self.store.path_of(&self.directory);
        let remove_failed = || failed("remove", &path);
        let gone = beneath::unique_name(GONE).map_err(remove_failed())?;
        beneath::rename_new(root, &self.directory, &gone).map_err(remove_failed())?;
        // First the file that others may be waiting for: they see that it is gone.
        for name in [EVENTS, EVENTS_ARRAY] {
            let _ = beneath::open_dir(root, &gone).and_then(|dir| beneath::unlink(dir, name));
        }
        if let Err(error) = self.store.index().remove(self.id) {
            tracing::debug!(%error, "the conversation log could not be written");
        }
        match fs::remove_dir_all(self.store.path_of(&gone)) {
            // Somebody who clears up was faster.
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            result => result.map_err(remove_failed()),
        }
    }
}
