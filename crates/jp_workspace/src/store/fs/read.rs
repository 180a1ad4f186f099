//! Reading event files: whole, from the end, or line by line. What is held in memory has a limit,
//! whatever is in the file.

use std::{
    fs::File,
    hash::Hasher as _,
    io::{self, ErrorKind},
    os::unix::fs::FileExt,
};

use jp_conversation::Stream;
use memchr::{memchr, memchr_iter, memrchr_iter};
use rustc_hash::FxHasher;

use crate::beneath;

/// An event file beyond this is not read whole; its last events still are. What has no end for so long is not
/// searched for it any further.
const LIMIT: u64 = 512 << 20;
/// The same for one that is an array: it is held whole to be looked at, where of lines there is one at a time.
pub(super) const LIMIT_OF_ARRAY: u64 = 64 << 20;
/// A line beyond this is nobody's event where lines are handed over one by one. Reading a text with escapes takes
/// as much again.
const LONGEST: u64 = 48 << 20;
/// How many bytes are held while the end of the last batch is searched for.
const WINDOW: u64 = 64 << 10;
/// How many bytes are read at once where lines are handed over one by one.
const PIECE: u64 = 1 << 20;
/// How many bytes before a place show that the file is still the one that was read up to there.
const EVIDENCE: u64 = 64;

/// A line of an event file that is not empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line<'a> {
    Whole(&'a [u8]),
    /// Longer than any event.
    TooLong,
}

impl<'a> Line<'a> {
    pub(super) fn of(event: &'a [u8]) -> Self {
        if event.len() as u64 > LONGEST { Self::TooLong } else { Self::Whole(event) }
    }
}

/// The bytes of an event file.
pub(super) fn whole(file: &File) -> io::Result<Vec<u8>> {
    beneath::read_file(file, LIMIT)
}

/// The first so many bytes of an event file, or all if it has fewer.
pub(super) fn first(file: &File, count: u64) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    beneath::check_regular(&metadata)?;
    range(file, 0, metadata.len().min(count))
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
pub(super) fn lines(file: &File, from: u64, to: u64, take: impl FnMut(Line<'_>)) -> io::Result<()> {
    lines_up_to(LONGEST, file, from, to, take)
}

fn lines_up_to(
    longest: u64,
    file: &File,
    from: u64,
    to: u64,
    mut take: impl FnMut(Line<'_>),
) -> io::Result<()> {
    let mut begun = Begun { longest, length: 0, bytes: Vec::new() };
    let mut at = from;
    while at < to {
        let piece = range(file, at, to.min(at + PIECE))?;
        if piece.is_empty() {
            break;
        }
        at += piece.len() as u64;
        let mut start = 0;
        for end in memchr_iter(b'\n', &piece) {
            begun.add(&piece[start..end]);
            begun.end(&mut take);
            start = end + 1;
        }
        begun.add(&piece[start..]);
        if begun.length > LIMIT {
            let message = format!("a line of more than {LIMIT} bytes");
            return Err(io::Error::new(ErrorKind::FileTooLarge, message));
        }
    }
    Ok(())
}

/// A line that is being read. Nothing is kept of one that is too long.
struct Begun {
    longest: u64,
    length: u64,
    bytes: Vec<u8>,
}

impl Begun {
    fn add(&mut self, more: &[u8]) {
        self.length += more.len() as u64;
        if self.length > self.longest {
            self.bytes = Vec::new();
        } else {
            self.bytes.extend_from_slice(more);
        }
    }

    fn end(&mut self, take: &mut impl FnMut(Line<'_>)) {
        let line = self.bytes.trim_ascii();
        if self.length > self.longest {
            take(Line::TooLong);
        } else if !line.is_empty() {
            take(Line::Whole(line));
        }
        self.length = 0;
        self.bytes.clear();
    }
}

/// How many bytes of a file of lines belong to finished batches; see `jp_conversation::Stream`. The end of the
/// last one is searched for from the end of the file, which may be long and hold none.
pub(super) fn committed(file: &File, len: u64) -> io::Result<u64> {
    committed_by(WINDOW, file, len)
}

fn committed_by(window: u64, file: &File, len: u64) -> io::Result<u64> {
    let mut end = len;
    while end > 0 {
        let start = end.saturating_sub(window);
        // What stands before a line break decides, and both have to be of one moment: somebody may cut off what
        // was unfinished and write something else. So the byte before the window is read with it.
        let from = start.saturating_sub(1);
        let bytes = range(file, from, end)?;
        for at in memrchr_iter(b'\n', &bytes) {
            let is_last = match at.checked_sub(1) {
                Some(before) => bytes[before] != b' ',
                None => from == 0,
            };
            if is_last {
                return Ok(from + at as u64 + 1);
            }
        }
        end = start;
        if len - end > LIMIT {
            let message = format!("nothing in the last {LIMIT} bytes is finished");
            return Err(io::Error::new(ErrorKind::FileTooLarge, message));
        }
    }
    Ok(0)
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

#[cfg(test)]
mod tests;
