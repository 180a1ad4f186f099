//! A file that is read once, from its beginning to its end.

use std::{
    fs::File,
    io::{self, Read, Seek as _},
};

/// A regular file that is read to its end, and not asked again after it.
///
/// How long it is was known when it was opened, so the end need not be found by a question that most files answer
/// with nothing; what is added meanwhile is not read. A tree has many files, most of them short, and each question
/// is a good part of what such a file costs.
#[derive(Debug)]
pub struct Contents {
    file: File,
    length: u64,
    left: u64,
}

impl Contents {
    /// A file whose length the system told. One of none may have content all the same: what is in `/proc` has.
    pub(super) fn new(file: File, length: u64) -> Self {
        let length = if length == 0 { u64::MAX } else { length };
        Self { file, length, left: length }
    }

    /// How many bytes the file has now.
    pub fn size(&self) -> io::Result<u64> {
        Ok(self.file.metadata()?.len())
    }

    /// Goes back to its beginning.
    pub fn rewind(&mut self) -> io::Result<()> {
        self.left = self.length;
        self.file.rewind()
    }
}

impl From<File> for Contents {
    /// A file whose length nobody knows.
    fn from(file: File) -> Self {
        Self::new(file, 0)
    }
}

impl Read for Contents {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let room = usize::try_from(self.left).unwrap_or(usize::MAX).min(buffer.len());
        if room == 0 {
            return Ok(0);
        }
        let length = self.file.read(&mut buffer[..room])?;
        self.left = match length {
            0 => 0,
            length => self.left - u64::try_from(length).unwrap_or(self.left),
        };
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests build their own files")]

    use std::{fs, io::Write as _};

    use super::*;

    #[test]
    fn it_ends_where_it_ended_when_it_was_opened() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "before").unwrap();
        let mut contents = Contents::new(File::open(&path).unwrap(), 6);
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b" after").unwrap();
        let mut text = String::new();
        contents.read_to_string(&mut text).unwrap();
        assert_eq!(text, "before");
        // One that became shorter ends earlier, and one that grows again after its end has ended.
        fs::write(&path, "be").unwrap();
        let mut contents = Contents::new(File::open(&path).unwrap(), 6);
        let mut bytes = [0; 8];
        assert_eq!(contents.read(&mut bytes).unwrap(), 2);
        assert_eq!(contents.read(&mut []).unwrap(), 0);
        assert_eq!(contents.read(&mut bytes).unwrap(), 0);
        fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"fore").unwrap();
        assert_eq!(contents.read(&mut bytes).unwrap(), 0);
    }

    #[test]
    fn a_length_of_nothing_is_not_believed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a");
        fs::write(&path, "text").unwrap();
        for mut contents in
            [Contents::new(File::open(&path).unwrap(), 0), File::open(&path).unwrap().into()]
        {
            let mut text = String::new();
            contents.read_to_string(&mut text).unwrap();
            assert_eq!(text, "text");
            contents.rewind().unwrap();
            contents.read_to_string(&mut text).unwrap();
            assert_eq!((text.as_str(), contents.size().unwrap()), ("texttext", 4));
        }
    }
}
