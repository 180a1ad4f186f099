//! Files and directories on a store that has neither.
//!
//! The rules are asked about paths, and there are no links, so the path that is judged is the key that is
//! used. What exists decides which capability is needed, and between the question and the change somebody
//! else may make the file: what was judged as new is therefore put on the condition that it still is,
//! and if it is not, everything is judged again.
//!
//! A directory is made with a marker (see [`crate::store`]). Before the last thing goes from a directory
//! it gets one if it has none, because on a disk it would stay.

use std::{collections::BTreeSet, io::Read, sync::Arc};

use bytes::Bytes;
use camino::{Utf8Path, Utf8PathBuf};
use jp_project::{
    Content, DeleteReach, DirEntry, GrepAnswer, GrepQuery, Kind, Materialized, Metadata, Part,
    ProjectError, ProjectFiles, ProjectPath, RenameTarget, Rules, Slice, WriteMode,
    backend::{moved, whole},
};
use jp_tool::access::Capability;

use crate::{
    error::failed,
    remote::{Amount, Remote},
    store::{Existing, Move, Node, Reading, Store, StoreError},
    walk,
};

/// A list can have many pages.
const LISTING: Amount = Amount { keys: 200, bytes: 0 };
/// How often something is judged again that others changed meanwhile.
const ATTEMPTS: usize = 5;
/// The largest file of a program that is brought back: it goes to the store as a whole, from memory.
const MAX_WHOLE: u64 = 64 << 20;

/// The files of a project in a store. Clones and views under other rules share its connections.
#[derive(Debug, Clone)]
pub struct OpendalProjectFiles {
    remote: Arc<Remote>,
    rules: Rules,
}

impl OpendalProjectFiles {
    pub(crate) fn new(remote: Remote) -> Self {
        Self { remote: Arc::new(remote), rules: Rules::default() }
    }

    pub(crate) fn remote(&self) -> &Arc<Remote> {
        &self.remote
    }

    pub(crate) fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Asks the store something about a path, and waits.
    fn ask<T, F>(
        &self,
        path: &ProjectPath,
        amount: Amount,
        question: impl FnOnce(Arc<dyn Store>, String) -> F,
    ) -> Result<T, ProjectError>
    where
        T: Send + 'static,
        F: Future<Output = Result<T, StoreError>> + Send + 'static,
    {
        let work = question(self.remote.store(), path.to_string());
        let failed = |error| failed(path.as_str(), self.remote.store().place(), error);
        self.remote.wait(amount, work).map_err(failed)
    }

    fn is_busy(&self, path: &ProjectPath) -> ProjectError {
        let error = StoreError::Failed("others change it all the time; try again".to_owned());
        failed(path.as_str(), self.remote.store().place(), error)
    }

    fn check(&self, capability: Capability, path: &Utf8Path) -> Result<(), ProjectError> {
        Ok(self.rules.check(capability, path)?)
    }

    fn look(&self, path: &ProjectPath) -> Result<Option<Node>, ProjectError> {
        if path.is_root() {
            return Ok(Some(Node::Directory));
        }
        self.ask(path, Amount::default(), |store, path| async move { store.look(&path).await })
    }

    /// Judges and makes the directories above a path that is to be made.
    fn make_parents(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        self.check(Capability::Create, path.as_path())?;
        let mut missing = Vec::new();
        for dir in std::iter::successors(path.parent(), ProjectPath::parent) {
            match self.look(&dir)? {
                Some(Node::Directory) => break,
                Some(Node::File(_)) => {
                    return Err(ProjectError::NotADirectory { path: path.clone() });
                }
                None => {
                    self.check(Capability::Create, dir.as_path())?;
                    missing.push(dir);
                }
            }
        }
        missing.iter().rev().try_for_each(|dir| self.mark(dir))
    }

    /// Makes sure that a directory is there on its own.
    fn mark(&self, dir: &ProjectPath) -> Result<(), ProjectError> {
        if dir.is_root() {
            return Ok(());
        }
        self.ask(dir, Amount::default(), |store, dir| async move {
            store.put(&dir_key(&dir), Bytes::new(), Existing::Keep).await.map(|_| ())
        })
    }

    /// Makes sure that a directory stays when this goes.
    fn keep_parent(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        path.parent().map_or(Ok(()), |dir| self.mark(&dir))
    }

    /// The keys below a directory, sorted.
    fn below(&self, dir: &ProjectPath) -> Result<Vec<String>, ProjectError> {
        let mut keys =
            self.ask(dir, LISTING, |store, dir| async move { store.below(&dir_key(&dir)).await })?;
        keys.sort();
        Ok(keys)
    }

    fn remove(&self, path: &ProjectPath, keys: Vec<String>) -> Result<(), ProjectError> {
        self.keep_parent(path)?;
        let amount = Amount { keys: keys.len(), bytes: 0 };
        self.ask(path, amount, |store, _| async move { store.delete(&keys).await })
    }

    fn put(
        &self,
        path: &ProjectPath,
        content: &Bytes,
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        for _ in 0..ATTEMPTS {
            if self.try_write(path, content.clone(), mode)? {
                return Ok(());
            }
        }
        Err(self.is_busy(path))
    }

    /// Whether a file was written; not if it was judged as new and is not.
    fn try_write(
        &self,
        path: &ProjectPath,
        content: Bytes,
        mode: WriteMode,
    ) -> Result<bool, ProjectError> {
        let existing = match (self.look(path)?, mode) {
            (Some(_), WriteMode::CreateNew) => {
                self.check(Capability::Create, path.as_path())?;
                return Err(ProjectError::AlreadyExists { path: path.clone() });
            }
            (Some(node), WriteMode::Replace) => {
                self.check(Capability::Update, path.as_path())?;
                if node == Node::Directory {
                    return Err(ProjectError::IsADirectory { path: path.clone() });
                }
                Existing::Replace
            }
            (None, _) => {
                self.make_parents(path)?;
                Existing::Keep
            }
        };
        let bytes = u64::try_from(content.len()).unwrap_or(u64::MAX);
        self.ask(path, Amount { keys: 0, bytes }, |store, path| async move {
            store.put(&path, content, existing).await
        })
    }

    /// Whether something was moved; not if the target was judged as new and is not.
    fn try_rename(
        &self,
        from: &ProjectPath,
        to: &ProjectPath,
        target: RenameTarget,
    ) -> Result<bool, ProjectError> {
        let (source, existing) = (self.look(from)?, self.look(to)?);
        let is_dir = source == Some(Node::Directory);
        if is_dir && from != to && to.starts_with(from) {
            return Err(ProjectError::IntoItself { path: from.clone() });
        }
        let needed = if existing.is_some() { Capability::Update } else { Capability::Create };
        self.check(needed, to.as_path())?;
        let source = source.ok_or_else(|| ProjectError::NotFound { path: from.clone() })?;
        self.rules.check_move(from.as_path(), to.as_path(), is_dir)?;
        if is_dir && self.rules.look_inside() {
            for path in paths_below(from, &self.below(from)?) {
                self.rules.check_moved(from.as_path(), to.as_path(), &path)?;
            }
        }
        match existing {
            None => self.make_parents(to)?,
            Some(_) if target == RenameTarget::Keep => {
                return Err(ProjectError::AlreadyExists { path: to.clone() });
            }
            _ if from == to => return Ok(true),
            // What holds the source is not empty, whatever the source is.
            _ if from.starts_with(to) => return Err(ProjectError::NotEmpty { path: to.clone() }),
            Some(existing) => self.check_replaceable(source, existing, to)?,
        }
        let existing = if existing.is_some() { Existing::Replace } else { Existing::Keep };
        self.relocate(from, to, source, existing)
    }

    /// A file takes the place of a file, a directory that of an empty directory.
    fn check_replaceable(
        &self,
        source: Node,
        existing: Node,
        to: &ProjectPath,
    ) -> Result<(), ProjectError> {
        let path = to.clone();
        match (source, existing) {
            (Node::File(_), Node::Directory) => Err(ProjectError::IsADirectory { path }),
            (Node::Directory, Node::File(_)) => Err(ProjectError::NotADirectory { path }),
            (Node::Directory, Node::Directory)
                if self.below(to)?.iter().any(|key| *key != dir_key(to.as_str())) =>
            {
                Err(ProjectError::NotEmpty { path })
            }
            (Node::File(_), Node::File(_)) | (Node::Directory, Node::Directory) => Ok(()),
        }
    }

    fn relocate(
        &self,
        from: &ProjectPath,
        to: &ProjectPath,
        source: Node,
        existing: Existing,
    ) -> Result<bool, ProjectError> {
        let (moves, bytes) = match source {
            Node::File(size) => (vec![Move { from: from.to_string(), to: to.to_string() }], size),
            Node::Directory => {
                let new_key = |key: &str| Some(format!("{to}{}", key.strip_prefix(from.as_str())?));
                let keys = self.below(from)?;
                for path in paths_below(from, &keys) {
                    // What others have put there need not have a path here, and moves along.
                    if let Ok(path) = ProjectPath::new(path.as_str()) {
                        moved(&path, from, to)?;
                    }
                }
                let keys = keys.into_iter();
                let moves = keys.filter_map(|key| Some(Move { to: new_key(&key)?, from: key }));
                (moves.collect(), 0)
            }
        };
        self.keep_parent(from)?;
        let amount = Amount { keys: moves.len(), bytes };
        self.ask(from, amount, |store, _| async move { store.relocate(&moves, existing).await })
    }
}

impl ProjectFiles for OpendalProjectFiles {
    fn read(&self, path: &ProjectPath, part: Part) -> Result<Content, ProjectError> {
        self.check(Capability::Read, path.as_path())?;
        if path.is_root() {
            return Err(ProjectError::IsADirectory { path: path.clone() });
        }
        let bytes = part.max.min(part.limit.unwrap_or(u64::MAX));
        let reading = self.ask(path, Amount { keys: 0, bytes }, |store, path| async move {
            store.read(&path, part).await
        })?;
        match reading {
            Reading::Content(content) => Ok(content),
            Reading::TooLarge(size) => {
                Err(ProjectError::TooLarge { path: path.clone(), size, max: part.max })
            }
            Reading::Missing => Err(match self.look(path)? {
                Some(Node::Directory) => ProjectError::IsADirectory { path: path.clone() },
                _ => ProjectError::NotFound { path: path.clone() },
            }),
        }
    }

    fn write(
        &self,
        path: &ProjectPath,
        content: &[u8],
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        self.put(path, &Bytes::copy_from_slice(content), mode)
    }

    fn write_from(
        &self,
        path: &ProjectPath,
        content: &mut dyn Read,
        size: u64,
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        self.put(path, &whole(path, content, size, MAX_WHOLE)?.into(), mode)
    }

    fn list_dir(&self, path: &ProjectPath, slice: Slice) -> Result<Vec<DirEntry>, ProjectError> {
        self.check(Capability::Read, path.as_path())?;
        match self.look(path)? {
            None => return Err(ProjectError::NotFound { path: path.clone() }),
            Some(Node::File(_)) => {
                return Err(ProjectError::NotADirectory { path: path.clone() });
            }
            Some(Node::Directory) => {}
        }
        let children = self
            .ask(path, LISTING, |store, dir| async move { store.children(&dir_key(&dir)).await })?;
        let mut children = children.unwrap_or_default();
        // A file comes before a directory of its name, and hides it.
        children.sort();
        children.dedup_by(|second, first| second.name == first.name);
        let is_visible =
            |name: &str| path.join(name).is_ok_and(|path| self.rules.is_visible(path.as_path()));
        let entries = children.into_iter().filter(|child| is_visible(&child.name));
        let entries = entries.skip(slice.offset).take(slice.limit.unwrap_or(usize::MAX));
        let kind = |is_dir| if is_dir { Kind::Directory } else { Kind::File };
        let entry = |name, is_dir| DirEntry { name, kind: kind(is_dir), is_link: false };
        Ok(entries.map(|child| entry(child.name, child.is_dir)).collect())
    }

    fn metadata(&self, path: &ProjectPath) -> Result<Metadata, ProjectError> {
        self.check(Capability::Read, path.as_path())?;
        match self.look(path)? {
            None => Err(ProjectError::NotFound { path: path.clone() }),
            Some(Node::Directory) => Ok(Metadata { kind: Kind::Directory, size: 0 }),
            Some(Node::File(size)) => Ok(Metadata { kind: Kind::File, size }),
        }
    }

    fn delete(&self, path: &ProjectPath, reach: DeleteReach) -> Result<(), ProjectError> {
        if path.is_root() {
            return Err(ProjectError::Root);
        }
        self.check(Capability::Delete, path.as_path())?;
        match (self.look(path)?, reach) {
            (None, _) => Err(ProjectError::NotFound { path: path.clone() }),
            (Some(Node::File(_)), DeleteReach::Empty) => {
                Err(ProjectError::NotADirectory { path: path.clone() })
            }
            (Some(Node::File(_)), _) => self.remove(path, vec![path.to_string()]),
            (Some(Node::Directory), DeleteReach::File) => {
                Err(ProjectError::IsADirectory { path: path.clone() })
            }
            (Some(Node::Directory), DeleteReach::Empty) => {
                let keys = self.below(path)?;
                if !paths_below(path, &keys).is_empty() {
                    return Err(ProjectError::NotEmpty { path: path.clone() });
                }
                self.remove(path, keys)
            }
            (Some(Node::Directory), DeleteReach::Recursive) => {
                let mut keys = self.below(path)?;
                for path in paths_below(path, &keys) {
                    self.check(Capability::Delete, &path)?;
                }
                // What is inside a directory goes before it.
                keys.reverse();
                self.remove(path, keys)
            }
        }
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
        self.check(Capability::Delete, from.as_path())?;
        for _ in 0..ATTEMPTS {
            if self.try_rename(from, to, target)? {
                return Ok(());
            }
        }
        Err(self.is_busy(to))
    }

    fn create_dir(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        if self.look(path)?.is_some() {
            self.check(Capability::Create, path.as_path())?;
            return Err(ProjectError::AlreadyExists { path: path.clone() });
        }
        self.make_parents(path)?;
        self.mark(path)
    }

    fn grep(&self, query: &GrepQuery) -> Result<GrepAnswer, ProjectError> {
        walk::search(self, query)
    }

    fn materialize(&self, scratch: &Utf8Path) -> Result<Materialized, ProjectError> {
        Materialized::copy_of(Arc::new(self.clone()), scratch)
    }

    fn display_root(&self) -> String {
        self.remote.store().place()
    }

    fn is_quick(&self) -> bool {
        false
    }

    fn under(&self, rules: Rules) -> Arc<dyn ProjectFiles> {
        Arc::new(Self { remote: Arc::clone(&self.remote), rules })
    }
}

/// The key of a directory; that of the root is empty.
pub(crate) fn dir_key(dir: &str) -> String {
    if dir == "." { String::new() } else { format!("{dir}/") }
}

/// The paths of everything below a directory, also of directories that have no key of their own.
fn paths_below(dir: &ProjectPath, keys: &[String]) -> BTreeSet<Utf8PathBuf> {
    let mut paths = BTreeSet::new();
    for key in keys {
        let path = Utf8Path::new(key.trim_end_matches('/'));
        let inside = path.ancestors().take_while(|path| *path != dir.as_path());
        for path in inside {
            // What is above it is there already, too.
            if !paths.insert(path.to_owned()) {
                break;
            }
        }
    }
    paths
}
