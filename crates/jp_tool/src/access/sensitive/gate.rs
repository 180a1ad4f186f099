//! The gate in front of sensitive paths: it asks, and remembers what was answered.
//!
//! One person answers, so there is one question at a time, and the same question is never put twice
//! in a run: who comes with a path about which somebody is being asked waits for that answer. The
//! memory is bounded; nobody answers that many questions, so a path that no longer fits is refused
//! without one.

use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
};

use camino::{Utf8Path, Utf8PathBuf};

use super::{Place, SensitivePaths};
#[cfg(unix)]
use crate::access::path;

/// How many bytes of paths are remembered, with something added for each path.
const MAX_MEMORY: usize = 1 << 20;
const MEMORY_OF_ENTRY: usize = 128;

/// Somebody who can be asked.
pub trait AskSensitive {
    /// Whether a path that this pattern covers may be used after all. `true`: go on.
    fn ask(&self, path: &Utf8Path, pattern: &str) -> bool;
}

/// What every operation on a path goes through after the rules have allowed it. It lives for one run.
pub struct SensitiveGate {
    paths: SensitivePaths,
    root: Utf8PathBuf,
    home: Option<Utf8PathBuf>,
    /// Where the places of the patterns lead when links are followed, with the pattern.
    real: Vec<(Utf8PathBuf, String)>,
    ask: Option<Box<dyn AskSensitive + Send + Sync>>,
    answers: Mutex<Answers>,
    /// Held while somebody is asked.
    asking: Mutex<()>,
}

/// A sensitive path that may not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{path} is sensitive (`{pattern}`), and {}", self.why())]
pub struct SensitiveError {
    /// The path that was asked for.
    pub path: Utf8PathBuf,
    /// The pattern that covers it.
    pub pattern: String,
    /// Whether somebody was asked and said no. Otherwise nobody could be asked.
    pub asked: bool,
}

impl SensitiveGate {
    /// A gate for the paths below `root`. `ask` is `None` where nobody can be asked. The places of
    /// the patterns are looked up once, here, because `~/.ssh` can be a link into the workspace.
    pub fn new(
        paths: SensitivePaths,
        root: Utf8PathBuf,
        home: Option<Utf8PathBuf>,
        ask: Option<Box<dyn AskSensitive + Send + Sync>>,
    ) -> Self {
        // The paths that come are canonical, and are compared with these.
        let root = root.canonicalize_utf8().unwrap_or(root);
        let home = home.map(|home| home.canonicalize_utf8().unwrap_or(home));
        let real = real_places(&paths, &root, home.as_deref());
        let (answers, asking) = (Mutex::default(), Mutex::default());
        Self { paths, root, home, real, ask, answers, asking }
    }

    /// Lets a path pass, which is canonical and relative to the root, if it is not sensitive or if
    /// somebody said that it may be used. Each path is asked about once.
    pub fn pass(&self, path: &Utf8Path) -> Result<(), SensitiveError> {
        let Some(pattern) = self.find(path) else {
            return Ok(());
        };
        let refuse = |asked| {
            let (path, pattern) = (path.to_owned(), pattern.to_owned());
            Err(SensitiveError { path, pattern, asked })
        };
        let Some(ask) = &self.ask else {
            return refuse(false);
        };
        let Some(answer) = lock(&self.answers).of(path) else {
            return refuse(false);
        };
        let may_pass = answer.get_or_init(|| {
            let _one_at_a_time = lock(&self.asking);
            ask.ask(path, pattern)
        });
        if *may_pass { Ok(()) } else { refuse(true) }
    }

    fn find(&self, path: &Utf8Path) -> Option<&str> {
        let by_name = self.paths.find(&self.root, self.home.as_deref(), path);
        by_name.or_else(|| {
            let place = Place::new(&self.root, path);
            let (_, pattern) = self.real.iter().find(|(real, _)| place.is_in(real))?;
            Some(pattern.as_str())
        })
    }
}

impl fmt::Debug for SensitiveGate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let asks = self.ask.is_some();
        let mut shown = f.debug_struct("SensitiveGate");
        shown.field("paths", &self.paths).field("root", &self.root).field("home", &self.home);
        shown.field("asks", &asks).finish_non_exhaustive()
    }
}

impl SensitiveError {
    fn why(&self) -> &'static str {
        if self.asked { "its use was refused" } else { "nobody could be asked about it" }
    }
}

/// The answers of a run, and those that are being waited for.
#[derive(Default)]
struct Answers {
    known: HashMap<Utf8PathBuf, Arc<OnceLock<bool>>>,
    memory: usize,
}

impl Answers {
    /// The answer about a path, given or not; `None` if it cannot be remembered.
    fn of(&mut self, path: &Utf8Path) -> Option<Arc<OnceLock<bool>>> {
        if let Some(answer) = self.known.get(path) {
            return Some(Arc::clone(answer));
        }
        let memory = self.memory + path.as_str().len() + MEMORY_OF_ENTRY;
        if memory > MAX_MEMORY {
            return None;
        }
        self.memory = memory;
        Some(Arc::clone(self.known.entry(path.to_owned()).or_default()))
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A thread that panicked while it asked has left nothing half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
