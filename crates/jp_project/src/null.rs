//! No files at all: for runs that have no project. Every operation fails, none pretends.

use std::sync::Arc;

use camino::Utf8Path;

use crate::{
    Content, DeleteReach, DirEntry, GrepAnswer, GrepQuery, Materialized, Metadata, Part,
    ProjectError, ProjectFiles, ProjectPath, RenameTarget, Rules, Slice, WriteMode,
};

/// The project that is not there.
#[derive(Debug, Clone, Copy, Default)]
pub struct NullProjectFiles;

impl ProjectFiles for NullProjectFiles {
    fn read(&self, _: &ProjectPath, _: Part) -> Result<Content, ProjectError> {
        Err(ProjectError::Unavailable)
    }

    fn write(&self, _: &ProjectPath, _: &[u8], _: WriteMode) -> Result<(), ProjectError> {
        Err(ProjectError::Unavailable)
    }

    fn list_dir(&self, _: &ProjectPath, _: Slice) -> Result<Vec<DirEntry>, ProjectError> {
        Err(ProjectError::Unavailable)
    }

    fn metadata(&self, _: &ProjectPath) -> Result<Metadata, ProjectError> {
        Err(ProjectError::Unavailable)
    }

    fn delete(&self, _: &ProjectPath, _: DeleteReach) -> Result<(), ProjectError> {
        Err(ProjectError::Unavailable)
    }

    fn rename(
        &self,
        _: &ProjectPath,
        _: &ProjectPath,
        _: RenameTarget,
    ) -> Result<(), ProjectError> {
        Err(ProjectError::Unavailable)
    }

    fn create_dir(&self, _: &ProjectPath) -> Result<(), ProjectError> {
        Err(ProjectError::Unavailable)
    }

    fn grep(&self, _: &GrepQuery) -> Result<GrepAnswer, ProjectError> {
        Err(ProjectError::Unavailable)
    }

    fn materialize(&self, _: &Utf8Path) -> Result<Materialized, ProjectError> {
        Err(ProjectError::Unavailable)
    }

    fn display_root(&self) -> String {
        "(no project)".to_owned()
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn under(&self, _: Rules) -> Arc<dyn ProjectFiles> {
        Arc::new(*self)
    }
}
