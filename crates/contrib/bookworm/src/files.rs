//! Files below a directory, opened without following links.
//!
//! Sources of crates and documentation are made by others: a build script may leave a link to a
//! private key where a page should be. So a file is opened part by part from the handle of its
//! directory, and none of the parts may be a link; what was opened is what is read.

use std::{
    fs::File,
    io::{self, Read, Write},
};

use camino::{Utf8Component, Utf8Path};
#[cfg(unix)]
use rustix::fs::{Mode, OFlags, open, openat};

/// Pages of documentation and sources are smaller.
pub(crate) const MAX_FILE: u64 = 16 << 20;

/// The text of a file below a directory; `None` if there is none. What is not UTF-8 is replaced.
pub(crate) fn read(root: &Utf8Path, path: &Utf8Path) -> io::Result<Option<String>> {
    let file = match open_beneath(root, path) {
        Err(error)
            if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) =>
        {
            return Ok(None);
        }
        file => file?,
    };
    if !file.metadata()?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE {
        let text = format!("{path} is larger than {} MiB", MAX_FILE >> 20);
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Puts a file in place whole: it is written beside it under a name that nobody else has, and moved.
/// Nobody reads half of it, and whoever writes the same at the same time does no harm.
pub(crate) fn replace(path: &Utf8Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or("/".into());
    std::fs::create_dir_all(directory)?;
    let mut half = tempfile::Builder::new().prefix(".half-").tempfile_in(directory)?;
    half.write_all(text.as_bytes())?;
    half.persist(path).map(drop).map_err(|error| error.error)
}

#[cfg(unix)]
fn open_beneath(root: &Utf8Path, path: &Utf8Path) -> io::Result<File> {
    // The root itself is ours or named by the user, and may be reached through a link.
    let directory = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let mut here = open(root.as_std_path(), directory, Mode::empty())?;
    let names = names(path)?;
    let (last, parents) = names.split_last().ok_or_else(|| refused(path))?;
    for name in parents {
        here = openat(&here, *name, directory | OFlags::NOFOLLOW, Mode::empty())?;
    }
    // A pipe would block for ever if it were opened to be read.
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NOFOLLOW | OFlags::NONBLOCK;
    Ok(File::from(openat(&here, *last, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn open_beneath(root: &Utf8Path, path: &Utf8Path) -> io::Result<File> {
    let mut here = root.to_owned();
    for name in names(path)? {
        here.push(name);
        if std::fs::symlink_metadata(&here)?.is_symlink() {
            return Err(refused(path));
        }
    }
    File::open(here)
}

/// The parts of a path that goes down and nowhere else.
fn names(path: &Utf8Path) -> io::Result<Vec<&str>> {
    let name = |part| match part {
        Utf8Component::Normal(name) => Some(name),
        _ => None,
    };
    path.components().map(name).collect::<Option<_>>().ok_or_else(|| refused(path))
}

fn refused(path: &Utf8Path) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, format!("{path} does not stay below its directory"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_below_their_directory_only() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        std::fs::create_dir_all(root.join("in/sub")).unwrap();
        std::fs::write(root.join("in/sub/a.txt"), "a").unwrap();
        std::fs::write(root.join("secret"), "s").unwrap();
        let inside = root.join("in");
        let read = |path: &str| read(&inside, path.into());
        assert_eq!(read("sub/a.txt").unwrap().as_deref(), Some("a"));
        for none in ["sub/b.txt", "sub", "sub/a.txt/x", "no/a"] {
            assert_eq!(read(none).unwrap(), None, "{none}");
        }
        for refused in ["../secret", "sub/../../secret", "/etc/hostname", ""] {
            assert!(read(refused).is_err(), "{refused}");
        }
    }

    /// Many write one file at once: whoever reads it meanwhile reads one of the texts, and nothing is
    /// left beside it.
    #[test]
    fn a_file_is_replaced_whole() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        let path = root.join("a/b/page.html");
        replace(&path, "").unwrap();
        let texts = ["1", "2", "3", "4"].map(|letter| letter.repeat(200_000));
        std::thread::scope(|scope| {
            for text in &texts {
                scope.spawn(|| (0..25).for_each(|_| replace(&path, text).unwrap()));
            }
            for _ in 0..200 {
                let seen = read(root, "a/b/page.html".into()).unwrap().unwrap();
                assert!(seen.is_empty() || texts.contains(&seen), "{} bytes", seen.len());
            }
        });
        let beside: Vec<_> = root.join("a/b").read_dir_utf8().unwrap().collect();
        assert_eq!(beside.len(), 1, "{beside:?}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        std::fs::create_dir_all(root.join("in")).unwrap();
        std::fs::write(root.join("secret"), "s").unwrap();
        std::os::unix::fs::symlink("../secret", root.join("in/file")).unwrap();
        std::os::unix::fs::symlink("..", root.join("in/dir")).unwrap();
        for path in ["file", "dir/secret"] {
            let text = read(&root.join("in"), path.into());
            assert!(!matches!(&text, Ok(Some(_))), "{path}: {text:?}");
        }
    }
}
