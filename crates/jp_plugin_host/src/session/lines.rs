//! The lines of a plugin, found in what its pipe gives.
//!
//! A line has a largest length, and what is kept of one that is too long is that length and no more.

use std::ops::Range;

use jp_plugin::MAX_LINE;
use memchr::memchr;

/// How much room there is for a read.
const READ: usize = 64 << 10;

/// So much room is kept when it is not needed; more is given back.
const KEPT: usize = 1 << 20;

/// So far the end of a line is looked for byte by byte. Most lines end there, and the first search that is
/// quicker asks what the processor can do, which on a virtual machine takes longer than many such lines.
const NEAR: usize = 128;

/// What has arrived and was not looked at.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    start: usize,
    /// Up to here there is no end of a line behind `start`.
    searched: usize,
}

/// A line that is longer than a line can be; the beginning of it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooLong(pub(super) Range<usize>);

impl Lines {
    /// Where to put what arrives next, with room for it.
    pub(super) fn room(&mut self) -> &mut Vec<u8> {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.buffer.shrink_to(KEPT);
            (self.start, self.searched) = (0, 0);
        } else if self.start > READ {
            self.buffer.drain(..self.start);
            (self.start, self.searched) = (0, self.searched - self.start);
        }
        self.buffer.reserve(READ);
        &mut self.buffer
    }

    /// The next line, without its end.
    pub(super) fn next(&mut self) -> Option<Result<Range<usize>, TooLong>> {
        let Some(at) = end_of_line(&self.buffer[self.searched..]) else {
            self.searched = self.buffer.len();
            let line = self.start..self.searched;
            return (line.len() > MAX_LINE).then_some(Err(TooLong(line)));
        };
        let line = self.start..self.searched + at;
        self.start = line.end + 1;
        self.searched = self.start;
        Some(check(line))
    }

    /// What stands behind the last end of a line, when nothing more arrives.
    pub(super) fn rest(&mut self) -> Option<Result<Range<usize>, TooLong>> {
        let line = self.start..self.buffer.len();
        (self.start, self.searched) = (line.end, line.end);
        (!line.is_empty()).then(|| check(line))
    }

    pub(super) fn bytes(&self, line: Range<usize>) -> &[u8] {
        &self.buffer[line]
    }
}

fn end_of_line(bytes: &[u8]) -> Option<usize> {
    let (near, far) = bytes.split_at(bytes.len().min(NEAR));
    match near.iter().position(|byte| *byte == b'\n') {
        None if !far.is_empty() => memchr(b'\n', far).map(|at| NEAR + at),
        found => found,
    }
}

fn check(line: Range<usize>) -> Result<Range<usize>, TooLong> {
    if line.len() > MAX_LINE { Err(TooLong(line)) } else { Ok(line) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(lines: &mut Lines) -> Vec<Result<String, usize>> {
        let mut found = Vec::new();
        while let Some(line) = lines.next() {
            let is_end = line.is_err();
            found.push(
                line.map_err(|TooLong(range)| range.len())
                    .map(|range| String::from_utf8(lines.bytes(range).to_vec()).unwrap()),
            );
            if is_end {
                break;
            }
        }
        found
    }

    #[test]
    fn lines_are_found_however_they_arrive() {
        for size in 1..12 {
            let mut lines = Lines::default();
            let mut found = Vec::new();
            for piece in b"one\n\ntwo three\nfour\nlast".chunks(size) {
                lines.room().extend_from_slice(piece);
                found.extend(all(&mut lines).into_iter().map(Result::unwrap));
            }
            assert_eq!(found, ["one", "", "two three", "four"]);
            let rest = lines.rest().unwrap().unwrap();
            assert_eq!(lines.bytes(rest), b"last");
            assert_eq!(lines.rest(), None);
        }
    }

    #[test]
    fn an_end_is_found_near_and_far() {
        for length in [0, 1, NEAR - 1, NEAR, NEAR + 1, 10 * NEAR] {
            let text = format!("{}\nnext\n", "x".repeat(length));
            for size in [1, NEAR - 1, NEAR, text.len()] {
                let (mut lines, mut found) = (Lines::default(), Vec::new());
                for piece in text.as_bytes().chunks(size) {
                    lines.room().extend_from_slice(piece);
                    found.extend(all(&mut lines).into_iter().map(Result::unwrap));
                }
                assert_eq!(found, [&"x".repeat(length), "next"]);
            }
        }
    }

    #[test]
    fn a_line_has_a_largest_length() {
        // 072-046, 072-047
        let mut lines = Lines::default();
        lines.room().extend(std::iter::repeat_n(b'x', MAX_LINE));
        assert_eq!(lines.next(), None);
        lines.room().push(b'\n');
        assert_eq!(lines.next(), Some(Ok(0..MAX_LINE)));
        let mut lines = Lines::default();
        lines.room().extend(std::iter::repeat_n(b'x', MAX_LINE + 1));
        assert_eq!(lines.next(), Some(Err(TooLong(0..MAX_LINE + 1))));
        let mut lines = Lines::default();
        lines.room().extend(std::iter::repeat_n(b'x', MAX_LINE + 1));
        assert_eq!(lines.rest(), Some(Err(TooLong(0..MAX_LINE + 1))));
    }

    #[test]
    fn a_long_line_does_not_keep_its_room() {
        let mut lines = Lines::default();
        lines.room().extend(std::iter::repeat_n(b'x', MAX_LINE));
        lines.room().push(b'\n');
        assert!(lines.next().is_some());
        assert!(lines.room().capacity() <= KEPT + READ);
    }
}
