//! Answers as lines.
//!
//! The content of a file is by far the longest part of any message, so it is not turned into a value
//! first: its bytes are escaped straight into the line.

use std::sync::Arc;

use jp_tool::vfs::{ErrorCode, ErrorObject, HostNotification, Id, Response, escape, write_line};
use serde::Serialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::limits::Limits;

/// An answer that tells more than this is long.
pub(crate) const LONG: usize = 1 << 20;

/// How many times the largest file an answer can be: text is a little longer as JSON, base64 a third. What is mostly
/// control characters would be six times as long.
const MOST_TIMES: u64 = 3;

/// Waits until a long answer can be made.
pub(crate) async fn turn(long: &Arc<Semaphore>, told: usize) -> Option<OwnedSemaphorePermit> {
    // Nobody closes it.
    if told > LONG { long.clone().acquire_owned().await.ok() } else { None }
}

/// Says no to an answer that would be much longer than what it tells, before it is made. What is around that takes
/// so many bytes beside it.
pub(crate) fn check_fits<'a>(
    told: impl IntoIterator<Item = &'a [u8]>,
    beside: usize,
    limits: &Limits,
) -> Result<(), ErrorObject> {
    let most = limits.file_bytes.saturating_mul(MOST_TIMES);
    let beside = u64::try_from(beside).unwrap_or(u64::MAX);
    let length: u64 = told.into_iter().map(length).sum::<u64>().saturating_add(beside);
    if length <= most {
        return Ok(());
    }
    let message = format!("as JSON it would be {length} bytes, and {most} fit into one answer");
    Err(ErrorObject::new(ErrorCode::TooLarge, message))
}

/// The same for the content of a file, which is told as text if it is some. Nearly every one is seen to fit by a look
/// that costs little beside reading it.
pub(crate) fn check_content_fits(bytes: &[u8], limits: &Limits) -> Result<(), ErrorObject> {
    let most = limits.file_bytes.saturating_mul(MOST_TIMES);
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let times = |number: u64| count(bytes.len()).saturating_mul(number);
    // A control character is six, and any other byte at most two.
    if times(6) <= most || times(2).saturating_add(controls(bytes).saturating_mul(4)) <= most {
        return Ok(());
    }
    match Told::of(bytes) {
        Told::Text(text) => check_fits([text.as_bytes()], 0, limits).map_err(|error| {
            let way = "read it in parts, with `offset` and `limit`";
            ErrorObject::new(ErrorCode::TooLarge, format!("{}; {way}", error.message()))
        }),
        Told::Binary(_) => Ok(()),
    }
}

/// How many control characters there are. Numbers of one byte are added many at a time, and a block has no more of
/// them than such a number can say.
fn controls(bytes: &[u8]) -> u64 {
    const BLOCK: usize = 192;
    let controls = |block: &[u8]| block.iter().map(|byte| u8::from(*byte < 0x20)).sum::<u8>();
    bytes.chunks(BLOCK).map(|block| u64::from(controls(block))).sum()
}

/// How long bytes are as a string of JSON, at most; what is no text counts like what is written in its place.
pub(crate) fn length(bytes: &[u8]) -> u64 {
    let length = |byte: &u8| match byte {
        b'\n' | b'\r' | b'\t' | b'"' | b'\\' => 2,
        0..0x20 => 6,
        _ => 1,
    };
    bytes.utf8_chunks().fold(0, |sum, chunk| {
        let invalid = if chunk.invalid().is_empty() { 0 } else { 3 };
        sum + chunk.valid().as_bytes().iter().map(length).sum::<u64>() + invalid
    })
}

/// Adds the answer to a request that was done.
pub(crate) fn success(id: &Id, result: &impl Serialize, out: &mut Vec<u8>) {
    line(&Response::success(id.clone(), result), out);
}

/// Adds the answer to a request that was refused, or to a line that was none.
pub(crate) fn failure(id: Option<&Id>, error: ErrorObject, out: &mut Vec<u8>) {
    line(&Response::<()> { id: id.cloned(), outcome: Err(error) }, out);
}

/// Adds a notification.
pub(crate) fn notification(notification: &HostNotification, out: &mut Vec<u8>) {
    line(notification, out);
}

/// Bytes as they are told: text if they are UTF-8, base64 otherwise.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Told<'a> {
    Text(&'a str),
    Binary(&'a [u8]),
}

impl<'a> Told<'a> {
    pub(crate) fn of(bytes: &'a [u8]) -> Self {
        simdutf8::basic::from_utf8(bytes).map_or(Self::Binary(bytes), Self::Text)
    }
}

/// Adds the answer to `fs.read`.
pub(crate) fn content(id: &Id, bytes: &[u8], size: u64, out: &mut Vec<u8>) {
    start(id, bytes.len(), out);
    field("content", Told::of(bytes), out);
    out.extend_from_slice(b",\"size\":");
    number(size, out);
    out.extend_from_slice(b"}}\n");
}

fn start(id: &Id, expected: usize, out: &mut Vec<u8>) {
    // Most text needs few escapes; base64 needs a third more.
    out.reserve(expected + expected / 3 + 128);
    out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
    match id {
        Id::Integer(id) => number(id, out),
        Id::String(text) => escape(text, out),
    }
    out.extend_from_slice(b",\"result\":{");
}

/// Adds a number, for which there is a quicker way than formatting it.
fn number(number: impl Serialize, out: &mut Vec<u8>) {
    // Writing to memory does not fail.
    let _ = serde_json::to_writer(out, &number);
}

/// Adds a field for bytes, and the one that says how they are written.
fn field(name: &str, told: Told<'_>, out: &mut Vec<u8>) {
    out.push(b'"');
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    match told {
        Told::Text(text) => escape(text, out),
        Told::Binary(bytes) => {
            out.push(b'"');
            base64_simd::STANDARD.encode_append(bytes, out);
            out.extend_from_slice(b"\",\"encoding\":\"base64\"");
        }
    }
}

fn line(message: &impl Serialize, out: &mut Vec<u8>) {
    let start = out.len();
    if write_line(message, out).is_err() {
        // Only a map with keys that are no strings has no JSON, and no message has one.
        out.truncate(start);
        let error = ErrorObject::new(ErrorCode::InternalError, "the answer cannot be written");
        let _ = write_line(&Response::<()> { id: None, outcome: Err(error) }, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_control_character_counts() {
        for (bytes, count) in [
            (vec![b'\n'; 1_000], 1_000),
            (vec![b' '; 1_000], 0),
            (b"a\tb\x1f\x7f\xff".repeat(500), 1_000),
            (Vec::new(), 0),
        ] {
            assert_eq!(controls(&bytes), count);
        }
    }
}
