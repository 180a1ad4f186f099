//! Lines out of a pipe, none longer than allowed.
//!
//! A line that is too long is not kept: its start is forgotten and the rest is read over, so a tool that
//! never ends a line costs no memory.

use std::{
    io,
    ops::Range,
    os::fd::{AsFd, BorrowedFd},
};

use rustix::{buffer::spare_capacity, io::Errno};

/// How much is read at once at least, and at most.
const LEAST: usize = 64 << 10;
const MOST: usize = 1 << 20;

/// What has arrived and was not looked at yet.
#[derive(Debug)]
pub(super) struct Lines {
    longest: usize,
    buffer: Vec<u8>,
    /// Where the next line starts.
    start: usize,
    /// Up to where there is no line end.
    searched: usize,
    /// Whether the rest of a line that was too long is still to come.
    skips: bool,
}

/// What came out of the pipe.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrived {
    Bytes,
    NothingYet,
    End,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Line {
    /// Where it stands, without its end.
    Whole(Range<usize>),
    TooLong,
}

impl Lines {
    pub(super) fn new(longest: usize) -> Self {
        Self { longest, buffer: Vec::new(), start: 0, searched: 0, skips: false }
    }

    /// Reads what is there.
    pub(super) fn fill(&mut self, pipe: BorrowedFd<'_>) -> io::Result<Arrived> {
        self.make_room();
        match rustix::io::read(pipe.as_fd(), spare_capacity(&mut self.buffer)) {
            Ok(0) => Ok(Arrived::End),
            Ok(_) => Ok(Arrived::Bytes),
            Err(Errno::AGAIN | Errno::INTR) => Ok(Arrived::NothingYet),
            Err(error) => Err(error.into()),
        }
    }

    /// The next line that has arrived whole, or is too long whatever comes.
    pub(super) fn next(&mut self) -> Option<Line> {
        loop {
            let found = memchr::memchr(b'\n', &self.buffer[self.searched..]);
            let Some(at) = found.map(|at| self.searched + at) else { return self.wait_for_more() };
            let line = self.start..at;
            (self.start, self.searched) = (at + 1, at + 1);
            if std::mem::take(&mut self.skips) {
                continue;
            }
            return Some(if line.len() > self.longest { Line::TooLong } else { Line::Whole(line) });
        }
    }

    /// What came after the last line end, when nothing more comes.
    pub(super) fn rest(&mut self) -> Option<Range<usize>> {
        let rest = self.start..self.buffer.len();
        self.start = rest.end;
        (!self.skips && !rest.is_empty()).then_some(rest)
    }

    pub(super) fn bytes(&self, line: Range<usize>) -> &[u8] {
        &self.buffer[line]
    }

    fn wait_for_more(&mut self) -> Option<Line> {
        self.searched = self.buffer.len();
        if self.skips {
            self.start = self.searched;
            return None;
        }
        if self.searched - self.start <= self.longest {
            return None;
        }
        self.skips = true;
        self.start = self.searched;
        Some(Line::TooLong)
    }

    fn make_room(&mut self) {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            // The buffer of a long line is not kept for the short ones.
            self.buffer.shrink_to(MOST);
            (self.start, self.searched) = (0, 0);
        } else if self.start > 0 {
            self.buffer.drain(..self.start);
            self.searched -= self.start;
            self.start = 0;
        }
        self.buffer.reserve(self.buffer.len().clamp(LEAST, MOST));
    }
}
