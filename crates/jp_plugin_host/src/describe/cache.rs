//! What plugins said of themselves, kept in one small file, so that help and completion start nothing.
//!
//! An answer holds as long as the file looks the same. One that failed is tried again after a while, and at
//! once when it was asked sealed and is trusted by now: a script may need something that a sealed one does
//! not get.

use std::collections::HashMap;

use camino::Utf8PathBuf;
use jp_plugin::Describe;
use serde::{Deserialize, Serialize};

use super::Described;
use crate::{kept::Kept, look::Look};

/// How many answers are kept.
const MOST: usize = 1000;

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
            if entries.len() > MOST {
                entries.retain(|path, entry| Look::of(path) == Some(entry.look));
            }
        });
    }
}
