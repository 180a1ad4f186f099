//! The events of one conversation, found in the bytes of its file and read when they are asked for.
//!
//! The file is one event a line. A batch of several events has to survive a crash whole or not at
//! all, and one `write` can be torn anywhere, so a line says whether its batch goes on: **a line that
//! ends in a space is followed by more of the same batch**, a line without one closes it. The space
//! is white space to any JSON reader. What stands behind the last closing line was never finished;
//! readers do not see it, and the next writer cuts it off.
//!
//! Older stores hold one JSON array instead ([`Stream::from_array`]).

use std::ops::Range;

use memchr::{memchr_iter, memrchr};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    event::Event,
    stored::{self, EventError},
};

/// The stored bytes of a conversation and where each event is in them.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    bytes: Vec<u8>,
    events: Vec<Range<usize>>,
}

/// The text is not a JSON array.
#[derive(Debug, thiserror::Error)]
#[error("not a JSON array of events: {0}")]
pub struct NotAnArray(#[from] serde_json::Error);

impl Stream {
    /// Finds the events in a file of lines. An unfinished batch at the end is left out.
    pub fn from_lines(mut bytes: Vec<u8>) -> Self {
        bytes.truncate(committed_len(&bytes));
        let mut events = Vec::new();
        let mut start = 0;
        for end in memchr_iter(b'\n', &bytes) {
            // Empty lines are nobody's event; a person's editor may leave one behind.
            if !bytes[start..end].trim_ascii().is_empty() {
                events.push(start..end);
            }
            start = end + 1;
        }
        Self { bytes, events }
    }

    /// Finds the events in a file that is one JSON array.
    pub fn from_array(bytes: Vec<u8>) -> Result<Self, NotAnArray> {
        let items: Vec<&RawValue> = serde_json::from_slice(&bytes)?;
        let base = bytes.as_ptr() as usize;
        let events = items
            .iter()
            .map(|item| {
                let start = item.get().as_ptr() as usize - base;
                start..start + item.get().len()
            })
            .collect();
        Ok(Self { bytes, events })
    }

    /// Appends what [`encode_batch`] made, as if it had been read from the file.
    pub fn extend(&mut self, batch: &[u8]) {
        let tail = Self::from_lines(batch.to_vec());
        let offset = self.bytes.len();
        self.bytes.extend_from_slice(&tail.bytes);
        self.events.extend(tail.events.iter().map(|r| r.start + offset..r.end + offset));
    }

    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// How many bytes of the file belong to finished batches.
    pub fn byte_len(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Keeps the last `count` events.
    pub fn keep_last(&mut self, count: usize) {
        let excess = self.len().saturating_sub(count);
        self.events.drain(..excess);
    }

    /// The events, typed. An event that cannot be read is an error of its own; the others are fine.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = Result<Event, EventError>> + '_ {
        self.raw().map(stored::from_slice)
    }

    /// The events as the objects they are stored as, with the encoded strings decoded. Unlike
    /// [`events`](Self::events) this keeps fields we do not know.
    pub fn objects(&self) -> impl Iterator<Item = Result<Map<String, Value>, EventError>> + '_ {
        self.raw().map(|line| {
            let mut object = serde_json::from_slice(line)?;
            stored::decode(&mut object);
            Ok(object)
        })
    }

    /// All events as the bytes of a file of lines, nothing in them changed but white space.
    pub fn to_lines(&self) -> Vec<u8> {
        let mut lines = Vec::with_capacity(self.bytes.len());
        for event in self.raw() {
            push_compact(event, &mut lines);
            lines.push(b'\n');
        }
        lines
    }

    /// The bytes of the file that belong to finished batches.
    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// The stored bytes of each event.
    pub fn raw(&self) -> impl DoubleEndedIterator<Item = &[u8]> + '_ {
        self.events.iter().map(|range| self.bytes[range.clone()].trim_ascii())
    }
}

/// The bytes to append to a file of lines for a batch of events.
pub fn encode_batch(events: &[Event]) -> Vec<u8> {
    let mut batch = Batched(Vec::with_capacity(events.len() * 1_024));
    for event in events {
        batch.next(|bytes| stored::write_line(event, bytes));
    }
    batch.finish()
}

/// The lines of a batch in the making: each but the last has the mark that its batch goes on. No event may
/// contain a line break.
#[derive(Debug, Default)]
pub(crate) struct Batched(Vec<u8>);

impl Batched {
    pub(crate) fn add(&mut self, event: &Map<String, Value>) {
        // A map of values always has a JSON form, and a vector takes it.
        self.next(|bytes| drop(serde_json::to_writer(bytes, event)));
    }

    fn next(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        if !self.0.is_empty() {
            self.0.extend_from_slice(b" \n");
        }
        write(&mut self.0);
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        if !self.0.is_empty() {
            self.0.push(b'\n');
        }
        self.0
    }
}

/// How many of these bytes belong to finished batches. `bytes` must begin at the start of a line.
pub fn committed_len(bytes: &[u8]) -> usize {
    let mut end = memrchr(b'\n', bytes).map_or(0, |at| at + 1);
    while end > 0 {
        let line_end = end - 1;
        let continues = line_end > 0 && bytes[line_end - 1] == b' ';
        if !continues {
            return end;
        }
        end = memrchr(b'\n', &bytes[..line_end]).map_or(0, |at| at + 1);
    }
    0
}

/// Copies JSON without the white space between its tokens, and so without line breaks. Parsing and
/// writing it again would lose digits of large numbers.
pub(crate) fn push_compact(json: &[u8], out: &mut Vec<u8>) {
    let (mut in_string, mut escaped) = (false, false);
    for &byte in json {
        if in_string {
            in_string = escaped || byte != b'"';
            escaped = !escaped && byte == b'\\';
        } else if byte.is_ascii_whitespace() {
            continue;
        } else {
            in_string = byte == b'"';
        }
        out.push(byte);
    }
}

#[cfg(test)]
mod tests;
