//! A real directory with the files of a project, for programs that know nothing else.
//!
//! A project on a disk is that directory. Any other is copied, as far as it may be read, and what a
//! program changed in the copy is brought back through the same methods, so by the same rules. What
//! somebody else changed meanwhile is not written over: then nothing is brought back, and the paths are
//! named.
//!
//! Only files and directories travel. Links that a program makes stay in the copy, and so do permissions.

use std::{collections::BTreeMap, sync::Arc};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::path::Root;
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::{
    DeleteReach, FsProjectFiles, Kind, Part, ProjectError, ProjectFiles, ProjectPath, Rules, Slice,
    WriteMode,
};

/// The largest file that is copied.
const MAX_FILE: u64 = 1 << 30;

/// A directory with the files of a project. A copy is removed when this is dropped.
#[derive(Debug)]
pub struct Materialized {
    path: Utf8PathBuf,
    copy: Option<Copy>,
}

/// What was brought back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Synced {
    /// Files that are new or changed, and directories that are new.
    pub written: Vec<ProjectPath>,
    /// What is gone.
    pub deleted: Vec<ProjectPath>,
}

/// Why changes were not brought back.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The project has changed in the same places. Nothing was brought back.
    #[error("changed in the project meanwhile: {}", list(paths))]
    Conflict {
        /// Where.
        paths: Vec<ProjectPath>,
    },
    /// A file could not be read or written. Those before it in the order of paths may be back.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

#[derive(Debug)]
struct Copy {
    inside: FsProjectFiles,
    project: Arc<dyn ProjectFiles>,
    before: States,
    _dir: TempDir,
}

type States = BTreeMap<ProjectPath, State>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Directory,
    /// The hash of the content.
    File([u8; 32]),
}

impl Materialized {
    /// A project that is a directory.
    pub fn in_place(path: Utf8PathBuf) -> Self {
        Self { path, copy: None }
    }

    /// A copy of everything that may be read, made in `scratch`. For backends that have no directory.
    pub fn copy_of(
        project: Arc<dyn ProjectFiles>,
        scratch: &Utf8Path,
    ) -> Result<Self, ProjectError> {
        let failed = |source| ProjectError::Io { path: scratch.to_string(), source };
        let dir =
            tempfile::Builder::new().prefix("jp-project-").tempdir_in(scratch).map_err(failed)?;
        let path = Utf8Path::from_path(dir.path())
            .ok_or_else(|| failed(std::io::ErrorKind::InvalidFilename.into()))?;
        let root = Root::open(path).map_err(failed)?;
        let path = root.path().to_owned();
        let inside = FsProjectFiles::new(root, Rules::default());
        let before = scan(project.as_ref(), &mut |path, content| match content {
            None => inside.create_dir(path),
            Some(content) => inside.write(path, content, WriteMode::CreateNew),
        })?;
        Ok(Self { path, copy: Some(Copy { inside, project, before, _dir: dir }) })
    }

    /// The directory.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Brings back what changed since the directory was made, or since the last time. In a project that
    /// is the directory itself there is nothing to do.
    pub fn sync_back(&mut self) -> Result<Synced, SyncError> {
        self.copy.as_mut().map_or_else(|| Ok(Synced::default()), Copy::sync_back)
    }
}

impl Copy {
    fn sync_back(&mut self) -> Result<Synced, SyncError> {
        let now = scan(&self.inside, &mut |_, _| Ok(()))?;
        let changed = |path: &&ProjectPath| self.before.get(path) != now.get(path);
        let mut paths: Vec<_> =
            self.before.keys().chain(now.keys()).filter(changed).cloned().collect();
        paths.sort();
        paths.dedup();
        self.check_conflicts(&paths, &now)?;
        let mut synced = Synced::default();
        // What is inside a directory goes before it.
        for path in paths.iter().rev() {
            if self.has_to_go(path, &now)? {
                self.project.delete(path, DeleteReach::Recursive)?;
                synced.deleted.push(path.clone());
            }
        }
        for path in &paths {
            match now.get(path) {
                None => continue,
                Some(State::Directory) => make_dir(self.project.as_ref(), path)?,
                Some(State::File(_)) => {
                    let content = self.inside.read(path, Part::whole(MAX_FILE))?;
                    self.project.write(path, &content.bytes, WriteMode::Replace)?;
                }
            }
            synced.written.push(path.clone());
        }
        self.before = now;
        Ok(synced)
    }

    fn check_conflicts(&self, paths: &[ProjectPath], now: &States) -> Result<(), SyncError> {
        let mut conflicts = Vec::new();
        for path in paths {
            let current = state(self.project.as_ref(), path)?;
            if current.as_ref() != self.before.get(path) && current.as_ref() != now.get(path) {
                conflicts.push(path.clone());
            }
        }
        if conflicts.is_empty() { Ok(()) } else { Err(SyncError::Conflict { paths: conflicts }) }
    }

    /// Whether something that was there has to be deleted. A directory in which the project has
    /// something new stays.
    fn has_to_go(&self, path: &ProjectPath, now: &States) -> Result<bool, ProjectError> {
        let is_replaced = match (self.before.get(path), now.get(path)) {
            (Some(State::File(_)), Some(State::File(_))) | (None, _) => false,
            (before, now) => before != now,
        };
        if !is_replaced {
            return Ok(false);
        }
        Ok(match state(self.project.as_ref(), path)? {
            None => false,
            Some(State::File(_)) => true,
            Some(State::Directory) => self.project.list_dir(path, Slice::default())?.is_empty(),
        })
    }
}

fn make_dir(project: &dyn ProjectFiles, path: &ProjectPath) -> Result<(), ProjectError> {
    match project.create_dir(path) {
        Err(ProjectError::AlreadyExists { .. }) => Ok(()),
        made => made,
    }
}

/// What is at a path now.
fn state(project: &dyn ProjectFiles, path: &ProjectPath) -> Result<Option<State>, ProjectError> {
    match project.metadata(path) {
        Err(ProjectError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
        Ok(data) if data.kind == Kind::Directory => Ok(Some(State::Directory)),
        Ok(_) => Ok(Some(hash(&project.read(path, Part::whole(MAX_FILE))?.bytes))),
    }
}

/// What gets each directory, and each file with its content.
type Visit<'a> = dyn FnMut(&ProjectPath, Option<&[u8]>) -> Result<(), ProjectError> + 'a;

/// Everything that may be read, each directory before what is in it.
fn scan(project: &dyn ProjectFiles, visit: &mut Visit<'_>) -> Result<States, ProjectError> {
    let mut states = States::new();
    let mut dirs = vec![ProjectPath::root()];
    while let Some(dir) = dirs.pop() {
        let entries = match project.list_dir(&dir, Slice::default()) {
            Err(ProjectError::Access(_)) => continue,
            entries => entries?,
        };
        for entry in entries {
            // A name that is too long to be asked for cannot be told to anybody either.
            let Ok(path) = dir.join(&entry.name) else { continue };
            let state = match entry.kind {
                _ if entry.is_link => continue,
                Kind::Other => continue,
                Kind::Directory => {
                    visit(&path, None)?;
                    dirs.push(path.clone());
                    State::Directory
                }
                Kind::File => {
                    let content = match project.read(&path, Part::whole(MAX_FILE)) {
                        // One that is denied by another of its names.
                        Err(ProjectError::Access(_)) => continue,
                        content => content?.bytes,
                    };
                    visit(&path, Some(&content))?;
                    hash(&content)
                }
            };
            states.insert(path, state);
        }
    }
    Ok(states)
}

fn hash(content: &[u8]) -> State {
    State::File(Sha256::digest(content).into())
}

fn list(paths: &[ProjectPath]) -> String {
    paths.iter().map(ProjectPath::as_str).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
