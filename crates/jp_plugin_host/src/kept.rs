//! A small file that saves work when it is there and costs nothing but time when it is not.
//!
//! Several runs of jp may write at the same time; each reads the file again under a lock and replaces it in
//! one step. What cannot be read, is not ours or is of another version counts as nothing, and what cannot be
//! written is not kept: a slower jp and not a broken one.
#![expect(
    clippy::disallowed_methods,
    reason = "plugins, and what is kept about them, lie outside of workspaces"
)]

use std::{
    fs,
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use crate::look;

/// The version of the files that are written and read.
const VERSION: u32 = 1;

/// The largest file that is read, in bytes.
pub(crate) const MOST_BYTES: u64 = 16 << 20;

/// A file that holds a value of one type.
#[derive(Debug, Clone)]
pub(crate) struct Kept {
    file: Utf8PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Content<T> {
    version: u32,
    entries: T,
}

impl Kept {
    pub(crate) fn new(file: Utf8PathBuf) -> Self {
        Self { file }
    }

    /// What is kept; nothing where the file is none of ours.
    pub(crate) fn read<T: DeserializeOwned + Default>(&self) -> T {
        read(&self.file).unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::debug!(%error, file = %self.file, "nothing is remembered");
            }
            T::default()
        })
    }

    /// Changes what is kept.
    pub(crate) fn change<T: Serialize + DeserializeOwned + Default>(
        &self,
        change: impl FnOnce(&mut T),
    ) {
        if let Err(error) = self.write(change) {
            tracing::debug!(%error, file = %self.file, "nothing new is remembered");
        }
    }

    fn write<T: Serialize + DeserializeOwned + Default>(
        &self,
        change: impl FnOnce(&mut T),
    ) -> io::Result<()> {
        let directory = self.file.parent().unwrap_or(Utf8Path::new("/"));
        fs::create_dir_all(directory)?;
        let lock = fs::OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .mode(0o600)
            .open(self.file.with_extension("lock"))?;
        // Whoever holds it writes a small file; whoever cannot have it now can do without.
        flock(&lock, FlockOperation::NonBlockingLockExclusive)?;
        let mut entries: T = self.read();
        change(&mut entries);
        let text = serde_json::to_vec(&Content { version: VERSION, entries })?;
        if text.len() as u64 > MOST_BYTES {
            return Err(io::Error::other("there is too much to remember"));
        }
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        temporary.write_all(&text)?;
        temporary.persist(&self.file)?;
        Ok(())
    }
}

fn read<T: DeserializeOwned>(file: &Utf8Path) -> io::Result<T> {
    let opened = look::open(file)?;
    let user = rustix::process::geteuid().as_raw();
    let found = opened.metadata()?;
    if ![user, 0].contains(&found.uid()) {
        return Err(io::Error::other("it is not a file of ours"));
    }
    let mut text = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0).min(1 << 20));
    opened.take(MOST_BYTES).read_to_end(&mut text)?;
    let content: Content<T> = serde_json::from_slice(&text)?;
    if content.version != VERSION {
        return Err(io::Error::other("it is of another version"));
    }
    Ok(content.entries)
}
