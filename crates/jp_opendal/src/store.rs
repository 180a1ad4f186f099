//! What a store can do: keys and contents, and a few questions about them.
//!
//! A store knows no directories. A file has the key of its path. A directory has a key of its own, its
//! path with a slash behind it and nothing in it (a marker), so that it is there while it is empty; a
//! directory that another program made by putting something below it needs none. What files and
//! directories mean is decided once, in [`crate::files`], for all stores.
//!
//! The danger is in the names. A store that changes a key on the way, by trimming it for example, works
//! on something else than what was judged. So a store has to take a key as it is or refuse it.

pub(crate) mod objects;
pub(crate) mod table;

use std::{fmt, io, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::{future::BoxFuture, stream::BoxStream};
use jp_project::{Content, Part};

/// What comes of asking a store.
pub(crate) type Answer<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// The content of a file, piece by piece.
pub(crate) type Pieces = BoxStream<'static, Result<Bytes, StoreError>>;

/// Keys and contents. Keys have no slash at their beginning; those of directories end with one, and the
/// empty key is the root.
pub(crate) trait Store: fmt::Debug + Send + Sync {
    /// Where it is, for people; no secrets.
    fn place(&self) -> String;

    /// What is at a path that is not the root.
    fn look<'a>(&'a self, path: &'a str) -> Answer<'a, Option<Node>>;

    /// A part of a file.
    fn read<'a>(&'a self, path: &'a str, part: Part) -> Answer<'a, Reading>;

    /// The whole of a file; `None` if there is none.
    fn stream(self: Arc<Self>, path: String) -> Answer<'static, Option<Pieces>>;

    /// Puts a content at a key, all of it or nothing. Says whether it did: what is there already stays if
    /// it has to.
    fn put<'a>(&'a self, key: &'a str, content: Bytes, existing: Existing) -> Answer<'a, bool>;

    /// What is directly in a directory, in no order; `None` if there is nothing at all, not even a marker.
    fn children<'a>(&'a self, dir: &'a str) -> Answer<'a, Option<Vec<Child>>>;

    /// All keys that begin with the key of a directory, its marker included.
    fn below<'a>(&'a self, dir: &'a str) -> Answer<'a, Vec<String>>;

    /// Removes keys in this order. One that is not there is no error.
    fn delete<'a>(&'a self, keys: &'a [String]) -> Answer<'a, ()>;

    /// Gives contents new keys. No content is gone from its old key before it is safe at its new one.
    /// Says whether it did, as with [`Store::put`].
    fn relocate<'a>(&'a self, moves: &'a [Move], existing: Existing) -> Answer<'a, bool>;
}

/// What is at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Node {
    /// A marker, or something below.
    Directory,
    /// A content of this size.
    File(u64),
}

/// What came of reading.
#[derive(Debug)]
pub(crate) enum Reading {
    /// There is no such key.
    Missing,
    /// So many bytes, and that is too many.
    TooLarge(u64),
    /// What was asked for.
    Content(Content),
}

impl Reading {
    /// So many bytes of a file of this size. A store knows no permissions.
    fn of(bytes: Vec<u8>, size: u64) -> Self {
        Self::Content(Content { bytes, size, executable: false })
    }
}

/// What to do with something that is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Existing {
    /// Replace it.
    Replace,
    /// Leave it, and do nothing.
    Keep,
}

/// Something in a directory.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Child {
    pub(crate) name: String,
    pub(crate) is_dir: bool,
}

/// A content that gets a new key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Move {
    pub(crate) from: String,
    pub(crate) to: String,
}

/// The most names in a directory, and the most keys below one: what is held in memory at once.
pub(crate) const MAX_KEYS: usize = 500_000;

/// Why a store did not do it. No text has a secret in it.
#[derive(Debug, Clone, thiserror::Error)]
pub(crate) enum StoreError {
    /// Nobody answered.
    #[error("no answer within {} s", .0.as_secs_f32())]
    Timeout(Duration),
    /// The connection could not be made, or was lost.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// The credentials are wrong or not enough.
    #[error("refused: {0}")]
    Refused(String),
    /// What the configuration names is not there.
    #[error("{0}")]
    Config(String),
    /// The key cannot be stored as it is.
    #[error("a store cannot hold this name: {0}")]
    Name(&'static str),
    /// More than fits into memory.
    #[error("there are more than {MAX_KEYS} entries")]
    TooMany,
    /// Something has the key already.
    #[error("something has this name already")]
    Occupied,
    /// Something else.
    #[error("{0}")]
    Failed(String),
}

impl StoreError {
    /// The same for callers that know files.
    pub(crate) fn kind(&self) -> io::ErrorKind {
        match self {
            Self::Timeout(_) => io::ErrorKind::TimedOut,
            Self::Unreachable(_) => io::ErrorKind::NotConnected,
            Self::Refused(_) => io::ErrorKind::PermissionDenied,
            Self::Name(_) => io::ErrorKind::InvalidFilename,
            Self::TooMany => io::ErrorKind::FileTooLarge,
            Self::Occupied => io::ErrorKind::AlreadyExists,
            // Not `InvalidInput` for settings: whoever asked for a file has done nothing wrong.
            Self::Config(_) | Self::Failed(_) => io::ErrorKind::Other,
        }
    }

    /// Whether the next attempt would fail like this one, whatever it is about.
    pub(crate) fn is_about_the_store(&self) -> bool {
        matches!(self, Self::Timeout(_) | Self::Unreachable(_) | Self::Refused(_) | Self::Config(_))
    }
}

/// Whether a name that a store tells can be part of a path. What others put there under names that no
/// path can have is not seen.
pub(crate) fn is_name(name: &str) -> bool {
    !matches!(name, "" | "." | "..") && name.len() <= 255 && !name.contains('\0')
}

#[cfg(test)]
mod tests {
    use super::*;

    // What is wrong with the settings is not told to a tool as its own mistake, and what is its own is.
    #[test]
    fn each_kind_says_whose_fault_it_is() {
        for (error, expected) in [
            (StoreError::Config(String::new()), io::ErrorKind::Other),
            (StoreError::Failed(String::new()), io::ErrorKind::Other),
            (StoreError::Unreachable(String::new()), io::ErrorKind::NotConnected),
            (StoreError::Timeout(Duration::ZERO), io::ErrorKind::TimedOut),
            (StoreError::Name("x"), io::ErrorKind::InvalidFilename),
            (StoreError::TooMany, io::ErrorKind::FileTooLarge),
        ] {
            assert_eq!(error.kind(), expected, "{error:?}");
        }
    }
}
