//! Lines from a stream, with as few system calls and copies as possible.
//!
//! All that is there is read into one buffer, and a line is a part of it. Only what is new is searched
//! for its end, so a long line is looked at once, in however many pieces it arrives. The buffer grows
//! to the longest line and stays that large.

use std::io::{self, ErrorKind, Read};
use std::ops::Range;

use thiserror::Error;

use super::MAX_MESSAGE;

/// How much room there is for each read: as much as a pipe holds.
const ROOM: usize = 64 << 10;

/// Why there is no line.
#[derive(Debug, Error)]
pub(super) enum LineError {
    #[error("a line is too long")]
    TooLong,
    #[error("cannot read")]
    Io(#[from] io::Error),
}

/// The buffer. What lies between `start` and `end` was read and not yet handed out.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    start: usize,
    end: usize,
}

impl Lines {
    /// Finds the next line that is not empty. `None` at the end of the stream; the last line need
    /// not have an end.
    pub(super) fn next(&mut self, input: &mut dyn Read) -> Result<Option<Line>, LineError> {
        let mut searched = self.start;
        loop {
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[searched..self.end]) {
                let line = self.start..searched + at;
                self.start = line.end + 1;
                searched = self.start;
                if self.buffer[line.clone()].trim_ascii().is_empty() {
                    continue;
                }
                return Ok(Some(Line(line)));
            }
            let length = self.end - self.start;
            self.make_room()?;
            searched = self.start + length;
            if self.read(input)? == 0 {
                let line = self.start..self.end;
                self.start = self.end;
                return Ok((!line.is_empty()).then_some(Line(line)));
            }
        }
    }

    /// The bytes of the line that was found last.
    pub(super) fn get(&self, line: &Line) -> &[u8] {
        &self.buffer[line.0.clone()]
    }

    fn read(&mut self, input: &mut dyn Read) -> io::Result<usize> {
        loop {
            match input.read(&mut self.buffer[self.end..]) {
                Ok(count) => {
                    self.end += count;
                    return Ok(count);
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    fn make_room(&mut self) -> Result<(), LineError> {
        // What is read where something was read before is read faster.
        if self.start == self.end {
            (self.start, self.end) = (0, 0);
        }
        if self.buffer.len() - self.end >= ROOM {
            return Ok(());
        }
        self.buffer.copy_within(self.start..self.end, 0);
        self.end -= self.start;
        self.start = 0;
        if self.end >= MAX_MESSAGE {
            return Err(LineError::TooLong);
        }
        if self.buffer.len() - self.end < ROOM {
            self.buffer.resize((self.buffer.len() * 2).max(2 * ROOM), 0);
        }
        Ok(())
    }
}

/// Where a line is. Good until the next one is looked for.
#[derive(Debug)]
pub(super) struct Line(Range<usize>);

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use proptest::prelude::*;

    use super::*;

    /// A stream that arrives in these pieces.
    struct Pieces(VecDeque<Vec<u8>>);

    impl Read for Pieces {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Some(mut piece) = self.0.pop_front() else { return Ok(0) };
            let count = piece.len().min(buffer.len());
            buffer[..count].copy_from_slice(&piece[..count]);
            if count < piece.len() {
                self.0.push_front(piece.split_off(count));
            }
            Ok(count)
        }
    }

    fn lines(pieces: impl IntoIterator<Item = Vec<u8>>) -> Vec<Vec<u8>> {
        let mut input = Pieces(pieces.into_iter().filter(|piece| !piece.is_empty()).collect());
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        while let Some(line) = lines.next(&mut input).unwrap() {
            found.push(lines.get(&line).to_vec());
        }
        found
    }

    proptest! {
        #[test]
        fn lines_do_not_depend_on_how_they_arrive(
            pieces in proptest::collection::vec("[a\n\r ]{0,9}", 0..20)
        ) {
            // D11-024, D11-025 on the side of the tool
            let all = pieces.concat();
            let expected: Vec<Vec<u8>> = all
                .split('\n')
                .enumerate()
                // The last one has no end, so nothing says that it is empty but its length.
                .filter(|(index, line)| {
                    let is_last = *index == all.matches('\n').count();
                    if is_last { !line.is_empty() } else { !line.trim_ascii().is_empty() }
                })
                .map(|(_, line)| line.as_bytes().to_vec())
                .collect();
            prop_assert_eq!(lines(pieces.into_iter().map(String::into_bytes)), expected);
        }
    }

    #[test]
    fn long_and_short_lines_take_turns() {
        let long = vec![b'x'; 5 << 20];
        let mut all = Vec::new();
        for line in [&b"a"[..], &long, b"b", b"c", &long, b"d"] {
            all.extend_from_slice(line);
            all.push(b'\n');
        }
        let pieces = all.chunks(70_001).map(<[u8]>::to_vec);
        let found = lines(pieces);
        assert_eq!(found, [&b"a"[..], &long, b"b", b"c", &long, b"d"]);
    }

    #[test]
    fn an_endless_line_ends_somewhere() {
        let mut lines = Lines::default();
        let error = lines.next(&mut io::repeat(b'x')).unwrap_err();
        assert!(matches!(error, LineError::TooLong));
        assert!(lines.buffer.len() <= 2 * MAX_MESSAGE);
    }
}
