//! A move onto another name of the same file.
//!
//! The system takes two names of one file for a move that is done already: it says so, and both names stay. Whoever
//! moves a file wants the old name gone, so here the old name goes. The danger is a name that is only another spelling
//! of the other one, where large and small letters are the same: then there is one entry, and without it the file
//! would be lost. So in one directory the names have to be listed both.

use std::os::fd::BorrowedFd;

use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, statat},
    io::Result,
};

use super::{no_replace::Name, walk::kind_of};

/// Renames something over what has the new name.
pub(super) fn rename_over(from: Name<'_>, to: Name<'_>) -> Result<()> {
    if are_two_names(from, to)? {
        return rustix::fs::unlinkat(from.dir, from.name, AtFlags::empty());
    }
    rustix::fs::renameat(from.dir, from.name, to.dir, to.name)
}

/// Whether these are two entries, and both of one file.
fn are_two_names(from: Name<'_>, to: Name<'_>) -> Result<bool> {
    let look = |at: Name<'_>| statat(at.dir, at.name, AtFlags::SYMLINK_NOFOLLOW);
    // What is not there is the business of the rename.
    let (Ok(old), Ok(new)) = (look(from), look(to)) else { return Ok(false) };
    if old.st_nlink < 2 || kind_of(&old) == FileType::Directory || !is_same(&old, &new) {
        return Ok(false);
    }
    if !is_same(&fstat(from.dir)?, &fstat(to.dir)?) {
        return Ok(true);
    }
    Ok(from.name != to.name && has_entries(from.dir, [from.name, to.name])?)
}

fn is_same(a: &Stat, b: &Stat) -> bool {
    (a.st_dev, a.st_ino) == (b.st_dev, b.st_ino)
}

/// Whether a directory has entries that are spelled exactly like this.
fn has_entries(dir: BorrowedFd<'_>, names: [&str; 2]) -> Result<bool> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let mut found = [false; 2];
    for entry in Dir::new(rustix::fs::openat(dir, ".", flags, Mode::empty())?)? {
        let entry = entry?;
        for (name, is_found) in names.iter().zip(&mut found) {
            *is_found |= entry.file_name().to_bytes() == name.as_bytes();
        }
    }
    Ok(found == [true; 2])
}
