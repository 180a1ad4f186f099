//! Every file of a tree that may be read, seen by several threads at once.
//!
//! There is one walk, whoever opens the files ([`Tree`]): a directory is opened in its parent, a file in
//! its directory, and neither follows a link, so what the policy was asked about is what is opened. What
//! the policy does not let be read is not there for the walk, its name included. `.gitignore` and
//! `.ignore` are honoured, hidden files are seen, `.git` and `.jp` are not.
//!
//! Work is a stack of [`Job`]s. The last one is taken first, so the tree is walked into the depth and
//! the directories that wait hold few handles: those of their parents.

mod ignores;
mod queue;
mod selection;
mod starts;

use std::{fmt::Write, io::Read, sync::Arc, thread};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{
    AccessPolicy,
    path::{Entry, Kind},
};

use self::{ignores::Ignores, queue::Queue, starts::Starts};
pub(crate) use self::{
    selection::Selection,
    starts::{MAX_PATHS, StartError},
};
use crate::{place::PlaceError, text::count};

/// Each level costs an open handle.
const MAX_DEPTH: usize = 200;
/// As many files are handed to another thread at once.
const CHUNK: usize = 64;
/// Stores of other programs, in which nobody wants to find anything.
pub(crate) const NEVER: [&str; 2] = [".git", ".jp"];

/// What a walk needs. Everything is judged when it is opened.
pub(crate) trait Tree: Sync {
    /// A directory.
    type Dir: Send + Sync;
    /// An open file.
    type File: Read;

    /// What may be read, as far as it is known here.
    fn policy(&self) -> Option<&AccessPolicy>;

    /// How many threads are worth it.
    fn threads(&self) -> usize;

    /// What a path leads to.
    fn kind(&self, path: &Utf8Path) -> Result<Kind, PlaceError>;

    /// The canonical form of a path.
    fn canonical(&self, path: &Utf8Path) -> Result<Utf8PathBuf, PlaceError>;

    /// Opens a file.
    fn open(&self, path: &Utf8Path) -> Result<Self::File, PlaceError>;

    /// Opens a directory.
    fn dir(&self, path: &Utf8Path) -> Result<Self::Dir, PlaceError>;

    /// The canonical path of a directory; `.` is the root.
    fn path_of<'a>(&self, dir: &'a Self::Dir) -> &'a Utf8Path;

    /// What is in a directory. Links are links.
    fn entries(&self, dir: &Self::Dir) -> Result<Vec<Entry>, PlaceError>;

    /// Opens a file in a directory; a link is an error.
    fn open_in(&self, dir: &Self::Dir, name: &str) -> Result<Self::File, PlaceError>;

    /// Opens a directory in a directory; a link is an error.
    fn dir_in(&self, dir: &Self::Dir, name: &str) -> Result<Self::Dir, PlaceError>;

    /// Whether what a link in the tree leads to may be read.
    fn leads_to_readable(&self, path: &Utf8Path) -> bool;

    /// Whether the policy lets a canonical path be read.
    fn may_read(&self, path: &Utf8Path) -> bool {
        self.policy().is_none_or(|policy| policy.can_read(path))
    }
}

/// What the walk shows. Each thread has one of its own.
pub(crate) trait Visit<T: Tree>: Send {
    /// Something that may be read and was selected.
    fn visit(&mut self, found: &Found<'_, T>);
}

/// Something in the tree.
pub(crate) struct Found<'a, T: Tree> {
    /// Its canonical path.
    pub(crate) path: &'a Utf8Path,
    pub(crate) kind: Kind,
    tree: &'a T,
    /// The directory it was found in, and its name there; `None` if it was asked for by its path.
    place: Option<(&'a T::Dir, &'a str)>,
}

impl<T: Tree> Found<'_, T> {
    /// Opens a file, judged once more.
    pub(crate) fn open(&self) -> Result<T::File, PlaceError> {
        match self.place {
            Some((dir, name)) => self.tree.open_in(dir, name),
            None => self.tree.open(self.path),
        }
    }

    /// Whether what a link leads to may be read.
    pub(crate) fn leads_to_readable(&self) -> bool {
        self.tree.leads_to_readable(self.path)
    }
}

/// What was left out although it was selected.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct LeftOut {
    /// Directories that the system did not let us read.
    pub(crate) unreadable: usize,
    /// Directories below [`MAX_DEPTH`].
    pub(crate) too_deep: usize,
}

impl LeftOut {
    /// Says so, if there is something to say.
    pub(crate) fn write(self, out: &mut String) {
        for (number, what) in
            [(self.unreadable, "could not be read"), (self.too_deep, "too deep and left out")]
        {
            if number > 0 {
                let directories = count(number, "directory", "directories");
                let _ = write!(out, " {directories} {what}.");
            }
        }
    }
}

/// A walk that can begin.
pub(crate) struct Walk<'a, T: Tree> {
    tree: &'a T,
    selection: &'a Selection,
    starts: Starts<T::Dir>,
}

impl<'a, T: Tree> Walk<'a, T> {
    /// A walk below these paths; without any, over everything that may be read.
    pub(crate) fn new(
        tree: &'a T,
        paths: &[String],
        selection: &'a Selection,
    ) -> Result<Self, StartError> {
        Ok(Self { tree, selection, starts: Starts::find(tree, paths, selection)? })
    }

    /// Walks, and returns the visitors of all threads.
    pub(crate) fn run<V: Visit<T>>(mut self, visitor: impl Fn() -> V) -> (Vec<V>, LeftOut) {
        let queue = Queue::new(self.starts.take_jobs());
        let mut workers: Vec<_> = (0..self.tree.threads().max(1))
            .map(|_| Worker {
                walk: &self,
                queue: &queue,
                visitor: visitor(),
                left_out: LeftOut::default(),
            })
            .collect();
        thread::scope(|scope| {
            let mut own = None;
            for (index, worker) in workers.iter_mut().enumerate() {
                if index == 0 {
                    own = Some(worker);
                } else {
                    scope.spawn(|| worker.work());
                }
            }
            if let Some(worker) = own {
                worker.work();
            }
        });
        let mut left_out = LeftOut::default();
        let visitors = workers.into_iter().map(|worker| {
            left_out.unreadable += worker.left_out.unreadable;
            left_out.too_deep += worker.left_out.too_deep;
            worker.visitor
        });
        (visitors.collect(), left_out)
    }
}

/// Something to do for a thread.
enum Job<D> {
    /// Open a directory in its parent, and go through it.
    Directory { parent: Arc<Level<D>>, name: String },
    /// Go through a directory that is open.
    Opened(Box<Level<D>>),
    /// Some files of a directory.
    Files { level: Arc<Level<D>>, names: Vec<String> },
    /// A file that was asked for.
    Named(Utf8PathBuf),
}

/// A directory of the tree.
struct Level<D> {
    dir: D,
    /// What is ignored in the directories above it.
    ignores: Ignores,
    /// How many directories are above it, counted from where the walk began.
    depth: usize,
}

struct Worker<'a, T: Tree, V> {
    walk: &'a Walk<'a, T>,
    queue: &'a Queue<Job<T::Dir>>,
    visitor: V,
    left_out: LeftOut,
}

impl<T: Tree, V: Visit<T>> Worker<'_, T, V> {
    fn work(&mut self) {
        while let Some(taken) = self.queue.take() {
            let more = self.job(taken.job);
            self.queue.add(more);
        }
    }

    fn job(&mut self, job: Job<T::Dir>) -> Vec<Job<T::Dir>> {
        match job {
            Job::Directory { parent, name } => match self.walk.tree.dir_in(&parent.dir, &name) {
                Ok(dir) => {
                    let ignores = parent.ignores.clone();
                    self.level(Level { dir, ignores, depth: parent.depth + 1 })
                }
                Err(error) => {
                    self.left_out.unreadable += usize::from(!error.is_missing());
                    Vec::new()
                }
            },
            Job::Opened(level) => self.level(*level),
            Job::Files { level, names } => {
                self.files(&level, &names);
                Vec::new()
            }
            Job::Named(path) => {
                let (tree, kind) = (self.walk.tree, Kind::File);
                self.visitor.visit(&Found { path: &path, kind, tree, place: None });
                Vec::new()
            }
        }
    }

    /// Reads a directory: its files are visited here or by others, its directories are put aside.
    fn level(&mut self, mut level: Level<T::Dir>) -> Vec<Job<T::Dir>> {
        let tree = self.walk.tree;
        let Ok(entries) = tree.entries(&level.dir) else {
            self.left_out.unreadable += 1;
            return Vec::new();
        };
        level.ignores = level.ignores.below(tree, &level.dir, &entries);
        let level = Arc::new(level);
        let (mut names, mut jobs) = (Vec::new(), Vec::new());
        let mut path = PathBuffer::of(self.walk.tree.path_of(&level.dir));
        for entry in entries {
            let is_dir = entry.kind == Kind::Directory;
            let path = path.with(&entry.name);
            if !self.is_wanted(&level, path, &entry) {
                continue;
            }
            match entry.kind {
                Kind::File => names.push(entry.name),
                _ if is_dir && self.walk.selection.enters(path, level.depth) => {
                    if level.depth >= MAX_DEPTH {
                        self.left_out.too_deep += 1;
                        continue;
                    }
                    jobs.push(Job::Directory { parent: Arc::clone(&level), name: entry.name });
                }
                kind => self.visit(&level, path, &entry.name, kind),
            }
        }
        // What is left over for others comes last and is therefore taken first.
        while names.len() > CHUNK {
            let names = names.split_off(names.len() - CHUNK);
            jobs.push(Job::Files { level: Arc::clone(&level), names });
        }
        if !jobs.is_empty() && !names.is_empty() {
            // The others need not wait until these are done.
            self.queue.add(std::mem::take(&mut jobs));
        }
        self.files(&level, &names);
        jobs
    }

    fn is_wanted(&self, level: &Level<T::Dir>, path: &str, entry: &Entry) -> bool {
        let is_dir = entry.kind == Kind::Directory;
        let canonical = Utf8Path::new(path);
        let selected = if is_dir {
            self.walk.selection.could_be_in(path)
        } else {
            entry.kind != Kind::Other && self.walk.selection.wants(path)
        };
        selected
            && !NEVER.contains(&entry.name.as_str())
            && !level.ignores.ignores(path, is_dir)
            && !self.walk.starts.begins_at(canonical)
            && self.walk.tree.may_read(canonical)
    }

    fn files(&mut self, level: &Level<T::Dir>, names: &[String]) {
        let mut path = PathBuffer::of(self.walk.tree.path_of(&level.dir));
        for name in names {
            let path = path.with(name);
            self.visit(level, path, name, Kind::File);
        }
    }

    fn visit(&mut self, level: &Level<T::Dir>, path: &str, name: &str, kind: Kind) {
        let (path, tree) = (Utf8Path::new(path), self.walk.tree);
        let place = Some((&level.dir, name));
        self.visitor.visit(&Found { path, kind, tree, place });
    }
}

/// The paths of a directory's entries, written into one place.
struct PathBuffer {
    path: String,
    prefix: usize,
}

impl PathBuffer {
    fn of(dir: &Utf8Path) -> Self {
        let path = if dir == "." { String::new() } else { format!("{dir}/") };
        Self { prefix: path.len(), path }
    }

    fn with(&mut self, name: &str) -> &str {
        self.path.truncate(self.prefix);
        self.path.push_str(name);
        &self.path
    }
}
