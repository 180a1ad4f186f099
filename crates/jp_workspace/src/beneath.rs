//! Files below a directory handle, without following a symbolic link on the way.
//!
//! A workspace may come from anywhere, a cloned repository for example. If `.jp/conversations/17` or
//! the `events.jsonl` in it were a link to `~/.bashrc`, an append would write there. So everything
//! below `.jp` is opened relative to a handle and a link on the path is an error, not a detour. The
//! same for what is not a regular file: opening a FIFO would wait for ever.

use std::{
    fs::{File, Metadata},
    io::{self, ErrorKind, Read, Seek, Write},
    os::fd::{AsFd, OwnedFd},
};

use camino::Utf8Path;
use rustix::fs::{AtFlags, FileType, Mode, OFlags, RenameFlags};

/// Opens a directory by path; links are followed, because this is where trust begins.
pub(crate) fn open_root(path: &Utf8Path) -> io::Result<OwnedFd> {
    Ok(rustix::fs::open(path.as_std_path(), OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?)
}

/// Opens a directory below `dir`.
pub(crate) fn open_dir(dir: impl AsFd, path: &str) -> io::Result<OwnedFd> {
    open(dir, path, OFlags::DIRECTORY | OFlags::RDONLY, Mode::empty())
}

/// Opens a directory below `dir` and makes it first if it is not there. Only the last component is
/// made.
pub(crate) fn ensure_dir(dir: impl AsFd, path: &str) -> io::Result<OwnedFd> {
    match rustix::fs::mkdirat(&dir, path, Mode::from_raw_mode(0o777)) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => open_dir(dir, path),
        Err(error) => Err(error.into()),
    }
}

/// Opens a regular file below `dir`. `flags` says how; a new file gets mode 0666 less the umask.
pub(crate) fn open_file(dir: impl AsFd, path: &str, flags: OFlags) -> io::Result<File> {
    let file = open_unchecked(dir, path, flags)?;
    check_regular(&file.metadata()?)?;
    Ok(file)
}

/// The same for a caller who looks at the metadata anyway and calls [`check_regular`] himself.
pub(crate) fn open_unchecked(dir: impl AsFd, path: &str, flags: OFlags) -> io::Result<File> {
    let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY;
    Ok(File::from(open(dir, path, flags, Mode::from_raw_mode(0o666))?))
}

pub(crate) fn check_regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    Err(io::Error::new(ErrorKind::InvalidInput, "not a regular file"))
}

/// Reads a whole file below `dir` that must not be larger than `limit`.
pub(crate) fn read(dir: impl AsFd, path: &str, limit: u64) -> io::Result<Vec<u8>> {
    read_file(&open_unchecked(dir, path, OFlags::RDONLY)?, limit)
}

/// Reads an open file from its start to its end.
pub(crate) fn read_file(mut file: &File, limit: u64) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    check_regular(&metadata)?;
    let len = metadata.len();
    if len > limit {
        let message = format!("{len} bytes, more than the limit of {limit}");
        return Err(io::Error::new(ErrorKind::FileTooLarge, message));
    }
    file.rewind()?;
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0) + 1);
    file.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Puts a file with these bytes in place of `name` so that a reader sees the old file or the new
/// one, and a power cut leaves one of the two.
pub(crate) fn replace(dir: impl AsFd, name: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = write_temporary(&dir, name, bytes)?;
    rename(&dir, &temporary, name).inspect_err(|_| drop(unlink(&dir, &temporary)))
}

/// The same, and the new file has the permissions of the old one.
pub(crate) fn replace_alike(dir: impl AsFd, name: &str, bytes: &[u8]) -> io::Result<()> {
    let old = rustix::fs::statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW).ok();
    let temporary = write_temporary(&dir, name, bytes)?;
    let put = || {
        if let Some(old) = old {
            let mode = Mode::from_raw_mode(old.st_mode);
            rustix::fs::chmodat(&dir, &*temporary, mode, AtFlags::empty())?;
        }
        rename(&dir, &temporary, name)
    };
    put().inspect_err(|_| drop(unlink(&dir, &temporary)))
}

/// Makes a file with these bytes; fails if the name is taken. Nobody ever sees a part of it.
pub(crate) fn create(dir: impl AsFd, name: &str, bytes: &[u8]) -> io::Result<()> {
    let temporary = write_temporary(&dir, name, bytes)?;
    rename_new(&dir, &temporary, name).inspect_err(|_| drop(unlink(&dir, &temporary)))
}

/// Renames within `dir`, and fails if the new name is taken.
pub(crate) fn rename_new(dir: impl AsFd, from: &str, to: &str) -> io::Result<()> {
    Ok(rustix::fs::renameat_with(&dir, from, &dir, to, RenameFlags::NOREPLACE)?)
}

pub(crate) fn unlink(dir: impl AsFd, name: &str) -> io::Result<()> {
    Ok(rustix::fs::unlinkat(dir, name, AtFlags::empty())?)
}

/// When a name was last added to a directory or removed from it, in nanoseconds.
pub(crate) fn modified(dir: impl AsFd) -> io::Result<i128> {
    let stat = rustix::fs::fstat(dir)?;
    Ok(i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec))
}

/// Whether `path` exists below `dir`, as anything.
pub(crate) fn exists(dir: impl AsFd, path: &str) -> bool {
    rustix::fs::statat(dir, path, AtFlags::SYMLINK_NOFOLLOW).is_ok()
}

/// The names of the directories in a directory that somebody wants, in no order. Names that are not UTF-8 are not
/// ours and are left out, and so are links and files.
pub(crate) fn directories(
    dir: impl AsFd,
    mut is_wanted: impl FnMut(&str) -> bool,
) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in rustix::fs::Dir::read_from(&dir)? {
        let entry = entry?;
        let Some(name) = entry.file_name().to_str().ok().filter(|name| is_wanted(name)) else {
            continue;
        };
        let is_directory = match entry.file_type() {
            // Not every file system says it here.
            FileType::Unknown => {
                let stat = rustix::fs::statat(&dir, name, AtFlags::SYMLINK_NOFOLLOW);
                stat.is_ok_and(|it| FileType::from_raw_mode(it.st_mode) == FileType::Directory)
            }
            kind => kind == FileType::Directory,
        };
        if is_directory && !matches!(name, "." | "..") {
            names.push(name.to_owned());
        }
    }
    Ok(names)
}

/// A name that nobody else uses, in whatever process, container or machine he is.
pub(crate) fn unique_name(prefix: &str) -> io::Result<String> {
    Ok(format!("{prefix}{:016x}", getrandom::u64().map_err(io::Error::other)?))
}

/// Whether an open file still has a name anywhere.
pub(crate) fn is_linked(file: &File) -> bool {
    rustix::fs::fstat(file).is_ok_and(|stat| stat.st_nlink > 0)
}

/// The number of the file at a path below `dir`.
pub(crate) fn inode(dir: impl AsFd, path: &str) -> io::Result<u64> {
    Ok(rustix::fs::statat(dir, path, AtFlags::SYMLINK_NOFOLLOW)?.st_ino)
}

pub(crate) fn rename(dir: impl AsFd, from: &str, to: &str) -> io::Result<()> {
    Ok(rustix::fs::renameat(&dir, from, &dir, to)?)
}

/// Writes the bytes under a name that nobody else uses, and makes them durable.
pub(crate) fn write_temporary(dir: impl AsFd, name: &str, bytes: &[u8]) -> io::Result<String> {
    let temporary = unique_name(&format!(".{name}."))?;
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
    let mut file = open_file(&dir, &temporary, flags)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_data());
    written.inspect_err(|_| drop(unlink(&dir, &temporary)))?;
    Ok(temporary)
}

#[cfg(target_os = "linux")]
fn open(dir: impl AsFd, path: &str, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    use rustix::{fs::ResolveFlags, io::Errno};

    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // The kernel refuses a mode where nothing can be created.
    let openat2_mode = if flags.contains(OFlags::CREATE) { mode } else { Mode::empty() };
    for _ in 0..RETRIES {
        match rustix::fs::openat2(&dir, path, flags | OFlags::CLOEXEC, openat2_mode, resolve) {
            Ok(file) => return Ok(file),
            // Something was renamed or mounted meanwhile, somewhere, and the kernel cannot say that it
            // was elsewhere.
            Err(Errno::AGAIN) => {}
            // Kernels before 5.6 and some container filters do not have the call.
            Err(Errno::NOSYS | Errno::PERM) => break,
            Err(error) => return Err(error.into()),
        }
    }
    open_step_by_step(dir, path, flags, mode)
}

/// How often the kernel is asked again. It has to be disturbed each time, so once is nearly always
/// enough.
#[cfg(target_os = "linux")]
const RETRIES: usize = 16;

#[cfg(not(target_os = "linux"))]
fn open(dir: impl AsFd, path: &str, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    open_step_by_step(dir, path, flags, mode)
}

/// The same with one `openat` for each component, each refusing a link.
fn open_step_by_step(dir: impl AsFd, path: &str, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
    let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // Each step has to go down.
    if path.split('/').any(|component| matches!(component, "" | "." | "..")) {
        return Err(io::Error::new(ErrorKind::InvalidInput, "not a path below the directory"));
    }
    let Some((first, rest)) = path.split_once('/') else {
        return Ok(rustix::fs::openat(dir, path, flags, mode)?);
    };
    let step = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let next = rustix::fs::openat(dir, first, step, Mode::empty())?;
    open_step_by_step(next, rest, flags, mode)
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    type Open = fn(&OwnedFd, &str) -> io::Result<OwnedFd>;

    /// Both ways of opening have to agree on every case.
    const WAYS: [(&str, Open); 2] = [
        ("openat2", |dir, path| open(dir, path, OFlags::RDONLY, Mode::empty())),
        ("steps", |dir, path| open_step_by_step(dir, path, OFlags::RDONLY, Mode::empty())),
    ];

    #[test]
    fn links_are_refused_wherever_they_are() {
        let temp = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "s").unwrap();
        fs::create_dir(temp.path().join("real")).unwrap();
        fs::write(temp.path().join("real/file"), "f").unwrap();
        symlink(outside.path(), temp.path().join("link")).unwrap();
        symlink(temp.path().join("real/file"), temp.path().join("real/alias")).unwrap();
        let root = open_root(Utf8Path::from_path(temp.path()).unwrap()).unwrap();
        for (name, open) in WAYS {
            assert!(open(&root, "real/file").is_ok(), "{name}");
            for bad in [
                "link/secret",
                "real/alias",
                "link",
                "absent/file",
                "../secret",
                "real/../../x",
                "/etc",
            ] {
                assert!(open(&root, bad).is_err(), "{name}: {bad}");
            }
        }
    }

    #[test]
    fn only_regular_files_are_opened_and_nothing_waits() {
        let temp = tempfile::tempdir().unwrap();
        let root = open_root(Utf8Path::from_path(temp.path()).unwrap()).unwrap();
        rustix::fs::mkfifoat(&root, "fifo", Mode::from_raw_mode(0o600)).unwrap();
        fs::create_dir(temp.path().join("dir")).unwrap();
        for bad in ["fifo", "dir"] {
            assert!(open_file(&root, bad, OFlags::RDONLY).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_file_over_the_limit_is_refused() {
        let temp = tempfile::tempdir().unwrap();
        let root = open_root(Utf8Path::from_path(temp.path()).unwrap()).unwrap();
        fs::write(temp.path().join("f"), "12345").unwrap();
        assert_eq!(read(&root, "f", 5).unwrap(), b"12345");
        assert_eq!(read(&root, "f", 4).unwrap_err().kind(), ErrorKind::FileTooLarge);
    }
}
