//! How servers were found to speak, so that the next run begins with the right first word.
//!
//! A server of the older era may take ten seconds to make clear that it did not understand the newer
//! handshake, and a program of any era is started twice then. So the era is remembered, for the file that
//! was executed and its arguments: another version of a server is another server. A wrong memory costs one
//! start, and nothing else.
#![expect(clippy::disallowed_methods, reason = "the cache belongs to the user, not to a workspace")]

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::MetadataExt as _,
};

use camino::Utf8PathBuf;
use jp_mcp::Era;
use sha2::{Digest as _, Sha256};

use super::launch::Launcher;

/// How many servers are remembered.
const MOST: usize = 1000;

/// A directory with a small file for each server.
#[derive(Debug)]
pub(crate) struct Eras {
    directory: Option<Utf8PathBuf>,
}

impl Eras {
    pub(crate) fn new(directory: Option<Utf8PathBuf>) -> Self {
        Self { directory }
    }

    /// The era in which the server spoke last time.
    pub(crate) fn recall(&self, key: &str) -> Option<Era> {
        let text = fs::read_to_string(self.path(key)?).ok()?;
        Era::from_name(text.trim())
    }

    /// Remembers it. A memory that cannot be written is a slower start, not a broken one.
    pub(crate) fn remember(&self, key: &str, era: Era) {
        let Some(path) = self.path(key).filter(|_| self.recall(key) != Some(era)) else { return };
        if let Err(error) = write(&path, era) {
            tracing::debug!(%error, %path, "the era of a server was not remembered");
        }
    }

    fn path(&self, key: &str) -> Option<Utf8PathBuf> {
        let sum = Sha256::digest(key);
        let name: String = sum.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Some(self.directory.as_ref()?.join(name))
    }
}

/// What a server is remembered by; `None` if its program is not there.
pub(super) fn key(launcher: &Launcher) -> Option<String> {
    let program = launcher.find().ok()?;
    let look = fs::metadata(&program.canonical).ok()?;
    let look = (look.len(), look.mtime(), look.mtime_nsec());
    Some(format!("{}\0{look:?}\0{}", program.canonical, launcher.arguments.join("\0")))
}

fn write(path: &Utf8PathBuf, era: Era) -> io::Result<()> {
    let Some(directory) = path.parent() else { return Ok(()) };
    fs::create_dir_all(directory)?;
    if fs::read_dir(directory)?.count() >= MOST {
        for entry in fs::read_dir(directory)? {
            fs::remove_file(entry?.path())?;
        }
    }
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    temporary.write_all(era.name().as_bytes())?;
    temporary.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_era_is_remembered_for_one_server() {
        let directory = tempfile::tempdir().unwrap();
        let place = Utf8PathBuf::from_path_buf(directory.path().join("eras")).unwrap();
        let eras = Eras::new(Some(place.clone()));
        assert_eq!(eras.recall("a"), None);
        eras.remember("a", Era::Legacy);
        assert_eq!((eras.recall("a"), eras.recall("b")), (Some(Era::Legacy), None));
        eras.remember("a", Era::Modern);
        assert_eq!(Eras::new(Some(place)).recall("a"), Some(Era::Modern));
        fs::write(eras.path("a").unwrap(), "garbage").unwrap();
        assert_eq!(eras.recall("a"), None);
        assert_eq!(Eras::new(None).recall("a"), None);
    }
}
