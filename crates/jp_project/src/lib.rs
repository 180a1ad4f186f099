//! The files of a project behind one trait, wherever they are.
//!
//! A tool that reads and writes through the host does not know whether there is a disk. So everything
//! it can ask for is a method of [`ProjectFiles`], and every backend gives the same answers: one
//! suite, `conformance`, is run against each of them.
//!
//! # What is judged is what is used
//!
//! A path can be a symbolic link, and who checks a path and then uses it by name has checked something
//! else if somebody is quick. So the rules are not asked before an operation but by it: a backend is a
//! view under [`Rules`] ([`ProjectFiles::under`]), finds where a path leads, compares the rules with that
//! place and works on the very thing that it found. A refusal names the capability and the canonical
//! path. Whoever gets permission for it from a person takes a view under wider rules and tries again;
//! that attempt is judged like the first.
//!
//! This crate does not know the protocol, asks nobody and prints nothing. It blocks: files on a disk are
//! read fastest by the thread that wants them.

#![cfg(unix)]

pub mod backend;
#[cfg(any(test, feature = "conformance"))]
pub mod conformance;
mod error;
mod fs;
mod grep;
mod materialize;
mod memory;
mod nodes;
mod null;
mod overlay;
mod parts;
mod path;
mod rules;
mod sqlite;
mod walk;

use std::{fmt, io::Read, sync::Arc};

use camino::Utf8Path;

pub use self::{
    error::ProjectError,
    fs::FsProjectFiles,
    grep::{FileMatches, GrepAnswer, GrepLine, GrepQuery, InvalidPattern, Until},
    materialize::{Materialized, NotBrought, SyncError, Synced},
    memory::MemoryProjectFiles,
    null::NullProjectFiles,
    overlay::OverlayProjectFiles,
    path::{InvalidProjectPath, ProjectPath},
    rules::Rules,
    sqlite::{OpenDatabaseError, SqliteProjectFiles},
};

/// The largest content that is in memory as a whole while it is written.
pub(crate) const MAX_WHOLE: u64 = 64 << 20;

/// The files of a project under rules.
///
/// An error of an operation leaves everything as it was, except where directories were made on the way
/// to a file, or a deletion of a whole directory was stopped by the system half way.
pub trait ProjectFiles: fmt::Debug + Send + Sync {
    /// The content of a file, or a part of it. Needs `read`.
    fn read(&self, path: &ProjectPath, part: Part) -> Result<Content, ProjectError>;

    /// Gives a file new content, all of it or nothing. Missing directories are made. Needs `update`, or
    /// `create` if there is nothing yet.
    fn write(
        &self,
        path: &ProjectPath,
        content: &[u8],
        mode: WriteMode,
    ) -> Result<(), ProjectError>;

    /// The same with a content of this size that is read while it is written: what a program made can be larger
    /// than what anybody wants to have in memory. A backend that cannot write in pieces takes up to 64 MiB.
    fn write_from(
        &self,
        path: &ProjectPath,
        content: &mut dyn Read,
        size: u64,
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        self.write(path, &parts::whole(path, content, size, MAX_WHOLE)?, mode)
    }

    /// Whether something is there. Needs `read`.
    fn exists(&self, path: &ProjectPath) -> Result<bool, ProjectError> {
        match self.metadata(path) {
            Ok(_) => Ok(true),
            Err(ProjectError::NotFound { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The entries of a directory that may be read, sorted by name; what is sensitive is among them.
    /// Needs `read`.
    fn list_dir(&self, path: &ProjectPath, slice: Slice) -> Result<Vec<DirEntry>, ProjectError>;

    /// Whether there are names in a directory that no list tells, because no path could name them. Nothing is judged.
    /// Backends that take no such names need not say anything.
    fn leaves_out(&self, _: &ProjectPath) -> Result<bool, ProjectError> {
        Ok(false)
    }

    /// What is known about a file or directory. Needs `read`.
    fn metadata(&self, path: &ProjectPath) -> Result<Metadata, ProjectError>;

    /// Removes a file; a directory only if asked to, with all that is in it. Needs `delete`, on
    /// everything inside too.
    fn delete(&self, path: &ProjectPath, reach: DeleteReach) -> Result<(), ProjectError>;

    /// Moves a file or directory; missing directories on the way to the new path are made. Needs
    /// `delete` on the old path and `create` on the new one, or `update` if something is replaced.
    fn rename(
        &self,
        from: &ProjectPath,
        to: &ProjectPath,
        target: RenameTarget,
    ) -> Result<(), ProjectError>;

    /// Makes a directory, and those above it. Needs `create`.
    fn create_dir(&self, path: &ProjectPath) -> Result<(), ProjectError>;

    /// The lines that match a pattern, in all files that may be read, sorted by path.
    fn grep(&self, query: &GrepQuery) -> Result<GrepAnswer, ProjectError>;

    /// A real directory with the files, for programs. If one has to be made, it is made in `scratch`, and
    /// what changes in it is brought back by [`Materialized::sync_back`].
    fn materialize(&self, scratch: &Utf8Path) -> Result<Materialized, ProjectError>;

    /// Where the files are, for people.
    fn display_root(&self) -> String;

    /// Where a path leads when links are followed, whether or not something is there. Nothing is judged;
    /// what is found out is used to judge by. Backends without links need not say anything.
    fn canonical(&self, path: &ProjectPath) -> Result<ProjectPath, ProjectError> {
        Ok(path.clone())
    }

    /// Whether an answer costs microseconds, so that there is no gain in letting another thread wait for
    /// it. Searches and deletions of whole directories take longer everywhere.
    fn is_quick(&self) -> bool;

    /// The same files under other rules.
    fn under(&self, rules: Rules) -> Arc<dyn ProjectFiles>;
}

/// Which bytes of a file to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Part {
    /// Where to begin. Behind the end there is nothing, which is no error.
    pub offset: u64,
    /// How many bytes at most; `None` reads to the end.
    pub limit: Option<u64>,
    /// More than this is not read into memory: it is [`ProjectError::TooLarge`].
    pub max: u64,
}

impl Part {
    /// The whole file, if it is not larger than this.
    pub fn whole(max: u64) -> Self {
        Self { offset: 0, limit: None, max }
    }

    /// Which bytes of a file of this size are meant: where they begin, and how many there are.
    fn of(self, size: u64, path: &ProjectPath) -> Result<(u64, u64), ProjectError> {
        let len = size.saturating_sub(self.offset).min(self.limit.unwrap_or(u64::MAX));
        if len > self.max {
            return Err(ProjectError::TooLarge { path: path.clone(), size: len, max: self.max });
        }
        Ok((self.offset.min(size), len))
    }
}

/// What was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// The size of the whole file.
    pub size: u64,
    /// Whether anybody may run the file. Never, where the backend knows no permissions.
    pub executable: bool,
}

/// What a write does with a file that is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteMode {
    /// It gets the new content.
    Replace,
    /// It stays, and the write fails.
    CreateNew,
}

/// What a rename does with something that has the new path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenameTarget {
    /// A file is replaced by a file, an empty directory by a directory.
    Overwrite,
    /// It stays, and the rename fails.
    Keep,
}

/// What a deletion may take with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeleteReach {
    /// One file.
    File,
    /// A directory in which nothing is, whatever of it may be seen.
    Empty,
    /// A file, or a directory with everything in it.
    Recursive,
}

/// Which entries of a directory to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Slice {
    /// How many to leave out at the beginning.
    pub offset: usize,
    /// How many at most.
    pub limit: Option<usize>,
}

impl Slice {
    fn of<T>(self, entries: Vec<T>) -> Vec<T> {
        entries.into_iter().skip(self.offset).take(self.limit.unwrap_or(usize::MAX)).collect()
    }
}

/// Something in a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DirEntry {
    /// Its name in the directory.
    pub name: String,
    /// What it is, or what it leads to.
    pub kind: Kind,
    /// Whether it is a symbolic link.
    pub is_link: bool,
}

/// What a path leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A file with content.
    File,
    /// A directory.
    Directory,
    /// Something that can only be removed or renamed: a link that leads nowhere or out of the project,
    /// a FIFO, a device.
    Other,
}

/// What is known about a file or directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// What it is.
    pub kind: Kind,
    /// The size of a file in bytes; 0 for everything else.
    pub size: u64,
}
