//! A token in a file, where neither the list of processes nor the settings show it.
#![expect(
    clippy::disallowed_methods,
    reason = "the file is named by the user and is not of the workspace"
)]

use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

/// How long such a file can be, in bytes.
const LONGEST: u64 = 4096;

/// Why there is no token in it.
#[derive(Debug, thiserror::Error)]
#[error("cannot read a token from {path}")]
pub(crate) struct TokenFileError {
    path: PathBuf,
    #[source]
    source: io::Error,
}

/// What stands in the file, without white space around it.
pub(super) fn read(path: &Path) -> Result<String, TokenFileError> {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
    read.map_err(|source| TokenFileError { path: path.to_owned(), source })?;
    Ok(text.trim().to_owned())
}
