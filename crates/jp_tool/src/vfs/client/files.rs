//! Files. Paths are relative to the root of the project; `.` is the root.
//!
//! Text is what is UTF-8: the host decides by the bytes when it reads, and here it is decided the same
//! way when something is written. Nobody has to say which it is.

use std::io;

use super::{VfsError, VfsHost, answer, many};
use crate::vfs::{
    DirEntry, Done, Encoding, FileMatches, FsCreateDir, FsDelete, FsExists, FsGrep, FsListDir,
    FsMetadata, FsMetadataResult, FsRead, FsReadResult, FsRename, FsWrite, Id, Params, ProjectPath,
    escape,
};

/// A part of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePart {
    /// The bytes that were asked for; fewer, or none, at the end of the file.
    pub bytes: Vec<u8>,
    /// How many bytes the whole file has.
    pub size: u64,
}

impl VfsHost {
    /// Reads a file that is text.
    pub fn read(&self, path: impl AsRef<str>) -> Result<String, VfsError> {
        let path = path.as_ref();
        let file = self.read_file(&FsRead::new(ProjectPath::new(path)?))?;
        text(path, file)
    }

    /// Reads a file, whatever is in it.
    pub fn read_bytes(&self, path: impl AsRef<str>) -> Result<Vec<u8>, VfsError> {
        bytes(self.read_file(&FsRead::new(ProjectPath::new(path.as_ref())?))?)
    }

    /// Reads at most `limit` bytes from the byte `offset` on: the way to read a file that is larger
    /// than what the host sends at once.
    pub fn read_part(
        &self,
        path: impl AsRef<str>,
        offset: u64,
        limit: u64,
    ) -> Result<FilePart, VfsError> {
        let path = ProjectPath::new(path.as_ref())?;
        let file = self.read_file(&FsRead { path, offset: Some(offset), limit: Some(limit) })?;
        let size = file.size;
        Ok(FilePart { bytes: bytes(file)?, size })
    }

    /// Writes a file, in place of what is there, and the directories above it that are missing.
    pub fn write(&self, path: impl AsRef<str>, content: impl AsRef<[u8]>) -> Result<(), VfsError> {
        self.put(path.as_ref(), content.as_ref(), false)
    }

    /// Writes a file that does not exist yet. One that does is left as it is, and is an error.
    pub fn create(&self, path: impl AsRef<str>, content: impl AsRef<[u8]>) -> Result<(), VfsError> {
        self.put(path.as_ref(), content.as_ref(), true)
    }

    /// Whether there is a file or a directory.
    pub fn exists(&self, path: impl AsRef<str>) -> Result<bool, VfsError> {
        let path = ProjectPath::new(path.as_ref())?;
        self.call(&FsExists { path }).map(|result| result.exists)
    }

    /// What is in a directory, without what is in its directories.
    pub fn list_dir(&self, path: impl AsRef<str>) -> Result<Vec<DirEntry>, VfsError> {
        let path = ProjectPath::new(path.as_ref())?;
        self.call(&FsListDir::new(path)).map(|result| result.entries)
    }

    /// What is at a path, and how large it is.
    pub fn metadata(&self, path: impl AsRef<str>) -> Result<FsMetadataResult, VfsError> {
        let path = ProjectPath::new(path.as_ref())?;
        self.call(&FsMetadata { path })
    }

    /// Deletes a file. For a directory there is [`FsDelete`] with `recursive`.
    pub fn delete(&self, path: impl AsRef<str>) -> Result<(), VfsError> {
        let path = ProjectPath::new(path.as_ref())?;
        self.call(&FsDelete::new(path)).map(|Done {}| ())
    }

    /// Moves a file, in place of what is there. To keep what is there, there is [`FsRename`] without
    /// `overwrite`.
    pub fn rename(&self, from: impl AsRef<str>, to: impl AsRef<str>) -> Result<(), VfsError> {
        let (from, to) = (ProjectPath::new(from.as_ref())?, ProjectPath::new(to.as_ref())?);
        self.call(&FsRename::new(from, to)).map(|Done {}| ())
    }

    /// Makes a directory, and those above it that are missing.
    pub fn create_dir(&self, path: impl AsRef<str>) -> Result<(), VfsError> {
        let path = ProjectPath::new(path.as_ref())?;
        self.call(&FsCreateDir { path }).map(|Done {}| ())
    }

    /// Searches the contents of files: far faster than reading them.
    pub fn grep(&self, query: &FsGrep) -> Result<Vec<FileMatches>, VfsError> {
        self.call(query).map(|result| result.matches)
    }

    fn read_file(&self, request: &FsRead) -> Result<FsReadResult, VfsError> {
        let mut channel = self.channel();
        let id = match request {
            FsRead { path, offset: None, limit: None } => {
                channel.send(|id, out| write_read(id, path, out))
            }
            part => channel.send(many::write(part)),
        }?;
        channel.wait(id, answer::read_file)
    }

    fn put(&self, path: &str, content: &[u8], create_new: bool) -> Result<(), VfsError> {
        let path = ProjectPath::new(path)?;
        let mut channel = self.channel();
        let id = channel.send(|id, out| write_request(id, &path, content, create_new, out))?;
        channel.wait(id, answer::read::<FsWrite>).map(|Done {}| ())
    }
}

/// The text of a file that is one.
pub(super) fn text(path: &str, file: FsReadResult) -> Result<String, VfsError> {
    match file.encoding {
        None => Ok(file.content),
        Some(Encoding::Base64) => Err(VfsError::NotText { path: path.to_owned() }),
    }
}

fn bytes(file: FsReadResult) -> Result<Vec<u8>, VfsError> {
    decode(file.content, file.encoding)
}

/// The bytes that a string stands for.
pub(super) fn decode(content: String, encoding: Option<Encoding>) -> Result<Vec<u8>, VfsError> {
    match encoding {
        None => Ok(content.into_bytes()),
        Some(Encoding::Base64) => {
            base64_simd::STANDARD.decode_to_vec(content).map_err(|_| VfsError::NotBase64)
        }
    }
}

/// Writes what an [`FsRead`] of a whole file would: by far the most frequent request.
fn write_read(id: &Id, path: &ProjectPath, out: &mut Vec<u8>) -> io::Result<()> {
    write_start::<FsRead>(id, path, out)?;
    out.extend_from_slice(b"}}\n");
    Ok(())
}

/// Writes what an [`FsWrite`] would, without a copy of the content.
fn write_request(
    id: &Id,
    path: &ProjectPath,
    content: &[u8],
    create_new: bool,
    out: &mut Vec<u8>,
) -> io::Result<()> {
    write_start::<FsWrite>(id, path, out)?;
    out.extend_from_slice(br#","content":"#);
    if let Ok(text) = simdutf8::basic::from_utf8(content) {
        escape(text, out);
    } else {
        out.push(b'"');
        base64_simd::STANDARD.encode_append(content, out);
        out.extend_from_slice(br#"","encoding":"base64""#);
    }
    if create_new {
        out.extend_from_slice(br#","create_new":true"#);
    }
    out.extend_from_slice(b"}}\n");
    Ok(())
}

/// Writes a request up to its path.
fn write_start<P: Params>(id: &Id, path: &ProjectPath, out: &mut Vec<u8>) -> io::Result<()> {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    serde_json::to_writer(&mut *out, id)?;
    out.extend_from_slice(br#","method":"#);
    escape(P::METHOD.name(), out);
    out.extend_from_slice(br#","params":{"path":"#);
    escape(path.as_str(), out);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::vfs::write_line;

    #[test]
    fn a_read_is_written_as_the_type_says() {
        let path = ProjectPath::new("a \"b\"/é").unwrap();
        for id in [Id::Integer(3), Id::String("x\n".to_owned())] {
            let (mut line, mut expected) = (Vec::new(), Vec::new());
            write_read(&id, &path, &mut line).unwrap();
            write_line(&FsRead::new(path.clone()).request(&id), &mut expected).unwrap();
            assert_eq!(String::from_utf8(line), String::from_utf8(expected));
        }
    }

    #[test]
    fn a_write_is_written_as_the_type_says() {
        let id = Id::Integer(3);
        let path = ProjectPath::new("a \"b\"/é").unwrap();
        for (content, encoding, create_new) in [
            (&b"text\n\"\\\x01"[..], None, false),
            (b"", None, true),
            (b"aGVsbG8=", None, false),
            (b"\xff\x00\x10", Some("/wAQ"), true),
            (b"\xfe", Some("/g=="), false),
        ] {
            let mut line = Vec::new();
            write_request(&id, &path, content, create_new, &mut line).unwrap();
            let text = encoding.unwrap_or_else(|| str::from_utf8(content).unwrap());
            let write = FsWrite {
                encoding: encoding.map(|_| Encoding::Base64),
                create_new,
                ..FsWrite::new(path.clone(), text)
            };
            let mut expected = Vec::new();
            write_line(&write.request(&id), &mut expected).unwrap();
            assert_eq!(String::from_utf8(line), String::from_utf8(expected));
        }
    }
}
