//! Small files of JSON in the user's state directory that several runs of jp change at once.
//!
//! The danger is the update that gets lost: two runs read the same file, each adds what it learned, and the
//! second one to write takes away what the first one added. So a change is made under a lock, on what the
//! file holds then, and the file is replaced whole. The lock is a file of its own beside it, because the file
//! itself is replaced, and it is never removed. Reading needs no lock.
#![expect(clippy::disallowed_methods, reason = "the files belong to the user, not to a workspace")]

use std::{
    fs::{self, File, TryLockError},
    io::{self, Read as _, Write as _},
    os::unix::fs::DirBuilderExt as _,
    thread,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

/// The largest file that is read back.
const MOST: u64 = 64 * 1024 * 1024;

/// So long another run may hold the lock. It holds it while it reads and writes one file.
const PATIENCE: Duration = Duration::from_secs(10);

/// How often it is tried.
const PAUSE: Duration = Duration::from_millis(5);

/// The file for something in a workspace, below a directory.
pub(super) fn path(directory: &Utf8Path, root: &Utf8Path, what: &str) -> Utf8PathBuf {
    // Neither of them has a NUL in it.
    let sum = Sha256::digest(format!("{root}\0{what}"));
    let name: String = sum.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    directory.join(format!("{name}.json"))
}

/// What the file holds; `None` if there is none. What cannot be read is an error: to begin again would be
/// to accept whatever comes.
pub(super) fn read<T: DeserializeOwned>(path: &Utf8Path) -> io::Result<Option<T>> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    file.take(MOST).read_to_end(&mut bytes)?;
    serde_json::from_slice(&bytes)
        .map(Some)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, format!("{path}: {error}")))
}

/// Works on what the file holds now, while nobody else does, and writes it if `work` says that it has
/// changed it. Gives back what the file holds then.
pub(super) fn change<T, R>(
    path: &Utf8Path,
    work: impl FnOnce(&mut T) -> (R, bool),
) -> io::Result<(R, T)>
where
    T: Default + Serialize + DeserializeOwned,
{
    let directory = path.parent().unwrap_or(Utf8Path::new("."));
    fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let _lock = lock(&path.with_extension("lock"))?;
    let mut value = read(path)?.unwrap_or_default();
    let (result, is_changed) = work(&mut value);
    if is_changed {
        let mut temporary = tempfile::NamedTempFile::new_in(directory)?;
        temporary.write_all(&serde_json::to_vec_pretty(&value)?)?;
        temporary.persist(path)?;
    }
    Ok((result, value))
}

/// The lock, until it is dropped.
fn lock(path: &Utf8Path) -> io::Result<File> {
    let file = File::options().create(true).append(true).open(path)?;
    let end = Instant::now() + PATIENCE;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < end => thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => {
                let seconds = PATIENCE.as_secs();
                let message = format!("another program has held {path} for {seconds} seconds");
                return Err(io::Error::new(io::ErrorKind::TimedOut, message));
            }
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each lock is taken by its own opening of the file, as that of another process would be.
    #[test]
    fn no_change_is_lost() {
        let directory = tempfile::tempdir().unwrap();
        let place = Utf8Path::from_path(directory.path()).unwrap();
        let path = path(place, Utf8Path::new("/w"), "x");
        thread::scope(|scope| {
            for number in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    change(path, |all: &mut Vec<u32>| {
                        all.push(number);
                        ((), true)
                    })
                    .unwrap();
                });
            }
        });
        let mut all = read::<Vec<u32>>(&path).unwrap().unwrap();
        all.sort_unstable();
        assert_eq!(all, (0..8).collect::<Vec<_>>());
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let place = Utf8Path::from_path(directory.path()).unwrap();
        fs::write(place.join("file"), "").unwrap();
        let path = path(&place.join("file"), Utf8Path::new("/w"), "x");
        assert!(change(&path, |_: &mut Vec<u32>| ((), true)).is_err());
        fs::write(place.join("broken.json"), "{").unwrap();
        assert!(change(&place.join("broken.json"), |_: &mut Vec<u32>| ((), false)).is_err());
    }
}
