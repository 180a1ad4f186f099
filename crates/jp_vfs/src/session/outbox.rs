//! What the tool has not read yet.
//!
//! Short answers are put together, so that many of them go out in one write. A long one that somebody
//! else made is kept as it is.

use std::{collections::VecDeque, io, os::fd::BorrowedFd};

use rustix::io::Errno;

/// Up to this size answers are put together.
const TOGETHER: usize = 64 << 10;
/// A buffer up to this size is used again: that of a file of 1 MiB, with room for its escapes.
const KEPT: usize = 2 << 20;

/// Lines that wait to be written.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    chunks: VecDeque<Vec<u8>>,
    /// The length of all chunks but the last, which still grows.
    behind: usize,
    /// How much of the first chunk is written.
    written: usize,
    /// An empty buffer.
    spare: Vec<u8>,
}

/// What came of an attempt to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sent {
    /// Everything is written.
    All,
    /// Something is left; `true` if something was written.
    Part(bool),
    /// Nobody reads any more.
    Closed,
}

impl Outbox {
    pub(super) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    /// How many bytes wait.
    pub(super) fn len(&self) -> usize {
        self.behind + self.chunks.back().map_or(0, Vec::len) - self.written
    }

    /// How many bytes are in memory for what waits. What is long is let go of as a whole, so that is more than
    /// what waits while it is being read.
    pub(super) fn held(&self) -> usize {
        self.behind + self.chunks.back().map_or(0, Vec::len)
    }

    /// Where the next short answer is added.
    pub(super) fn open(&mut self) -> &mut Vec<u8> {
        if self.chunks.back().is_none_or(|last| last.len() >= TOGETHER) {
            let spare = std::mem::take(&mut self.spare);
            self.append(spare);
        }
        let last = self.chunks.len() - 1;
        &mut self.chunks[last]
    }

    pub(super) fn push(&mut self, line: Vec<u8>) {
        if line.len() < TOGETHER {
            self.open().extend_from_slice(&line);
        } else {
            self.append(line);
        }
    }

    fn append(&mut self, chunk: Vec<u8>) {
        self.behind += self.chunks.back().map_or(0, Vec::len);
        self.chunks.push_back(chunk);
    }

    pub(super) fn clear(&mut self) {
        self.chunks.clear();
        (self.written, self.behind) = (0, 0);
    }

    /// Writes what the pipe takes.
    pub(super) fn write(&mut self, pipe: BorrowedFd<'_>) -> io::Result<Sent> {
        let mut moved = false;
        while let Some(first) = self.chunks.front_mut() {
            if self.written == first.len() {
                self.written = 0;
                let mut done = self.chunks.pop_front().unwrap_or_default();
                // The last one was not counted.
                self.behind -= if self.chunks.is_empty() { 0 } else { done.len() };
                if done.capacity() <= KEPT {
                    done.clear();
                    self.spare = done;
                }
                continue;
            }
            match rustix::io::write(pipe, &first[self.written..]) {
                Ok(count) => {
                    self.written += count;
                    moved = true;
                }
                Err(Errno::AGAIN) => return Ok(Sent::Part(moved)),
                Err(Errno::INTR) => {}
                Err(Errno::PIPE) => return Ok(Sent::Closed),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(Sent::All)
    }
}
