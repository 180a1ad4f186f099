//! Files that are there whole or not at all.

#![expect(clippy::disallowed_methods, reason = "this is where files of the registry are written")]

use std::{
    fs::{self, File, TryLockError},
    io::{self, Write as _},
    os::unix::fs::DirBuilderExt as _,
    time::{Duration, Instant},
};

use camino::Utf8Path;
use tempfile::{Builder, NamedTempFile};

use crate::files;

/// What the names of files begin with that are not finished.
const UNFINISHED: &str = ".unfinished-";

/// How often somebody who waits for a lock looks.
const LOOK: Duration = Duration::from_millis(50);

/// A file beside the one that it will become. It goes away if nobody makes it that.
pub(crate) fn unfinished(dir: &Utf8Path) -> io::Result<NamedTempFile> {
    Builder::new().prefix(UNFINISHED).tempfile_in(dir)
}

/// Puts other contents into a file; a reader sees the old ones or the new ones.
pub(crate) fn replace(file: &Utf8Path, contents: &[u8]) -> io::Result<()> {
    let dir = file.parent().unwrap_or(Utf8Path::new("."));
    let mut new = unfinished(dir)?;
    new.write_all(contents)?;
    new.as_file().sync_all()?;
    new.persist(file).map_err(|error| error.error)?;
    sync(dir)
}

/// Makes sure that names in a directory survive a crash.
pub(crate) fn sync(dir: &Utf8Path) -> io::Result<()> {
    File::open(dir)?.sync_all()
}

/// Makes a directory that nobody else can write to.
pub(crate) fn make_dir(dir: &Utf8Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(dir)
}

/// Waits until nobody else holds the lock of this file, but not for ever; `None` if somebody does then. The file
/// is never removed.
pub(crate) async fn lock(path: &Utf8Path, patience: Duration) -> io::Result<Option<File>> {
    let file = files::open_lock(path)?;
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if began.elapsed() >= patience => return Ok(None),
            Err(TryLockError::WouldBlock) => tokio::time::sleep(LOOK).await,
        }
    }
}

/// Removes what others began and did not finish. The caller has made sure that nobody is at it.
pub(crate) fn sweep(dir: &Utf8Path) -> io::Result<()> {
    for entry in dir.read_dir_utf8()? {
        let entry = entry?;
        if entry.file_name().starts_with(UNFINISHED) && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
