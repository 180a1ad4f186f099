//! Every file that may be read, seen by several threads at once.
//!
//! There is one walk for all backends, so what is ignored, hidden or denied is the same on each; a
//! backend only says what is in a directory and opens what is there ([`Tree`]). On a disk that goes by
//! handles: nothing is looked up twice, and no link is followed. What may not be read is not there
//! for the walk. `.gitignore` and `.ignore` are honoured, hidden files are seen, `.git` and
//! `.jp` are not.
//!
//! Work is a stack of [`Job`]s. The last one is taken first, so the tree is walked into the depth and
//! the directories that wait hold few handles: those of their parents. Those that were asked for are opened when
//! it is their turn, however many they are.

mod ignores;
mod queue;
mod view;

use std::{collections::BTreeSet, io::Read, num::NonZero, sync::Arc, thread};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{
    AccessPolicy, Capability, FsAccessError,
    path::{Entry, Kind},
};

pub(crate) use self::view::View;
use self::{ignores::Ignores, queue::Queue};
use crate::{ProjectError, ProjectPath, Rules, Until, path::join};

/// Each level costs an open handle.
const MAX_DEPTH: usize = 200;
/// More threads wait for the disk rather than work.
const MAX_THREADS: usize = 12;
/// Stores of other programs, in which nobody wants to find anything.
const NEVER: [&str; 2] = [".git", ".jp"];

/// How a walk is shared out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pace {
    /// How many threads walk at once.
    pub threads: usize,
    /// As many files are handed to another thread at once.
    pub chunk: usize,
}

impl Pace {
    /// For files that are read as fast as they are searched.
    pub fn of_a_disk() -> Self {
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
        Self { threads, chunk: 64 }
    }
}

/// What a walk needs of a backend. Everything is judged when it is opened.
pub trait Tree: Sync {
    /// An open directory.
    type Dir: Send + Sync;
    /// An open file.
    type File: Read;

    /// What may be read.
    fn rules(&self) -> &Rules;

    /// How the walk is shared out.
    fn pace(&self) -> Pace {
        Pace::of_a_disk()
    }

    /// What a path leads to.
    fn find(&self, path: &ProjectPath) -> Result<Found<Self::Dir>, ProjectError>;

    /// The canonical path of a directory; `.` is the root.
    fn path<'a>(&self, dir: &'a Self::Dir) -> &'a str;

    /// What is in a directory. Links are links.
    fn entries(&self, dir: &Self::Dir) -> Result<Vec<Entry>, ProjectError>;

    /// Opens a directory in a directory; a link is an error.
    fn dir_in(&self, dir: &Self::Dir, name: &str) -> Result<Self::Dir, ProjectError>;

    /// Opens a file in a directory; a link is an error.
    fn open_in(&self, dir: &Self::Dir, name: &str) -> Result<Self::File, ProjectError>;

    /// Opens a file by its canonical path.
    fn open(&self, path: &Utf8Path) -> Result<Self::File, ProjectError>;
}

/// What a path leads to.
#[derive(Debug)]
pub enum Found<D> {
    /// A directory.
    Directory(D),
    /// Something else, at this canonical path.
    File(Utf8PathBuf),
}

/// What the walk shows files to. Each thread has one of its own.
pub(crate) trait Visit<F>: Send {
    /// Whether a file with this path is worth opening.
    fn wants(&self, path: &str) -> bool;

    /// A file that may be read. Says whether it has to be seen once more, from its beginning.
    fn visit(&mut self, path: &str, file: F) -> bool;

    /// The same file, if that was asked for.
    fn visit_again(&mut self, path: &str, file: F);
}

/// Walks below these paths, without any over everything, as long as it is wanted; returns the visitors of all threads, and how
/// many files and directories could not be read.
pub(crate) fn walk<T: Tree, V: Visit<T::File>>(
    tree: &T,
    paths: &[ProjectPath],
    until: &Until,
    visitor: impl Fn() -> V,
) -> Result<(Vec<V>, usize), ProjectError> {
    let queue = Queue::new(starts(tree, paths, until)?);
    let Pace { threads, chunk } = tree.pace();
    let worker = |_| Worker { tree, queue: &queue, visitor: visitor(), until, unread: 0, chunk };
    let mut workers: Vec<_> = (0..threads.max(1)).map(worker).collect();
    thread::scope(|scope| {
        let mut workers = workers.iter_mut();
        let own = workers.next();
        for worker in workers {
            scope.spawn(move || worker.work());
        }
        if let Some(worker) = own {
            worker.work();
        }
    });
    let unread = workers.iter().map(|worker| worker.unread).sum();
    Ok((workers.into_iter().map(|worker| worker.visitor).collect(), unread))
}

/// Something to do for a thread.
enum Job<D> {
    /// Open a directory in its parent, and go through it.
    Directory { parent: Arc<Level<D>>, name: String },
    /// Go through a path where the walk begins.
    Start(ProjectPath),
    /// Some files of a directory.
    Files { level: Arc<Level<D>>, names: Vec<String> },
}

/// A directory of the tree.
struct Level<D> {
    dir: D,
    /// What is ignored in the directories above it.
    ignores: Ignores,
    /// How many directories are above it, counted from where the walk began.
    depth: usize,
}

/// Where a walk begins. A path that was asked for is walked even if it is ignored: whoever names it
/// wants it. To what is meant belongs what a rule grants below a directory that is denied, which the
/// walk cannot reach by itself.
fn starts<T: Tree>(
    tree: &T,
    paths: &[ProjectPath],
    until: &Until,
) -> Result<Vec<Job<T::Dir>>, ProjectError> {
    let root = [ProjectPath::root()];
    let bases = if paths.is_empty() { &root } else { paths };
    let named: BTreeSet<_> = bases.iter().collect();
    let mut starts = BTreeSet::new();
    for base in &named {
        if until.is_over() {
            break;
        }
        let granted = granted_apart(tree.rules().policy.as_ref(), base);
        match tree.find(base) {
            Ok(found) if is_reached(tree, base, &found, &named) => {}
            Ok(_) => {
                starts.insert((*base).clone());
            }
            Err(ProjectError::Access(FsAccessError::Denied { .. })) if !granted.is_empty() => {}
            Err(error) => return Err(error),
        }
        for path in granted {
            let Ok(found) = tree.find(&path) else { continue };
            let is_dir = matches!(found, Found::Directory(_));
            if !is_ignored(tree, &path, is_dir) {
                starts.insert(path);
            }
        }
    }
    Ok(starts.into_iter().map(Job::Start).collect())
}

/// Whether the walk comes to a path from one of those above it that were asked for too, so that it need not begin
/// there.
fn is_reached<T: Tree>(
    tree: &T,
    path: &ProjectPath,
    found: &Found<T::Dir>,
    named: &BTreeSet<&ProjectPath>,
) -> bool {
    let (canonical, is_dir) = match found {
        Found::Directory(dir) => (tree.path(dir), true),
        Found::File(path) => (path.as_str(), false),
    };
    let above = std::iter::successors(path.parent(), ProjectPath::parent).take(MAX_DEPTH);
    // No link is followed on the way, and what is denied or ignored ends it.
    canonical == path.as_str()
        && above
            .map_while(|dir| tree.rules().can_read(dir.as_path()).then_some(dir))
            .any(|dir| named.contains(&dir))
        && !is_ignored(tree, path, is_dir)
}

/// The paths below a directory that can be read while the directory around them cannot.
fn granted_apart(policy: Option<&AccessPolicy>, base: &ProjectPath) -> Vec<ProjectPath> {
    let Some(policy) = policy else {
        return Vec::new();
    };
    let rules = policy.fs.iter().filter(|rule| rule.grants(Capability::Read));
    let paths = rules.filter_map(|rule| ProjectPath::new(rule.path().as_str()).ok());
    let mut paths: Vec<_> = paths
        .filter(|path| path != base && path.starts_with(base) && policy.can_read(path.as_path()))
        .filter(|path| path.parent().is_some_and(|dir| !policy.can_read(dir.as_path())))
        .collect();
    paths.sort();
    paths.dedup();
    paths
}

/// What the directories above a path ignore.
fn above<T: Tree>(tree: &T, path: &ProjectPath) -> Ignores {
    let mut dirs: Vec<_> = std::iter::successors(path.parent(), ProjectPath::parent).collect();
    dirs.reverse();
    dirs.iter().fold(Ignores::default(), |ignores, dir| match tree.find(dir) {
        Ok(Found::Directory(dir)) => match tree.entries(&dir) {
            Ok(entries) => ignores.below(tree, &dir, &entries),
            Err(_) => ignores,
        },
        _ => ignores,
    })
}

/// Whether a path or a directory above it is ignored.
fn is_ignored<T: Tree>(tree: &T, path: &ProjectPath, is_dir: bool) -> bool {
    let is_in_ignored =
        path.parent().is_some_and(|dir| !dir.is_root() && is_ignored(tree, &dir, true));
    is_in_ignored || above(tree, path).ignores(path.as_str(), is_dir)
}

struct Worker<'a, T: Tree, V> {
    tree: &'a T,
    queue: &'a Queue<Job<T::Dir>>,
    visitor: V,
    until: &'a Until,
    unread: usize,
    /// See [`Pace::chunk`].
    chunk: usize,
}

impl<T: Tree, V: Visit<T::File>> Worker<'_, T, V> {
    fn work(&mut self) {
        while let Some(taken) = self.queue.take() {
            // What is left is only taken off the stack when nobody wants it.
            if !self.until.is_over() {
                self.job(taken.job);
            }
        }
    }

    fn job(&mut self, job: Job<T::Dir>) {
        match job {
            Job::Directory { parent, name } => match self.tree.dir_in(&parent.dir, &name) {
                Ok(dir) => {
                    let (ignores, depth) = (parent.ignores.clone(), parent.depth + 1);
                    self.level(Level { dir, ignores, depth });
                }
                Err(error) => self.missed(&error),
            },
            Job::Start(path) => match self.tree.find(&path) {
                Ok(found) => self.start(&path, found),
                Err(error) => self.missed(&error),
            },
            Job::Files { level, names } => self.files(&level, &names),
        }
    }

    fn start(&mut self, path: &ProjectPath, found: Found<T::Dir>) {
        let is_never = |path: &Utf8Path| path.components().any(|one| NEVER.contains(&one.as_str()));
        match found {
            Found::File(path) => {
                if !is_never(&path) && self.visitor.wants(path.as_str()) {
                    self.show(path.as_str(), |tree| tree.open(&path));
                }
            }
            Found::Directory(dir) => {
                let canonical = self.tree.path(&dir);
                let canonical = ProjectPath::new(canonical).unwrap_or_else(|_| path.clone());
                if !is_never(canonical.as_path()) {
                    let ignores = above(self.tree, &canonical);
                    self.level(Level { dir, ignores, depth: 0 });
                }
            }
        }
    }

    /// Reads a directory: its files are visited here or by others, its directories are put aside.
    fn level(&mut self, mut level: Level<T::Dir>) {
        let entries = match self.tree.entries(&level.dir) {
            Ok(entries) => entries,
            Err(error) => return self.missed(&error),
        };
        level.ignores = level.ignores.below(self.tree, &level.dir, &entries);
        let level = Arc::new(level);
        let (mut names, mut jobs) = (Vec::new(), Vec::new());
        for entry in entries {
            match entry.kind {
                _ if !self.is_wanted(&level, &entry) => {}
                Kind::File => names.push(entry.name),
                Kind::Directory if level.depth >= MAX_DEPTH => self.unread += 1,
                Kind::Directory => {
                    jobs.push(Job::Directory { parent: Arc::clone(&level), name: entry.name });
                }
                Kind::Symlink | Kind::Other => {}
            }
        }
        // What is left over for others comes last and is therefore taken first.
        let chunk = self.chunk.max(1);
        while names.len() > chunk {
            let names = names.split_off(names.len() - chunk);
            jobs.push(Job::Files { level: Arc::clone(&level), names });
        }
        // The others need not wait until these are done.
        self.queue.add(jobs);
        self.files(&level, &names);
    }

    fn is_wanted(&self, level: &Level<T::Dir>, entry: &Entry) -> bool {
        let is_dir = entry.kind == Kind::Directory;
        let path = join(self.tree.path(&level.dir), &entry.name);
        !NEVER.contains(&entry.name.as_str())
            && (is_dir || self.visitor.wants(&path))
            && !level.ignores.ignores(&path, is_dir)
            && self.tree.rules().can_read(Utf8Path::new(&path))
    }

    fn files(&mut self, level: &Level<T::Dir>, names: &[String]) {
        for name in names {
            if self.until.is_unwanted() {
                return;
            }
            let path = join(self.tree.path(&level.dir), name);
            self.show(&path, |tree| tree.open_in(&level.dir, name));
        }
    }

    fn show(&mut self, path: &str, open: impl Fn(&T) -> Result<T::File, ProjectError>) {
        let is_done = match open(self.tree) {
            Ok(file) => !self.visitor.visit(path, file),
            Err(error) => return self.missed(&error),
        };
        if is_done {
            return;
        }
        match open(self.tree) {
            Ok(file) => self.visitor.visit_again(path, file),
            Err(error) => self.missed(&error),
        }
    }

    /// What is denied by another of its names is not there for us, nor is what is gone.
    fn missed(&mut self, error: &ProjectError) {
        let is_nothing = matches!(error, ProjectError::Access(_) | ProjectError::NotFound { .. });
        self.unread += usize::from(!is_nothing);
    }
}
