//! Reading one message from a stream that may not end.

use std::io::{self, BufRead, Read};

use thiserror::Error;

/// The longest line that is read, in bytes. Memory is bounded by it.
pub const MAX_LINE: usize = 16 << 20;

/// Why there is no message.
#[derive(Debug, Error)]
pub(super) enum LineError {
    #[error("a line on stdin is longer than {} MiB", MAX_LINE >> 20)]
    TooLong,
    #[error("a line on stdin is not UTF-8")]
    NotUtf8,
    #[error("cannot read stdin")]
    Io(#[from] io::Error),
}

/// The next line that is not empty, without its end. `None` at the end of the stream; the last line
/// need not have an end.
pub(super) fn next(input: &mut impl BufRead) -> Result<Option<String>, LineError> {
    loop {
        let mut bytes = Vec::new();
        let limit = u64::try_from(MAX_LINE).unwrap_or(u64::MAX).saturating_add(1);
        if input.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
            return Ok(None);
        }
        if bytes.len() > MAX_LINE && bytes.last() != Some(&b'\n') {
            return Err(LineError::TooLong);
        }
        let line = String::from_utf8(bytes).map_err(|_| LineError::NotUtf8)?;
        if !line.trim().is_empty() {
            return Ok(Some(line));
        }
    }
}
