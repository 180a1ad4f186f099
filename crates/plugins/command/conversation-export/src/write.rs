//! Files that appear whole or not at all.
//!
//! A file is written under another name beside its place and then gets its own. Getting the name and
//! finding out that it is taken is one act, so that nothing is lost to a program that is faster. A whole
//! directory is made the same way, unless it is there already and the user said `--force`.
#![expect(
    clippy::disallowed_methods,
    reason = "the files that the user asked for are written here"
)]

use std::{
    fs::{self, Permissions},
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
};

use tempfile::{Builder, TempDir};

/// Why something was not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WriteError {
    #[error("{} exists: `--force` replaces it", path.display())]
    Exists { path: PathBuf },
    #[error("{} exists and is not empty: `--force` writes into it", path.display())]
    NotEmpty { path: PathBuf },
    #[error("{} was given up", path.display())]
    Abandoned { path: PathBuf },
    #[error("{} is not a directory: name another with `--output`", path.display())]
    NoDirectory { path: PathBuf },
    #[error("cannot write {}: there is no directory {}; make it, or name another with `--output`",
        path.display(), parent(path).display())]
    NoParent { path: PathBuf },
    #[error("{} is not a file: name another with `--output`", path.display())]
    NoFile { path: PathBuf },
    #[error("cannot write {}", path.display())]
    Io {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
}

impl WriteError {
    /// What went wrong under another name, said of the one that the user knows.
    fn new(path: &Path, error: &io::Error) -> Self {
        let path = path.to_owned();
        match (error.kind(), error.raw_os_error()) {
            (io::ErrorKind::NotFound, _) if !parent(&path).is_dir() => Self::NoParent { path },
            (_, Some(code)) => Self::Io { path, source: io::Error::from_raw_os_error(code) },
            (kind, None) => Self::Io { path, source: kind.into() },
        }
    }
}

/// Writes a file. One that exists is replaced only if `force` says so.
pub(crate) fn file(path: &Path, contents: &[u8], force: bool) -> Result<(), WriteError> {
    let failed = |source: io::Error| WriteError::new(path, &source);
    if path.as_os_str().as_encoded_bytes().ends_with(b"/") {
        return Err(WriteError::NoFile { path: path.to_owned() });
    }
    let mut file = builder(0o666).tempfile_in(parent(path)).map_err(failed)?;
    file.write_all(contents).map_err(failed)?;
    let named = if force {
        // A device or a directory of that name is not what was meant.
        if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file() && !there.is_symlink()) {
            return Err(WriteError::NoFile { path: path.to_owned() });
        }
        file.persist(path)
    } else {
        file.persist_noclobber(path)
    };
    named.map(drop).map_err(|error| match error.error.kind() {
        io::ErrorKind::AlreadyExists => WriteError::Exists { path: path.to_owned() },
        _ => failed(error.error),
    })
}

/// A directory in the making. Any thread may write into it.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    place: Mutex<Place>,
}

/// Where the files go for now.
#[derive(Debug)]
enum Place {
    /// Into a directory of another name, until it is complete.
    Staged(TempDir),
    /// Into one that was there before.
    There,
    /// Nowhere: it was given up.
    Gone,
}

impl Folder {
    /// Begins a directory. One with something in it is written into only if `force` says so.
    pub(crate) fn begin(path: &Path, force: bool) -> Result<Self, WriteError> {
        let failed = |source: io::Error| WriteError::new(path, &source);
        let is_free = match fs::read_dir(path) {
            Ok(mut entries) => entries.next().is_none(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => true,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => {
                return Err(WriteError::NoDirectory { path: path.to_owned() });
            }
            Err(error) => return Err(failed(error)),
        };
        let place = match (is_free, force) {
            (false, false) => return Err(WriteError::NotEmpty { path: path.to_owned() }),
            (false, true) => Place::There,
            (true, _) => Place::Staged(builder(0o777).tempdir_in(parent(path)).map_err(failed)?),
        };
        Ok(Self { path: path.to_owned(), place: Mutex::new(place) })
    }

    /// Writes a file into it.
    pub(crate) fn add(&self, name: &str, contents: &[u8]) -> Result<(), WriteError> {
        // Held while it is written, so that nothing is written into what is being removed.
        match &*self.place.lock().unwrap_or_else(PoisonError::into_inner) {
            Place::Staged(staged) => file(&staged.path().join(name), contents, false),
            Place::There => file(&self.path.join(name), contents, true),
            Place::Gone => Err(WriteError::Abandoned { path: self.path.clone() }),
        }
    }

    /// Gives it its name.
    pub(crate) fn finish(&self) -> Result<(), WriteError> {
        let Place::Staged(staged) = self.take() else { return Ok(()) };
        let path = self.path.clone();
        match fs::rename(staged.path(), &path) {
            Ok(()) => {
                let _ = staged.keep();
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => {
                Err(WriteError::NotEmpty { path })
            }
            Err(source) => Err(WriteError::Io { path, source }),
        }
    }

    /// Removes what was not there before. Whoever still writes into it gets an error.
    pub(crate) fn abandon(&self) {
        drop(self.take());
    }

    fn take(&self) -> Place {
        let mut place = self.place.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut place, Place::Gone)
    }
}

/// The name that something has until it is complete. Who may read it is up to the user, as for any file.
fn builder(mode: u32) -> Builder<'static, 'static> {
    let mut builder = Builder::new();
    builder.prefix(".jp-export-").permissions(Permissions::from_mode(mode));
    builder
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests;
