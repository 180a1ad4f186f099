//! Files in memory: for tests, and for projects that have no disk.
//!
//! There are no links, so every path is its own canonical form. One lock is held for the whole of an
//! operation; nothing can change between what is judged and what is used. All of it together has a largest size,
//! because a tool can write as long as it likes.

use std::{
    collections::BTreeMap,
    io::Cursor,
    ops::{Bound, Deref},
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{
    Capability,
    path::{self as access, Entry},
};

use crate::{
    Content, DeleteReach, DirEntry, GrepAnswer, GrepQuery, Kind, Materialized, Metadata, Part,
    ProjectError, ProjectFiles, ProjectPath, RenameTarget, Rules, Slice, WriteMode, grep,
    nodes::{self, At, Nodes, Source},
    parts,
    path::join,
    walk::{Found, Tree},
};

/// Files in memory. Clones and views under other rules share them.
#[derive(Debug, Clone, Default)]
pub struct MemoryProjectFiles {
    nodes: Arc<RwLock<Map>>,
    rules: Rules,
}

/// As many bytes are held, and each file and directory counts as so many more.
const MAX_HELD: usize = 64 << 20;
const NODE: usize = 128;

/// Everything but the root, which is always there.
#[derive(Debug, Default)]
struct Map {
    nodes: BTreeMap<String, Node>,
    held: usize,
}

#[derive(Debug, Clone)]
enum Node {
    Directory,
    File(Arc<[u8]>),
}

impl MemoryProjectFiles {
    /// An empty project in which everything may be used.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> RwLockReadGuard<'_, Map> {
        self.nodes.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_to_write(&self) -> RwLockWriteGuard<'_, Map> {
        self.nodes.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProjectFiles for MemoryProjectFiles {
    fn read(&self, path: &ProjectPath, part: Part) -> Result<Content, ProjectError> {
        self.rules.check(Capability::Read, path.as_path())?;
        let content = file(&self.lock(), path)?;
        let size = len_of(&content);
        let (start, len) = part.of(size, path)?;
        let start = usize::try_from(start).unwrap_or(content.len());
        let end = start + usize::try_from(len).unwrap_or_default();
        let bytes = content.get(start..end).unwrap_or_default().to_vec();
        Ok(Content { bytes, size, executable: false })
    }

    fn write(
        &self,
        path: &ProjectPath,
        content: &[u8],
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        let mut content = content;
        let size = len_of(content);
        let source = Source { reader: &mut content, size };
        nodes::write(&mut *self.lock_to_write(), &self.rules, &At::plain(path), source, mode)
    }

    fn list_dir(&self, path: &ProjectPath, slice: Slice) -> Result<Vec<DirEntry>, ProjectError> {
        self.rules.check(Capability::Read, path.as_path())?;
        let nodes = self.lock();
        match get(&nodes, path.as_str()) {
            None => return Err(ProjectError::NotFound { path: path.clone() }),
            Some(Node::File(_)) => {
                return Err(ProjectError::NotADirectory { path: path.clone() });
            }
            Some(Node::Directory) => {}
        }
        let visible = |name: &str| self.rules.is_visible(Utf8Path::new(&join(path.as_str(), name)));
        let entries = children(&nodes, path.as_str()).filter(|(name, _)| visible(name));
        let mut entries: Vec<_> = entries
            .map(|(name, node)| DirEntry {
                name: name.to_owned(),
                kind: node.kind().into(),
                is_link: false,
            })
            .collect();
        entries.sort();
        Ok(slice.of(entries))
    }

    fn metadata(&self, path: &ProjectPath) -> Result<Metadata, ProjectError> {
        self.rules.check(Capability::Read, path.as_path())?;
        match get(&self.lock(), path.as_str()) {
            None => Err(ProjectError::NotFound { path: path.clone() }),
            Some(Node::Directory) => Ok(Metadata { kind: Kind::Directory, size: 0 }),
            Some(Node::File(content)) => Ok(Metadata { kind: Kind::File, size: len_of(&content) }),
        }
    }

    fn delete(&self, path: &ProjectPath, reach: DeleteReach) -> Result<(), ProjectError> {
        nodes::delete(&mut *self.lock_to_write(), &self.rules, &At::plain(path), reach)
    }

    fn rename(
        &self,
        from: &ProjectPath,
        to: &ProjectPath,
        target: RenameTarget,
    ) -> Result<(), ProjectError> {
        let (from, to) = (At::plain(from), At::plain(to));
        nodes::rename(&mut *self.lock_to_write(), &self.rules, &from, &to, target)
    }

    fn create_dir(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        nodes::create_dir(&mut *self.lock_to_write(), &self.rules, &At::plain(path))
    }

    fn grep(&self, query: &GrepQuery) -> Result<GrepAnswer, ProjectError> {
        grep::grep(self, query)
    }

    fn materialize(&self, scratch: &Utf8Path) -> Result<Materialized, ProjectError> {
        Materialized::copy_of(Arc::new(self.clone()), scratch)
    }

    fn display_root(&self) -> String {
        "(in memory)".to_owned()
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn under(&self, rules: Rules) -> Arc<dyn ProjectFiles> {
        Arc::new(Self { nodes: Arc::clone(&self.nodes), rules })
    }
}

impl Tree for MemoryProjectFiles {
    type Dir = String;
    type File = Cursor<Arc<[u8]>>;

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn find(&self, path: &ProjectPath) -> Result<Found<String>, ProjectError> {
        Ok(match self.metadata(path)?.kind {
            Kind::Directory => Found::Directory(path.to_string()),
            Kind::File | Kind::Other => Found::File(Utf8PathBuf::from(path.as_str())),
        })
    }

    fn path<'a>(&self, dir: &'a String) -> &'a str {
        dir
    }

    fn entries(&self, dir: &String) -> Result<Vec<Entry>, ProjectError> {
        let nodes = self.lock();
        let entry =
            |(name, node): (&str, &Node)| Entry { name: name.to_owned(), kind: node.kind() };
        Ok(children(&nodes, dir).map(entry).collect())
    }

    fn dir_in(&self, dir: &String, name: &str) -> Result<String, ProjectError> {
        let path = join(dir, name);
        self.rules.check(Capability::Read, Utf8Path::new(&path))?;
        Ok(path)
    }

    fn open_in(&self, dir: &String, name: &str) -> Result<Self::File, ProjectError> {
        self.open(Utf8Path::new(&join(dir, name)))
    }

    fn open(&self, path: &Utf8Path) -> Result<Self::File, ProjectError> {
        self.rules.check(Capability::Read, path)?;
        match get(&self.lock(), path.as_str()) {
            Some(Node::File(content)) => Ok(Cursor::new(content)),
            _ => Err(ProjectError::Io {
                path: path.to_string(),
                source: std::io::ErrorKind::NotFound.into(),
            }),
        }
    }
}

impl Nodes for Map {
    fn kind(&self, path: &ProjectPath) -> Result<Option<Kind>, ProjectError> {
        Ok(get(self, path.as_str()).map(|node| node.kind().into()))
    }

    fn is_empty(&self, dir: &ProjectPath) -> Result<bool, ProjectError> {
        Ok(below(self, dir.as_str()).next().is_none())
    }

    fn below(&self, dir: &ProjectPath) -> Result<Vec<ProjectPath>, ProjectError> {
        Ok(below(self, dir.as_str()).map(|(path, _)| ProjectPath::known(path)).collect())
    }

    fn put_dir(&mut self, path: &ProjectPath) -> Result<(), ProjectError> {
        self.check_room(path, 0)?;
        self.insert(path.to_string(), Node::Directory);
        Ok(())
    }

    fn put_file(&mut self, path: &ProjectPath, content: Source<'_>) -> Result<(), ProjectError> {
        self.check_room(path, content.size)?;
        let content = parts::whole(path, content.reader, content.size, u64::MAX)?;
        self.insert(path.to_string(), Node::File(content.into()));
        Ok(())
    }

    fn remove(&mut self, path: &ProjectPath) -> Result<(), ProjectError> {
        for path in Nodes::below(self, path)?.iter().chain([path]) {
            self.take(path.as_str());
        }
        Ok(())
    }

    fn relocate(&mut self, from: &ProjectPath, to: &ProjectPath) -> Result<(), ProjectError> {
        let mut paths = Nodes::below(self, from)?;
        paths.push(from.clone());
        // Paths become longer: each may be too long then, and all of them more than is held.
        let longer = to.as_str().len().saturating_sub(from.as_str().len());
        let added = longer.saturating_mul(paths.len());
        check_held(to, (self.held - self.weight_of(to)).saturating_add(added))?;
        paths.iter().try_for_each(|path| nodes::moved(path, from, to).map(drop))?;
        for path in &paths {
            if let Some(node) = self.take(path.as_str()) {
                self.insert(nodes::moved(path, from, to)?.to_string(), node);
            }
        }
        Ok(())
    }
}

impl Map {
    /// Whether something of this size fits, in place of what is there.
    fn check_room(&self, path: &ProjectPath, size: u64) -> Result<(), ProjectError> {
        let content = usize::try_from(size).unwrap_or(usize::MAX);
        let added = content.saturating_add(path.as_str().len() + NODE);
        check_held(path, (self.held - self.weight_of(path)).saturating_add(added))
    }

    fn weight_of(&self, path: &ProjectPath) -> usize {
        self.nodes.get(path.as_str()).map_or(0, |node| weight(path.as_str(), node))
    }

    fn insert(&mut self, path: String, node: Node) {
        self.take(&path);
        self.held += weight(&path, &node);
        self.nodes.insert(path, node);
    }

    fn take(&mut self, path: &str) -> Option<Node> {
        let node = self.nodes.remove(path)?;
        self.held -= weight(path, &node);
        Some(node)
    }
}

impl Deref for Map {
    type Target = BTreeMap<String, Node>;

    fn deref(&self) -> &Self::Target {
        &self.nodes
    }
}

/// Whether so much may be held.
fn check_held(path: &ProjectPath, held: usize) -> Result<(), ProjectError> {
    if held <= MAX_HELD {
        return Ok(());
    }
    let message = format!("a project in memory holds at most {MAX_HELD} bytes");
    let source = std::io::Error::new(std::io::ErrorKind::FileTooLarge, message);
    Err(ProjectError::Io { path: path.to_string(), source })
}

fn weight(path: &str, node: &Node) -> usize {
    let content = if let Node::File(content) = node { content.len() } else { 0 };
    content + path.len() + NODE
}

impl Node {
    fn kind(&self) -> access::Kind {
        match self {
            Self::Directory => access::Kind::Directory,
            Self::File(_) => access::Kind::File,
        }
    }
}

fn get(nodes: &Map, path: &str) -> Option<Node> {
    if path == "." { Some(Node::Directory) } else { nodes.get(path).cloned() }
}

fn file(nodes: &Map, path: &ProjectPath) -> Result<Arc<[u8]>, ProjectError> {
    match get(nodes, path.as_str()) {
        Some(Node::File(content)) => Ok(content),
        Some(Node::Directory) => Err(ProjectError::IsADirectory { path: path.clone() }),
        None => Err(ProjectError::NotFound { path: path.clone() }),
    }
}

/// Everything below a directory.
fn below<'a>(nodes: &'a Map, dir: &str) -> impl Iterator<Item = (&'a String, &'a Node)> {
    let prefix = if dir == "." { String::new() } else { format!("{dir}/") };
    nodes
        .range::<str, _>((Bound::Included(prefix.as_str()), Bound::Unbounded))
        .take_while(move |(path, _)| path.starts_with(&prefix))
}

/// The names in a directory. What is below one of them is jumped over, however much it is.
fn children<'a>(nodes: &'a Map, dir: &str) -> impl Iterator<Item = (&'a str, &'a Node)> {
    let prefix = if dir == "." { String::new() } else { format!("{dir}/") };
    let mut from = Bound::Included(prefix.clone());
    std::iter::from_fn(move || {
        loop {
            let from_here = (from.as_ref().map(String::as_str), Bound::Unbounded);
            let (path, node) = nodes.range::<str, _>(from_here).next()?;
            let name = path.strip_prefix(&prefix)?;
            match name.split_once('/') {
                None => {
                    from = Bound::Excluded(path.clone());
                    return Some((name, node));
                }
                // A `0` comes right behind a `/`.
                Some((above, _)) => from = Bound::Included(format!("{prefix}{above}0")),
            }
        }
    })
}

fn len_of(content: &[u8]) -> u64 {
    u64::try_from(content.len()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
