//! Lines, read so that no line can take more memory than it may.
//!
//! Reading can be given up at any await and goes on from there, because the service loop drops it whenever
//! something else is to be done.

use std::io;

use memchr::memchr;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

/// So much is asked for at once.
const CHUNK: usize = 64 * 1024;

/// The beginning of a line that is too long is kept up to here, to see what it would have been.
const HEAD: usize = 256;

/// A buffer that a large message has needed is given back if it is larger than this.
const KEEP: usize = 1024 * 1024;

/// Reads lines.
pub(super) struct LineReader {
    read: BufReader<Box<dyn AsyncRead + Send + Unpin>>,
    line: Vec<u8>,
    limit: usize,
    /// The rest of a line that was too long is being skipped.
    skipping: bool,
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read {
    /// A line without its end.
    Line(Vec<u8>),
    /// The beginning of a line that is too long. The rest is skipped.
    TooLong(Vec<u8>),
    /// There is nothing more.
    End,
}

impl LineReader {
    pub(super) fn new(read: Box<dyn AsyncRead + Send + Unpin>, limit: usize) -> Self {
        let read = BufReader::with_capacity(CHUNK, read);
        Self { read, line: Vec::new(), limit, skipping: false }
    }

    /// The next line. The last one counts even if it has no end.
    pub(super) async fn next(&mut self) -> io::Result<Read> {
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                let is_line = !self.line.is_empty() && !self.skipping;
                return Ok(if is_line { Read::Line(self.take()) } else { Read::End });
            }
            let end = memchr(b'\n', available);
            let length = end.unwrap_or(available.len());
            let fits = self.line.len() + length <= self.limit;
            if !self.skipping && fits {
                self.line.extend_from_slice(&available[..length]);
            }
            let was_skipping = self.skipping;
            // From here to the end there is no await: the line and what was consumed agree.
            self.read.consume(length + usize::from(end.is_some()));
            self.skipping = (was_skipping || !fits) && end.is_none();
            match (was_skipping, fits, end) {
                (false, false, _) => {
                    let mut head = self.take();
                    head.truncate(HEAD);
                    head.shrink_to_fit();
                    return Ok(Read::TooLong(head));
                }
                (false, true, Some(_)) => return Ok(Read::Line(self.take())),
                (true, ..) | (false, true, None) => {}
            }
        }
    }

    fn take(&mut self) -> Vec<u8> {
        let capacity = self.line.capacity().min(KEEP);
        std::mem::replace(&mut self.line, Vec::with_capacity(capacity))
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt as _;

    use super::*;

    async fn all(text: &'static [u8], limit: usize) -> Vec<Read> {
        let mut reader = LineReader::new(Box::new(text), limit);
        let mut found = Vec::new();
        loop {
            match reader.next().await.unwrap() {
                Read::End => return found,
                read => found.push(read),
            }
        }
    }

    fn line(text: &str) -> Read {
        Read::Line(text.as_bytes().to_vec())
    }

    #[tokio::test]
    async fn lines_that_fit_and_lines_that_do_not() {
        assert_eq!(all(b"a\nbc\n", 2).await, [line("a"), line("bc")]);
        assert_eq!(all(b"a\nlast", 4).await, [line("a"), line("last")]);
        assert_eq!(all(b"\n\n", 4).await, [line(""), line("")]);
        assert_eq!(all(b"abc\nd\n", 2).await, [Read::TooLong(Vec::new()), line("d")]);
        assert_eq!(all(b"abc", 2).await, [Read::TooLong(Vec::new())]);
    }

    #[tokio::test]
    async fn a_long_line_in_pieces_shows_its_beginning_and_is_skipped() {
        let (ours, theirs) = tokio::io::duplex(16);
        let mut reader = LineReader::new(Box::new(theirs), 1000);
        let writer = tokio::spawn(async move {
            let mut ours = ours;
            ours.write_all(b"{\"id\":1,").await.unwrap();
            ours.write_all(&[b'x'; 5000]).await.unwrap();
            ours.write_all(b"\nnext\n").await.unwrap();
        });
        let Read::TooLong(head) = reader.next().await.unwrap() else { panic!() };
        assert!(head.starts_with(b"{\"id\":1,x") && head.len() == HEAD, "{}", head.len());
        assert_eq!(reader.next().await.unwrap(), line("next"));
        writer.await.unwrap();
    }
}
