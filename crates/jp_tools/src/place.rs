//! The files of the workspace as the tools use them, whoever opens them.
//!
//! A tool runs in one of two ways. As a program beside the files it opens them itself, under the rules
//! that it was told ([`direct`]). Sealed off from them it asks the host for each ([`host`]). What a tool
//! does, says and asks is written once, on [`Place`], so it is the same both ways.
//!
//! The two differ in who judges. `direct` has to, and judges what it opens. `host` is judged by the
//! host with every request; what it knows of the rules only spares questions whose answer is known.

pub(crate) mod direct;
pub(crate) mod host;

use std::{
    fmt,
    io::{self, ErrorKind, Read},
};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use jp_tool::{
    Call, JsonSchema, Reply, Stop, ToolEntry, ToolError,
    access::{
        Capability, FsAccessError,
        path::{Existing, OpenError},
    },
    vfs::{FsGrep, FsGrepResult},
};
use serde::de::DeserializeOwned;

use crate::{text, walk::Tree};

/// One of the ways to run tools.
pub(crate) trait Way {
    /// What a tool is started with.
    type Start: 'static;
    /// The files of one call.
    type Place: Place;

    /// A tool on the files of its call.
    fn tool<A, R, E>(
        name: &str,
        tool: fn(A, &Call, &Self::Place) -> Result<R, E>,
    ) -> ToolEntry<Self::Start>
    where
        A: DeserializeOwned + JsonSchema + 'static,
        R: Into<Reply> + 'static,
        E: Into<Stop> + From<ToolError> + 'static;
}

/// The files that a call may use. Paths are as the assistant wrote them.
pub(crate) trait Place: Tree<File: Content> {
    /// What is kept of a file from reading it to giving it new content.
    type Held: fmt::Debug;

    /// Fails if it is known already that the rules deny this.
    fn check(&self, capability: Capability, path: &Utf8Path) -> Result<(), PlaceError>;

    /// Whether something is there.
    fn presence(&self, path: &Utf8Path) -> Result<Presence, PlaceError>;

    /// Whether there is a directory, as far as it can be seen.
    fn is_dir(&self, path: &Utf8Path) -> bool;

    /// Makes a file and the directories it needs. Needs `create`; if that is missing anywhere, nothing
    /// is made.
    fn create(&self, path: &Utf8Path, content: &[u8]) -> Result<(), PlaceError>;

    /// Looks at a file that is to be changed; its content is kept up to `max` bytes. Needs `update`.
    fn original(&self, path: &str, max: u64) -> Result<Original<Self::Held>, PlaceError>;

    /// Gives all files their new content, or none.
    fn replace(&self, changes: Vec<Change<Self::Held>>) -> Result<(), ToolError>;

    /// Removes a file, a link itself, or an empty directory. Needs `delete`.
    fn delete(&self, path: &Utf8Path) -> Result<Deleted, PlaceError>;

    /// Moves something; missing directories on the way to the new path are made. Needs `delete` here,
    /// and `create` or `update` there.
    fn rename(&self, from: &Utf8Path, to: &Utf8Path, existing: Existing) -> Result<(), PlaceError>;

    /// Whether git knows of changes to a file that are not committed.
    fn is_dirty(&self, canonical: &Utf8Path) -> bool;

    /// Lets somebody search who is closer to the files. `None`: nobody is, or cannot do this.
    fn grep(&self, query: &FsGrep) -> Result<Option<FsGrepResult>, PlaceError>;
}

/// An open file.
pub(crate) trait Content: Read {
    /// How many bytes it has.
    fn size(&self) -> io::Result<u64>;

    /// Goes back to its beginning.
    fn rewind(&mut self) -> io::Result<()>;
}

/// Whether something is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    There,
    Nothing,
    /// Only an attempt to make something will tell.
    Unknown,
}

/// What was deleted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Deleted {
    File,
    Directory,
}

/// A file as it was when it was looked at.
#[derive(Debug)]
pub(crate) struct Original<H> {
    /// Its canonical path, as far as it is known.
    pub(crate) path: Utf8PathBuf,
    /// Its content; `None` if only changing it is granted, or if it is too large to be kept.
    pub(crate) content: Option<Vec<u8>>,
    /// How large it was, in bytes, if that may be known.
    pub(crate) len: Option<u64>,
    held: H,
}

/// A file and its new content.
#[derive(Debug)]
pub(crate) struct Change<H> {
    pub(crate) original: Original<H>,
    pub(crate) content: Vec<u8>,
}

/// Why something could not be done with a file.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PlaceError {
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The host does not allow it, in its words.
    #[error("{0}")]
    Refused(String),
    /// Anything else, in words of its own.
    #[error(transparent)]
    Other(ToolError),
}

impl PlaceError {
    /// What the system says about a path.
    fn system(path: &Utf8Path, source: impl Into<io::Error>) -> Self {
        OpenError::Io { path: path.to_owned(), source: source.into() }.into()
    }

    /// Whether the reason is that nothing is there.
    pub(crate) fn is_missing(&self) -> bool {
        self.is_any(&[ErrorKind::NotFound])
    }

    /// Whether the reason is that something is there.
    pub(crate) fn is_present(&self) -> bool {
        self.is_any(&[ErrorKind::AlreadyExists])
    }

    /// Whether a rule does not allow it.
    pub(crate) fn is_denied(&self) -> bool {
        let is_by_us = matches!(self, Self::Open(OpenError::Access(FsAccessError::Denied { .. })));
        is_by_us || matches!(self, Self::Refused(_))
    }

    /// Whether the system said one of these.
    fn is_any(&self, kinds: &[ErrorKind]) -> bool {
        matches!(self, Self::Open(OpenError::Io { source, .. }) if kinds.contains(&source.kind()))
    }
}

impl From<FsAccessError> for PlaceError {
    fn from(error: FsAccessError) -> Self {
        Self::Open(error.into())
    }
}

impl From<PlaceError> for ToolError {
    fn from(error: PlaceError) -> Self {
        match error {
            PlaceError::Open(error) => error.into(),
            PlaceError::Refused(message) => Self::new(text::name(&message)),
            PlaceError::Other(error) => error,
        }
    }
}

/// Refuses a name for a new file that can only be one of a directory.
pub(crate) fn check_file_name(path: &str) -> Result<(), ToolError> {
    if path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..") {
        let path = text::name(path);
        return Err(ToolError::new(format!(
            "{path} names a directory: give the name of the file too"
        )));
    }
    Ok(())
}

/// Refuses the root of the workspace as something to remove or to move: the system would say that it is
/// in use.
pub(crate) fn check_not_root(path: &str, root: &Utf8Path) -> Result<(), ToolError> {
    let below = Utf8Path::new(path);
    let mut names: Vec<&str> = Vec::new();
    for component in below.strip_prefix(root).unwrap_or(below).components() {
        match component {
            Utf8Component::CurDir => {}
            Utf8Component::ParentDir if names.pop().is_some() => {}
            other => names.push(other.as_str()),
        }
    }
    if names.is_empty() && !path.is_empty() {
        return Err(ToolError::new(format!(
            "{} is the workspace itself, which is neither deleted nor moved",
            text::name(path)
        )));
    }
    Ok(())
}

/// The error of a change of several files that failed after some were changed, and what is left of
/// those: the paths that could not be put back.
fn failed_after(error: &dyn fmt::Display, lost: &[&str]) -> ToolError {
    let note = match lost {
        [] => "; nothing was changed".to_owned(),
        lost => format!("; what was changed before could not be undone: {}", lost.join(", ")),
    };
    ToolError::new(format!("{error}{note}"))
}
