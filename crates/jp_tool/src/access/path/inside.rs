//! Settings of jp inside a directory that moves.
//!
//! A rule for a directory says nothing about the settings in it, and those come into force or out of it when the
//! directory gets another path. So before it moves, the names inside are looked through, which opens directories and
//! nothing else. How much is looked at is bounded, and what nobody can look through does not move.
//!
//! That is a picture of one moment. Whoever puts settings into the directory in the next one needs a rule for that.

use std::os::fd::AsFd;

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{AtFlags, Dir, DirEntry, FileType, Mode, OFlags},
    io::Errno,
    path::Arg,
};

use super::{Files, FsAccessError, OpenError, files::Place, unresolvable, walk::kind_of};
use crate::access::{AccessPolicy, Capability, is_settings};

/// How many entries of a directory that moves are looked at.
const MAX_ENTRIES: usize = 1_000_000;
/// Each level costs an open handle.
const MAX_DEPTH: usize = 256;

impl Files {
    /// What is inside a directory that is to be moved.
    pub(super) fn judge_inside(&self, source: &Place<'_>, to: &Utf8Path) -> Result<(), OpenError> {
        let has_rules = |policy: &&AccessPolicy| !policy.fs.is_empty();
        let Some(policy) = self.policy.as_ref().filter(has_rules) else {
            return Ok(());
        };
        if source.kind != Some(FileType::Directory) {
            return Ok(());
        }
        let mut first: Option<(Utf8PathBuf, FsAccessError)> = None;
        let mut see = |path: &Utf8Path| {
            let judged = policy.check_moved(&source.relative.join(path), &to.join(path));
            // Whichever of them is met first, the same one is named.
            if let Err(error) = judged
                && first.as_ref().is_none_or(|(first, _)| path < first)
            {
                first = Some((path.to_owned(), error));
            }
        };
        look_through(source.dir()?, &source.name, &mut see).map_err(|reason| {
            unresolvable(source.input, format!("it may have settings of jp inside: {reason}"))
        })?;
        first.map_or(Ok(()), |(_, error)| Err(error.into()))
    }
}

impl AccessPolicy {
    /// What a move of a directory needs for something inside it that moves along: settings of jp are not covered by
    /// what covers the directory. The paths are canonical.
    pub fn check_moved(&self, from: &Utf8Path, to: &Utf8Path) -> Result<(), FsAccessError> {
        if is_settings(from) {
            self.check(Capability::Delete, from)?;
        }
        if is_settings(to) {
            self.check(Capability::Create, to)?;
        }
        Ok(())
    }
}

/// Shows everything below a directory, by its path from there. An error says why that is not all.
fn look_through(dir: impl AsFd, name: &str, see: &mut impl FnMut(&Utf8Path)) -> Result<(), String> {
    let mut left = MAX_ENTRIES;
    let start = open(dir, name).map_err(|error| cannot_look(Utf8Path::new(name), error))?;
    let mut levels: Vec<_> = start.into_iter().map(|dir| (dir, Utf8PathBuf::new())).collect();
    while let Some((dir, at)) = levels.last_mut() {
        let Some(entry) = dir.read() else {
            levels.pop();
            continue;
        };
        let entry = entry.map_err(|error| cannot_look(at, error))?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        left =
            left.checked_sub(1).ok_or_else(|| format!("it has more than {MAX_ENTRIES} entries"))?;
        // No rule names what is not UTF-8, so it does not matter how that is spelled.
        let path = at.join(String::from_utf8_lossy(name.to_bytes()).as_ref());
        see(&path);
        let opened = dir.fd().and_then(|dir| match kind(dir, &entry)? {
            FileType::Directory => open(dir, name),
            _ => Ok(None),
        });
        if let Some(dir) = opened.map_err(|error| cannot_look(&path, error))? {
            if levels.len() >= MAX_DEPTH {
                return Err(format!("it is deeper than {MAX_DEPTH} directories"));
            }
            levels.push((dir, path));
        }
    }
    Ok(())
}

/// Opens a directory. What is gone, or has become something else meanwhile, has nothing inside.
fn open(dir: impl AsFd, name: impl Arg) -> rustix::io::Result<Option<Dir>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match rustix::fs::openat(dir, name, flags, Mode::empty()) {
        Ok(dir) => Dir::new(dir).map(Some),
        Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
        Err(error) => Err(error),
    }
}

/// What an entry is. Some file systems do not say so with its name.
fn kind(dir: impl AsFd, entry: &DirEntry) -> rustix::io::Result<FileType> {
    match entry.file_type() {
        FileType::Unknown => {
            match rustix::fs::statat(dir, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => Ok(FileType::Unknown),
                stat => stat.map(|stat| kind_of(&stat)),
            }
        }
        known => Ok(known),
    }
}

fn cannot_look(path: &Utf8Path, error: Errno) -> String {
    format!("cannot look at {path}: {error}")
}
