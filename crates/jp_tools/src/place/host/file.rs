//! A file that is read through the host, part by part.
//!
//! The first part is small and kept: most files are, and whoever reads one looks at its beginning first
//! and then goes back.

use std::io::{self, Read};

use jp_tool::vfs::{ProjectPath, VfsError, VfsHost};

use crate::place::Content;

/// How much is asked for at first, and then at a time.
const FIRST: u64 = 64 << 10;
const PART: u64 = 1 << 20;

/// An open file.
#[derive(Debug)]
pub(crate) struct HostFile {
    host: VfsHost,
    path: ProjectPath,
    size: u64,
    first: Vec<u8>,
    /// A later part, and where it begins.
    part: Vec<u8>,
    part_at: u64,
    at: u64,
}

impl HostFile {
    /// Asks for the first part. Needs `read`.
    pub(super) fn open(host: &VfsHost, path: ProjectPath) -> Result<Self, VfsError> {
        let first = host.read_part(&path, 0, FIRST)?;
        let (size, first) = (first.size, first.bytes);
        Ok(Self { host: host.clone(), path, size, first, part: Vec::new(), part_at: 0, at: 0 })
    }

    /// What is known of the file from where it is read on.
    fn known(&self) -> &[u8] {
        let from = |bytes: &[u8], start: u64| {
            let offset = usize::try_from(self.at.checked_sub(start)?).ok()?;
            (offset < bytes.len()).then_some(offset)
        };
        if let Some(offset) = from(&self.first, 0) {
            return &self.first[offset..];
        }
        from(&self.part, self.part_at).map_or(&[], |offset| &self.part[offset..])
    }
}

impl Read for HostFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.known().is_empty() && self.at < self.size && !buffer.is_empty() {
            let part = self.host.read_part(&self.path, self.at, PART);
            self.part = part.map_err(io::Error::other)?.bytes;
            self.part_at = self.at;
        }
        let len = self.known().read(buffer)?;
        self.at += u64::try_from(len).unwrap_or_default();
        Ok(len)
    }
}

impl Content for HostFile {
    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }

    fn rewind(&mut self) -> io::Result<()> {
        self.at = 0;
        Ok(())
    }
}
