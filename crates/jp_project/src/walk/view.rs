//! The walk over a backend that brings nothing but the trait.
//!
//! What is in a directory is asked without rules, because the walk judges each name itself and has to
//! know of a `.git` that may not be read. What is opened is opened under the rules, so that the backend
//! judges the very thing that it opens.

use std::sync::Arc;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{
    Capability,
    path::{self as access, Entry},
};

use super::{Found, Tree};
use crate::{
    Kind, ProjectError, ProjectFiles, ProjectPath, Rules, Slice, parts::Parts, path::join,
};

/// The files of a backend under rules.
#[derive(Debug)]
pub(crate) struct View {
    files: Arc<dyn ProjectFiles>,
    all: Arc<dyn ProjectFiles>,
    rules: Rules,
}

impl View {
    /// A view of files that are under these rules.
    pub(crate) fn new(files: Arc<dyn ProjectFiles>, rules: Rules) -> Self {
        Self { all: files.under(Rules::default()), files, rules }
    }

    fn path(path: &str) -> Result<ProjectPath, ProjectError> {
        ProjectPath::new(path).map_err(|error| ProjectError::Io {
            path: path.to_owned(),
            source: std::io::Error::new(std::io::ErrorKind::InvalidFilename, error),
        })
    }
}

impl Tree for View {
    type Dir = ProjectPath;
    type File = Parts;

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn find(&self, path: &ProjectPath) -> Result<Found<ProjectPath>, ProjectError> {
        let kind = self.files.metadata(path)?.kind;
        let canonical = self.files.canonical(path)?;
        if kind == Kind::Directory {
            return Ok(Found::Directory(canonical));
        }
        // What is no file is an error that says so.
        drop(Parts::open(Arc::clone(&self.files), path.clone())?);
        Ok(Found::File(Utf8PathBuf::from(canonical.as_str())))
    }

    fn path<'a>(&self, dir: &'a ProjectPath) -> &'a str {
        dir.as_str()
    }

    fn entries(&self, dir: &ProjectPath) -> Result<Vec<Entry>, ProjectError> {
        let entries = self.all.list_dir(dir, Slice::default())?;
        let kind = |kind, is_link| match kind {
            _ if is_link => access::Kind::Symlink,
            Kind::File => access::Kind::File,
            Kind::Directory => access::Kind::Directory,
            Kind::Other => access::Kind::Other,
        };
        let entry = |entry: crate::DirEntry| Entry {
            kind: kind(entry.kind, entry.is_link),
            name: entry.name,
        };
        Ok(entries.into_iter().map(entry).collect())
    }

    fn dir_in(&self, dir: &ProjectPath, name: &str) -> Result<ProjectPath, ProjectError> {
        let path = Self::path(&join(dir.as_str(), name))?;
        self.rules.check(Capability::Read, path.as_path())?;
        Ok(path)
    }

    fn open_in(&self, dir: &ProjectPath, name: &str) -> Result<Parts, ProjectError> {
        self.open(Utf8Path::new(&join(dir.as_str(), name)))
    }

    fn open(&self, path: &Utf8Path) -> Result<Parts, ProjectError> {
        Parts::open(Arc::clone(&self.files), Self::path(path.as_str())?)
    }
}
