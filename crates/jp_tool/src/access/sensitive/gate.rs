//! The gate in front of sensitive paths: what the list covers passes with a yes and not without.
//!
//! Nobody is asked in here, because an operation that waits for a person would hold what others need.
//! A refusal says whether there was an answer; whoever can ask does so, tells the gate what was
//! answered, and tries again. The memory for answers is bounded; nobody answers that many questions, so
//! an answer that no longer fits is forgotten and its path stays refused.
//!
//! Every path of every operation comes by here, and nearly none is sensitive. So the gate knows which
//! names its patterns can end with, and a path that has none of them passes after one look at the first
//! letter of each name. That is right because the root is not sensitive itself, in which case everything
//! is looked at closely: a path becomes sensitive at the name with which a pattern ends.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    Place, SensitivePaths,
    pattern::Form,
    place::{fold, is_same},
};
#[cfg(unix)]
use crate::access::path;

/// How many bytes of paths are remembered, with something added for each path.
const MAX_MEMORY: usize = 1 << 20;
const MEMORY_OF_ENTRY: usize = 128;

/// What every operation on a path goes through after the rules have allowed it. It lives for one run;
/// clones have the same answers.
#[derive(Clone)]
pub struct SensitiveGate {
    list: Arc<List>,
    answers: Arc<Mutex<Answers>>,
    /// What passes through this clone only.
    excepted: Vec<Utf8PathBuf>,
}

/// A sensitive path that may not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} is sensitive (`{pattern}`), and {}", self.why())]
pub struct SensitiveError {
    /// The path that was asked for.
    pub path: Utf8PathBuf,
    /// The pattern that covers it.
    pub pattern: String,
    /// Whether somebody was asked and said no. Otherwise nobody has been asked yet.
    pub asked: bool,
}

impl SensitiveGate {
    /// A gate for the paths below `root`. The places of the patterns are looked up once, here, because
    /// `~/.ssh` can be a link into the workspace.
    pub fn new(paths: SensitivePaths, root: Utf8PathBuf, home: Option<Utf8PathBuf>) -> Self {
        let list = Arc::new(List::new(paths, root, home));
        Self { list, answers: Arc::default(), excepted: Vec::new() }
    }

    /// Lets a path pass, which is canonical and relative to the root, if it is not sensitive or if
    /// somebody said that it may be used.
    pub fn pass(&self, path: &Utf8Path) -> Result<(), SensitiveError> {
        if !self.list.could_cover(path) {
            return Ok(());
        }
        self.list.find(path).map_or(Ok(()), |pattern| self.pass_covered(path, pattern))
    }

    /// Lets a directory move away. Patterns stay where they are, so what one of them names inside the
    /// directory has to pass as well: it would be at a place that no pattern names.
    pub fn pass_move(&self, from: &Utf8Path) -> Result<(), SensitiveError> {
        self.pass(from)?;
        for (place, pattern) in self.list.inside(from) {
            self.pass_covered(&place, pattern)?;
        }
        Ok(())
    }

    /// Remembers for this run whether a path may be used.
    pub fn answer(&self, path: &Utf8Path, may_pass: bool) {
        self.answers().add(path, may_pass);
    }

    /// The same gate, through which this path passes too. For an answer that is good for one operation.
    #[must_use]
    pub fn except(&self, path: &Utf8Path) -> Self {
        let mut gate = self.clone();
        gate.excepted.push(path.to_owned());
        gate
    }

    fn pass_covered(&self, path: &Utf8Path, pattern: &str) -> Result<(), SensitiveError> {
        let answer = self.answers().known.get(path).copied();
        if answer == Some(true) || self.excepted.iter().any(|excepted| excepted == path) {
            return Ok(());
        }
        let (path, pattern) = (path.to_owned(), pattern.to_owned());
        Err(SensitiveError { path, pattern, asked: answer.is_some() })
    }

    fn answers(&self) -> MutexGuard<'_, Answers> {
        // Whoever panicked with it has left nothing half done.
        self.answers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for SensitiveGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("SensitiveGate");
        shown.field("paths", &self.list.paths).field("root", &self.list.root);
        shown.field("home", &self.list.home).finish_non_exhaustive()
    }
}

impl SensitiveError {
    fn why(&self) -> &'static str {
        if self.asked { "its use was refused" } else { "nobody was asked about it" }
    }
}

/// The patterns at the places where they are on this system.
struct List {
    paths: SensitivePaths,
    root: Utf8PathBuf,
    home: Option<Utf8PathBuf>,
    /// Where the places of the patterns lead when links are followed, with the pattern.
    real: Vec<(Utf8PathBuf, String)>,
    /// Whether the root is at or below a sensitive place.
    covers_root: bool,
    /// The letters, one bit each, with which a name can begin that a pattern ends with.
    first: u128,
}

impl List {
    fn new(paths: SensitivePaths, root: Utf8PathBuf, home: Option<Utf8PathBuf>) -> Self {
        // The paths that come are canonical, and are compared with these.
        let root = root.canonicalize_utf8().unwrap_or(root);
        let home = home.map(|home| home.canonicalize_utf8().unwrap_or(home));
        let real = real_places(&paths, &root, home.as_deref());
        let ends = paths.patterns.iter().map(super::Pattern::end);
        let real_ends = real.iter().map(|(place, _)| place.file_name().unwrap_or_default());
        let first = ends.chain(real_ends).fold(0, |bits, end| bits | first_bit(end));
        let mut list = Self { paths, root, home, real, covers_root: false, first };
        list.covers_root = list.find(Utf8Path::new("")).is_some();
        list
    }

    /// Whether a close look at a path is worth it.
    fn could_cover(&self, path: &Utf8Path) -> bool {
        let could_be = |name: &str| match name.as_bytes().first() {
            Some(first) if name.is_ascii() => {
                self.first & bit(*first) != 0
                    && (self.paths.could_name(name) || self.is_real_end(name))
            }
            // Letters that are left out when names are compared, and `..`, which no canonical path has.
            Some(_) => true,
            None => false,
        };
        self.covers_root
            || path.as_str().starts_with('/')
            || path.as_str().split('/').any(|name| name == ".." || could_be(name))
    }

    fn is_real_end(&self, name: &str) -> bool {
        self.real.iter().any(|(place, _)| is_same(place.file_name().unwrap_or_default(), name))
    }

    fn find(&self, path: &Utf8Path) -> Option<&str> {
        let by_name = self.paths.find(&self.root, self.home.as_deref(), path);
        by_name.or_else(|| {
            let place = Place::new(&self.root, path);
            let (_, pattern) = self.real.iter().find(|(real, _)| place.is_in(real))?;
            Some(pattern.as_str())
        })
    }

    /// The places that patterns name below a directory, relative to the root. Without a known home every
    /// directory can be one, so the directory itself stands for a place that begins with its name.
    fn inside(&self, dir: &Utf8Path) -> Vec<(Utf8PathBuf, &str)> {
        let home = self.home.as_deref();
        let named = self.paths.patterns.iter().filter_map(|pattern| {
            if pattern.form() == Form::Home && home.is_none() {
                let is_on_way = pattern.is_on_way(dir.file_name().unwrap_or_default());
                return is_on_way.then(|| (dir.to_owned(), pattern.text()));
            }
            Some((self.below(dir, &pattern.place(&self.root, home)?)?, pattern.text()))
        });
        let real = self
            .real
            .iter()
            .filter_map(|(place, pattern)| Some((self.below(dir, place)?, pattern.as_str())));
        named.chain(real).collect()
    }

    /// An absolute place as a path relative to the root, if it is below a directory.
    fn below(&self, dir: &Utf8Path, place: &Utf8Path) -> Option<Utf8PathBuf> {
        let absolute = self.root.join(dir);
        let is_below = Place::new(&self.root, place).is_in(&absolute);
        let names = place.components().skip(self.root.components().count());
        is_below.then(|| names.collect())
    }
}

/// The answers of a run.
#[derive(Default)]
struct Answers {
    known: HashMap<Utf8PathBuf, bool>,
    memory: usize,
}

impl Answers {
    fn add(&mut self, path: &Utf8Path, may_pass: bool) {
        if let Some(answer) = self.known.get_mut(path) {
            *answer = may_pass;
            return;
        }
        let memory = self.memory + path.as_str().len() + MEMORY_OF_ENTRY;
        if memory <= MAX_MEMORY {
            self.memory = memory;
            self.known.insert(path.to_owned(), may_pass);
        }
    }
}

/// Where the patterns that name one place lead. What cannot be resolved cannot be opened either, and
/// is still known by its name.
fn real_places(
    paths: &SensitivePaths,
    root: &Utf8Path,
    home: Option<&Utf8Path>,
) -> Vec<(Utf8PathBuf, String)> {
    let named = paths.patterns.iter().filter_map(|pattern| {
        let place = pattern.place(root, home)?;
        let real = follow(&place).filter(|real| *real != place)?;
        Some((real, pattern.text().to_owned()))
    });
    named.collect()
}

/// Where an absolute path leads, whether or not something is there yet.
#[cfg(unix)]
fn follow(place: &Utf8Path) -> Option<Utf8PathBuf> {
    let top = path::Root::open(Utf8Path::new("/")).ok()?;
    Some(top.resolve(place).ok()?.absolute())
}

#[cfg(not(unix))]
fn follow(place: &Utf8Path) -> Option<Utf8PathBuf> {
    place.canonicalize_utf8().ok()
}

/// The bit of the first letter of what a name can be; of a star, and of what is folded, all of them.
fn first_bit(end: &str) -> u128 {
    match fold(end).as_bytes().first() {
        Some(b'*') | None => u128::MAX,
        Some(first) => bit(*first),
    }
}

/// Upper and lower case are one letter. A byte of a letter beyond ASCII stands for all.
fn bit(byte: u8) -> u128 {
    1_u128.checked_shl(u32::from(byte.to_ascii_lowercase())).unwrap_or(u128::MAX)
}
