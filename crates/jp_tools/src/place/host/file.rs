//! A file that is read through the host, part by part.
//!
//! The first part is small and kept: most files are, and whoever reads one looks at its beginning first
//! and then goes back.

use std::{
    io::{self, Read},
    sync::Arc,
};

use jp_tool::vfs::{Encoding, ErrorObject, FsRead, FsReadResult, ProjectPath};

use super::link::Link;
use crate::place::Content;

/// How much is asked for at first, and then at a time.
const FIRST: u64 = 64 << 10;
const PART: u64 = 1 << 20;

/// An open file.
#[derive(Debug)]
pub(crate) struct HostFile {
    link: Arc<Link>,
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
    pub(super) fn open(link: &Arc<Link>, path: ProjectPath) -> Result<Self, ErrorObject> {
        let request = FsRead { limit: Some(FIRST), ..FsRead::new(path.clone()) };
        let answer = link.ask(&request)?;
        let size = answer.size;
        let first = bytes(answer).map_err(|error| {
            ErrorObject::new(jp_tool::vfs::ErrorCode::InternalError, error.to_string())
        })?;
        Ok(Self { link: Arc::clone(link), path, size, first, part: Vec::new(), part_at: 0, at: 0 })
    }

    /// What is known of the file from where it is read on.
    fn known(&self) -> &[u8] {
        let from = |bytes: &'_ [u8], start: u64| -> Option<usize> {
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
            let (offset, limit) = (Some(self.at), Some(PART));
            let request = FsRead { path: self.path.clone(), offset, limit };
            let answer = self
                .link
                .ask(&request)
                .map_err(|error| io::Error::other(error.message().to_owned()))?;
            self.part = bytes(answer)?;
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

/// The bytes of an answer.
fn bytes(answer: FsReadResult) -> io::Result<Vec<u8>> {
    match answer.encoding {
        None => Ok(answer.content.into_bytes()),
        Some(Encoding::Base64) => base64_simd::STANDARD
            .decode_to_vec(answer.content)
            .map_err(|_| io::Error::other("the host sent something that is no base64")),
    }
}
