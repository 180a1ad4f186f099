//! The events of one conversation, found in the bytes of its file and read when they are asked for.
//!
//! The file is one event a line. A batch of several events has to survive a crash whole or not at
//! all, and one `write` can be torn anywhere, so a line says whether its batch goes on: **a line that
//! ends in a space is followed by more of the same batch**, a line without one closes it. The space
//! is white space to any JSON reader. What stands behind the last closing line was never finished;
//! readers do not see it, and the next writer cuts it off.
//!
//! Older stores hold one JSON array instead ([`Stream::from_array`]), which becomes lines when it is read.
//!
//! Where events begin is not remembered but found again: a file may be lines of one byte, each of which would
//! take many times as much as it has.

use memchr::{memchr, memrchr};
use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::{
    event::Event,
    stored::{self, EventError},
};

/// The stored bytes of a conversation, one event a line.
#[derive(Debug, Clone, Default)]
pub struct Stream {
    bytes: Vec<u8>,
    /// Where the first line is that counts.
    start: usize,
}

/// The text is not a JSON array.
#[derive(Debug, thiserror::Error)]
#[error("not a JSON array of events: {0}")]
pub struct NotAnArray(#[from] serde_json::Error);

impl Stream {
    /// The events of a file of lines. An unfinished batch at the end is left out.
    pub fn from_lines(mut bytes: Vec<u8>) -> Self {
        bytes.truncate(committed_len(&bytes));
        Self { bytes, start: 0 }
    }

    /// The events of a file that is one JSON array. Nothing in them is changed but white space.
    pub fn from_array(mut bytes: Vec<u8>) -> Result<Self, NotAnArray> {
        // Its items are looked at one by one, and none of them is kept.
        serde_json::from_slice::<Vec<IgnoredAny>>(&bytes)?;
        array_to_lines(&mut bytes);
        Ok(Self { bytes, start: 0 })
    }

    /// Appends what [`encode_batch`] made, as if it had been read from the file.
    pub fn extend(&mut self, batch: &[u8]) {
        self.bytes.extend_from_slice(&batch[..committed_len(batch)]);
    }

    /// How many events there are; they are counted.
    pub fn len(&self) -> usize {
        self.raw().count()
    }

    /// How many bytes of the file belong to finished batches.
    pub fn byte_len(&self) -> u64 {
        self.bytes.len() as u64
    }

    pub fn is_empty(&self) -> bool {
        self.raw().next().is_none()
    }

    /// Keeps the last `count` events.
    pub fn keep_last(&mut self, count: usize) {
        let mut lines = self.lines();
        for _ in 0..count {
            if lines.next_back().is_none() {
                break;
            }
        }
        self.start += lines.rest.len();
    }

    /// The events, typed. An event that cannot be read is an error of its own; the others are fine.
    pub fn events(&self) -> impl DoubleEndedIterator<Item = Result<Event, EventError>> + '_ {
        self.raw().map(stored::from_slice)
    }

    /// The events as the objects they are stored as, with the encoded strings decoded. Unlike
    /// [`events`](Self::events) this keeps fields we do not know.
    pub fn objects(&self) -> impl Iterator<Item = Result<Map<String, Value>, EventError>> + '_ {
        self.raw().map(stored::object_from_slice)
    }

    /// All events as the bytes of a file of lines.
    pub fn into_lines(mut self) -> Vec<u8> {
        self.bytes.drain(..self.start);
        self.bytes
    }

    /// The stored bytes of each event.
    pub fn raw(&self) -> impl DoubleEndedIterator<Item = &[u8]> + '_ {
        self.lines()
    }

    fn lines(&self) -> Lines<'_> {
        Lines { rest: &self.bytes[self.start..] }
    }
}

/// Lines without the white space around them. Empty ones are nobody's event; a person's editor may leave one
/// behind.
struct Lines<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Lines<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        while !self.rest.is_empty() {
            let end = memchr(b'\n', self.rest).unwrap_or(self.rest.len());
            let line = self.rest[..end].trim_ascii();
            self.rest = self.rest.get(end + 1..).unwrap_or_default();
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
    }
}

impl DoubleEndedIterator for Lines<'_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let text = self.rest.strip_suffix(b"\n").unwrap_or(self.rest);
            let start = memrchr(b'\n', text).map_or(0, |at| at + 1);
            self.rest = &self.rest[..start];
            let line = text[start..].trim_ascii();
            if !line.is_empty() {
                return Some(line);
            }
        }
        None
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

/// Makes a JSON array into lines, in its own place: what stands around its items becomes line breaks, and the
/// white space between tokens goes, line breaks among it. Parsing and writing it again would lose digits of
/// large numbers.
fn array_to_lines(bytes: &mut Vec<u8>) {
    let (mut to, mut depth) = (0, 0_usize);
    let (mut in_string, mut escaped) = (false, false);
    for at in 0..bytes.len() {
        let byte = bytes[at];
        let kept = match byte {
            _ if in_string => {
                in_string = escaped || byte != b'"';
                escaped = !escaped && byte == b'\\';
                byte
            }
            b'"' => {
                in_string = true;
                byte
            }
            b'[' | b'{' => {
                depth += 1;
                // The first of all is the array's own.
                if depth == 1 {
                    continue;
                }
                byte
            }
            b']' | b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 { b'\n' } else { byte }
            }
            b',' if depth == 1 => b'\n',
            _ if byte.is_ascii_whitespace() => continue,
            _ => byte,
        };
        bytes[to] = kept;
        to += 1;
    }
    bytes.truncate(to);
    // One without items has no line.
    if *bytes == b"\n" {
        bytes.clear();
    }
}

/// Copies JSON, a part after the other, without the white space between its tokens, and so without line breaks.
#[derive(Debug, Default)]
pub(crate) struct Compact {
    in_string: bool,
    escaped: bool,
}

impl Compact {
    pub(crate) fn push(&mut self, json: &[u8], out: &mut Vec<u8>) {
        for &byte in json {
            if self.in_string {
                self.in_string = self.escaped || byte != b'"';
                self.escaped = !self.escaped && byte == b'\\';
            } else if byte.is_ascii_whitespace() {
                continue;
            } else {
                self.in_string = byte == b'"';
            }
            out.push(byte);
        }
    }
}

#[cfg(test)]
mod tests;
