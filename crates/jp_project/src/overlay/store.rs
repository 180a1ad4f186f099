//! The contents of changed files: in memory, and then in one file that has no name.
//!
//! A file without a name is gone with the process, however that ends, so nobody has to clean up. Contents
//! are only ever added to it; what is replaced leaves a hole, and the bound counts the holes too. Where a
//! content begins is kept here and not left to the position of the file: a write that fails half way moves that
//! position, and whatever came next would be read from where it is not.

use std::{
    fs::File,
    io::{self, Read},
    os::unix::fs::FileExt,
    sync::Arc,
};

use camino::{Utf8Path, Utf8PathBuf};
use sha2::{Digest, Sha256};

/// How many bytes are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// In memory.
    pub(super) memory: u64,
    /// In memory, of one content.
    pub(super) one: u64,
    /// On the disk.
    pub(super) disk: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { memory: 64 << 20, one: 4 << 20, disk: 4 << 30 }
    }
}

/// How much of a content is read at once.
const PIECE: u64 = 256 << 10;

#[derive(Debug)]
pub(super) struct Store {
    scratch: Utf8PathBuf,
    bounds: Bounds,
    memory: u64,
    disk: Option<File>,
    end: u64,
}

/// A content that is kept.
#[derive(Debug, Clone)]
pub(super) struct Stored {
    place: Place,
    pub(super) hash: [u8; 32],
}

#[derive(Debug, Clone)]
enum Place {
    Memory(Arc<[u8]>),
    Disk { start: u64, len: u64 },
}

impl Stored {
    pub(super) fn len(&self) -> u64 {
        match &self.place {
            Place::Memory(bytes) => len_of(bytes),
            Place::Disk { len, .. } => *len,
        }
    }
}

impl Store {
    pub(super) fn new(scratch: &Utf8Path, bounds: Bounds) -> Self {
        Self { scratch: scratch.to_owned(), bounds, memory: 0, disk: None, end: 0 }
    }

    /// An empty store in the same place.
    pub(super) fn anew(&self) -> Self {
        Self::new(&self.scratch, self.bounds)
    }

    /// Keeps what a reader has. `size` is what to expect; more is not read.
    pub(super) fn keep(&mut self, content: impl Read, size: u64) -> io::Result<Stored> {
        if size <= self.bounds.one && self.memory + size <= self.bounds.memory {
            let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
            content.take(size).read_to_end(&mut bytes)?;
            self.memory += len_of(&bytes);
            let hash = Sha256::digest(&bytes).into();
            return Ok(Stored { place: Place::Memory(bytes.into()), hash });
        }
        self.keep_on_disk(content, size)
    }

    fn keep_on_disk(&mut self, content: impl Read, size: u64) -> io::Result<Stored> {
        let max = self.bounds.disk;
        if self.end.saturating_add(size) > max {
            let message = format!("changes that are kept apart would be more than {max} bytes");
            return Err(io::Error::new(io::ErrorKind::StorageFull, message));
        }
        let file = match &mut self.disk {
            Some(file) => file,
            none => none.insert(tempfile::tempfile_in(&self.scratch)?),
        };
        // Counted as kept when all of it is there; until then the next content may take its place.
        let (start, mut end) = (self.end, self.end);
        let mut hash = Sha256::new();
        let mut content = content.take(size);
        let mut piece = vec![0; 256 << 10];
        loop {
            let read = content.read(&mut piece)?;
            if read == 0 {
                break;
            }
            hash.update(&piece[..read]);
            file.write_all_at(&piece[..read], end)?;
            end += u64::try_from(read).unwrap_or(u64::MAX);
        }
        self.end = end;
        let place = Place::Disk { start, len: end - start };
        Ok(Stored { place, hash: hash.finalize().into() })
    }

    pub(super) fn read(&self, stored: &Stored, offset: u64, len: u64) -> io::Result<Vec<u8>> {
        let size = usize::try_from(len).unwrap_or(usize::MAX);
        match (&stored.place, &self.disk) {
            (Place::Memory(bytes), _) => {
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let part = bytes.get(start..start.saturating_add(size));
                Ok(part.unwrap_or_default().to_vec())
            }
            (Place::Disk { start, .. }, Some(file)) => {
                let mut bytes = vec![0; size];
                file.read_exact_at(&mut bytes, start + offset)?;
                Ok(bytes)
            }
            (Place::Disk { .. }, None) => Err(io::ErrorKind::NotFound.into()),
        }
    }

    /// The whole of a content, in pieces.
    pub(super) fn reader<'a>(&'a self, stored: &'a Stored) -> impl Read + 'a {
        Pieces { store: self, stored, offset: 0 }
    }

    #[cfg(test)]
    pub(super) fn memory(&self) -> u64 {
        self.memory
    }

    /// Says that a content is needed once more.
    pub(super) fn hold(&mut self, stored: &Stored) {
        if let Place::Memory(bytes) = &stored.place {
            self.memory += len_of(bytes);
        }
    }

    /// Says that a content is no longer needed.
    pub(super) fn free(&mut self, stored: &Stored) {
        if let Place::Memory(bytes) = &stored.place {
            self.memory = self.memory.saturating_sub(len_of(bytes));
        }
    }

    /// How much is kept now.
    pub(super) fn mark(&self) -> Mark {
        Mark { memory: self.memory, end: self.end }
    }

    /// Says that nothing that was kept since then is needed, because what it was for failed.
    pub(super) fn forget_since(&mut self, mark: Mark) {
        (self.memory, self.end) = (mark.memory, mark.end);
    }
}

/// How much was kept at some moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mark {
    memory: u64,
    end: u64,
}

struct Pieces<'a> {
    store: &'a Store,
    stored: &'a Stored,
    offset: u64,
}

impl Read for Pieces<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.stored.len() - self.offset;
        let len = left.min(len_of(buffer)).min(PIECE);
        let piece = self.store.read(self.stored, self.offset, len)?;
        buffer[..piece.len()].copy_from_slice(&piece);
        self.offset += len_of(&piece);
        Ok(piece.len())
    }
}

fn len_of(bytes: &[u8]) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom};

    use super::*;

    /// Gives some bytes, and then fails.
    struct Breaks(usize);

    impl Read for Breaks {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let len = buffer.len().min(std::mem::take(&mut self.0));
            buffer[..len].fill(b'x');
            if len == 0 { Err(io::ErrorKind::ConnectionReset.into()) } else { Ok(len) }
        }
    }

    // A content that was kept only in part is not there, and those after it are whole.
    #[test]
    fn a_content_that_breaks_off_harms_no_other() {
        let scratch = tempfile::tempdir().unwrap();
        let scratch = Utf8Path::from_path(scratch.path()).unwrap();
        let mut store = Store::new(scratch, Bounds { memory: 0, one: 0, disk: 100 });
        let first = store.keep(&b"first"[..], 5).unwrap();
        store.keep(Breaks(90), 95).unwrap_err();
        // What a write that fails half way does to the file.
        store.disk.as_mut().unwrap().seek(SeekFrom::Start(50)).unwrap();
        let second = store.keep(&b"second"[..], 6).unwrap();
        assert_eq!(store.read(&first, 0, 5).unwrap(), b"first");
        assert_eq!(store.read(&second, 0, 6).unwrap(), b"second");
        // What was not kept does not count.
        store.keep(&[b'y'; 80][..], 80).unwrap();
    }
}
