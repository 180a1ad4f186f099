//! Why a backend cannot be made, and how what a store says becomes an error of a project.

use std::{fmt, io};

use jp_project::{InvalidProjectPath, ProjectError};

use crate::store::StoreError;

/// Why a backend cannot be made. No text has the value of an option in it, which may be a secret.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no such kind of store.
    #[error("there is no scheme `{scheme}`; there are: {possible}")]
    UnknownScheme {
        /// What was asked for.
        scheme: String,
        /// What there is.
        possible: String,
    },
    /// The store has no such option.
    #[error("`{scheme}` has no option `{option}`; it has: {possible}")]
    UnknownOption {
        /// Which store.
        scheme: &'static str,
        /// What was given.
        option: String,
        /// What there is.
        possible: String,
    },
    /// An option has to be given.
    #[error("`{scheme}` needs the option `{option}`")]
    MissingOption {
        /// Which store.
        scheme: &'static str,
        /// What is missing.
        option: &'static str,
    },
    /// The value of an option cannot be used.
    #[error("`{scheme}`: the option `{option}` {reason}")]
    InvalidOption {
        /// Which store.
        scheme: &'static str,
        /// Which option.
        option: &'static str,
        /// What is wrong with it, without the value.
        reason: String,
    },
    /// The place in the store cannot be used.
    #[error("the root in the store: {0}")]
    Root(#[from] InvalidProjectPath),
    /// The options do not fit together.
    #[error("`{scheme}`: {reason}")]
    Store {
        /// Which store.
        scheme: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// The thread for its connections could not be started.
    #[error("cannot start the thread of a remote project: {0}")]
    Thread(#[source] io::Error),
}

/// What a store said, and which one.
#[derive(Debug, Clone)]
struct StoreFailure {
    place: String,
    error: StoreError,
}

impl fmt::Display for StoreFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.error)
    }
}

impl std::error::Error for StoreFailure {}

/// An error of a store about a path.
pub(crate) fn failed(path: &str, place: String, error: StoreError) -> ProjectError {
    let source = io::Error::new(error.kind(), StoreFailure { place, error });
    ProjectError::Io { path: path.to_owned(), source }
}
