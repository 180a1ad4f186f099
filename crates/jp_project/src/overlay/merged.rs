//! Both together, as files by path: what is kept here where something is, and what is below elsewhere.
//!
//! Before something is put over what is below, it is noted what that was ([`Merged::touch`]). Everything
//! that can fail is done before anything is changed.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    sync::Arc,
};

use jp_tool::access::{AccessPolicy, Capability, FsRule};
use sha2::{Digest, Sha256};

use super::state::{Before, Cover, File, Held, Stamp, State, Upper};
use crate::{
    DirEntry, Kind, Part, ProjectError, ProjectFiles, ProjectPath, Rules, Slice,
    nodes::{self, Nodes, Source},
    parts::Parts,
    path::join,
};

/// Why a directory neither goes nor moves: what cannot be named would stay behind.
const UNNAMED: &str = "there is a name in it that is not UTF-8, which cannot be kept apart";

/// Larger files are compared by their size alone.
const MAX_HASHED: u64 = 64 << 20;

pub(super) struct Merged<'a> {
    pub(super) state: &'a mut State,
    /// What is below, under rules and without.
    pub(super) below: &'a Arc<dyn ProjectFiles>,
    pub(super) all: &'a Arc<dyn ProjectFiles>,
    pub(super) rules: &'a Rules,
}

impl Merged<'_> {
    /// Notes what is below at a path that is about to be covered.
    fn touch(&mut self, path: &ProjectPath) -> Result<(), ProjectError> {
        check_room(self.state.held_with([path], [path], None), path)?;
        self.touch_all([path])
    }

    /// The same of several paths for which there is room: all of them, or none if one cannot be looked at.
    fn touch_all<'p>(
        &mut self,
        paths: impl IntoIterator<Item = &'p ProjectPath>,
    ) -> Result<(), ProjectError> {
        let mut seen = BTreeMap::new();
        for path in paths {
            if self.state.is_unseen(path) && !seen.contains_key(path) {
                seen.insert(path.clone(), before(self.all, path)?);
            }
        }
        self.state.note(seen);
        Ok(())
    }

    fn entries(&self, dir: &ProjectPath) -> Result<Vec<DirEntry>, ProjectError> {
        let below = match self.state.cover(dir) {
            Cover::Below => self.all.list_dir(dir, Slice::default())?,
            _ => Vec::new(),
        };
        Ok(self.state.merge(dir, below))
    }

    /// Whether there is something in a directory below that has no name here.
    fn leaves_out(&self, dir: &ProjectPath) -> Result<bool, ProjectError> {
        let is_below = matches!(self.state.cover(dir), Cover::Below);
        if is_below { self.all.leaves_out(dir) } else { Ok(false) }
    }

    /// Everything below a directory, each directory before what is in it.
    fn tree(&self, dir: &ProjectPath) -> Result<Vec<(ProjectPath, DirEntry)>, ProjectError> {
        let (mut found, mut held) = (Vec::new(), Held::default());
        let mut dirs = vec![dir.clone()];
        while let Some(inside) = dirs.pop() {
            if self.leaves_out(&inside)? {
                let source = io::Error::new(io::ErrorKind::InvalidInput, UNNAMED);
                return Err(ProjectError::Io { path: dir.to_string(), source });
            }
            for entry in self.entries(&inside)? {
                let path = ProjectPath::known(&join(inside.as_str(), &entry.name));
                if entry.kind == Kind::Directory && !entry.is_link {
                    dirs.push(path.clone());
                }
                held.bytes += path.as_str().len();
                held.paths += 1;
                check_room(held, &inside)?;
                found.push((path, entry));
            }
        }
        Ok(found)
    }

    /// Puts nothing in the place of what has been touched.
    fn take_away(&mut self, path: &ProjectPath) {
        self.state.clear(path);
        let is_seen = matches!(self.state.cover(path), Cover::Below);
        if is_seen && *self.state.before(path) != Before::Nothing {
            self.state.set(path, Upper::Gone);
        }
    }

    /// Something that moves, with everything below it: each directory before what is in it.
    fn moved_all(
        &mut self,
        from: &ProjectPath,
        to: &ProjectPath,
    ) -> Result<Vec<Moved>, ProjectError> {
        let kind = self.kind(from)?.unwrap_or(Kind::Other);
        let upper = self.moved(from, kind)?;
        let mut moved = vec![Moved { from: from.clone(), to: to.clone(), upper }];
        if kind != Kind::Directory {
            return Ok(moved);
        }
        let mut held = Held::default();
        for (from_inside, entry) in self.tree(from)? {
            let kind = if entry.is_link { Kind::Other } else { entry.kind };
            let target = nodes::moved(&from_inside, from, to)?;
            held.bytes += target.as_str().len();
            check_room(held, to)?;
            let upper = self.moved(&from_inside, kind)?;
            moved.push(Moved { from: from_inside, to: target, upper });
        }
        Ok(moved)
    }

    /// What is to be at the new path of something that moves.
    fn moved(&mut self, path: &ProjectPath, kind: Kind) -> Result<Upper, ProjectError> {
        if let Cover::Upper(Upper::File(file)) = self.state.cover(path) {
            let was_here = matches!(self.state.before(path), Before::File(_)).then(|| path.clone());
            let moved_from = file.moved_from.clone().or(was_here);
            let (content, executable) = (file.content.clone(), file.executable);
            self.state.store.hold(&content);
            return Ok(Upper::File(File { content, moved_from, executable }));
        }
        match kind {
            Kind::Directory => Ok(Upper::Directory),
            Kind::Other => Err(refused(
                path,
                io::ErrorKind::Other,
                "a link or special file cannot be moved here",
            )),
            Kind::File => {
                let (size, content) = self.open(path)?;
                let executable = content.executable();
                let failed = |source| ProjectError::Io { path: path.to_string(), source };
                let content = self.state.store.keep(content, size).map_err(failed)?;
                Ok(Upper::File(File { content, moved_from: Some(path.clone()), executable }))
            }
        }
    }

    /// Opens a file below under the rules. One that may be moved and not read moves to where it cannot
    /// be read either; that is judged as this path, so it must be what is opened, and not what a link leads to that
    /// has come there meanwhile.
    fn open(&self, path: &ProjectPath) -> Result<(u64, Parts), ProjectError> {
        let open = |files: &Arc<dyn ProjectFiles>| {
            let size = files.metadata(path)?.size;
            Ok((size, Parts::open(Arc::clone(files), path.clone())?))
        };
        match open(self.below) {
            Err(ProjectError::Access(_)) => {
                self.check_file(path)?;
                open(&self.all.under(only(path).into()))
            }
            opened => opened,
        }
    }

    /// Whether a path that the policy lets be read leads to a file that it denies, which has another name then.
    /// What is kept here is judged by its path alone, so such a file cannot be.
    fn check_file(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        let policy = Rules { policy: self.rules.policy.clone(), sensitive: None };
        if policy.can_read(path.as_path()) {
            self.all.under(policy).metadata(path)?;
        }
        Ok(())
    }
}

impl Nodes for Merged<'_> {
    fn kind(&self, path: &ProjectPath) -> Result<Option<Kind>, ProjectError> {
        match self.state.cover(path) {
            Cover::Upper(upper) => Ok(upper.kind()),
            Cover::Hidden => Ok(None),
            Cover::Below => Ok(match look(self.all.as_ref(), path)? {
                Before::Nothing => None,
                Before::Directory => Some(Kind::Directory),
                Before::File(_) => Some(Kind::File),
                Before::Link(_) | Before::Special => Some(Kind::Other),
            }),
        }
    }

    fn is_empty(&self, dir: &ProjectPath) -> Result<bool, ProjectError> {
        Ok(self.entries(dir)?.is_empty() && !self.leaves_out(dir)?)
    }

    fn below(&self, dir: &ProjectPath) -> Result<Vec<ProjectPath>, ProjectError> {
        Ok(self.tree(dir)?.into_iter().map(|(path, _)| path).collect())
    }

    fn put_dir(&mut self, path: &ProjectPath) -> Result<(), ProjectError> {
        self.touch(path)?;
        self.state.set(path, Upper::Directory);
        Ok(())
    }

    fn put_file(&mut self, path: &ProjectPath, content: Source<'_>) -> Result<(), ProjectError> {
        self.touch(path)?;
        let failed = |source| ProjectError::Io { path: path.to_string(), source };
        let Source { reader, size } = content;
        let mark = self.state.store.mark();
        let content = self.state.store.keep(reader, size).map_err(failed)?;
        if content.len() != size {
            self.state.store.forget_since(mark);
            return Err(failed(io::ErrorKind::UnexpectedEof.into()));
        }
        let (moved_from, executable) = match self.state.cover(path) {
            Cover::Upper(Upper::File(file)) => (file.moved_from.clone(), file.executable),
            Cover::Below => (None, is_executable(self.all.as_ref(), path)),
            _ => (None, false),
        };
        self.state.set(path, Upper::File(File { content, moved_from, executable }));
        Ok(())
    }

    fn remove(&mut self, path: &ProjectPath) -> Result<(), ProjectError> {
        let mut paths = vec![path.clone()];
        if self.kind(path)? == Some(Kind::Directory) {
            paths.extend(self.tree(path)?.into_iter().map(|(path, _)| path));
        }
        check_room(self.state.held_with(&paths, [path], Some(path)), path)?;
        self.touch_all(&paths)?;
        self.take_away(path);
        Ok(())
    }

    fn relocate(&mut self, from: &ProjectPath, to: &ProjectPath) -> Result<(), ProjectError> {
        let mark = self.state.store.mark();
        let moved = self.moved_all(from, to).and_then(|moved| {
            let both = moved.iter().flat_map(|one| [&one.from, &one.to]);
            let kept = moved.iter().map(|one| &one.to).chain([from]);
            check_room(self.state.held_with(both.clone(), kept, Some(from)), to)?;
            self.touch_all(both)?;
            Ok(moved)
        });
        let moved = moved.inspect_err(|_| self.state.store.forget_since(mark))?;
        self.take_away(from);
        // The first takes the place of what is there.
        for one in moved {
            self.state.set(&one.to, one.upper);
        }
        Ok(())
    }
}

/// Something that moves, and what is to be at its new path.
struct Moved {
    from: ProjectPath,
    to: ProjectPath,
    upper: Upper,
}

/// A policy under which this path can be read, and nothing else.
fn only(path: &ProjectPath) -> AccessPolicy {
    let rules = vec![FsRule::new(path.as_path(), [Capability::Read])];
    AccessPolicy { fs: rules.into(), ..AccessPolicy::default() }
}

/// What is at a path in a backend, with what tells whether it has changed.
pub(super) fn before(
    files: &Arc<dyn ProjectFiles>,
    path: &ProjectPath,
) -> Result<Before, ProjectError> {
    match look(files.as_ref(), path)? {
        Before::File(Stamp { size, .. }) if size <= MAX_HASHED => {
            let mut content = Parts::open(Arc::clone(files), path.clone())?;
            let (mut hash, mut piece, mut size) = (Sha256::new(), vec![0; 64 << 10], 0);
            loop {
                let failed = |source| ProjectError::Io { path: path.to_string(), source };
                let read = content.read(&mut piece).map_err(failed)?;
                if read == 0 {
                    break;
                }
                hash.update(&piece[..read]);
                size += u64::try_from(read).unwrap_or(u64::MAX);
            }
            Ok(Before::File(Stamp { size, hash: Some(hash.finalize().into()) }))
        }
        other => Ok(other),
    }
}

/// What is at a canonical path in a backend; a link there is not followed.
fn look(files: &dyn ProjectFiles, path: &ProjectPath) -> Result<Before, ProjectError> {
    let target = files.canonical(path)?;
    if target != *path {
        return Ok(Before::Link(target.to_string()));
    }
    match files.metadata(path) {
        Ok(data) => Ok(match data.kind {
            Kind::Directory => Before::Directory,
            Kind::File => Before::File(Stamp { size: data.size, hash: None }),
            Kind::Other => Before::Special,
        }),
        Err(ProjectError::NotFound { .. } | ProjectError::NotADirectory { .. }) => {
            Ok(Before::Nothing)
        }
        Err(error) => Err(error),
    }
}

/// Whether a file of a backend may be run, which new content does not change. Where there is none, there is nothing
/// to run.
fn is_executable(files: &dyn ProjectFiles, path: &ProjectPath) -> bool {
    let nothing = Part { offset: 0, limit: Some(0), max: 0 };
    files.read(path, nothing).is_ok_and(|content| content.executable)
}

/// Whether so much can be kept; `path` is for the error.
fn check_room(held: Held, path: &ProjectPath) -> Result<(), ProjectError> {
    if held.is_bounded() {
        return Ok(());
    }
    Err(refused(path, io::ErrorKind::FileTooLarge, "more paths than can be kept apart"))
}

fn refused(path: &ProjectPath, kind: io::ErrorKind, why: &'static str) -> ProjectError {
    ProjectError::Io { path: path.to_string(), source: io::Error::new(kind, why) }
}
