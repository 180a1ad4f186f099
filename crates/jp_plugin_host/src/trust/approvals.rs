//! The files that somebody agreed to run, each by its path and its checksum.
//!
//! An agreement is about bytes in a place. Other bytes in the same place, and the same bytes in another
//! place, are something nobody has agreed to. The list belongs to the user: it lies in the directory of
//! their state, and a list that somebody else owns is not obeyed. What cannot be read counts for nothing,
//! so that whoever breaks the file gets more questions and never fewer; and nothing is written over it.
#![expect(
    clippy::disallowed_methods,
    reason = "plugins, and what is kept about them, lie outside of workspaces"
)]

use std::{
    fs,
    io::{self, Read as _, Write as _},
    os::unix::fs::MetadataExt as _,
    thread,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_plugin_registry::files::open_lock;
use rustix::fs::{FlockOperation, flock};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::look;

/// The version of the file that is written and read.
const VERSION: u32 = 1;

/// The largest file that is read, in bytes.
const MOST_BYTES: u64 = 4 << 20;

/// How many agreements are kept; the oldest are forgotten.
const MOST: usize = 1000;

/// How often the lock is tried, and how long is waited in between: two seconds together.
const ATTEMPTS: u32 = 100;
const PAUSE: Duration = Duration::from_millis(20);

/// Everything that was agreed to, in the order in which it was.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Approvals {
    list: Vec<Approval>,
}

/// One agreement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// The canonical path.
    pub path: Utf8PathBuf,
    /// In hexadecimal digits.
    pub sha256: String,
    pub by: By,
}

/// Who agreed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum By {
    /// A person who was asked. There is nobody else: a list that names another was not written here, and
    /// counts for nothing.
    Person,
}

/// Why an agreement was not kept.
#[derive(Debug, Error)]
#[error("cannot keep the approval in {file}: {source}")]
pub struct KeepError {
    file: Utf8PathBuf,
    #[source]
    source: io::Error,
}

#[derive(Serialize, Deserialize)]
struct File {
    version: u32,
    approvals: Vec<Approval>,
}

impl Approvals {
    /// What is kept in this file.
    pub fn read(file: &Utf8Path) -> Self {
        match read(file) {
            Ok(list) => Self { list },
            Err(error) => {
                tracing::warn!(%error, %file, "nothing is approved: the list cannot be read");
                Self::default()
            }
        }
    }

    /// Whether somebody agreed to these bytes in this place.
    pub fn hold(&self, path: &Utf8Path, sha256: &str) -> bool {
        self.list.iter().any(|it| it.path == path && it.sha256.eq_ignore_ascii_case(sha256))
    }

    /// The checksum of the bytes in this place that somebody agreed to last, whatever is there now.
    pub fn last(&self, path: &Utf8Path) -> Option<&str> {
        self.list.iter().rev().find(|it| it.path == path).map(|it| it.sha256.as_str())
    }

    /// Adds an agreement to the file. Others for the same path are over: their bytes are not there now.
    pub fn add(file: &Utf8Path, approval: &Approval) -> Result<(), KeepError> {
        let is_other = |it: &Approval| it.path != approval.path || it.is_about(approval);
        change(file, |list| {
            list.retain(is_other);
            if !list.contains(approval) {
                list.push(approval.clone());
            }
        })
    }

    /// Takes back every agreement about a path; says whether there was any.
    pub fn forget(file: &Utf8Path, path: &Utf8Path) -> Result<bool, KeepError> {
        if !Self::read(file).list.iter().any(|it| it.path == path) {
            return Ok(false);
        }
        change(file, |list| list.retain(|it| it.path != path)).map(|()| true)
    }
}

impl Approval {
    fn is_about(&self, other: &Self) -> bool {
        self.path == other.path && self.sha256.eq_ignore_ascii_case(&other.sha256)
    }
}

fn change(file: &Utf8Path, work: impl FnOnce(&mut Vec<Approval>)) -> Result<(), KeepError> {
    write(file, work).map_err(|source| KeepError { file: file.to_owned(), source })
}

fn write(file: &Utf8Path, work: impl FnOnce(&mut Vec<Approval>)) -> io::Result<()> {
    let directory = file.parent().unwrap_or(Utf8Path::new("/"));
    fs::create_dir_all(directory)?;
    let lock = open_lock(&file.with_extension("lock"))?;
    acquire(&lock)?;
    let mut approvals = read(file)?;
    work(&mut approvals);
    let over = approvals.len().saturating_sub(MOST);
    approvals.drain(..over);
    let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
    let text = serde_json::to_vec_pretty(&File { version: VERSION, approvals })?;
    temporary.write_all(&text)?;
    temporary.as_file().sync_all()?;
    temporary.persist(file)?;
    Ok(())
}

fn acquire(lock: &fs::File) -> io::Result<()> {
    for _ in 0..ATTEMPTS {
        match flock(lock, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::WOULDBLOCK | rustix::io::Errno::INTR) => thread::sleep(PAUSE),
            Err(error) => return Err(error.into()),
        }
    }
    Err(io::Error::other("another jp keeps it locked"))
}

/// The agreements in a file; none if there is no file.
fn read(file: &Utf8Path) -> io::Result<Vec<Approval>> {
    let opened = match look::open(file) {
        Ok(opened) => opened,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let user = rustix::process::geteuid().as_raw();
    let found = opened.metadata()?;
    if ![user, 0].contains(&found.uid()) {
        return Err(io::Error::other("it is not a file of yours"));
    }
    let mut text = Vec::new();
    opened.take(MOST_BYTES).read_to_end(&mut text)?;
    let file: File = serde_json::from_slice(&text)?;
    if file.version != VERSION {
        return Err(io::Error::other(format!("it is of version {}", file.version)));
    }
    Ok(file.approvals)
}
