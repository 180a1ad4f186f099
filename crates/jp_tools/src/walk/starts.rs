//! Where a walk begins.
//!
//! A path that was asked for has to be readable, and is walked even if it is ignored: whoever names
//! it wants it. Without a path everything that may be read is meant. To that belongs what a rule grants
//! below a directory that is denied, which the walk cannot reach by itself.

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{
    ToolError,
    access::{Capability, path::Kind},
};

use super::{Job, Level, NEVER, Selection, Tree, ignores::Ignores};
use crate::place::PlaceError;

/// Why a walk cannot begin.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// A path that was asked for cannot be used.
    #[error(transparent)]
    Open(#[from] PlaceError),
    /// More than [`MAX_PATHS`] were asked for.
    #[error("more than {MAX_PATHS} paths")]
    TooMany,
}

pub(crate) const MAX_PATHS: usize = 1_000;

impl From<StartError> for ToolError {
    fn from(error: StartError) -> Self {
        match error {
            StartError::Open(error) => error.into(),
            StartError::TooMany => Self::new(format!("argument `paths`: {error}")),
        }
    }
}

pub(super) struct Starts<D> {
    jobs: Vec<Job<D>>,
    /// The canonical paths of all of them, sorted.
    paths: Vec<Utf8PathBuf>,
}

impl<D> Starts<D> {
    pub(super) fn find<T: Tree<Dir = D>>(
        tree: &T,
        asked: &[String],
        selection: &Selection,
    ) -> Result<Self, StartError> {
        let mut starts = Self { jobs: Vec::new(), paths: Vec::new() };
        if asked.len() > MAX_PATHS {
            return Err(StartError::TooMany);
        }
        for path in asked {
            starts.add_asked(tree, Utf8Path::new(path))?;
        }
        let granted = granted_apart(tree);
        if asked.is_empty() && (tree.may_read(Utf8Path::new(".")) || granted.is_empty()) {
            starts.add_asked(tree, Utf8Path::new("."))?;
        }
        let bases = if asked.is_empty() { vec![".".into()] } else { starts.paths.clone() };
        for path in granted {
            if let Some(levels) = bases.iter().find_map(|base| levels_below(base, &path)) {
                starts.add_granted(tree, &path, levels, selection);
            }
        }
        starts.paths.sort();
        Ok(starts)
    }

    pub(super) fn take_jobs(&mut self) -> Vec<Job<D>> {
        std::mem::take(&mut self.jobs)
    }

    /// Whether another walk begins here, so that this one need not come.
    pub(super) fn begins_at(&self, path: &Utf8Path) -> bool {
        self.paths.len() > 1 && self.paths.binary_search_by(|start| (**start).cmp(path)).is_ok()
    }

    fn add_asked<T: Tree<Dir = D>>(&mut self, tree: &T, path: &Utf8Path) -> Result<(), PlaceError> {
        let kind = tree.kind(path)?;
        let canonical = tree.canonical(path)?;
        if self.paths.contains(&canonical) {
            return Ok(());
        }
        if kind == Kind::Directory {
            let (ignores, _) = above(tree, &canonical);
            let dir = tree.dir(path)?;
            self.jobs.push(Job::Opened(Box::new(Level { dir, ignores, depth: 0 })));
        } else {
            // A FIFO or a device is an error that says so.
            drop(tree.open(path)?);
            self.jobs.push(Job::Named(canonical.clone()));
        }
        self.paths.push(canonical);
        Ok(())
    }

    /// What a rule grants is not always there, and may be ignored or not wanted. The walk would have
    /// come to it after this many levels.
    fn add_granted<T: Tree<Dir = D>>(
        &mut self,
        tree: &T,
        path: &Utf8Path,
        levels: usize,
        selection: &Selection,
    ) {
        let (ignores, is_ignored) = above(tree, path);
        let is_never = path.components().any(|name| NEVER.contains(&name.as_str()));
        let is_reached = levels < 2 || selection.enters(path.as_str(), levels - 2);
        if is_ignored || is_never || !is_reached || self.paths.iter().any(|known| known == path) {
            return;
        }
        match tree.dir(path) {
            Ok(dir) if tree.path_of(&dir) == path => {
                if !selection.could_be_in(path.as_str())
                    || !selection.enters(path.as_str(), levels - 1)
                {
                    return;
                }
                self.jobs.push(Job::Opened(Box::new(Level { dir, ignores, depth: levels })));
            }
            Err(_) if selection.wants(path.as_str()) && tree.open(path).is_ok() => {
                self.jobs.push(Job::Named(path.to_owned()));
            }
            _ => return,
        }
        self.paths.push(path.to_owned());
    }
}

/// The paths of rules that can be read while the directory around them cannot.
fn granted_apart<T: Tree>(tree: &T) -> Vec<Utf8PathBuf> {
    let Some(policy) = tree.policy() else {
        return Vec::new();
    };
    let rules = policy.fs.iter().filter(|rule| rule.grants(Capability::Read));
    let mut paths: Vec<_> = rules
        .filter_map(|rule| tree.canonical(rule.path()).ok())
        .filter(|path| path != "." && tree.may_read(path))
        .filter(|path| parents(path).next().is_some_and(|dir| !tree.may_read(&dir)))
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// How many levels below a directory a path is; `None` if it is elsewhere, or the directory itself.
fn levels_below(base: &Utf8Path, path: &Utf8Path) -> Option<usize> {
    let rest = if base == "." { path } else { path.strip_prefix(base).ok()? };
    Some(rest.components().count()).filter(|levels| *levels > 0)
}

/// What the directories above a path ignore, and whether the path is among it.
fn above<T: Tree>(tree: &T, path: &Utf8Path) -> (Ignores, bool) {
    let mut ignores = Ignores::default();
    let mut is_ignored = false;
    if path == "." {
        return (ignores, is_ignored);
    }
    let mut dirs: Vec<_> = parents(path).collect();
    dirs.reverse();
    for at in dirs {
        is_ignored |= at != "." && ignores.ignores(at.as_str(), true);
        if tree.may_read(&at)
            && let Ok(dir) = tree.dir(&at)
            && let Ok(entries) = tree.entries(&dir)
        {
            ignores = ignores.below(tree, &dir, &entries);
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
