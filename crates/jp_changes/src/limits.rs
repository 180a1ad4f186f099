//! How much of a change set is looked at. A tool can make a million files in a second, and reading
//! them must end.

use std::io;

use camino::Utf8PathBuf;

/// Bounds for reading a change set. Work is bounded by these numbers and so is time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The most changes.
    pub changes: usize,
    /// The most directory entries that are looked at, in the set and in the workspace.
    pub entries: usize,
    /// The most bytes of file content that are written and compared.
    pub bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { changes: 100_000, entries: 2_000_000, bytes: 8 << 30 }
    }
}

/// Why a change set cannot be read. Nothing of it can be committed then.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// A place is not below the root.
    #[error("{place} is not below the workspace {root}")]
    NotBelow {
        /// The place.
        place: Utf8PathBuf,
        /// The root.
        root: Utf8PathBuf,
    },
    /// It was committed before, and what is left in it means nothing any more.
    #[error("the change set was committed already")]
    Used,
    /// There is too much of it.
    #[error("the call changed too much: more than {limit} {what}")]
    TooMuch {
        /// What there is too much of.
        what: &'static str,
        /// The bound.
        limit: u64,
    },
    /// The overlay was mounted with options under which its files do not tell the whole story.
    #[error("{path}: the overlay keeps only a part of it here (`{mark}`)")]
    Partial {
        /// The path relative to the root.
        path: Utf8PathBuf,
        /// The attribute that says so.
        mark: &'static str,
    },
    /// The system said no.
    #[error("{path}: {source}")]
    Io {
        /// The path.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
}
