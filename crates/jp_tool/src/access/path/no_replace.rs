//! A rename that replaces nothing.
//!
//! There is a system call for it that some file systems do not know (NFS, 9p, some of FUSE). There a file gets its
//! new name beside the old one, which does not replace anything either, and then loses the old one. A directory has
//! only one name, so it is looked whether something is at the new one. Who makes something in the moment between the
//! look and the rename loses an empty directory and nothing else: a directory takes the place of nothing else.

use std::os::fd::{AsFd, BorrowedFd};

use rustix::{
    fs::{AtFlags, FileType, RenameFlags},
    io::Errno,
};

use super::walk::kind_at;

/// A name in an open directory.
#[derive(Debug, Clone, Copy)]
pub(super) struct Name<'a> {
    pub(super) dir: BorrowedFd<'a>,
    pub(super) name: &'a str,
}

impl<'a> Name<'a> {
    pub(super) fn new(dir: &'a impl AsFd, name: &'a str) -> Self {
        Self { dir: dir.as_fd(), name }
    }
}

/// Renames something to where nothing is; `EXIST` if something is there.
pub(super) fn rename_new(from: Name<'_>, to: Name<'_>, kind: FileType) -> rustix::io::Result<()> {
    rename_new_by(at_once, from, to, kind)
}

/// The same with the system call as an argument, so that a test can have one that is not known.
fn rename_new_by(
    at_once: impl FnOnce(Name<'_>, Name<'_>) -> rustix::io::Result<()>,
    from: Name<'_>,
    to: Name<'_>,
    kind: FileType,
) -> rustix::io::Result<()> {
    match at_once(from, to) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) if kind == FileType::Directory => {
            look_and_rename(from, to)
        }
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            rustix::fs::linkat(from.dir, from.name, to.dir, to.name, AtFlags::empty())?;
            // If the old name cannot go, the new one must not stay.
            rustix::fs::unlinkat(from.dir, from.name, AtFlags::empty()).inspect_err(|_| {
                let _best_effort = rustix::fs::unlinkat(to.dir, to.name, AtFlags::empty());
            })
        }
        renamed => renamed,
    }
}

/// The same for a new name that nobody else would take, so that a look is enough where the call is not known.
pub(super) fn rename_unused(from: Name<'_>, to: Name<'_>) -> rustix::io::Result<()> {
    match at_once(from, to) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => look_and_rename(from, to),
        renamed => renamed,
    }
}

fn look_and_rename(from: Name<'_>, to: Name<'_>) -> rustix::io::Result<()> {
    match kind_at(to.dir, to.name) {
        Ok(_) => Err(Errno::EXIST),
        Err(Errno::NOENT) => rustix::fs::renameat(from.dir, from.name, to.dir, to.name),
        Err(error) => Err(error),
    }
}

fn at_once(from: Name<'_>, to: Name<'_>) -> rustix::io::Result<()> {
    rustix::fs::renameat_with(from.dir, from.name, to.dir, to.name, RenameFlags::NOREPLACE)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests build their own files")]
mod tests {
    use std::fs::{self, File};

    use super::*;

    #[test]
    fn nothing_is_replaced_where_the_call_is_not_known() {
        for errno in [Errno::INVAL, Errno::NOSYS, Errno::NOTSUP] {
            let place = tempfile::tempdir().unwrap();
            let path = |name: &str| place.path().join(name);
            let dir = File::open(place.path()).unwrap();
            let rename = |from, to, kind| {
                let (from, to) = (Name::new(&dir, from), Name::new(&dir, to));
                rename_new_by(|_, _| Err(errno), from, to, kind)
            };
            fs::write(path("a"), "a").unwrap();
            fs::write(path("b"), "b").unwrap();
            std::os::unix::fs::symlink("a", path("link")).unwrap();
            fs::create_dir_all(path("d/inside")).unwrap();
            fs::create_dir(path("empty")).unwrap();
            let (file, link, directory) =
                (FileType::RegularFile, FileType::Symlink, FileType::Directory);
            for (from, to, kind, expected) in [
                ("a", "b", file, Err(Errno::EXIST)),
                ("d", "empty", directory, Err(Errno::EXIST)),
                ("d", "link", directory, Err(Errno::EXIST)),
                ("d", "d/inside/d", directory, Err(Errno::INVAL)),
                ("missing", "c", file, Err(Errno::NOENT)),
                ("missing", "c", directory, Err(Errno::NOENT)),
                ("link", "l", link, Ok(())),
                ("a", "c", file, Ok(())),
                ("d", "e", directory, Ok(())),
            ] {
                assert_eq!(rename(from, to, kind), expected, "{from} to {to}: {errno}");
            }
            assert_eq!(fs::read_link(path("l")).unwrap().to_str(), Some("a"));
            assert_eq!(fs::read(path("b")).unwrap(), b"b");
            assert_eq!(fs::read(path("c")).unwrap(), b"a");
            assert!(path("e/inside").exists() && path("empty").exists());
            assert!(["a", "d", "link"].iter().all(|name| path(name).symlink_metadata().is_err()));
        }
    }
}
