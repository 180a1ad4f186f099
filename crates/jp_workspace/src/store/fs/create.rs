//! Making a conversation: prepared under a name that nobody lists, then renamed to its id, so that
//! it exists whole or not at all.

use std::{collections::HashSet, fs, io::ErrorKind, time::Duration};

use jiff::Timestamp;
use jp_conversation::ConversationId;
use rustix::fs::OFlags;

use super::{
    Events, Form, FsStore, Held, Metadata, OwnedFd, StoreError, beneath, failed,
    locked::LockedOnDisk,
};
use crate::layout::{CONVERSATIONS, EVENTS, METADATA};

/// What a directory is called while its conversation is being made, and while it is being removed.
const NEW: &str = ".new-";
pub(super) const GONE: &str = ".gone-";

impl FsStore {
    pub(super) fn create_on_disk(
        &self,
        title: Option<&str>,
        now: Timestamp,
    ) -> Result<LockedOnDisk, StoreError> {
        let metadata = Metadata::new(title, now)?;
        let root = self.ensure_root()?;
        // Directories with words behind the id would not be in the way of a rename.
        let mut taken = HashSet::new();
        let left = beneath::directories(root, |name| {
            taken.extend(ConversationId::from_directory_name(name));
            name.starts_with('.')
        });
        self.sweep(root, &left.map_err(failed("list", &self.path_of("")))?);
        let temporary = beneath::unique_name(NEW).map_err(failed("create", &self.path_of(NEW)))?;
        let events = self.prepare(root, &temporary, &metadata)?;
        let id = self.claim_id(root, &temporary, &taken, ConversationId::at(now))?;
        // An earlier conversation may have had the same id; nothing of it is true of this one.
        if let Err(error) = self.index().remove(id) {
            tracing::debug!(%error, "the conversation log could not be written");
        }
        tracing::debug!(%id, "created");
        let held = Held { directory: id.to_string(), events, len: 0 };
        LockedOnDisk::new(self.clone(), id, held)
    }

    /// Makes the directory with its files and takes the lock before anybody can know of it.
    fn prepare(
        &self,
        root: &OwnedFd,
        name: &str,
        metadata: &Metadata,
    ) -> Result<Events, StoreError> {
        let path = self.path_of(name);
        let make = || {
            let directory = beneath::ensure_dir(root, name)?;
            let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::EXCL;
            let file = beneath::open_file(&directory, EVENTS, flags)?;
            file.try_lock()?;
            beneath::replace(&directory, METADATA, metadata.to_json().as_bytes())?;
            Ok(Events { file, form: Form::Lines })
        };
        make().map_err(failed("create", &path))
    }

    /// Renames the directory to the first id that is free. The rename fails if the name is taken, so
    /// no two processes can get the same one.
    fn claim_id(
        &self,
        root: &OwnedFd,
        temporary: &str,
        taken: &HashSet<ConversationId>,
        mut id: ConversationId,
    ) -> Result<ConversationId, StoreError> {
        loop {
            while taken.contains(&id) {
                id = id.next();
            }
            match beneath::rename_new(root, temporary, &id.to_string()) {
                Ok(()) => return Ok(id),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => id = id.next(),
                Err(error) => return Err(failed("create", &self.path_of(&id.to_string()))(error)),
            }
        }
    }

    fn ensure_root(&self) -> Result<&OwnedFd, StoreError> {
        if let Some(root) = self.root()? {
            return Ok(root);
        }
        let make = || beneath::ensure_dir(beneath::open_root(&self.shared.storage)?, CONVERSATIONS);
        let root = make().map_err(failed("create", &self.path_of("")))?;
        Ok(self.shared.conversations.get_or_init(|| root))
    }

    /// Removes what processes that died left behind. One that is alive holds the lock of the event
    /// file, except for the moment between making the file and locking it; so a directory that is
    /// that young is left alone. Its lock is not even tried: holding it for a moment would be enough
    /// to make its owner fail.
    fn sweep(&self, root: &OwnedFd, names: &[String]) {
        let is_passing = |name: &&String| name.starts_with(NEW) || name.starts_with(GONE);
        for name in names.iter().filter(is_passing).filter(|name| self.is_old(name)) {
            let is_free =
                match beneath::open_file(root, &format!("{name}/{EVENTS}"), OFlags::RDONLY) {
                    Ok(file) => file.try_lock().is_ok(),
                    Err(error) => error.kind() == ErrorKind::NotFound,
                };
            if is_free && let Err(error) = fs::remove_dir_all(self.path_of(name)) {
                tracing::debug!(%error, name, "could not be removed");
            }
        }
    }

    fn is_old(&self, name: &str) -> bool {
        let modified = fs::symlink_metadata(self.path_of(name)).and_then(|m| m.modified());
        modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > Duration::from_mins(1)))
    }
}
