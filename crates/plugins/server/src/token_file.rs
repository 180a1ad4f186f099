//! A token in a file, where neither the list of processes nor the settings show it.
//!
//! A path of the command line is the word of the user. One of the settings may be the word of whoever wrote
//! the workspace, who must not know the token: so that file has to be the user's own, readable by nobody
//! else, and outside of the workspace. All of that is asked of the file that is open, not of its name; the
//! name is only asked where it leads, and has to lead to the same file.

#[cfg(test)]
mod tests;

use std::{
    fs::{File, Metadata},
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use jp_plugin_sdk::Workspace;
use rustix::{
    fs::{Mode, OFlags, open},
    process::geteuid,
};

use crate::token::{Token, TokenError};

/// How long such a file can be, in bytes.
const LONGEST: u64 = 4096;

/// Why there is no token in a file.
#[derive(Debug, thiserror::Error)]
pub enum TokenFileError {
    /// The system says no.
    #[error("cannot read a token from {0}")]
    Read(PathBuf, #[source] io::Error),
    /// A directory, a pipe, a device.
    #[error("{0} is no regular file, so no token is read from it")]
    NoFile(PathBuf),
    /// More than a token.
    #[error("{0} has more than {LONGEST} bytes, so it is no file with a token")]
    TooLong(PathBuf),
    /// Less than a token, or something else.
    #[error("{0} has no token that can be used")]
    Token(PathBuf, #[source] TokenError),
    /// Settings say a path that means another file in each directory.
    #[error("`token_file` in the settings is {0}, and has to begin with `/`")]
    Relative(PathBuf),
    /// Whoever wrote the workspace knows it.
    #[error(
        "{0} is in the workspace, and is named by the settings: whoever wrote the workspace may know \
         the token; move the file, or name it on the command line with `--token-file`"
    )]
    InWorkspace(PathBuf),
    /// Somebody else may have written it.
    #[error(
        "{0} is named by the settings, and belongs to another user, who knows the token; use a file \
         of your own, or name it on the command line with `--token-file`"
    )]
    NotYours(PathBuf),
    /// Others can read it.
    #[error("other users can get at the token in {0}: say `chmod 600 {0}`")]
    Shared(PathBuf),
}

type Result<T> = std::result::Result<T, TokenFileError>;

/// The token in a file that the user has named.
pub(crate) fn read(path: &Path) -> Result<Token> {
    let (file, _) = opened(path)?;
    token(path, file)
}

/// The token in a file that the settings name.
pub(crate) fn read_for_settings(path: &Path, workspace: &Workspace) -> Result<Token> {
    if !path.is_absolute() {
        return Err(TokenFileError::Relative(path.to_owned()));
    }
    let (file, found) = opened(path)?;
    judge_place(path, &found, workspace)?;
    if found.uid() != geteuid().as_raw() {
        return Err(TokenFileError::NotYours(path.to_owned()));
    }
    if found.mode() & 0o077 != 0 {
        return Err(TokenFileError::Shared(path.to_owned()));
    }
    token(path, file)
}

/// A regular file. Opening a pipe would wait for somebody who writes to it, if it were not for `NONBLOCK`.
fn opened(path: &Path) -> Result<(File, Metadata)> {
    let failed = |error| TokenFileError::Read(path.to_owned(), error);
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = open(path, flags, Mode::empty()).map_err(|error| failed(error.into()))?;
    let file = File::from(file);
    let found = file.metadata().map_err(failed)?;
    if found.is_file() { Ok((file, found)) } else { Err(TokenFileError::NoFile(path.to_owned())) }
}

/// Where the name leads when all links are followed, which has to be the file that is open.
fn judge_place(path: &Path, found: &Metadata, workspace: &Workspace) -> Result<()> {
    let failed = |error| TokenFileError::Read(path.to_owned(), error);
    let real = path.canonicalize().map_err(failed)?;
    let there = real.metadata().map_err(failed)?;
    if (there.dev(), there.ino()) != (found.dev(), found.ino()) {
        return Err(failed(io::Error::other("it was replaced while it was read")));
    }
    for dir in [&workspace.root, &workspace.storage] {
        // A workspace that is not there has no files.
        let dir = dir.canonicalize().unwrap_or_else(|_| dir.clone());
        if real.starts_with(dir) {
            return Err(TokenFileError::InWorkspace(path.to_owned()));
        }
    }
    Ok(())
}

fn token(path: &Path, file: File) -> Result<Token> {
    let mut bytes = Vec::new();
    let read = file.take(LONGEST + 1).read_to_end(&mut bytes);
    let count = read.map_err(|error| TokenFileError::Read(path.to_owned(), error))?;
    if count as u64 > LONGEST {
        return Err(TokenFileError::TooLong(path.to_owned()));
    }
    let refused = |error| TokenFileError::Token(path.to_owned(), error);
    let text = str::from_utf8(&bytes).map_err(|_| refused(TokenError::Characters))?;
    Token::given(text.trim()).map_err(refused)
}
