//! A directory that stays open, and what is opened in it.
//!
//! Whoever goes through a whole tree opens every file of it. From the root that is a walk over all
//! directories for each of them; from the handle of its directory it is one step. The handle was
//! found and judged at a canonical path, no step from it follows a link, and so the canonical path of
//! what is opened is that of the directory and the name.

use std::os::fd::{AsFd, OwnedFd};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{AtFlags, Dir, Mode, OFlags},
    io::Errno,
};

use super::{
    Contents, Entries, Files, FsAccessError, Kind, OpenError,
    files::io_error,
    open::{Want, with_stat},
    root::ATTEMPTS,
};
use crate::access::Capability;

/// An open directory and its canonical path.
#[derive(Debug)]
pub struct Directory {
    handle: OwnedFd,
    path: Utf8PathBuf,
}

impl Directory {
    /// The canonical path relative to the root; `.` is the root itself.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// The canonical path of something in this directory.
    pub fn path_of(&self, name: &str) -> Utf8PathBuf {
        if self.path == "." { Utf8PathBuf::from(name) } else { self.path.join(name) }
    }

    /// The entries. Several lists of one directory do not disturb each other.
    pub fn entries(&self) -> Result<Entries, OpenError> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        rustix::fs::openat(&self.handle, ".", flags, Mode::empty())
            .and_then(Dir::new)
            .map(Entries::new)
            .map_err(|error| io_error(&self.path, error))
    }
}

impl Files {
    /// Opens a directory to work in it. Needs `read` on the directory.
    pub fn directory(&self, input: &Utf8Path) -> Result<Directory, OpenError> {
        let lexical = self.root.lexical(input)?;
        for _ in 0..ATTEMPTS {
            let spot = self.root.find(input, &lexical)?;
            self.judge_found(Want::List.capability(), &spot.relative, &lexical)?;
            let kind = spot.kind().map_err(|error| io_error(input, error))?;
            Want::List.accepts(kind).map_err(|source| io_error(input, source))?;
            let flags = Want::List.flags(true) | OFlags::NOFOLLOW;
            match rustix::fs::openat(&spot.dir, &spot.name, flags, Mode::empty()) {
                Ok(handle) => return Ok(Directory { handle, path: spot.relative }),
                // Something else has taken its place since the look at it.
                Err(Errno::LOOP | Errno::NOTDIR) => {}
                Err(error) => return Err(io_error(input, error)),
            }
        }
        Err(FsAccessError::Escape(input.to_owned()).into())
    }

    /// Opens a directory in a directory. Needs `read` on it; a link is an error.
    pub fn directory_in(&self, dir: &Directory, name: &str) -> Result<Directory, OpenError> {
        let path = dir.path_of(name);
        let handle = self.open_in(dir, &path, name, Want::List)?;
        Ok(Directory { handle, path })
    }

    /// Opens a regular file in a directory for reading. Needs `read` on it; a link is an error.
    pub fn read_in(&self, dir: &Directory, name: &str) -> Result<Contents, OpenError> {
        let path = dir.path_of(name);
        let file = self.open_in(dir, &path, name, Want::Read)?;
        let (file, stat) = with_stat(&path, file)?;
        Want::Read.accepts(super::walk::kind_of(&stat)).map_err(|error| io_error(&path, error))?;
        self.judge_links(&path, Want::Read.capability(), &stat)?;
        let length = u64::try_from(stat.st_size).unwrap_or_default();
        Ok(Contents::new(file.into(), length))
    }

    /// Removes an entry of a directory: a file, a link itself, or a directory that is empty. Needs
    /// `delete` on it.
    pub fn remove_in(&self, dir: &Directory, name: &str, kind: Kind) -> Result<(), OpenError> {
        let path = dir.path_of(name);
        check_name(&path, name)?;
        self.judge(Capability::Delete, &path)?;
        let is_dir = kind == Kind::Directory;
        let flags = if is_dir { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        rustix::fs::unlinkat(dir.handle.as_fd(), name, flags)
            .map_err(|error| io_error(&path, error))
    }

    fn open_in(
        &self,
        dir: &Directory,
        path: &Utf8Path,
        name: &str,
        want: Want,
    ) -> Result<OwnedFd, OpenError> {
        check_name(path, name)?;
        self.judge(want.capability(), path)?;
        let flags = want.flags(true) | OFlags::NOFOLLOW;
        rustix::fs::openat(dir.handle.as_fd(), name, flags, Mode::empty())
            .map_err(|error| io_error(path, error))
    }
}

/// A name with a slash would be a path, on which links are followed.
fn check_name(path: &Utf8Path, name: &str) -> Result<(), FsAccessError> {
    if matches!(name, "" | "." | "..") || name.contains(['/', '\0']) {
        return Err(super::unresolvable(path, "not the name of an entry"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::disallowed_methods, reason = "tests build their own files")]

    use std::{
        fs,
        io::{ErrorKind, Read},
        os::unix::fs::symlink,
    };

    use super::*;
    use crate::access::{AccessPolicy, FsRule, path::Root};

    fn files(root: &Utf8Path, rules: Vec<FsRule>) -> Files {
        let policy = AccessPolicy { fs: rules.into(), ..AccessPolicy::default() };
        Files::new(Root::open(root).unwrap(), Some(policy))
    }

    fn tree() -> (tempfile::TempDir, Utf8PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8PathBuf::from_path_buf(dir.path().to_owned()).unwrap();
        fs::create_dir_all(root.join("src/secret")).unwrap();
        fs::write(root.join("src/a"), "a").unwrap();
        fs::write(root.join("src/secret/b"), "b").unwrap();
        fs::write(root.join("outside"), "out").unwrap();
        symlink("../outside", root.join("src/link")).unwrap();
        symlink("src", root.join("way")).unwrap();
        symlink("secret", root.join("src/door")).unwrap();
        (dir, root)
    }

    #[test]
    fn what_is_in_a_directory_is_judged_by_its_canonical_path() {
        let (_dir, root) = tree();
        let files = files(
            &root,
            vec![FsRule::new("src", [Capability::Read]), FsRule::new("src/secret", [])],
        );
        let dir = files.directory("way".into()).unwrap();
        assert_eq!(dir.path(), "src");
        let mut text = String::new();
        files.read_in(&dir, "a").unwrap().read_to_string(&mut text).unwrap();
        assert_eq!(text, "a");
        let mut names: Vec<_> = dir.entries().unwrap().map(|entry| entry.unwrap().name).collect();
        names.sort();
        assert_eq!(names, ["a", "door", "link", "secret"]);
        let denied = files.directory_in(&dir, "secret").unwrap_err();
        assert_eq!(denied.to_string(), "access denied: read on src/secret");
        assert!(matches!(files.directory(".".into()), Err(OpenError::Access(_))));
    }

    #[test]
    fn no_step_from_a_directory_follows_a_link_or_takes_a_path() {
        let (_dir, root) = tree();
        let files = files(&root, vec![]);
        let dir = files.directory("src".into()).unwrap();
        for name in ["link", "door"] {
            assert!(files.read_in(&dir, name).is_err(), "{name}");
            assert!(files.directory_in(&dir, name).is_err(), "{name}");
        }
        for name in ["", ".", "..", "../outside", "secret/b", "a\0b"] {
            assert!(files.read_in(&dir, name).is_err(), "{name}");
            assert!(files.directory_in(&dir, name).is_err(), "{name}");
        }
        let Err(OpenError::Io { source, .. }) = files.read_in(&dir, "secret") else { panic!() };
        assert_eq!(source.kind(), ErrorKind::IsADirectory);
        assert!(files.directory_in(&dir, "a").is_err());
    }

    #[test]
    fn a_handle_stays_where_it_was_judged() {
        let (_dir, root) = tree();
        let files = files(&root, vec![FsRule::new("src", [Capability::Read])]);
        let dir = files.directory("src".into()).unwrap();
        fs::rename(root.join("src"), root.join("moved")).unwrap();
        symlink("/", root.join("src")).unwrap();
        assert!(files.read_in(&dir, "a").is_ok());
        assert!(files.directory("src".into()).is_err());
    }
}
