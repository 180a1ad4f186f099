//! Which names in a directory are those of plugins, remembered as long as the directory is the same.
//!
//! A search path leads through thousands of programs, and to list them takes longer than everything else
//! that is done to find one plugin. A directory has another time when a name comes, goes or changes, so what
//! was read once holds until then. The danger is a name that comes in the moment of the reading and leaves
//! the time as it is: what has changed only just now is not remembered. Nor is what lies on a filesystem of
//! which it is not known that it keeps these times.

use std::{collections::BTreeMap, os::fd::OwnedFd};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::fs::{RawDir, Stat, fstatfs};
use serde::{Deserialize, Serialize};

use super::scan::MOST;
use crate::kept::Kept;

/// How many directories are remembered.
const MOST_DIRECTORIES: usize = 200;

/// So many seconds have to lie between a change and the reading. Clocks of filesystems are coarse, and some
/// count in steps of two seconds.
const SETTLED: i64 = 3;

/// Filesystems that change the time of a directory with its names: ext4, XFS, Btrfs, tmpfs, overlayfs, ZFS,
/// F2FS and `SquashFS`.
const KEEP_TIMES: [u32; 8] = [
    0xef53,
    0x5846_5342,
    0x9123_683e,
    0x0102_1994,
    0x794c_7630,
    0x2fc1_2fc1,
    0xf2f5_2010,
    0x7371_7368,
];

/// The names in directories, as far as they are known.
#[derive(Debug, Default)]
pub struct Listings {
    file: Option<Kept>,
    /// Seconds since the epoch.
    now: i64,
    known: BTreeMap<Utf8PathBuf, Listing>,
    news: BTreeMap<Utf8PathBuf, Listing>,
}

/// What a directory looked like, and what was in it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Listing {
    device: u64,
    inode: u64,
    /// Seconds and nanoseconds.
    modified: (i64, i64),
    changed: (i64, i64),
    names: Vec<String>,
}

impl Listings {
    /// Remembers in this file.
    pub fn read(file: Utf8PathBuf, now: u64) -> Self {
        let file = Kept::new(file);
        let known = file.read();
        let now = i64::try_from(now).unwrap_or(i64::MAX);
        Self { known, now, file: Some(file), news: BTreeMap::new() }
    }

    /// Keeps what was learned.
    pub fn keep(self) {
        let (Some(file), false) = (self.file, self.news.is_empty()) else { return };
        file.change(|kept: &mut BTreeMap<Utf8PathBuf, Listing>| {
            if kept.len() + self.news.len() > MOST_DIRECTORIES {
                kept.clear();
            }
            kept.extend(self.news);
        });
    }

    /// The names of a directory that begin so, sorted. One that cannot be listed has none.
    pub(super) fn names(
        &mut self,
        path: &Utf8Path,
        directory: &OwnedFd,
        found: &Stat,
        prefix: &str,
    ) -> Vec<String> {
        let seen = Listing::of(found);
        if let Some(known) = self.known.get(path).filter(|known| known.is_still(&seen)) {
            return known.names.clone();
        }
        let names = list(directory, prefix);
        let is_settled = seen.last_change().is_some_and(|last| last + SETTLED <= self.now);
        if is_settled && self.file.is_some() && keeps_times(directory) {
            self.news.insert(path.to_owned(), Listing { names: names.clone(), ..seen });
        }
        names
    }
}

impl Listing {
    fn of(found: &Stat) -> Self {
        let part = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        Self {
            device: found.st_dev,
            inode: found.st_ino,
            modified: (found.st_mtime, part(found.st_mtime_nsec)),
            changed: (found.st_ctime, part(found.st_ctime_nsec)),
            names: Vec::new(),
        }
    }

    fn is_still(&self, seen: &Self) -> bool {
        let looks = |it: &Self| (it.device, it.inode, it.modified, it.changed);
        looks(self) == looks(seen)
    }

    /// The second of the last change; `None` if there was none since there are computers.
    fn last_change(&self) -> Option<i64> {
        Some(self.modified.0.max(self.changed.0)).filter(|last| *last > 0)
    }
}

fn list(directory: &OwnedFd, prefix: &str) -> Vec<String> {
    let mut names = Vec::new();
    // There may be thousands of programs, and all names but a few are only passed by.
    let mut buffer = Vec::with_capacity(32 * 1024);
    let mut entries = RawDir::new(directory, buffer.spare_capacity_mut());
    while let Some(Ok(entry)) = entries.next() {
        let name = entry.file_name().to_bytes();
        if name.starts_with(prefix.as_bytes()) && names.len() < MOST {
            names.extend(str::from_utf8(name).ok().map(str::to_owned));
        }
    }
    names.sort_unstable();
    names
}

fn keeps_times(directory: &OwnedFd) -> bool {
    let kind = fstatfs(directory).ok().and_then(|found| u32::try_from(found.f_type).ok());
    kind.is_some_and(|kind| KEEP_TIMES.contains(&kind))
}

#[cfg(test)]
mod tests;
