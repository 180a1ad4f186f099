//! Changes that are kept apart: a dry run, or a run whose changes a person looks at first.
//!
//! Below is any backend, and it stays as it is. What is written, deleted or moved is kept above it, and
//! every answer is given from both together. [`OverlayProjectFiles::changes`] tells what is different,
//! [`OverlayProjectFiles::apply`] makes it real, and without that it is gone with the last view. Before a person
//! looks, [`OverlayProjectFiles::seal`] ends it: work that goes on behind the back of whoever asked for it, like a
//! program whose files are being brought back, must not add what nobody has seen to what is applied.
//!
//! Changes are kept by canonical path, so a file that is changed through a link is changed under all its
//! names. What is below is read by a view under the same rules, which judges the very thing that it
//! opens; only to find the way, to notice what somebody else changed and to show a person what was there
//! is it looked at without rules.
//!
//! Links and special files below can be read through and deleted. They cannot be moved, nor can a
//! directory with one in it: what is kept here are files and directories.
//!
//! Contents are in memory up to 64 MiB together, then in a file without a name in the scratch directory
//! up to 4 GiB; at most 100,000 paths can be touched, of 16 MiB together, below directories that were made too.

mod apply;
mod changes;
mod merged;
mod state;
mod store;

use std::{
    io::Read,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use camino::Utf8Path;
use jp_tool::access::{Capability, FsAccessError};

use self::{
    merged::Merged,
    state::{Cover, State, Upper},
};
use crate::{
    Content, DeleteReach, DirEntry, GrepAnswer, GrepQuery, Kind, Materialized, Metadata, Part,
    ProjectError, ProjectFiles, ProjectPath, RenameTarget, Rules, Slice, WriteMode, grep,
    nodes::{self, At, Nodes, Source},
    walk::View,
};

/// Files of a backend with changes that it does not know of. Views under other rules share them.
#[derive(Debug, Clone)]
pub struct OverlayProjectFiles {
    /// What is below, under the rules of this view.
    below: Arc<dyn ProjectFiles>,
    /// The same without rules.
    all: Arc<dyn ProjectFiles>,
    rules: Arc<Rules>,
    state: Arc<RwLock<State>>,
}

impl OverlayProjectFiles {
    /// Files as they are below, in which everything may be used. Contents that do not fit into memory
    /// are kept in `scratch`.
    pub fn new(below: &dyn ProjectFiles, scratch: &Utf8Path) -> Self {
        let all = below.under(Rules::default());
        let state = Arc::new(RwLock::new(State::new(scratch)));
        Self { below: Arc::clone(&all), all, rules: Arc::default(), state }
    }

    /// Takes no more changes, through no view: what can be seen now is what is applied. An operation that has
    /// begun is waited for.
    pub fn seal(&self) {
        self.state.write().unwrap_or_else(PoisonError::into_inner).is_sealed = true;
    }

    fn lock(&self) -> RwLockReadGuard<'_, State> {
        self.state.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_to_write(&self) -> Result<RwLockWriteGuard<'_, State>, ProjectError> {
        let state = self.state.write().unwrap_or_else(PoisonError::into_inner);
        if state.is_sealed {
            let source = std::io::Error::other("the changes are being looked at; nothing is added");
            return Err(ProjectError::Io { path: self.all.display_root(), source });
        }
        Ok(state)
    }

    fn merged<'a>(&'a self, state: &'a mut State) -> Merged<'a> {
        Merged { state, below: &self.below, all: &self.all, rules: &self.rules }
    }

    /// Where a path leads when links are followed.
    fn follow(&self, state: &State, path: &ProjectPath) -> Result<ProjectPath, ProjectError> {
        if state.is_empty() {
            return self.all.canonical(path);
        }
        // What is kept here has no links in it, and hides those that are below.
        let mut canonical = ProjectPath::root();
        for name in path.as_str().split('/').filter(|name| *name != ".") {
            canonical = ProjectPath::known(&crate::path::join(canonical.as_str(), name));
            if matches!(state.cover(&canonical), Cover::Below) {
                canonical = self.all.canonical(&canonical)?;
            }
        }
        Ok(canonical)
    }

    /// What a path leads to.
    fn at(&self, state: &State, path: &ProjectPath) -> Result<At, ProjectError> {
        let canonical = self.follow(state, path)?;
        Ok(At { given: path.clone(), path: canonical, leads_to: None })
    }

    /// The entry of a directory that a path names, which can be a link.
    fn place(&self, state: &State, path: &ProjectPath) -> Result<At, ProjectError> {
        let (Some(parent), Some(name)) = (path.parent(), path.as_path().file_name()) else {
            return Ok(At::plain(path));
        };
        let parent = self.follow(state, &parent)?;
        let place = ProjectPath::known(&crate::path::join(parent.as_str(), name));
        let leads_to = Some(self.follow(state, path)?).filter(|target| *target != place);
        Ok(At { given: path.clone(), path: place, leads_to })
    }

    /// What a path leads to, for something that is to be put there. Where a link leads to nothing,
    /// nothing is made: whoever writes to it cannot know where.
    fn at_to_make(&self, state: &mut State, path: &ProjectPath) -> Result<At, ProjectError> {
        let place = self.place(state, path)?;
        let Some(target) = place.leads_to else {
            return Ok(place);
        };
        let at = At { given: path.clone(), path: target, leads_to: None };
        if self.merged(state).kind(&at.path)?.is_none() {
            at.check(&self.rules, Capability::Create)?;
            return Err(ProjectError::AlreadyExists { path: path.clone() });
        }
        Ok(at)
    }

    /// What an entry is; of a link, what it leads to.
    fn kind_of(&self, dir: &ProjectPath, entry: &DirEntry) -> Kind {
        let Ok(path) = dir.join(&entry.name) else {
            return Kind::Other;
        };
        let data = match self.metadata(&path) {
            // That something sensitive is there is no secret.
            Err(ProjectError::Access(FsAccessError::Sensitive(_))) => {
                Self { rules: Arc::default(), below: Arc::clone(&self.all), ..self.clone() }
                    .metadata(&path)
            }
            data => data,
        };
        data.map_or(Kind::Other, |data| data.kind)
    }
}

impl ProjectFiles for OverlayProjectFiles {
    fn read(&self, path: &ProjectPath, part: Part) -> Result<Content, ProjectError> {
        let state = self.lock();
        let at = self.at(&state, path)?;
        let cover = state.cover(&at.path);
        if matches!(cover, Cover::Below) {
            drop(state);
            return self.below.read(path, part);
        }
        at.check(&self.rules, Capability::Read)?;
        match cover {
            Cover::Upper(Upper::File(file)) => {
                let size = file.content.len();
                let (offset, len) = part.of(size, path)?;
                let bytes = state.store.read(&file.content, offset, len);
                let failed = |source| ProjectError::Io { path: path.to_string(), source };
                Ok(Content { bytes: bytes.map_err(failed)?, size, executable: file.executable })
            }
            Cover::Upper(Upper::Directory) => {
                Err(ProjectError::IsADirectory { path: path.clone() })
            }
            _ => Err(ProjectError::NotFound { path: path.clone() }),
        }
    }

    fn write(
        &self,
        path: &ProjectPath,
        content: &[u8],
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        let mut content = content;
        let size = u64::try_from(content.len()).unwrap_or(u64::MAX);
        self.write_from(path, &mut content, size, mode)
    }

    fn write_from(
        &self,
        path: &ProjectPath,
        content: &mut dyn Read,
        size: u64,
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        let mut state = self.lock_to_write()?;
        let at = self.at_to_make(&mut state, path)?;
        let source = Source { reader: content, size };
        nodes::write(&mut self.merged(&mut state), &self.rules, &at, source, mode)
    }

    fn list_dir(&self, path: &ProjectPath, slice: Slice) -> Result<Vec<DirEntry>, ProjectError> {
        let state = self.lock();
        let at = self.at(&state, path)?;
        let below = match state.cover(&at.path) {
            Cover::Below => self.below.list_dir(path, Slice::default())?,
            cover => {
                at.check(&self.rules, Capability::Read)?;
                match cover {
                    Cover::Upper(Upper::Directory) => Vec::new(),
                    Cover::Upper(Upper::File(_)) => {
                        return Err(ProjectError::NotADirectory { path: path.clone() });
                    }
                    _ => return Err(ProjectError::NotFound { path: path.clone() }),
                }
            }
        };
        let mut entries = state.merge(&at.path, below);
        drop(state);
        let path_of = |name: &str| crate::path::join(at.path.as_str(), name);
        entries.retain(|entry| self.rules.is_visible(Utf8Path::new(&path_of(&entry.name))));
        let mut entries = slice.of(entries);
        for entry in entries.iter_mut().filter(|entry| entry.is_link) {
            entry.kind = self.kind_of(path, entry);
        }
        Ok(entries)
    }

    fn leaves_out(&self, path: &ProjectPath) -> Result<bool, ProjectError> {
        let state = self.lock();
        let at = self.at(&state, path)?;
        let is_below = matches!(state.cover(&at.path), Cover::Below);
        if is_below { self.all.leaves_out(&at.path) } else { Ok(false) }
    }

    fn metadata(&self, path: &ProjectPath) -> Result<Metadata, ProjectError> {
        let state = self.lock();
        let at = self.at(&state, path)?;
        let cover = state.cover(&at.path);
        if matches!(cover, Cover::Below) {
            drop(state);
            return self.below.metadata(path);
        }
        at.check(&self.rules, Capability::Read)?;
        match cover {
            Cover::Upper(Upper::File(file)) => {
                Ok(Metadata { kind: Kind::File, size: file.content.len() })
            }
            Cover::Upper(Upper::Directory) => Ok(Metadata { kind: Kind::Directory, size: 0 }),
            _ => Err(ProjectError::NotFound { path: path.clone() }),
        }
    }

    fn delete(&self, path: &ProjectPath, reach: DeleteReach) -> Result<(), ProjectError> {
        let mut state = self.lock_to_write()?;
        let at = self.place(&state, path)?;
        nodes::delete(&mut self.merged(&mut state), &self.rules, &at, reach)
    }

    fn rename(
        &self,
        from: &ProjectPath,
        to: &ProjectPath,
        target: RenameTarget,
    ) -> Result<(), ProjectError> {
        if from.is_root() || to.is_root() {
            return Err(ProjectError::Root);
        }
        let mut state = self.lock_to_write()?;
        let (from, to) = (self.place(&state, from)?, self.place(&state, to)?);
        nodes::rename(&mut self.merged(&mut state), &self.rules, &from, &to, target)
    }

    fn create_dir(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        let mut state = self.lock_to_write()?;
        let at = self.at_to_make(&mut state, path)?;
        nodes::create_dir(&mut self.merged(&mut state), &self.rules, &at)
    }

    fn grep(&self, query: &GrepQuery) -> Result<GrepAnswer, ProjectError> {
        grep::grep(&View::new(Arc::new(self.clone()), Rules::clone(&self.rules)), query)
    }

    fn materialize(&self, scratch: &Utf8Path) -> Result<Materialized, ProjectError> {
        Materialized::copy_of(Arc::new(self.clone()), scratch)
    }

    fn display_root(&self) -> String {
        format!("{} (changes are kept apart)", self.all.display_root())
    }

    fn canonical(&self, path: &ProjectPath) -> Result<ProjectPath, ProjectError> {
        self.follow(&self.lock(), path)
    }

    fn is_quick(&self) -> bool {
        self.all.is_quick()
    }

    fn under(&self, rules: Rules) -> Arc<dyn ProjectFiles> {
        Arc::new(Self {
            below: self.all.under(rules.clone()),
            all: Arc::clone(&self.all),
            rules: Arc::new(rules),
            state: Arc::clone(&self.state),
        })
    }
}

#[cfg(test)]
mod tests;
