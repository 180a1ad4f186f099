//! Reading event files: whole, from the end, or line by line. What is held in memory has a limit,
//! whatever is in the file.

use std::{
    fs::File,
    hash::Hasher as _,
    io::{self, ErrorKind},
    os::unix::fs::FileExt,
};

use jp_conversation::{Stream, committed_len};
use memchr::{memchr, memchr_iter};
use rustc_hash::FxHasher;

use crate::beneath;

/// An event file beyond this is not read whole; its last events still are.
const LIMIT: u64 = 512 << 20;
/// Each event costs some bytes to remember where it is, and a large file of very short lines has many.
const MAX_EVENTS: usize = 4_000_000;
/// A file up to this size need not be asked: its lines fit into memory, however many they are.
const SMALL: usize = 64 << 20;
/// How many bytes are read at once where lines are handed over one by one.
const PIECE: u64 = 1 << 20;
/// How many bytes before a place show that the file is still the one that was read up to there.
const EVIDENCE: u64 = 64;

/// The bytes of an event file.
pub(super) fn whole(file: &File) -> io::Result<Vec<u8>> {
    let bytes = beneath::read_file(file, LIMIT)?;
    check_count(&bytes)?;
    Ok(bytes)
}

/// The last so many events of a file of lines, read backwards from its end.
pub(super) fn last(file: &File, count: usize) -> io::Result<Stream> {
    let metadata = file.metadata()?;
    beneath::check_regular(&metadata)?;
    let len = metadata.len();
    let (mut start, mut chunk) = (len, 64 << 10);
    loop {
        start = start.saturating_sub(chunk);
        let bytes = range(file, start, len)?;
        let mut stream = Stream::from_lines(whole_lines(bytes, start));
        if start == 0 || stream.len() >= count {
            stream.keep_last(count);
            return Ok(stream);
        }
        chunk *= 4;
    }
}

/// Hands over every line from one place to another, both of which are the start of one. A conversation
/// may be larger than memory: of it there is one line at a time, and a piece of what follows.
pub(super) fn lines(
    file: &File,
    from: u64,
    to: u64,
    mut take: impl FnMut(&[u8]),
) -> io::Result<()> {
    let (mut at, mut begun) = (from, Vec::new());
    while at < to {
        let piece = range(file, at, to.min(at + PIECE))?;
        if piece.is_empty() {
            break;
        }
        at += piece.len() as u64;
        let mut start = 0;
        for end in memchr_iter(b'\n', &piece) {
            begun.extend_from_slice(&piece[start..end]);
            // Empty lines are nobody's event.
            if !begun.trim_ascii().is_empty() {
                take(begun.trim_ascii());
            }
            begun.clear();
            start = end + 1;
        }
        begun.extend_from_slice(&piece[start..]);
        if begun.len() as u64 > LIMIT {
            let message = format!("a line of more than {LIMIT} bytes");
            return Err(io::Error::new(ErrorKind::FileTooLarge, message));
        }
    }
    Ok(())
}

/// How many bytes of a file of lines belong to finished batches; read backwards from its end.
pub(super) fn committed(file: &File, len: u64) -> io::Result<u64> {
    let (mut start, mut chunk) = (len, 64 << 10);
    loop {
        start = start.saturating_sub(chunk);
        let bytes = range(file, start, len)?;
        let skipped = bytes.len();
        let lines = whole_lines(bytes, start);
        let first = start + (skipped - lines.len()) as u64;
        match committed_len(&lines) as u64 {
            0 if start > 0 => chunk *= 4,
            committed => return Ok(first + committed),
        }
    }
}

/// A number that tells whether the bytes before a place have changed.
pub(super) fn evidence(file: &File, place: u64) -> io::Result<u64> {
    let bytes = range(file, place.saturating_sub(EVIDENCE), place)?;
    let mut hasher = FxHasher::default();
    hasher.write(&bytes);
    hasher.write_u64(place);
    Ok(hasher.finish())
}

/// What comes after the first line break, unless the bytes begin where the file does: before it
/// stands the end of a line.
fn whole_lines(mut bytes: Vec<u8>, start: u64) -> Vec<u8> {
    if start == 0 {
        return bytes;
    }
    let first = memchr(b'\n', &bytes).map_or(bytes.len(), |at| at + 1);
    bytes.split_off(first)
}

/// The bytes from one place to another, or fewer if the file has become shorter.
fn range(file: &File, start: u64, end: u64) -> io::Result<Vec<u8>> {
    let len = end.saturating_sub(start);
    if len > LIMIT {
        let message = format!("{len} bytes to read, more than the limit of {LIMIT}");
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
    let mut filled = 0;
    while filled < bytes.len() {
        match file.read_at(&mut bytes[filled..], start + filled as u64)? {
            0 => bytes.truncate(filled),
            count => filled += count,
        }
    }
    Ok(bytes)
}

fn check_count(bytes: &[u8]) -> io::Result<()> {
    if bytes.len() <= SMALL || memchr_iter(b'\n', bytes).count() <= MAX_EVENTS {
        return Ok(());
    }
    let message = format!("more than {MAX_EVENTS} lines");
    Err(io::Error::new(ErrorKind::FileTooLarge, message))
}
