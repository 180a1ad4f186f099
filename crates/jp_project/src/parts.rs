//! A file read piece by piece through the trait, for whoever cannot have all of it in memory.
//!
//! Each piece is asked for and judged by itself. A file that changes meanwhile can give the beginning of
//! one content and the end of another; nearly all files are one piece.

use std::{
    io::{self, Read},
    sync::Arc,
};

use crate::{Part, ProjectError, ProjectFiles, ProjectPath};

/// How much of a file is in memory, if nobody says otherwise.
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
    executable: bool,
    /// How much is asked for at once.
    most: u64,
}

impl Parts {
    /// Opens a file, which reads its first piece.
    pub(crate) fn open(
        files: Arc<dyn ProjectFiles>,
        path: ProjectPath,
    ) -> Result<Self, ProjectError> {
        Self::in_pieces_of(PIECE, files, path)
    }

    /// The same in pieces of this size: for files that are far away, larger ones are better.
    pub(crate) fn in_pieces_of(
        most: u64,
        files: Arc<dyn ProjectFiles>,
        path: ProjectPath,
    ) -> Result<Self, ProjectError> {
        let piece = io::Cursor::default();
        let mut parts = Self { files, path, piece, offset: 0, size: 0, executable: false, most };
        parts.next()?;
        Ok(parts)
    }

    /// How large the file was when its last piece was read.
    pub(crate) fn size(&self) -> u64 {
        self.size
    }

    /// Whether anybody could run the file when its last piece was read.
    pub(crate) fn executable(&self) -> bool {
        self.executable
    }

    fn next(&mut self) -> Result<(), ProjectError> {
        let part = Part { offset: self.offset, limit: Some(self.most), max: self.most };
        let content = self.files.read(&self.path, part)?;
        self.offset += u64::try_from(content.bytes.len()).unwrap_or(u64::MAX);
        // A file that has become shorter ends here.
        self.size = if content.bytes.is_empty() { self.offset } else { content.size };
        self.executable = content.executable;
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

/// All of a content that is to have this size, in memory, if that is not more than `max`.
pub fn whole(
    path: &ProjectPath,
    content: &mut dyn Read,
    size: u64,
    max: u64,
) -> Result<Vec<u8>, ProjectError> {
    if size > max {
        return Err(ProjectError::TooLarge { path: path.clone(), size, max });
    }
    let failed = |source| ProjectError::Io { path: path.to_string(), source };
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    content.take(size).read_to_end(&mut bytes).map_err(failed)?;
    if u64::try_from(bytes.len()).ok() != Some(size) {
        return Err(failed(io::ErrorKind::UnexpectedEof.into()));
    }
    Ok(bytes)
}
