//! What the log knows of a conversation, and the record that says so.

use std::{borrow::Cow, io};

use jp_conversation::ConversationId;
use serde::{Deserialize, de::IgnoredAny};

use crate::store::metadata::short;

/// What the log knows of one conversation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(in crate::store) struct Entry {
    /// The name of its directory, where that is not just the id.
    pub(in crate::store) directory: Option<String>,
    pub(in crate::store) title: Option<String>,
    /// `last_activated_at` of its metadata, in microseconds.
    pub(in crate::store) activated: Option<i64>,
    /// The time of its last event, in microseconds.
    pub(in crate::store) last: Option<i64>,
    pub(in crate::store) count: u64,
    /// How many bytes of its event file were counted. Events are only appended, so what is counted
    /// stays counted.
    pub(in crate::store) bytes: u64,
    /// Tells whether the bytes before that place are still the same.
    pub(in crate::store) evidence: u64,
    /// Somebody may have written to it since.
    pub(in crate::store) dirty: bool,
}

/// What a conversation takes in a listing beside its title: in the index, in the summary, among the names of a
/// directory, and in each of these once more while they grow.
pub(in crate::store) const EACH: usize = 512;

impl Entry {
    /// How much memory it may take, and no less than its record has bytes. A title is there as the index has it and
    /// as the summary does, and in the log characters of one byte can have six.
    pub(in crate::store) fn cost(&self) -> usize {
        let title = self.title.as_deref().unwrap_or_default();
        let is_escaped = |byte: &u8| *byte < 0x20 || matches!(byte, b'"' | b'\\');
        let escaped = title.bytes().filter(is_escaped).count();
        EACH + 2 * title.len() + 5 * escaped + self.directory.as_ref().map_or(0, String::len)
    }

    /// The name of the directory of the conversation with this id.
    pub(in crate::store) fn directory_name(&self, id: ConversationId) -> Cow<'_, str> {
        match &self.directory {
            Some(name) => Cow::Borrowed(name),
            None => Cow::Owned(id.to_string()),
        }
    }

    /// What [`directory`](Self::directory) holds for a directory of this name.
    pub(in crate::store) fn directory_field(id: ConversationId, name: &str) -> Option<String> {
        (name != id.to_string()).then(|| name.to_owned())
    }
}

/// The record `e`, as it stands there.
#[derive(Deserialize)]
pub(super) struct EntryRecord(
    IgnoredAny,
    pub(super) u64,
    Option<String>,
    Option<String>,
    Option<i64>,
    Option<i64>,
    u64,
    u64,
    u64,
    bool,
);

impl From<EntryRecord> for Entry {
    fn from(record: EntryRecord) -> Self {
        let EntryRecord(_, _, directory, title, activated, last, count, bytes, evidence, dirty) =
            record;
        let title = title.map(short);
        Self { directory, title, activated, last, count, bytes, evidence, dirty }
    }
}

/// Appends the record of a conversation.
pub(super) fn push_entry(id: ConversationId, entry: &Entry, text: &mut String) -> io::Result<()> {
    let Entry { directory, title, activated, last, count, bytes, evidence, dirty } = entry;
    let id = id.as_u64();
    let record = ("e", id, directory, title, activated, last, count, bytes, evidence, dirty);
    text.push_str(&serde_json::to_string(&record)?);
    text.push('\n');
    Ok(())
}
