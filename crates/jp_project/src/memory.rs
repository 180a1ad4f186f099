//! Files in memory: for tests, and for projects that have no disk.
//!
//! There are no links, so every path is its own canonical form. One lock is held for the whole of an
//! operation; nothing can change between what is judged and what is used.

use std::{
    collections::BTreeMap,
    io::Cursor,
    ops::Bound,
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
    path::join,
    walk::{Found, Tree},
};

/// Files in memory. Clones and views under other rules share them.
#[derive(Debug, Clone, Default)]
pub struct MemoryProjectFiles {
    nodes: Arc<RwLock<Nodes>>,
    rules: Rules,
}

/// Everything but the root, which is always there.
type Nodes = BTreeMap<String, Node>;

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

    fn lock(&self) -> RwLockReadGuard<'_, Nodes> {
        self.nodes.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_to_write(&self) -> RwLockWriteGuard<'_, Nodes> {
        self.nodes.write().unwrap_or_else(PoisonError::into_inner)
    }

    fn check(&self, capability: Capability, path: &Utf8Path) -> Result<(), ProjectError> {
        Ok(self.rules.check(capability, path)?)
    }

    /// Judges and makes the directories above a path that is to be made.
    fn make_parents(&self, nodes: &mut Nodes, path: &ProjectPath) -> Result<(), ProjectError> {
        self.check(Capability::Create, path.as_path())?;
        let mut missing = Vec::new();
        for dir in std::iter::successors(path.parent(), ProjectPath::parent) {
            match get(nodes, dir.as_str()) {
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
        nodes.extend(missing.into_iter().map(|dir| (dir.to_string(), Node::Directory)));
        Ok(())
    }
}

impl ProjectFiles for MemoryProjectFiles {
    fn read(&self, path: &ProjectPath, part: Part) -> Result<Content, ProjectError> {
        self.check(Capability::Read, path.as_path())?;
        let content = file(&self.lock(), path)?;
        let size = len_of(&content);
        let len = part.len(size);
        if len > part.max {
            return Err(ProjectError::TooLarge { path: path.clone(), size: len, max: part.max });
        }
        let start = usize::try_from(part.offset.min(size)).unwrap_or(content.len());
        let end = start + usize::try_from(len).unwrap_or_default();
        let bytes = content.get(start..end).unwrap_or_default().to_vec();
        Ok(Content { bytes, size })
    }

    fn write(
        &self,
        path: &ProjectPath,
        content: &[u8],
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        let mut nodes = self.lock_to_write();
        let existing = get(&nodes, path.as_str());
        match (existing, mode) {
            (Some(_), WriteMode::CreateNew) => {
                self.check(Capability::Create, path.as_path())?;
                return Err(ProjectError::AlreadyExists { path: path.clone() });
            }
            (Some(node), WriteMode::Replace) => {
                self.check(Capability::Update, path.as_path())?;
                if matches!(node, Node::Directory) {
                    return Err(ProjectError::IsADirectory { path: path.clone() });
                }
            }
            (None, _) => self.make_parents(&mut nodes, path)?,
        }
        nodes.insert(path.to_string(), Node::File(content.into()));
        Ok(())
    }

    fn list_dir(&self, path: &ProjectPath, slice: Slice) -> Result<Vec<DirEntry>, ProjectError> {
        self.check(Capability::Read, path.as_path())?;
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
        self.check(Capability::Read, path.as_path())?;
        match get(&self.lock(), path.as_str()) {
            None => Err(ProjectError::NotFound { path: path.clone() }),
            Some(Node::Directory) => Ok(Metadata { kind: Kind::Directory, size: 0 }),
            Some(Node::File(content)) => Ok(Metadata { kind: Kind::File, size: len_of(&content) }),
        }
    }

    fn delete(&self, path: &ProjectPath, reach: DeleteReach) -> Result<(), ProjectError> {
        if path.is_root() {
            return Err(ProjectError::Root);
        }
        self.check(Capability::Delete, path.as_path())?;
        let mut nodes = self.lock_to_write();
        match (get(&nodes, path.as_str()), reach) {
            (None, _) => return Err(ProjectError::NotFound { path: path.clone() }),
            (Some(Node::Directory), DeleteReach::File) => {
                return Err(ProjectError::IsADirectory { path: path.clone() });
            }
            _ => {}
        }
        let mut below: Vec<Utf8PathBuf> =
            below(&nodes, path.as_str()).map(|(path, _)| path.into()).collect();
        below.sort();
        for path in &below {
            self.check(Capability::Delete, path)?;
        }
        for path in below.iter().map(|path| path.as_str()).chain([path.as_str()]) {
            nodes.remove(path);
        }
        Ok(())
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
        let mut nodes = self.lock_to_write();
        let (source, existing) = (get(&nodes, from.as_str()), get(&nodes, to.as_str()));
        let is_dir = matches!(source, Some(Node::Directory));
        if is_dir && from != to && to.starts_with(from) {
            return Err(ProjectError::IntoItself { path: from.clone() });
        }
        let needed = if existing.is_some() { Capability::Update } else { Capability::Create };
        self.check(needed, to.as_path())?;
        let source = source.ok_or_else(|| ProjectError::NotFound { path: from.clone() })?;
        self.rules.check_move(from.as_path(), to.as_path(), is_dir)?;
        match (&source, existing) {
            (_, None) => self.make_parents(&mut nodes, to)?,
            (_, Some(_)) if target == RenameTarget::Keep => {
                return Err(ProjectError::AlreadyExists { path: to.clone() });
            }
            _ if from == to => return Ok(()),
            // What holds the source is not empty, whatever the source is.
            _ if from.starts_with(to) => {
                return Err(ProjectError::NotEmpty { path: to.clone() });
            }
            (source, Some(existing)) => check_replaceable(&nodes, source, &existing, to)?,
        }
        relocate(&mut nodes, from.as_str(), to.as_str());
        Ok(())
    }

    fn create_dir(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        let mut nodes = self.lock_to_write();
        if get(&nodes, path.as_str()).is_some() {
            self.check(Capability::Create, path.as_path())?;
            return Err(ProjectError::AlreadyExists { path: path.clone() });
        }
        self.make_parents(&mut nodes, path)?;
        nodes.insert(path.to_string(), Node::Directory);
        Ok(())
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
        self.check(Capability::Read, Utf8Path::new(&path))?;
        Ok(path)
    }

    fn open_in(&self, dir: &String, name: &str) -> Result<Self::File, ProjectError> {
        self.open(Utf8Path::new(&join(dir, name)))
    }

    fn open(&self, path: &Utf8Path) -> Result<Self::File, ProjectError> {
        self.check(Capability::Read, path)?;
        match get(&self.lock(), path.as_str()) {
            Some(Node::File(content)) => Ok(Cursor::new(content)),
            _ => Err(ProjectError::Io {
                path: path.to_string(),
                source: std::io::ErrorKind::NotFound.into(),
            }),
        }
    }
}

impl Node {
    fn kind(&self) -> access::Kind {
        match self {
            Self::Directory => access::Kind::Directory,
            Self::File(_) => access::Kind::File,
        }
    }
}

fn get(nodes: &Nodes, path: &str) -> Option<Node> {
    if path == "." { Some(Node::Directory) } else { nodes.get(path).cloned() }
}

fn file(nodes: &Nodes, path: &ProjectPath) -> Result<Arc<[u8]>, ProjectError> {
    match get(nodes, path.as_str()) {
        Some(Node::File(content)) => Ok(content),
        Some(Node::Directory) => Err(ProjectError::IsADirectory { path: path.clone() }),
        None => Err(ProjectError::NotFound { path: path.clone() }),
    }
}

/// Everything below a directory.
fn below<'a>(nodes: &'a Nodes, dir: &str) -> impl Iterator<Item = (&'a String, &'a Node)> {
    let prefix = if dir == "." { String::new() } else { format!("{dir}/") };
    nodes
        .range::<str, _>((Bound::Included(prefix.as_str()), Bound::Unbounded))
        .take_while(move |(path, _)| path.starts_with(&prefix))
}

/// The names in a directory.
fn children<'a>(nodes: &'a Nodes, dir: &str) -> impl Iterator<Item = (&'a str, &'a Node)> {
    let prefix = if dir == "." { 0 } else { dir.len() + 1 };
    below(nodes, dir)
        .filter_map(move |(path, node)| Some((path.get(prefix..)?, node)))
        .filter(|(name, _)| !name.contains('/'))
}

/// A file takes the place of a file, a directory that of an empty directory.
fn check_replaceable(
    nodes: &Nodes,
    source: &Node,
    existing: &Node,
    to: &ProjectPath,
) -> Result<(), ProjectError> {
    let path = to.clone();
    match (source, existing) {
        (Node::File(_), Node::Directory) => Err(ProjectError::IsADirectory { path }),
        (Node::Directory, Node::File(_)) => Err(ProjectError::NotADirectory { path }),
        (Node::Directory, Node::Directory) if below(nodes, to.as_str()).next().is_some() => {
            Err(ProjectError::NotEmpty { path })
        }
        (Node::File(_), Node::File(_)) | (Node::Directory, Node::Directory) => Ok(()),
    }
}

fn relocate(nodes: &mut Nodes, from: &str, to: &str) {
    let moved: Vec<String> = below(nodes, from).map(|(path, _)| path.clone()).collect();
    for path in moved.iter().map(String::as_str).chain([from]) {
        if let Some(node) = nodes.remove(path) {
            nodes.insert(format!("{to}{}", &path[from.len()..]), node);
        }
    }
}

fn len_of(content: &[u8]) -> u64 {
    u64::try_from(content.len()).unwrap_or(u64::MAX)
}
