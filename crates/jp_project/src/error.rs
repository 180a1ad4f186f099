//! Why something could not be done with the files of a project.
//!
//! The kinds are those that a caller can act on, and the same on every backend. Paths are those the
//! caller gave.

use std::io;

use jp_tool::access::{FsAccessError, path::OpenError};

use crate::{InvalidPattern, ProjectPath};

/// Why something could not be done with the files of a project.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// The policy does not allow it, or the path leads out of the project.
    #[error(transparent)]
    Access(#[from] FsAccessError),
    /// Nothing is there.
    #[error("{path}: not found")]
    NotFound {
        /// Where.
        path: ProjectPath,
    },
    /// Something is there already.
    #[error("{path}: exists already")]
    AlreadyExists {
        /// Where.
        path: ProjectPath,
    },
    /// A directory is there, and a file was meant.
    #[error("{path}: is a directory")]
    IsADirectory {
        /// Where.
        path: ProjectPath,
    },
    /// A file is there or on the way, and a directory was meant.
    #[error("{path}: is not a directory, or something above it is not")]
    NotADirectory {
        /// Where.
        path: ProjectPath,
    },
    /// The directory would have to be empty.
    #[error("{path}: the directory is not empty")]
    NotEmpty {
        /// Where.
        path: ProjectPath,
    },
    /// More than the caller wants to have in memory.
    #[error("{path}: {size} bytes are more than the limit of {max} bytes")]
    TooLarge {
        /// Which file.
        path: ProjectPath,
        /// How many bytes were asked for.
        size: u64,
        /// How many can be had at once.
        max: u64,
    },
    /// The project itself can be neither moved nor deleted.
    #[error("the root of the project cannot be moved or deleted")]
    Root,
    /// A directory cannot be moved to a place inside itself.
    #[error("{path}: cannot be moved into itself")]
    IntoItself {
        /// Which directory.
        path: ProjectPath,
    },
    /// The pattern of a search cannot be used.
    #[error(transparent)]
    Pattern(#[from] InvalidPattern),
    /// There are no files at all.
    #[error("there are no project files here")]
    Unavailable,
    /// The system said no.
    #[error("{path}: {source}")]
    Io {
        /// What it was about.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

impl ProjectError {
    /// An error of the file system about this path.
    pub(crate) fn from_open(error: OpenError, path: &ProjectPath) -> Self {
        match error {
            OpenError::Access(error) => Self::Access(error),
            OpenError::Io { source, .. } => Self::from_io(source, path),
        }
    }

    pub(crate) fn from_io(source: io::Error, path: &ProjectPath) -> Self {
        let path = path.clone();
        match source.kind() {
            io::ErrorKind::NotFound => Self::NotFound { path },
            io::ErrorKind::AlreadyExists => Self::AlreadyExists { path },
            io::ErrorKind::IsADirectory => Self::IsADirectory { path },
            io::ErrorKind::NotADirectory => Self::NotADirectory { path },
            io::ErrorKind::DirectoryNotEmpty => Self::NotEmpty { path },
            _ => Self::Io { path: path.to_string(), source },
        }
    }

    /// Below a file there is nothing. Whoever only looks need not know why.
    pub(crate) fn or_not_found(self) -> Self {
        match self {
            Self::NotADirectory { path } => Self::NotFound { path },
            other => other,
        }
    }
}
