//! A file read piece by piece through the trait, for whoever cannot have all of it in memory.
//!
//! Each piece is asked for and judged by itself. A file that changes meanwhile can give the beginning of
//! one content and the end of another; nearly all files are one piece.

use std::{
    io::{self, Read},
    sync::Arc,
};

use crate::{Part, ProjectError, ProjectFiles, ProjectPath};

/// How much of a file is in memory.
const PIECE: u64 = 256 << 10;

/// A file of a project as a stream.
#[derive(Debug)]
pub(crate) struct Parts {
    files: Arc<dyn ProjectFiles>,
    path: ProjectPath,
    piece: io::Cursor<Vec<u8>>,
    /// Where the next piece begins.
    offset: u64,
    size: u64,
}

impl Parts {
    /// Opens a file, which reads its first piece.
    pub(crate) fn open(
        files: Arc<dyn ProjectFiles>,
        path: ProjectPath,
    ) -> Result<Self, ProjectError> {
        let piece = io::Cursor::default();
        let mut parts = Self { files, path, piece, offset: 0, size: 0 };
        parts.next()?;
        Ok(parts)
    }

    fn next(&mut self) -> Result<(), ProjectError> {
        let part = Part { offset: self.offset, limit: Some(PIECE), max: PIECE };
        let content = self.files.read(&self.path, part)?;
        self.offset += u64::try_from(content.bytes.len()).unwrap_or(u64::MAX);
        // A file that has become shorter ends here.
        self.size = if content.bytes.is_empty() { self.offset } else { content.size };
        self.piece = io::Cursor::new(content.bytes);
        Ok(())
    }
}

impl Read for Parts {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.piece.read(buffer)?;
        if read > 0 || buffer.is_empty() || self.offset >= self.size {
            return Ok(read);
        }
        self.next().map_err(io::Error::other)?;
        self.piece.read(buffer)
    }
}
