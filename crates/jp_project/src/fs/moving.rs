//! Directories that are moved to where their paths are longer.
//!
//! A disk does not mind: it looks at one path at a time, and what is far inside is not in it. But nobody could ask for
//! such a file afterwards, and a directory that is moved into the next again and again would have paths without end. So
//! before a directory moves to a longer path it is looked whether everything in it can still be named.

use jp_tool::access::{
    Capability,
    path::{Directory, Entry, Files, Kind, OpenError},
};

use super::FsProjectFiles;
use crate::{ProjectError, ProjectPath, RenameTarget, nodes};

impl FsProjectFiles {
    /// Whether everything in what moves has a path afterwards. That it has none is said to whoever may move something
    /// there.
    pub(super) fn check_paths(
        &self,
        from: &ProjectPath,
        to: &ProjectPath,
        target: RenameTarget,
    ) -> Result<(), ProjectError> {
        let Err(error) = check_moved(&self.all, from, to) else { return Ok(()) };
        let (place, is_there) = self.find_out(to.as_path())?;
        self.check(if is_there { Capability::Update } else { Capability::Create }, &place)?;
        // The move itself says that it is there.
        if is_there && target == RenameTarget::Keep { Ok(()) } else { Err(error) }
    }
}

fn check_moved(all: &Files, from: &ProjectPath, to: &ProjectPath) -> Result<(), ProjectError> {
    if !is_longer(from, to) {
        return Ok(());
    }
    // A link is moved itself. What is no directory has nothing inside, and whether it is there at all is asked later.
    let (Some(parent), Some(name)) = (from.parent(), from.as_path().file_name()) else {
        return Ok(());
    };
    let parent = all.directory(parent.as_path());
    let Ok(dir) = parent.and_then(|parent| all.directory_in(&parent, name)) else { return Ok(()) };
    check_inside(all, &dir, from, (from, to))
}

fn check_inside(
    all: &Files,
    dir: &Directory,
    path: &ProjectPath,
    (from, to): (&ProjectPath, &ProjectPath),
) -> Result<(), ProjectError> {
    let failed = |error: OpenError| ProjectError::from_open(error, from);
    for entry in dir.entries().map_err(failed)? {
        let Entry { name, kind } = entry.map_err(|error| ProjectError::from_io(error, from))?;
        // One that cannot be named where it is now is nobody's.
        let Ok(path) = path.join(&name) else { continue };
        nodes::moved(&path, from, to)?;
        if kind == Kind::Directory {
            let inside = all.directory_in(dir, &name).map_err(failed)?;
            check_inside(all, &inside, &path, (from, to))?;
        }
    }
    Ok(())
}

/// Whether a path that moves along can become longer, or have more names.
fn is_longer(from: &ProjectPath, to: &ProjectPath) -> bool {
    let size = |path: &ProjectPath| (path.as_str().len(), path.as_str().split('/').count());
    let ((from_bytes, from_names), (to_bytes, to_names)) = (size(from), size(to));
    to_bytes > from_bytes || to_names > from_names
}
