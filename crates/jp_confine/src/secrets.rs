//! Finds what is sensitive: the kernel hides paths, not patterns.
//!
//! Patterns that name a place are that place. Patterns such as `**/.env` are looked for in the
//! workspace, below what the policy lets be read; the search reads directories and nothing else.
//! A tree that is too large for that is an error and not a shrug: what was not found is not hidden.
//! So is something sensitive whose path is not UTF-8, because a view could not name it.

use std::{
    collections::HashSet,
    ffi::OsStr,
    num::NonZero,
    os::unix::ffi::OsStrExt as _,
    panic::resume_unwind,
    path::{Path, PathBuf},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{AccessPolicy, SensitivePaths};
use rustix::{
    fs::{CWD, FileType, Mode, OFlags, RawDir, RawDirEntry, lstat, openat},
    io::Errno,
};

/// How many names are looked at. A tree of this size takes a few seconds to walk.
const MOST: usize = 2_000_000;

/// How deep. Deeper than a path can be long.
const DEEPEST: usize = 2_000;

/// So many directories are worth a thread, and there are never more threads than this.
const SHARE: usize = 16;
const MOST_THREADS: usize = 8;

/// Why nobody can say that everything sensitive is hidden.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unsearchable {
    /// There is too much to look at.
    #[error("{root} has more than {MOST} files, too many to look for sensitive ones")]
    TooLarge {
        /// Where the search was.
        root: Utf8PathBuf,
    },
    /// Something sensitive was found, and cannot be hidden.
    #[error("{path} is sensitive and cannot be hidden, because its path is not UTF-8: rename it")]
    NotText {
        /// The path, as far as it is text.
        path: Utf8PathBuf,
    },
}

/// The absolute paths of everything sensitive that the policy could show.
pub(crate) fn find(
    paths: &SensitivePaths,
    policy: Option<&AccessPolicy>,
    root: &Utf8Path,
    home: Option<&Utf8Path>,
) -> Result<Vec<Utf8PathBuf>, Unsearchable> {
    let mut found = paths.absolute(home);
    let mut search = Search::new(paths, policy, root, home);
    found.append(&mut search.run()?);
    // Another name of a file that is kept back shows the same content.
    search.inodes = linked(found.iter().chain(&denied(policy, root)))?;
    if !search.inodes.is_empty() {
        search.looked_at = AtomicUsize::new(0);
        found.append(&mut search.run()?);
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
fn linked<'a>(places: impl Iterator<Item = &'a Utf8PathBuf>) -> Result<HashSet<u64>, Unsearchable> {
    let mut inodes = HashSet::new();
    let mut waiting: Vec<PathBuf> = places.map(|path| path.as_std_path().to_owned()).collect();
    let mut looked_at = 0;
    while let Some(path) = waiting.pop() {
        looked_at += 1;
        if looked_at > MOST {
            let root = Utf8PathBuf::from(path.to_string_lossy().into_owned());
            return Err(Unsearchable::TooLarge { root });
        }
        let Ok(found) = lstat(&path) else { continue };
        match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile if found.st_nlink > 1 => drop(inodes.insert(found.st_ino)),
            FileType::Directory => {
                // What cannot be listed has no other names that could be found.
                let _ = each_entry(&path, |entry| {
                    waiting.push(path.join(name_of(entry)));
                    Ok::<_, Unsearchable>(())
                });
            }
            _ => {}
        }
    }
    Ok(inodes)
}

/// How much of a directory is read at once. Most fit, and a tree has many.
const BLOCK: usize = 32 * 1024;

/// Looks at what is in a directory, without a step through a link. The outer error says that it cannot
/// be opened.
fn each_entry<E>(
    directory: &Path,
    mut look: impl FnMut(&RawDirEntry<'_>) -> Result<(), E>,
) -> rustix::io::Result<Result<(), E>> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = openat(CWD, directory, flags, Mode::empty())?;
    let mut block = Vec::with_capacity(BLOCK);
    let mut entries = RawDir::new(opened, block.spare_capacity_mut());
    while let Some(entry) = entries.next() {
        // A directory that fails on the way shows no more, to us and to others.
        let Ok(entry) = entry else { break };
        if matches!(entry.file_name().to_bytes(), b"." | b"..") {
            continue;
        }
        if let Err(stop) = look(&entry) {
            return Ok(Err(stop));
        }
    }
    Ok(Ok(()))
}

fn threads() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS)
}

fn name_of<'a>(entry: &'a RawDirEntry<'_>) -> &'a OsStr {
    OsStr::from_bytes(entry.file_name().to_bytes())
}

/// A path of the workspace, relative to it.
struct Spot {
    real: PathBuf,
    /// The same as text. Where it is none, what is missing is replaced, which is good enough to compare
    /// it with rules and patterns: they are text, so they cannot speak of what is missing.
    text: Utf8PathBuf,
    is_text: bool,
}

impl Spot {
    fn top() -> Self {
        Self { real: PathBuf::new(), text: Utf8PathBuf::new(), is_text: true }
    }

    fn join(&self, name: &OsStr) -> Self {
        let is_text = self.is_text && name.to_str().is_some();
        let text = self.text.join(&*name.to_string_lossy());
        Self { real: self.real.join(name), text, is_text }
    }
}

struct Search<'a> {
    paths: &'a SensitivePaths,
    policy: Option<&'a AccessPolicy>,
    root: &'a Utf8Path,
    home: Option<&'a Utf8Path>,
    looked_at: AtomicUsize,
    /// Files that are looked for by what they are, and not by their name.
    inodes: HashSet<u64>,
    /// Whether the workspace lies in something sensitive, so that the name of what is in it does not
    /// matter.
    is_inside_sensitive: bool,
}

/// What a look at some directories gives.
#[derive(Default)]
struct Seen {
    found: Vec<Utf8PathBuf>,
    /// Directories to look into.
    below: Vec<Spot>,
}

impl Seen {
    fn add(&mut self, other: Self) {
        self.found.extend(other.found);
        self.below.extend(other.below);
    }
}

impl<'a> Search<'a> {
    fn new(
        paths: &'a SensitivePaths,
        policy: Option<&'a AccessPolicy>,
        root: &'a Utf8Path,
        home: Option<&'a Utf8Path>,
    ) -> Self {
        let (looked_at, inodes) = (AtomicUsize::new(0), HashSet::new());
        let is_inside_sensitive = paths.find(root, home, Utf8Path::new("")).is_some();
        Self { paths, policy, root, home, looked_at, inodes, is_inside_sensitive }
    }

    /// Goes through the workspace, one level of directories after the other.
    fn run(&self) -> Result<Vec<Utf8PathBuf>, Unsearchable> {
        let (mut found, mut level) = (Vec::new(), vec![Spot::top()]);
        for depth in 0.. {
            if level.is_empty() {
                break;
            }
            let seen = self.level(&level, depth)?;
            found.extend(seen.found);
            level = seen.below;
        }
        Ok(found)
    }

    /// Looks at directories of one level. The program that is to be confined waits for this, so where there are
    /// many, several threads do it.
    fn level(&self, level: &[Spot], depth: usize) -> Result<Seen, Unsearchable> {
        let next = AtomicUsize::new(0);
        let share = || {
            let mut seen = Seen::default();
            while let Some(spot) = level.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.directory(spot, depth, &mut seen)?;
            }
            Ok(seen)
        };
        let worth = level.len() / SHARE;
        let helpers = if worth == 0 { 0 } else { threads().min(worth + 1) - 1 };
        thread::scope(|scope| {
            // If there can be no thread, the others do its share.
            let helpers: Vec<_> = (0..helpers)
                .map_while(|_| thread::Builder::new().spawn_scoped(scope, share).ok())
                .collect();
            let mut seen = share()?;
            for helper in helpers {
                seen.add(helper.join().unwrap_or_else(|panic| resume_unwind(panic))?);
            }
            Ok(seen)
        })
    }

    /// Looks at a directory of the workspace.
    fn directory(
        &self,
        directory: &Spot,
        depth: usize,
        seen: &mut Seen,
    ) -> Result<(), Unsearchable> {
        let path = self.root.as_std_path().join(&directory.real);
        match each_entry(&path, |entry| self.look(directory, entry, depth, seen)) {
            Ok(looked) => looked,
            // The owner could change the mode, and then see what nobody has looked at.
            Err(Errno::ACCESS) if depth > 0 => self.keep(directory, seen),
            Err(_) => Ok(()),
        }
    }

    /// Looks at one entry.
    fn look(
        &self,
        directory: &Spot,
        entry: &RawDirEntry<'_>,
        depth: usize,
        seen: &mut Seen,
    ) -> Result<(), Unsearchable> {
        if self.looked_at.fetch_add(1, Ordering::Relaxed) >= MOST || depth > DEEPEST {
            return Err(Unsearchable::TooLarge { root: self.root.to_owned() });
        }
        let name = name_of(entry);
        // Almost every name can be passed over by a look at it alone.
        let is_candidate = self.is_inside_sensitive
            || self.paths.could_name(&name.to_string_lossy())
            || self.inodes.contains(&entry.ino());
        if !is_candidate && entry.file_type() == FileType::RegularFile {
            return Ok(());
        }
        let spot = directory.join(name);
        let is_sensitive =
            is_candidate && self.paths.find(self.root, self.home, &spot.text).is_some();
        if is_sensitive || self.inodes.contains(&entry.ino()) {
            self.keep(&spot, seen)?;
        } else if self.is_directory(entry, &spot) && self.can_show(&spot.text) {
            seen.below.push(spot);
        }
        Ok(())
    }

    /// Notes what has to be hidden.
    fn keep(&self, spot: &Spot, seen: &mut Seen) -> Result<(), Unsearchable> {
        let path = self.root.join(&spot.text);
        match spot.is_text {
            true => seen.found.push(path),
            false if self.can_show(&spot.text) => return Err(Unsearchable::NotText { path }),
            false => {}
        }
        Ok(())
    }

    /// Not every file system says with a name what it is.
    fn is_directory(&self, entry: &RawDirEntry<'_>, spot: &Spot) -> bool {
        match entry.file_type() {
            FileType::Unknown => lstat(self.root.as_std_path().join(&spot.real))
                .is_ok_and(|found| FileType::from_raw_mode(found.st_mode).is_dir()),
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
