//! Finds what is sensitive: the kernel hides paths, not patterns.
//!
//! Patterns that name a place are that place. Patterns such as `**/.env` are looked for in the
//! workspace, below what the policy lets be read; the search reads directories and nothing else.
//! A tree that is too large for that is an error and not a shrug: what was not found is not hidden.

use std::{collections::HashSet, os::unix::fs::MetadataExt as _};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{AccessPolicy, SensitivePaths};
use rustix::fs::{CWD, Dir, FileType, Mode, OFlags, openat};

/// How many names are looked at. A tree of this size takes a few seconds to walk.
const MOST: usize = 2_000_000;

/// How deep. Deeper than a path can be long.
const DEEPEST: usize = 2_000;

/// The workspace is too large to say that nothing sensitive is in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{root} has more than {MOST} files, too many to look for sensitive ones")]
pub struct TooLarge {
    root: Utf8PathBuf,
}

/// The absolute paths of everything sensitive that the policy could show.
pub(crate) fn find(
    paths: &SensitivePaths,
    policy: Option<&AccessPolicy>,
    root: &Utf8Path,
    home: Option<&Utf8Path>,
) -> Result<Vec<Utf8PathBuf>, TooLarge> {
    let mut found = paths.absolute(home);
    let mut search = Search::new(paths, policy, root, home);
    search.walk(Utf8Path::new(""), 0)?;
    found.append(&mut search.found);
    // Another name of a file that is kept back shows the same content.
    search.inodes = linked(found.iter().chain(&denied(policy, root)))?;
    if !search.inodes.is_empty() {
        search.looked_at = 0;
        search.walk(Utf8Path::new(""), 0)?;
        found.append(&mut search.found);
    }
    found.sort();
    found.dedup();
    Ok(found)
}

/// The places that the policy keeps back in the workspace.
fn denied(policy: Option<&AccessPolicy>, root: &Utf8Path) -> Vec<Utf8PathBuf> {
    let rules = policy.into_iter().flat_map(|policy| policy.fs.iter());
    rules.filter(|rule| !rule.read()).map(|rule| root.join(rule.path())).collect()
}

/// The inodes of files with several names, at these places and below them.
fn linked<'a>(places: impl Iterator<Item = &'a Utf8PathBuf>) -> Result<HashSet<u64>, TooLarge> {
    let mut inodes = HashSet::new();
    let mut waiting: Vec<Utf8PathBuf> = places.cloned().collect();
    let mut looked_at = 0;
    while let Some(path) = waiting.pop() {
        looked_at += 1;
        if looked_at > MOST {
            return Err(TooLarge { root: path });
        }
        let Ok(found) = path.symlink_metadata() else { continue };
        if found.is_file() && found.nlink() > 1 {
            inodes.insert(found.ino());
        } else if found.is_dir() {
            let below = path.read_dir_utf8().into_iter().flatten().flatten();
            waiting.extend(below.map(|entry| entry.path().to_owned()));
        }
    }
    Ok(inodes)
}

struct Search<'a> {
    paths: &'a SensitivePaths,
    policy: Option<&'a AccessPolicy>,
    root: &'a Utf8Path,
    home: Option<&'a Utf8Path>,
    looked_at: usize,
    found: Vec<Utf8PathBuf>,
    /// Files that are looked for by what they are, and not by their name.
    inodes: HashSet<u64>,
}

impl<'a> Search<'a> {
    fn new(
        paths: &'a SensitivePaths,
        policy: Option<&'a AccessPolicy>,
        root: &'a Utf8Path,
        home: Option<&'a Utf8Path>,
    ) -> Self {
        let (found, inodes) = (Vec::new(), HashSet::new());
        Self { paths, policy, root, home, looked_at: 0, found, inodes }
    }

    /// Looks at a directory of the workspace, given relative to it.
    fn walk(&mut self, directory: &Utf8Path, depth: usize) -> Result<(), TooLarge> {
        let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let path = self.root.join(directory);
        let opened = openat(CWD, path.as_std_path(), flags, Mode::empty()).and_then(Dir::new);
        let entries = match opened {
            Ok(entries) => entries,
            // The owner could change the mode, and then see what nobody has looked at.
            Err(rustix::io::Errno::ACCESS) if directory != "" => {
                self.found.push(path);
                return Ok(());
            }
            Err(_) => return Ok(()),
        };
        let mut below = Vec::new();
        for entry in entries.filter_map(Result::ok) {
            self.looked_at += 1;
            if self.looked_at > MOST || depth > DEEPEST {
                return Err(TooLarge { root: self.root.to_owned() });
            }
            let Ok(name) = entry.file_name().to_str() else { continue };
            if matches!(name, "." | "..") {
                continue;
            }
            let path = directory.join(name);
            let is_sensitive = self.paths.find(self.root, self.home, &path).is_some();
            if is_sensitive || self.inodes.contains(&entry.ino()) {
                self.found.push(self.root.join(path));
            } else if self.is_directory(&entry, &path) && self.can_show(&path) {
                below.push(path);
            }
        }
        below.into_iter().try_for_each(|path| self.walk(&path, depth + 1))
    }

    /// Not every file system says with a name what it is.
    fn is_directory(&self, entry: &rustix::fs::DirEntry, path: &Utf8Path) -> bool {
        match entry.file_type() {
            FileType::Unknown => {
                self.root.join(path).symlink_metadata().is_ok_and(|found| found.is_dir())
            }
            kind => kind == FileType::Directory,
        }
    }

    /// Whether the policy shows something in a directory: it, or something below it.
    fn can_show(&self, directory: &Utf8Path) -> bool {
        let Some(policy) = self.policy.filter(|policy| !policy.fs.is_empty()) else { return true };
        policy.can_read(directory)
            || policy.fs.iter().any(|rule| rule.read() && rule.path().starts_with(directory))
    }
}
