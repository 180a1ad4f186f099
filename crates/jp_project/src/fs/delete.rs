//! Deleting directories.
//!
//! Nothing is deleted before all of it was looked at: what cannot be deleted must not cost what is beside it. Every
//! step goes from an open directory to what is in it, so somebody who puts a link in the way leads it nowhere.

use std::io;

use jp_tool::access::{
    Capability,
    path::{Directory, Entry, Kind, OpenError},
};

use super::FsProjectFiles;
use crate::{ProjectError, ProjectPath};

/// How deep a directory can be that is deleted as a whole. Each level costs an open handle.
const MAX_DEPTH: usize = 200;
/// Why a directory is not deleted: whoever deletes all the rest and then says that it is not empty helps nobody.
const UNNAMED: &str = "there is a name in it that is not UTF-8, which cannot be deleted from here";

impl FsProjectFiles {
    /// Deletes a directory with everything in it. All of it is looked through and judged before anything is gone:
    /// what cannot be deleted must not cost what is beside it. Everything is judged once more when it goes.
    pub(super) fn delete_all(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        let failed = |error| ProjectError::from_open(error, path);
        let (Some(parent), Some(name)) = (path.parent(), path.as_path().file_name()) else {
            return Err(ProjectError::Root);
        };
        let parent = self.all.directory(parent.as_path()).map_err(failed)?;
        self.check(Capability::Delete, &parent.path_of(name))?;
        self.judge_all(&parent, name, 0).map_err(failed)?;
        self.empty(&parent, name, 0).map_err(failed)?;
        self.files.remove_in(&parent, name, Kind::Directory).map_err(failed)
    }

    /// Deletes a directory if the system finds nothing in it.
    pub(super) fn delete_empty(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        match self.files.remove_dir(path.as_path()) {
            Err(error) => Err(match ProjectError::from_open(error, path) {
                // What some systems say of it.
                ProjectError::AlreadyExists { path } => ProjectError::NotEmpty { path },
                // It can be something above it that is no directory.
                error @ ProjectError::NotADirectory { .. } if self.find_out(path.as_path())?.1 => {
                    error
                }
                error => error.or_not_found(),
            }),
            Ok(()) => Ok(()),
        }
    }

    /// Whether everything in a directory may be deleted.
    fn judge_all(&self, parent: &Directory, name: &str, depth: usize) -> Result<(), OpenError> {
        let (dir, entries) = self.inside(parent, name, depth)?;
        for Entry { name, kind } in entries {
            self.rules.check(Capability::Delete, &dir.path_of(&name))?;
            if kind == Kind::Directory {
                self.judge_all(&dir, &name, depth + 1)?;
            }
        }
        Ok(())
    }

    fn empty(&self, parent: &Directory, name: &str, depth: usize) -> Result<(), OpenError> {
        let (dir, entries) = self.inside(parent, name, depth)?;
        for Entry { name, kind } in entries {
            if kind == Kind::Directory {
                self.empty(&dir, &name, depth + 1)?;
            }
            self.files.remove_in(&dir, &name, kind)?;
        }
        Ok(())
    }

    /// A directory that is to go, and what is in it. All names are read first: a list that shrinks while
    /// it is read can leave some out.
    fn inside(
        &self,
        parent: &Directory,
        name: &str,
        depth: usize,
    ) -> Result<(Directory, Vec<Entry>), OpenError> {
        let dir = self.all.directory_in(parent, name)?;
        let failed = |source| OpenError::Io { path: dir.path().to_owned(), source };
        if depth >= MAX_DEPTH {
            return Err(failed(io::Error::other("the directory is too deep")));
        }
        let mut all = dir.entries()?;
        let mut entries: Vec<Entry> = all.by_ref().collect::<Result<_, _>>().map_err(failed)?;
        if all.leaves_out() {
            return Err(failed(io::Error::new(io::ErrorKind::InvalidInput, UNNAMED)));
        }
        entries.sort();
        Ok((dir, entries))
    }
}
