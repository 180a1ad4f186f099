//! Making the changes real.
//!
//! Everything goes through the methods of the backend below under the rules of the view, so it is judged
//! once more. What somebody else has changed below since it was touched here is left alone and reported.
//! The look at it and the change are two steps: who writes in the moment between them is not noticed.
//!
//! What is made comes first and what is deleted last, and if anything failed nothing is deleted: a move
//! of which only the second half works would lose a file. A file that was moved is moved, so that it
//! keeps what only the backend below knows of it, like permissions.

use std::sync::PoisonError;

use jp_changes::{Change, CommitError, Failure, Kind, Node, Report};

use super::{
    OverlayProjectFiles,
    changes::list,
    merged,
    state::{Before, File, Now, State},
};
use crate::{DeleteReach, ProjectError, ProjectPath, RenameTarget, Slice, WriteMode};

impl OverlayProjectFiles {
    /// Makes the changes in the backend below, as far as the rules of this view allow it, and says what
    /// became of each. Afterwards nothing is kept apart any more, in no view.
    pub fn apply(self) -> Report {
        let state = self.state.write().unwrap_or_else(PoisonError::into_inner).take();
        let (gone, made): (Vec<_>, Vec<_>) =
            list(&state).into_iter().partition(|change| matches!(change.kind, Kind::Deleted(_)));
        let mut report = Report::default();
        for change in made {
            let result = self.make(&state, &change);
            note(&mut report, change, result);
        }
        let is_whole = report.failed.is_empty();
        // What is inside a directory goes before it.
        for change in gone.into_iter().rev() {
            let result =
                if is_whole { self.unmake(&state, &change) } else { Err(CommitError::Skipped) };
            note(&mut report, change, result);
        }
        report
    }

    fn make(&self, state: &State, change: &Change) -> Result<(), CommitError> {
        let path = ProjectPath::known(change.path.as_str());
        let is_as_before = self.is_as_before(state, &path)?;
        match state.now(&path) {
            Now::AsBefore | Now::Nothing => Ok(()),
            Now::Directory if self.below_is(&path, &Before::Directory)? => Ok(()),
            _ if !is_as_before => Err(CommitError::Changed),
            Now::Directory => {
                self.clear_way(state, change, &path)?;
                Ok(self.below.create_dir(&path)?)
            }
            Now::File(file) => {
                if self.can_move(state, change, file)? {
                    return self.make_moved(state, file, &path);
                }
                self.clear_way(state, change, &path)?;
                let mode = match change.kind {
                    Kind::Updated { .. } => WriteMode::Replace,
                    _ => WriteMode::CreateNew,
                };
                self.put(state, file, &path, mode)
            }
        }
    }

    /// Whether a file can come from where it was: nothing is at the one place, and what was at the other
    /// is still there.
    fn can_move(&self, state: &State, change: &Change, file: &File) -> Result<bool, CommitError> {
        let is_new = matches!(change.kind, Kind::Created(_));
        match &file.moved_from {
            Some(from) if is_new && matches!(state.now(from), Now::Nothing) => {
                self.is_as_before(state, from)
            }
            _ => Ok(false),
        }
    }

    fn make_moved(
        &self,
        state: &State,
        file: &File,
        path: &ProjectPath,
    ) -> Result<(), CommitError> {
        let Some(from) = &file.moved_from else { return Ok(()) };
        self.below.rename(from, path, RenameTarget::Keep)?;
        match state.before(from) {
            Before::File(stamp) if stamp.hash.is_none_or(|hash| hash == file.content.hash) => {
                Ok(())
            }
            _ => self.put(state, file, path, WriteMode::Replace),
        }
    }

    fn put(
        &self,
        state: &State,
        file: &File,
        path: &ProjectPath,
        mode: WriteMode,
    ) -> Result<(), CommitError> {
        let mut content = state.store.reader(&file.content);
        Ok(self.below.write_from(path, &mut content, file.content.len(), mode)?)
    }

    /// Deletes what has to go before something of another kind can be there. Of a directory everything
    /// has to be as it was.
    fn clear_way(
        &self,
        state: &State,
        change: &Change,
        path: &ProjectPath,
    ) -> Result<(), CommitError> {
        let Kind::Replaced { old, .. } = &change.kind else {
            return Ok(());
        };
        if *old != Node::Directory {
            return Ok(self.below.delete(path, DeleteReach::File)?);
        }
        let mut dirs = vec![path.clone()];
        while let Some(dir) = dirs.pop() {
            for entry in self.all.list_dir(&dir, Slice::default())? {
                let path = ProjectPath::known(&crate::path::join(dir.as_str(), &entry.name));
                if !self.is_as_before(state, &path)? {
                    return Err(CommitError::Changed);
                }
                if entry.kind == crate::Kind::Directory && !entry.is_link {
                    dirs.push(path);
                }
            }
        }
        Ok(self.below.delete(path, DeleteReach::Recursive)?)
    }

    fn unmake(&self, state: &State, change: &Change) -> Result<(), CommitError> {
        let path = ProjectPath::known(change.path.as_str());
        // It was moved, or went with a directory that became something else.
        if self.below_is(&path, &Before::Nothing)? {
            return Ok(());
        }
        if !self.is_as_before(state, &path)? {
            return Err(CommitError::Changed);
        }
        if change.kind != Kind::Deleted(Node::Directory) {
            return Ok(self.below.delete(&path, DeleteReach::File)?);
        }
        match self.below.delete(&path, DeleteReach::Empty) {
            // Somebody else has put something there.
            Err(ProjectError::NotEmpty { .. }) => Err(CommitError::Changed),
            deleted => Ok(deleted?),
        }
    }

    fn is_as_before(&self, state: &State, path: &ProjectPath) -> Result<bool, CommitError> {
        self.below_is(path, state.before(path))
    }

    fn below_is(&self, path: &ProjectPath, expected: &Before) -> Result<bool, CommitError> {
        Ok(merged::before(&self.all, path)? == *expected)
    }
}

fn note(report: &mut Report, change: Change, result: Result<(), CommitError>) {
    match result {
        Ok(()) => report.done.push(change),
        Err(error) => report.failed.push(Failure { change, error }),
    }
}

impl From<ProjectError> for CommitError {
    fn from(error: ProjectError) -> Self {
        match error {
            ProjectError::Access(error) => Self::Access(error),
            other => Self::Io(std::io::Error::other(other)),
        }
    }
}
