//! Descriptions that outlive a run of jp.
//!
//! An answer is as good as the program is the same: each is kept with the path, size, times and sha256
//! of the files it came from. While size and times are the same nothing is read; when only the times
//! differ (a fresh checkout, a rebuild without a change) the content decides. The sum of a large program
//! takes longer than asking it, so it is made in a later run, while it still looks the same: one a run.
//! Until then a program that looks different is asked again. A script that loads other
//! files can change without that being seen; `jp tool list --refresh` asks everybody again.
#![expect(clippy::disallowed_methods, reason = "the cache belongs to the user, not to a workspace")]

use std::{
    fs,
    io::{self, Read as _, Write as _},
    os::unix::fs::MetadataExt as _,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::SchemaResponse;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// How many answers are kept.
const MOST: usize = 1000;

/// Up to which size a file is summed at once.
const SMALL: u64 = 1024 * 1024;

/// A directory of descriptions.
#[derive(Debug, Clone)]
pub(crate) struct Cache {
    directory: Utf8PathBuf,
    /// Whether what is kept is passed over, and only replaced.
    refresh: bool,
    /// Whether this run has made up for a sum that an earlier one left out.
    has_summed: Arc<AtomicBool>,
}

/// What the files of a program look like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fingerprint(Vec<(Utf8PathBuf, Look)>);

/// What can be seen of a file without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Look {
    size: u64,
    modified: (i64, i64),
    /// Not a thing that programs can set, unlike the time of modification.
    changed: (i64, i64),
    inode: u64,
}

#[derive(Debug, Serialize, Deserialize)]
struct Entry {
    /// The whole question; file names are only hashes of it.
    key: String,
    files: Vec<File>,
    answer: SchemaResponse,
}

#[derive(Debug, Serialize, Deserialize)]
struct File {
    path: Utf8PathBuf,
    look: Look,
    /// Not there yet for a large file.
    sha256: Option<String>,
}

impl Fingerprint {
    /// The looks of those paths that are files; `None` if there is nothing to recognize.
    pub(crate) fn of(files: &[Utf8PathBuf]) -> Option<Self> {
        let look = |path: &Utf8PathBuf| {
            let found = fs::metadata(path).ok().filter(fs::Metadata::is_file)?;
            let look = Look {
                size: found.len(),
                modified: (found.mtime(), found.mtime_nsec()),
                changed: (found.ctime(), found.ctime_nsec()),
                inode: found.ino(),
            };
            Some((path.clone(), look))
        };
        let looks: Vec<_> = files.iter().filter_map(look).collect();
        (!looks.is_empty()).then_some(Self(looks))
    }
}

impl Cache {
    pub(crate) fn new(directory: Utf8PathBuf, refresh: bool) -> Self {
        Self { directory, refresh, has_summed: Arc::default() }
    }

    /// What was kept for this question, if the files are still the same.
    pub(crate) fn get(&self, key: &str, fingerprint: &Fingerprint) -> Option<SchemaResponse> {
        if self.refresh {
            return None;
        }
        let text = fs::read(self.path(key)).ok()?;
        let entry: Entry = serde_json::from_slice(&text).ok()?;
        let same_question = entry.key == key && entry.files.len() == fingerprint.0.len();
        let mut is_touched = false;
        let is_same = |(kept, (path, look)): (&File, &(Utf8PathBuf, Look))| {
            if kept.path != *path || kept.look.size != look.size {
                return false;
            }
            is_touched |= kept.look != *look;
            is_touched |= kept.sha256.is_none() && !self.has_summed.swap(true, Ordering::Relaxed);
            kept.look == *look || kept.sha256.is_some() && sha256(path).ok() == kept.sha256
        };
        let is_same = same_question && entry.files.iter().zip(&fingerprint.0).all(is_same);
        if is_same && is_touched {
            self.put_with(key, fingerprint, &entry.answer, u64::MAX);
        }
        is_same.then_some(entry.answer)
    }

    /// Keeps an answer. A cache that cannot be written is a slower jp, not a broken one.
    pub(crate) fn put(&self, key: &str, fingerprint: &Fingerprint, answer: &SchemaResponse) {
        self.put_with(key, fingerprint, answer, SMALL);
    }

    fn put_with(&self, key: &str, looks: &Fingerprint, answer: &SchemaResponse, summed: u64) {
        if let Err(error) = self.write(key, looks, answer, summed) {
            tracing::debug!(%error, directory = %self.directory, "a description was not kept");
        }
    }

    /// Files up to the size `summed` are read.
    fn write(
        &self,
        key: &str,
        looks: &Fingerprint,
        answer: &SchemaResponse,
        summed: u64,
    ) -> io::Result<()> {
        let file = |(path, look): &(Utf8PathBuf, Look)| {
            let sha256 = (look.size <= summed).then(|| sha256(path)).transpose()?;
            Ok(File { path: path.clone(), look: *look, sha256 })
        };
        let files = looks.0.iter().map(file).collect::<io::Result<_>>()?;
        let entry = Entry { key: key.to_owned(), files, answer: answer.clone() };
        fs::create_dir_all(&self.directory)?;
        self.make_room()?;
        let mut temporary = tempfile::NamedTempFile::new_in(&self.directory)?;
        temporary.write_all(&serde_json::to_vec(&entry)?)?;
        temporary.persist(self.path(key))?;
        Ok(())
    }

    /// Starts again when the directory is full: what is in use is back after the next run.
    fn make_room(&self) -> io::Result<()> {
        if fs::read_dir(&self.directory)?.count() < MOST {
            return Ok(());
        }
        for entry in fs::read_dir(&self.directory)? {
            fs::remove_file(entry?.path())?;
        }
        Ok(())
    }

    fn path(&self, key: &str) -> Utf8PathBuf {
        self.directory.join(format!("{}.json", hex(&Sha256::digest(key))))
    }
}

fn sha256(path: &Utf8Path) -> io::Result<String> {
    let mut file = fs::File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let length = file.read(&mut buffer)?;
        if length == 0 {
            return Ok(hex(&hash.finalize()));
        }
        hash.update(&buffer[..length]);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests;
