//! Where a path really leads: the one form of a path that rules are compared with.
//!
//! A path is a spelling, and one file has many of them: `src/../.env`, a symbolic link, `/ws/.env`.
//! [`resolve`] reduces all of them to the same path relative to the workspace root, and says when a
//! path leads out of it. Rules go through the same function ([`canonical_rule_path`]), so rule and
//! target always meet in the same form.
//!
//! The danger is time. Between the answer of [`resolve`] and the use of the path somebody can put a
//! symbolic link in the way. [`Files`] has no such gap: it judges and opens one and the same thing,
//! relative to a handle of the root.
//!
//! Names are compared as they are spelled. On a file system that ignores case, `SRC` and `src` lead
//! to one directory and are two paths for the rules.

mod contents;
mod detours;
mod directory;
mod entries;
mod files;
mod hard_links;
mod inside;
mod judge;
mod no_replace;
mod open;
mod replace;
mod root;
mod same_file;
mod walk;

#[cfg(target_os = "linux")]
#[path = "path/linux.rs"]
mod sys;
#[cfg(not(target_os = "linux"))]
#[path = "path/other.rs"]
mod sys;
// So that it is compiled where the tests are run.
#[cfg(all(test, target_os = "linux"))]
mod other;

use camino::{Utf8Path, Utf8PathBuf};

pub use self::{
    contents::Contents,
    directory::Directory,
    entries::{Entries, Entry, Kind, Metadata},
    files::{Existing, Files, OpenError},
    hard_links::MAX_VISITED,
    root::Root,
};
use super::FsAccessError;

/// Where a path leads, whether or not something is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    root: Utf8PathBuf,
    relative: Utf8PathBuf,
    exists: bool,
}

impl Resolved {
    /// The path relative to the root, without symbolic links; `.` is the root itself. This is what
    /// rules are compared with.
    pub fn relative(&self) -> &Utf8Path {
        &self.relative
    }

    /// The same below the canonical path of the root.
    pub fn absolute(&self) -> Utf8PathBuf {
        if self.relative == "." { self.root.clone() } else { self.root.join(&self.relative) }
    }

    /// Whether something was there.
    pub fn exists(&self) -> bool {
        self.exists
    }
}

/// Resolves a path in the workspace at `root`, which has to be absolute and has to exist.
///
/// 1. A relative path is joined with the root; an absolute one has to be below it.
/// 2. Empty and `.` components vanish and `..` removes the one before it, without a look at the
///    disk.
/// 3. Symbolic links are followed on every component that exists; the missing rest is appended. A
///    dangling link is followed too: what counts is where a file would appear.
/// 4. The root is stripped.
///
/// What leaves the root in step 2 or 3 is an [`FsAccessError::Escape`].
pub fn resolve(root: &Utf8Path, input: &Utf8Path) -> Result<Resolved, FsAccessError> {
    let root = Root::open(root).map_err(|error| FsAccessError::Unresolvable {
        path: root.to_owned(),
        reason: format!("the workspace root cannot be opened: {error}"),
    })?;
    root.resolve(input)
}

/// The form of a rule's path in which it is compared with targets.
///
/// The errors name the rule's path as it was given.
pub fn canonical_rule_path(
    root: &Utf8Path,
    rule_path: &Utf8Path,
) -> Result<Utf8PathBuf, FsAccessError> {
    Ok(resolve(root, rule_path)?.relative)
}

fn unresolvable(path: &Utf8Path, reason: impl Into<String>) -> FsAccessError {
    FsAccessError::Unresolvable { path: path.to_owned(), reason: reason.into() }
}

#[cfg(test)]
mod tests;
