//! What has to be tidied up in the workspace if a commit is killed.
//!
//! Where set and workspace are on one file system, new files are moved into place and there is never
//! anything to tidy up. Otherwise what replaces something is first made beside it. All such
//! files of a set have one name, which contains the id of the set; the directories in which it can be
//! are written to the journal before the first of them is made. Whoever removes the set removes them.

use std::{
    fs::File,
    io::{self, Read, Write},
    os::fd::OwnedFd,
};

use camino::Utf8Path;
use rustix::fs::{AtFlags, FileType, Mode, OFlags};

use crate::tree::{Tree, kind_of, stat_at};

const NAME: &str = "journal";

/// The longest journal that is read.
const MAX: u64 = 1 << 30;

/// The name of a file that is being written beside the one it replaces.
pub(crate) fn temporary_name(id: &str) -> String {
    format!(".jp-{id}.tmp")
}

/// Notes the directories, relative to the root, in which there can be such a file. They are on disk
/// when this returns.
pub(crate) fn write<'a>(
    set: &OwnedFd,
    root: &Utf8Path,
    dirs: impl Iterator<Item = &'a Utf8Path>,
) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC | OFlags::NOFOLLOW;
    let mode = Mode::from_raw_mode(0o600);
    let file = rustix::fs::openat(set, NAME, flags | OFlags::CLOEXEC, mode)?;
    let mut text = String::from(root.as_str());
    for dir in dirs {
        text.push('\0');
        text.push_str(dir.as_str());
    }
    // A journal that was cut off would name other directories.
    text.push_str("\0\0");
    let mut file = File::from(file);
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok(rustix::fs::fsync(set)?)
}

/// Removes what the journal of a set names, if it has one.
pub(crate) fn clean(set: &OwnedFd, id: &str) {
    let Some(text) = read(set) else {
        return;
    };
    let mut parts = text.split('\0');
    let Some(tree) = parts.next().and_then(|root| Tree::open(Utf8Path::new(root)).ok()) else {
        return;
    };
    let name = temporary_name(id);
    for dir in parts {
        // A directory that cannot be reached any more has taken the file with it.
        let Ok(dir) = tree.dir(Utf8Path::new(dir)) else {
            continue;
        };
        // A directory that somebody has put something into stays.
        let flags = match stat_at(&dir, name.as_str()) {
            Ok(Some(stat)) if kind_of(&stat) == FileType::Directory => AtFlags::REMOVEDIR,
            Ok(Some(_)) => AtFlags::empty(),
            Ok(None) | Err(_) => continue,
        };
        let _gone = rustix::fs::unlinkat(&dir, name.as_str(), flags);
    }
}

fn read(set: &OwnedFd) -> Option<String> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(set, NAME, flags, Mode::empty()).ok()?;
    let mut text = String::new();
    File::from(file).take(MAX).read_to_string(&mut text).ok()?;
    text.strip_suffix("\0\0").map(str::to_owned)
}
