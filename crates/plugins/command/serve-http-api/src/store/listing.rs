//! The list of conversations, in an order in which it can be read page by page.
//!
//! The latest come first, so the list changes under whoever reads it. A page is therefore found by a place
//! in the order and not by a number: what moves to the front meanwhile is not seen again, and nothing else
//! is left out.

use std::{cmp::Reverse, collections::HashMap, fmt, str::FromStr};

use jiff::Timestamp;
use jp_plugin_sdk::Summary;
use serde::Serialize;
use utoipa::ToSchema;

use crate::etag::Tag;

/// What is known of a conversation without reading it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Conversation {
    /// Its name, for ever.
    #[schema(pattern = "^[1-9][0-9]{0,19}$", examples("17127583920"))]
    pub(crate) id: String,
    #[schema(required = true)]
    pub(crate) title: Option<String>,
    /// When somebody last turned to it.
    #[schema(format = DateTime)]
    pub(crate) last_activated_at: String,
    pub(crate) events_count: u64,
}

/// A place in the order: what is smaller comes later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key {
    /// Nanoseconds since 1970.
    time: i128,
    id: u128,
}

/// All conversations, the latest first.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    all: Vec<(Key, Conversation)>,
    by_id: HashMap<String, usize>,
}

impl Conversation {
    /// Changes whenever anything of the conversation does: whoever appends makes the count grow.
    pub(crate) fn tag(&self) -> Tag {
        let Self { id, title, last_activated_at, events_count } = self;
        let title = title.as_ref().map(|title| format!("={title}")).unwrap_or_default();
        let count = events_count.to_string();
        Tag::of([id, &title, last_activated_at, &count].map(String::as_bytes))
    }
}

impl Listing {
    pub(super) fn new(summaries: Vec<Summary>) -> Self {
        let mut all: Vec<_> = summaries.into_iter().map(entry).collect();
        all.sort_unstable_by_key(|(key, _)| Reverse(*key));
        let places = all.iter().enumerate().map(|(at, (_, it))| (it.id.clone(), at));
        Self { by_id: places.collect(), all }
    }

    pub(super) fn get(&self, id: &str) -> Option<&Conversation> {
        self.by_id.get(id).map(|at| &self.all[*at].1)
    }

    /// The conversations that have these words in their title, or this text in their id.
    pub(crate) fn search(&self, text: &str) -> Vec<&(Key, Conversation)> {
        let words: Vec<_> = text.split_whitespace().map(str::to_lowercase).collect();
        let fits = |it: &Conversation| {
            let title = it.title.as_deref().unwrap_or_default().to_lowercase();
            words.iter().all(|word| title.contains(word.as_str()) || it.id.contains(word.as_str()))
        };
        self.all.iter().filter(|(_, it)| words.is_empty() || fits(it)).collect()
    }
}

fn entry(summary: Summary) -> (Key, Conversation) {
    let Summary { id, title, last_activated_at, events_count } = summary;
    // The host only sends times and numbers here; whatever else there is counts as very old.
    let time = last_activated_at.parse().map_or(0, Timestamp::as_nanosecond);
    let key = Key { time, id: id.parse().unwrap_or_default() };
    (key, Conversation { id, title, last_activated_at, events_count })
}

/// The form in which a client hands it back.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.time, self.id)
    }
}

impl FromStr for Key {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (time, id) = text.split_once('_').ok_or(())?;
        let is_number = |text: &str| {
            (1..=30).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        if !is_number(time.strip_prefix('-').unwrap_or(time)) || !is_number(id) {
            return Err(());
        }
        Ok(Self { time: time.parse().map_err(drop)?, id: id.parse().map_err(drop)? })
    }
}

#[cfg(test)]
mod tests;
