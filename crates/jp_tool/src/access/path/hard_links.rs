//! Hard links: one file with several names, of which a rule may deny one.
//!
//! A path says nothing about the other names of a file, and the file does not know them either. So
//! when a file with several names is opened, it is looked up among the files below the rules that
//! deny the capability. Those are collected once, when the first such file is met, and their number
//! is bounded. Build trees and package stores are full of hard links; they are compared and found
//! harmless, not refused.
//!
//! The collection is a picture of one moment. It holds files with a single name as well, so that a
//! link made later is still found, and an entry counts only while its path leads to its file. What
//! it does not have is a denied file that is itself younger than the picture.

use std::{
    collections::{BTreeMap, HashMap},
    ffi::OsStr,
    os::{fd::OwnedFd, unix::ffi::OsStrExt},
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use camino::Utf8Path;
use rustc_hash::FxBuildHasher;
use rustix::{
    fs::{AtFlags, Dev, Dir, FileType, Mode, OFlags, Stat},
    io::Errno,
};

use super::{root::Root, walk::kind_of};
use crate::access::{Capability, Decision, FsRule, FsRules};

/// How many entries below denying rules are looked at. Where there are more, files with several
/// names are refused, because nobody can tell which they are.
pub const MAX_VISITED: usize = 100_000;

/// The files below denying rules, collected per capability when they are first needed.
#[derive(Debug)]
pub(super) struct HardLinks {
    limit: usize,
    known: Mutex<BTreeMap<Capability, Arc<Collection>>>,
}

type Identity = (Dev, u64);

#[derive(Debug, Default)]
struct Collection {
    files: HashMap<Identity, PathBuf, FxBuildHasher>,
    /// Why something may be missing.
    incomplete: Option<String>,
}

impl HardLinks {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, known: Mutex::default() }
    }

    /// The denied path at which this file has another name. An error says why that is not known.
    pub(super) fn denied_name(
        &self,
        root: &Root,
        rules: &FsRules,
        capability: Capability,
        stat: &Stat,
    ) -> Result<Option<PathBuf>, String> {
        let mut collection = self.collection(root, rules, capability, false);
        if let Some(path) = collection.files.get(&identity(stat)) {
            if leads_to(root, path, stat) {
                return Ok(Some(path.clone()));
            }
            collection = self.collection(root, rules, capability, true);
        }
        match (collection.files.get(&identity(stat)), &collection.incomplete) {
            (Some(path), _) => Ok(Some(path.clone())),
            (None, Some(reason)) => Err(reason.clone()),
            (None, None) => Ok(None),
        }
    }

    fn collection(
        &self,
        root: &Root,
        rules: &FsRules,
        capability: Capability,
        anew: bool,
    ) -> Arc<Collection> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if anew {
            known.remove(&capability);
        }
        let collect = || Arc::new(Collector::new(root, rules, self.limit).collect(capability));
        Arc::clone(known.entry(capability).or_insert_with(collect))
    }
}

struct Collector<'a> {
    root: &'a Root,
    rules: &'a FsRules,
    left: usize,
    limit: usize,
    /// How many bytes of paths may still be kept.
    bytes_left: usize,
    found: Collection,
}

/// Paths can be long, so their number alone would not bound the memory they take.
const MAX_BYTES: usize = 16 << 20;
/// Each level costs an open handle.
const MAX_DEPTH: usize = 256;

impl<'a> Collector<'a> {
    fn new(root: &'a Root, rules: &'a FsRules, limit: usize) -> Self {
        Self {
            root,
            rules,
            left: limit,
            limit,
            bytes_left: MAX_BYTES,
            found: Collection::default(),
        }
    }

    fn collect(mut self, capability: Capability) -> Collection {
        for rule in self.rules.iter() {
            let path = rule.path();
            let decides = matches!(
                self.rules.decide(path, capability),
                Decision::Denied(winner) if std::ptr::eq(winner, rule)
            );
            if decides && let Err(reason) = self.collect_rule(rule) {
                self.found.incomplete = Some(reason);
                break;
            }
        }
        self.found
    }

    /// A rule's own path, and everything below it that it decides about.
    fn collect_rule(&mut self, rule: &FsRule) -> Result<(), String> {
        let path = rule.path();
        let spot = self.root.find(path, path).map_err(|error| error.to_string())?;
        match spot.kind() {
            Ok(FileType::Directory) => {}
            Ok(_) => return self.add(&spot.dir, OsStr::new(&spot.name), path.as_std_path()),
            Err(_) => return Ok(()),
        }
        let (dir, at) = open(&spot.dir, OsStr::new(&spot.name), path.as_std_path())?;
        // Below the root, paths are written without it.
        let at = if path == "." { PathBuf::new() } else { at };
        let mut levels = vec![(dir, at)];
        while let Some((dir, at)) = levels.last_mut() {
            let Some(entry) = dir.read() else {
                levels.pop();
                continue;
            };
            let entry = entry.map_err(|error| cannot_list(at, error))?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if name == "." || name == ".." {
                continue;
            }
            let at = at.join(name);
            if self.left == 0 {
                return Err(format!("rules that deny cover more than {} entries", self.limit));
            }
            self.left -= 1;
            if !self.is_decided_by(rule, &at) {
                continue;
            }
            let fd = dir.fd().map_err(|error| cannot_list(&at, error))?.try_clone_to_owned();
            let fd = fd.map_err(|error| format!("cannot list {}: {error}", at.display()))?;
            if entry.file_type() == FileType::Directory {
                if levels.len() >= MAX_DEPTH {
                    return Err(format!("rules that deny cover more than {MAX_DEPTH} levels"));
                }
                levels.push(open(&fd, name, &at)?);
            } else {
                self.add(&fd, name, &at)?;
            }
        }
        Ok(())
    }

    /// A path with a rule of its own is that rule's affair. No rule names a path that is not UTF-8.
    fn is_decided_by(&self, rule: &FsRule, path: &Path) -> bool {
        Utf8Path::from_path(path)
            .and_then(|path| self.rules.winner(path))
            .is_none_or(|winner| std::ptr::eq(winner, rule))
    }

    fn add(&mut self, dir: &OwnedFd, name: &OsStr, path: &Path) -> Result<(), String> {
        match rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) if kind_of(&stat) == FileType::RegularFile => {
                let left = self.bytes_left.checked_sub(path.as_os_str().len());
                self.bytes_left = left.ok_or_else(|| {
                    format!("rules that deny cover more than {MAX_BYTES} bytes of paths")
                })?;
                self.found.files.insert(identity(&stat), path.to_owned());
                Ok(())
            }
            Ok(_) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(cannot_list(path, error)),
        }
    }
}

fn open(dir: &OwnedFd, name: &OsStr, path: &Path) -> Result<(Dir, PathBuf), String> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, Mode::empty())
        .and_then(Dir::new)
        .map(|dir| (dir, path.to_owned()))
        .map_err(|error| cannot_list(path, error))
}

fn cannot_list(path: &Path, error: Errno) -> String {
    format!("cannot look at {}: {error}", path.display())
}

fn identity(stat: &Stat) -> Identity {
    (stat.st_dev, stat.st_ino)
}

/// Whether a path below the root still leads to this file. A wrong yes would only refuse.
fn leads_to(root: &Root, path: &Path, stat: &Stat) -> bool {
    rustix::fs::statat(root.dir(), path, AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|found| identity(&found) == identity(stat))
}
