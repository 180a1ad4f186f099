//! What plugins said of themselves, kept in one small file, so that help and completion start nothing.
//!
//! An answer holds as long as the file looks the same. One that failed is tried again after a while, and at
//! once when it was asked sealed and is trusted by now: a script may need something that a sealed one does
//! not get. Where there is no room for all, the latest stay.

use std::{
    cmp::Reverse,
    collections::HashMap,
    io::{self, Write},
};

use camino::Utf8PathBuf;
use jp_plugin::Describe;
use serde::{Deserialize, Serialize};

use super::Described;
use crate::{
    kept::{Kept, MOST_BYTES},
    look::Look,
};

/// How many answers are kept before those of files that are gone are looked for.
const MOST: usize = 1000;

/// How long all answers are together, in bytes; the rest of the file is what stands around them.
const MOST_TOGETHER: u64 = MOST_BYTES - 1024;

/// How long an answer that is none is remembered, in seconds.
const FAILURE: u64 = 60 * 60;

/// The file of answers.
#[derive(Debug, Clone)]
pub struct Cache(Kept);

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
        Self(Kept::new(file))
    }

    /// What is kept.
    pub(super) fn read(&self) -> Entries {
        self.0.read()
    }

    /// Keeps these answers too.
    pub(super) fn add(&self, news: Vec<(Utf8PathBuf, Entry)>) {
        self.0.change(|entries: &mut Entries| {
            entries.extend(news);
            if entries.len() > MOST || together(entries) > MOST_TOGETHER {
                entries.retain(|path, entry| Look::of(path) == Some(entry.look));
            }
            drop_oldest(entries);
        });
    }
}

/// Leaves as much as there is room for. Of what was asked at the same time the longest goes, so that few go.
fn drop_oldest(entries: &mut Entries) {
    let mut bytes = together(entries);
    if bytes <= MOST_TOGETHER {
        return;
    }
    let mut by_age: Vec<_> = entries
        .iter()
        .map(|(path, entry)| (entry.at, Reverse(length(path, entry)), path.clone()))
        .collect();
    by_age.sort_unstable();
    for (_, Reverse(length), path) in by_age {
        if bytes <= MOST_TOGETHER {
            return;
        }
        entries.remove(&path);
        bytes = bytes.saturating_sub(length);
    }
}

fn together(entries: &Entries) -> u64 {
    entries.iter().map(|(path, entry)| length(path, entry)).sum()
}

/// How long an answer is in the file.
fn length(path: &Utf8PathBuf, entry: &Entry) -> u64 {
    let mut counted = Counted(0);
    // Both have a JSON form, or nothing could be kept; the tuple is longer than a name with a value.
    let _ = serde_json::to_writer(&mut counted, &(path, entry));
    counted.0
}

/// Counts what is written, and keeps nothing of it.
struct Counted(u64);

impl Write for Counted {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
