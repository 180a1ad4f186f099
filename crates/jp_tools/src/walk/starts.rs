//! Where a walk begins.
//!
//! A path that was asked for has to be readable, and is walked even if it is ignored: whoever names
//! it wants it. Without a path everything that may be read is meant. That is the root, unless a rule
//! denies it; and it is every path that a rule grants below one that is denied, which the walk cannot
//! reach by itself.

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{
    ToolError,
    access::{
        Capability,
        path::{Files, Kind, OpenError},
    },
};

use super::{Job, Level, ignores::Ignores};

/// Why a walk cannot begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// A path that was asked for cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// More than [`MAX_PATHS`] were asked for.
    #[error("more than {MAX_PATHS} paths")]
    TooMany,
}

const MAX_PATHS: usize = 1_000;

impl From<StartError> for ToolError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Open(error) => error.into(),
            StartError::TooMany => Self::new(format!("argument `paths`: {error}")),
        }
    }
}

#[derive(Default)]
pub(super) struct Starts {
    jobs: Vec<Job>,
    /// The canonical paths of all of them, sorted.
    paths: Vec<Utf8PathBuf>,
}

impl Starts {
    pub(super) fn find(files: &Files, asked: &[String]) -> Result<Self, StartError> {
        let mut starts = Self::default();
        if asked.len() > MAX_PATHS {
            return Err(StartError::TooMany);
        }
        for path in asked {
            starts.add_asked(files, Utf8Path::new(path))?;
        }
        if asked.is_empty() {
            let readable = |path: &Utf8Path| files.policy().is_none_or(|p| p.can_read(path));
            let granted = granted_apart(files, &readable);
            if readable(Utf8Path::new(".")) || granted.is_empty() {
                starts.add_asked(files, Utf8Path::new("."))?;
            }
            for path in granted {
                starts.add_granted(files, &path);
            }
        }
        starts.paths.sort();
        Ok(starts)
    }

    pub(super) fn take_jobs(&mut self) -> Vec<Job> {
        std::mem::take(&mut self.jobs)
    }

    /// Whether another walk begins here, so that this one need not come.
    pub(super) fn begins_at(&self, path: &Utf8Path) -> bool {
        self.paths.len() > 1 && self.paths.binary_search_by(|start| (**start).cmp(path)).is_ok()
    }

    fn add_asked(&mut self, files: &Files, path: &Utf8Path) -> Result<(), OpenError> {
        let kind = files.metadata(path)?.kind;
        let canonical = files.root().resolve(path)?.relative().to_owned();
        if self.paths.contains(&canonical) {
            return Ok(());
        }
        if kind == Kind::Directory {
            let (ignores, _) = above(files, &canonical);
            let dir = files.directory(path)?;
            self.jobs.push(Job::Opened(Box::new(Level { dir, ignores, depth: 0 })));
        } else {
            // A FIFO or a device is an error that says so.
            drop(files.read(path)?);
            self.jobs.push(Job::Named(canonical.clone()));
        }
        self.paths.push(canonical);
        Ok(())
    }

    /// What a rule grants is not always there, and may be ignored.
    fn add_granted(&mut self, files: &Files, path: &Utf8Path) {
        let (ignores, is_ignored) = above(files, path);
        if is_ignored || self.paths.iter().any(|known| known == path) {
            return;
        }
        match files.directory(path) {
            Ok(dir) if dir.path() == path => {
                self.jobs.push(Job::Opened(Box::new(Level { dir, ignores, depth: 0 })));
            }
            Err(_) if files.read(path).is_ok() => self.jobs.push(Job::Named(path.to_owned())),
            _ => return,
        }
        self.paths.push(path.to_owned());
    }
}

/// The paths of rules that can be read while the directory around them cannot.
fn granted_apart(files: &Files, readable: &impl Fn(&Utf8Path) -> bool) -> Vec<Utf8PathBuf> {
    let Some(policy) = files.policy() else {
        return Vec::new();
    };
    let rules = policy.fs.iter().filter(|rule| rule.grants(Capability::Read));
    let paths = rules.filter_map(|rule| files.root().resolve(rule.path()).ok());
    let mut paths: Vec<_> = paths
        .map(|path| path.relative().to_owned())
        .filter(|path| path != "." && readable(path) && !parents(path).all(|dir| readable(&dir)))
        .collect();
    paths.sort();
    paths.dedup();
    // What is readable all the way down from another start is reached from there.
    let is_reached = |path: &Utf8PathBuf| parents(path).next().is_some_and(|dir| readable(&dir));
    paths.retain(|path| !is_reached(path));
    paths
}

/// What the directories above a path ignore, and whether the path is among it.
fn above(files: &Files, path: &Utf8Path) -> (Ignores, bool) {
    let mut ignores = Ignores::default();
    let mut is_ignored = false;
    if path == "." {
        return (ignores, is_ignored);
    }
    let mut dirs: Vec<_> = parents(path).collect();
    dirs.reverse();
    for at in dirs {
        is_ignored |= at != "." && ignores.ignores(at.as_str(), true);
        if let Ok(dir) = files.directory(&at)
            && let Ok(entries) = dir.entries()
        {
            let entries: Vec<_> = entries.flatten().collect();
            ignores = ignores.below(files, &dir, &entries);
        }
    }
    is_ignored |= ignores.ignores(path.as_str(), true);
    (ignores, is_ignored)
}

/// The directories above a canonical path, the nearest first and the root last.
fn parents(path: &Utf8Path) -> impl Iterator<Item = Utf8PathBuf> {
    path.ancestors()
        .skip(1)
        .map(|dir| if dir.as_str().is_empty() { Utf8PathBuf::from(".") } else { dir.to_owned() })
}
