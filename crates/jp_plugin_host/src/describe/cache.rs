//! What plugins said of themselves, kept in one small file, so that help and completion start nothing.
//!
//! An answer holds as long as the file looks the same. One that failed is tried again after a while, and at
//! once when it was asked sealed and is trusted by now: a script may need something that a sealed one does
//! not get. Several runs of jp may write at the same time; each reads the file again under a lock and
//! replaces it in one step. A cache that cannot be read or written is a slower jp and not a broken one.
#![expect(
    clippy::disallowed_methods,
    reason = "plugins, and what is kept about them, lie outside of workspaces"
)]

use std::{
    collections::HashMap,
    fs,
    io::{self, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_plugin::Describe;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};

use super::Described;
use crate::look::{self, Look};

/// The version of the file that is written and read.
const VERSION: u32 = 1;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 16 << 20;

/// How many answers are kept.
const MOST: usize = 1000;

/// How long an answer that is none is remembered, in seconds.
const FAILURE: u64 = 60 * 60;

/// The file of answers.
#[derive(Debug, Clone)]
pub struct Cache {
    file: Utf8PathBuf,
}

/// Answers by the canonical path of the file.
pub(super) type Entries = HashMap<Utf8PathBuf, Entry>;

/// What one file said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) look: Look,
    pub(super) sha256: String,
    /// Whether it was sealed when it was asked.
    pub(super) sealed: bool,
    /// When, in seconds since the epoch.
    pub(super) at: u64,
    pub(super) answer: Result<Describe, String>,
}

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    entries: Entries,
}

impl Entry {
    /// Whether the answer still counts, for a file that looks the same.
    pub(super) fn holds(&self, now: u64, is_trusted: impl FnOnce(&str) -> bool) -> bool {
        let is_recent = self.at <= now && now - self.at < FAILURE;
        self.answer.is_ok() || is_recent && !(self.sealed && is_trusted(&self.sha256))
    }

    pub(super) fn described(&self) -> Described {
        match &self.answer {
            Ok(said) => Described::Said(Box::new(said.clone())),
            Err(why) => Described::Failed(why.clone()),
        }
    }
}

impl Cache {
    /// Keeps answers in this file.
    pub fn new(file: Utf8PathBuf) -> Self {
        Self { file }
    }

    /// What is kept; nothing where the file is none of ours.
    pub(super) fn read(&self) -> Entries {
        read(&self.file).unwrap_or_else(|error| {
            if error.kind() != io::ErrorKind::NotFound {
                tracing::debug!(%error, file = %self.file, "no answers of plugins are remembered");
            }
            Entries::new()
        })
    }

    /// Keeps these answers too.
    pub(super) fn add(&self, news: Vec<(Utf8PathBuf, Entry)>) {
        if let Err(error) = self.write(news) {
            tracing::debug!(%error, file = %self.file, "answers of plugins were not kept");
        }
    }

    fn write(&self, news: Vec<(Utf8PathBuf, Entry)>) -> io::Result<()> {
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
        let mut entries = self.read();
        entries.extend(news);
        if entries.len() > MOST {
            entries.retain(|path, entry| Look::of(path) == Some(entry.look));
        }
        let text = serde_json::to_vec(&File { version: VERSION, entries })?;
        if text.len() as u64 > MOST_BYTES {
            return Err(io::Error::other("there is too much to remember"));
        }
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        temporary.write_all(&text)?;
        temporary.persist(&self.file)?;
        Ok(())
    }
}

fn read(file: &Utf8Path) -> io::Result<Entries> {
    let opened = look::open(file)?;
    let user = rustix::process::geteuid().as_raw();
    let found = opened.metadata()?;
    if !found.is_file() || ![user, 0].contains(&found.uid()) {
        return Err(io::Error::other("it is not a file of ours"));
    }
    let mut text = Vec::with_capacity(usize::try_from(found.len()).unwrap_or(0).min(1 << 20));
    opened.take(MOST_BYTES).read_to_end(&mut text)?;
    let file: File = serde_json::from_slice(&text)?;
    if file.version != VERSION {
        return Err(io::Error::other("it is of another version"));
    }
    Ok(file.entries)
}
