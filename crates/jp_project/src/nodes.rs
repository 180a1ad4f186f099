//! What changes files, written once for all backends that keep them by their path.
//!
//! Such a backend knows what is at a path and can put something there ([`Nodes`]). Which rule is asked
//! when, which error wins over which, and that directories are made on the way, is decided here, so
//! these backends cannot differ in it. Everything is judged before the first thing is changed.

use std::io::{self, Read};

use jp_tool::access::Capability;

use crate::{DeleteReach, Kind, ProjectError, ProjectPath, RenameTarget, Rules, WriteMode};

/// Files and directories by their canonical path. The root is always there.
pub(crate) trait Nodes {
    /// What is at a path, with no link followed. Below a file there is nothing.
    fn kind(&self, path: &ProjectPath) -> Result<Option<Kind>, ProjectError>;

    /// Whether nothing is in a directory.
    fn is_empty(&self, dir: &ProjectPath) -> Result<bool, ProjectError>;

    /// Everything below a directory.
    fn below(&self, dir: &ProjectPath) -> Result<Vec<ProjectPath>, ProjectError>;

    /// Makes a directory where nothing is, in one that is there.
    fn put_dir(&mut self, path: &ProjectPath) -> Result<(), ProjectError>;

    /// Makes a file, or gives one that is there new content.
    fn put_file(&mut self, path: &ProjectPath, content: Source<'_>) -> Result<(), ProjectError>;

    /// Takes away what is there, with everything below it.
    fn remove(&mut self, path: &ProjectPath) -> Result<(), ProjectError>;

    /// Moves what is there, with everything below it, to where nothing is or what it may take the place of: a file, or
    /// an empty directory. If it fails, that is still there.
    fn relocate(&mut self, from: &ProjectPath, to: &ProjectPath) -> Result<(), ProjectError>;
}

/// A content of a size that is known, read as it is put somewhere.
pub(crate) struct Source<'a> {
    pub(crate) reader: &'a mut dyn Read,
    pub(crate) size: u64,
}

/// Where something is to be done.
#[derive(Debug)]
pub(crate) struct At {
    /// The path as it was given, for errors.
    pub(crate) given: ProjectPath,
    /// The canonical path.
    pub(crate) path: ProjectPath,
    /// Where a link leads that is itself the object.
    pub(crate) leads_to: Option<ProjectPath>,
}

impl At {
    /// A path of a backend without links.
    pub(crate) fn plain(path: &ProjectPath) -> Self {
        Self { given: path.clone(), path: path.clone(), leads_to: None }
    }

    pub(crate) fn check(&self, rules: &Rules, capability: Capability) -> Result<(), ProjectError> {
        if let Some(target) = &self.leads_to {
            rules.check(capability, target.as_path())?;
        }
        rules.check(capability, self.path.as_path())?;
        Ok(rules.check_name(self.given.as_path())?)
    }

    fn exists_already(&self) -> ProjectError {
        ProjectError::AlreadyExists { path: self.given.clone() }
    }
}

pub(crate) fn write<N: Nodes>(
    nodes: &mut N,
    rules: &Rules,
    at: &At,
    content: Source<'_>,
    mode: WriteMode,
) -> Result<(), ProjectError> {
    match (nodes.kind(&at.path)?, mode) {
        (Some(_), WriteMode::CreateNew) => {
            at.check(rules, Capability::Create)?;
            return Err(at.exists_already());
        }
        (Some(kind), WriteMode::Replace) => {
            at.check(rules, Capability::Update)?;
            match kind {
                Kind::File => {}
                Kind::Directory => {
                    return Err(ProjectError::IsADirectory { path: at.given.clone() });
                }
                Kind::Other => return Err(not_a_file(&at.given)),
            }
        }
        (None, _) => make_parents(nodes, rules, at)?,
    }
    nodes.put_file(&at.path, content)
}

pub(crate) fn create_dir<N: Nodes>(
    nodes: &mut N,
    rules: &Rules,
    at: &At,
) -> Result<(), ProjectError> {
    if nodes.kind(&at.path)?.is_some() {
        at.check(rules, Capability::Create)?;
        return Err(at.exists_already());
    }
    make_parents(nodes, rules, at)?;
    nodes.put_dir(&at.path)
}

pub(crate) fn delete<N: Nodes>(
    nodes: &mut N,
    rules: &Rules,
    at: &At,
    reach: DeleteReach,
) -> Result<(), ProjectError> {
    if at.path.is_root() {
        return Err(ProjectError::Root);
    }
    at.check(rules, Capability::Delete)?;
    match (nodes.kind(&at.path)?, reach) {
        (None, _) => return Err(ProjectError::NotFound { path: at.given.clone() }),
        (Some(Kind::Directory), DeleteReach::File) => {
            return Err(ProjectError::IsADirectory { path: at.given.clone() });
        }
        (Some(Kind::Directory), DeleteReach::Empty) => {
            if !nodes.is_empty(&at.path)? {
                return Err(ProjectError::NotEmpty { path: at.given.clone() });
            }
        }
        (Some(Kind::File | Kind::Other), DeleteReach::Empty) => {
            return Err(ProjectError::NotADirectory { path: at.given.clone() });
        }
        (Some(Kind::Directory), DeleteReach::Recursive) => {
            for path in &sorted_below(nodes, &at.path)? {
                rules.check(Capability::Delete, path.as_path())?;
            }
        }
        (Some(Kind::File | Kind::Other), _) => {}
    }
    nodes.remove(&at.path)
}

pub(crate) fn rename<N: Nodes>(
    nodes: &mut N,
    rules: &Rules,
    from: &At,
    to: &At,
    target: RenameTarget,
) -> Result<(), ProjectError> {
    if from.path.is_root() || to.path.is_root() {
        return Err(ProjectError::Root);
    }
    from.check(rules, Capability::Delete)?;
    let (source, existing) = (nodes.kind(&from.path)?, nodes.kind(&to.path)?);
    let is_dir = source == Some(Kind::Directory);
    if is_dir && from.path != to.path && to.path.starts_with(&from.path) {
        return Err(ProjectError::IntoItself { path: from.given.clone() });
    }
    let needed = if existing.is_some() { Capability::Update } else { Capability::Create };
    to.check(rules, needed)?;
    let source = source.ok_or_else(|| ProjectError::NotFound { path: from.given.clone() })?;
    let (old, new) = (from.path.as_path(), to.path.as_path());
    rules.check_move(old, new, is_dir)?;
    if is_dir && rules.look_inside() {
        for path in &sorted_below(nodes, &from.path)? {
            rules.check_moved(old, new, path.as_path())?;
        }
    }
    match existing {
        None => make_parents(nodes, rules, to)?,
        Some(_) if target == RenameTarget::Keep => return Err(to.exists_already()),
        Some(_) if from.path == to.path => return Ok(()),
        // What holds the source is not empty, whatever the source is.
        Some(_) if from.path.starts_with(&to.path) => {
            return Err(ProjectError::NotEmpty { path: to.given.clone() });
        }
        Some(existing) => check_replaceable(nodes, source, existing, to)?,
    }
    nodes.relocate(&from.path, &to.path)
}

/// Where something comes to that is moved with what it is in. Not every path can be made longer.
pub fn moved(
    path: &ProjectPath,
    from: &ProjectPath,
    to: &ProjectPath,
) -> Result<ProjectPath, ProjectError> {
    let target = format!("{to}{}", &path.as_str()[from.as_str().len()..]);
    ProjectPath::new(&target).map_err(|error| ProjectError::Io {
        path: to.to_string(),
        source: io::Error::new(io::ErrorKind::InvalidFilename, error),
    })
}

/// Everything below a directory, in the order in which it is judged.
fn sorted_below<N: Nodes>(nodes: &N, dir: &ProjectPath) -> Result<Vec<ProjectPath>, ProjectError> {
    let mut below = nodes.below(dir)?;
    below.sort_by(|a, b| a.as_path().cmp(b.as_path()));
    Ok(below)
}

/// Judges and makes the directories above a path that is to be made.
fn make_parents<N: Nodes>(nodes: &mut N, rules: &Rules, at: &At) -> Result<(), ProjectError> {
    at.check(rules, Capability::Create)?;
    let mut missing = Vec::new();
    for dir in std::iter::successors(at.path.parent(), ProjectPath::parent) {
        match nodes.kind(&dir)? {
            Some(Kind::Directory) => break,
            Some(Kind::File | Kind::Other) => {
                return Err(ProjectError::NotADirectory { path: at.given.clone() });
            }
            None => {
                rules.check(Capability::Create, dir.as_path())?;
                missing.push(dir);
            }
        }
    }
    missing.iter().rev().try_for_each(|dir| nodes.put_dir(dir))
}

/// A file takes the place of a file, a directory that of an empty directory.
fn check_replaceable<N: Nodes>(
    nodes: &N,
    source: Kind,
    existing: Kind,
    to: &At,
) -> Result<(), ProjectError> {
    let path = to.given.clone();
    match (source == Kind::Directory, existing == Kind::Directory) {
        (false, true) => Err(ProjectError::IsADirectory { path }),
        (true, false) => Err(ProjectError::NotADirectory { path }),
        (true, true) if !nodes.is_empty(&to.path)? => Err(ProjectError::NotEmpty { path }),
        _ => Ok(()),
    }
}

/// What is said of a FIFO, a device, or a link that leads nowhere.
pub(crate) fn not_a_file(path: &ProjectPath) -> ProjectError {
    let source = io::Error::new(io::ErrorKind::InvalidInput, "not a regular file");
    ProjectError::Io { path: path.to_string(), source }
}
