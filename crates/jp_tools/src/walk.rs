//! Every file of a tree that may be read, seen by several threads at once.
//!
//! The walk goes by handles: a directory is opened in the handle of its parent, a file in that of its
//! directory, and neither follows a link, so what the policy was asked about is what is opened (see
//! [`Directory`]). What the policy does not let be read is not there for the walk, its name included.
//! `.gitignore` and `.ignore` are honoured, hidden files are seen, `.git` and `.jp` are not.
//!
//! Work is a stack of [`Job`]s. The last one is taken first, so the tree is walked into the depth and
//! the directories that wait hold few handles: those of their parents.

mod ignores;
mod queue;
mod selection;
mod starts;

use std::{fmt::Write, fs::File, num::NonZero, sync::Arc, thread};

use camino::Utf8Path;
use jp_tool::access::path::{Directory, Entry, Files, Kind, OpenError};

use self::{ignores::Ignores, queue::Queue, starts::Starts};
pub(crate) use self::{selection::Selection, starts::StartError};
use crate::text::count;

/// Each level costs an open handle.
const MAX_DEPTH: usize = 200;
/// As many files are handed to another thread at once.
const CHUNK: usize = 64;
/// More threads wait for the disk rather than work.
const MAX_THREADS: usize = 12;
/// Stores of other programs, in which nobody wants to find anything.
const NEVER: [&str; 2] = [".git", ".jp"];

/// What the walk shows. Each thread has one of its own.
pub(crate) trait Visit: Send {
    /// Something that may be read and was selected.
    fn visit(&mut self, found: &Found<'_>);
}

/// Something in the tree.
pub(crate) struct Found<'a> {
    /// Its canonical path.
    pub(crate) path: &'a Utf8Path,
    pub(crate) kind: Kind,
    files: &'a Files,
    place: Place<'a>,
}

enum Place<'a> {
    In(&'a Directory, &'a str),
    Named(&'a Utf8Path),
}

impl Found<'_> {
    /// Opens a file, judged once more.
    pub(crate) fn open(&self) -> Result<File, OpenError> {
        match self.place {
            Place::In(dir, name) => self.files.read_in(dir, name),
            Place::Named(path) => self.files.read(path),
        }
    }

    /// Whether what a link leads to may be read.
    pub(crate) fn leads_to_readable(&self) -> bool {
        self.files.metadata(self.path).is_ok()
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
pub(crate) struct Walk<'a> {
    files: &'a Files,
    selection: &'a Selection,
    starts: Starts,
}

impl<'a> Walk<'a> {
    /// A walk below these paths; without any, over everything that may be read.
    pub(crate) fn new(
        files: &'a Files,
        paths: &[String],
        selection: &'a Selection,
    ) -> Result<Self, StartError> {
        Ok(Self { files, selection, starts: Starts::find(files, paths, selection)? })
    }

    /// Walks, and returns the visitors of all threads.
    pub(crate) fn run<V: Visit>(mut self, visitor: impl Fn() -> V) -> (Vec<V>, LeftOut) {
        let jobs: Vec<Job> = self.starts.take_jobs();
        let queue = Queue::new(jobs);
        let threads = thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
        let mut workers: Vec<_> = (0..threads)
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

    fn may_read(&self, path: &Utf8Path) -> bool {
        self.files.policy().is_none_or(|policy| policy.can_read(path))
    }
}

/// Something to do for a thread.
enum Job {
    /// Open a directory in its parent, and go through it.
    Directory { parent: Arc<Level>, name: String },
    /// Go through a directory that is open.
    Opened(Box<Level>),
    /// Some files of a directory.
    Files { level: Arc<Level>, names: Vec<String> },
    /// A file that was asked for.
    Named(camino::Utf8PathBuf),
}

/// A directory of the tree.
struct Level {
    dir: Directory,
    /// What is ignored in the directories above it.
    ignores: Ignores,
    /// How many directories are above it, counted from where the walk began.
    depth: usize,
}

struct Worker<'a, V> {
    walk: &'a Walk<'a>,
    queue: &'a Queue<Job>,
    visitor: V,
    left_out: LeftOut,
}

impl<V: Visit> Worker<'_, V> {
    fn work(&mut self) {
        while let Some(taken) = self.queue.take() {
            let more = self.job(taken.job);
            self.queue.add(more);
        }
    }

    fn job(&mut self, job: Job) -> Vec<Job> {
        match job {
            Job::Directory { parent, name } => {
                match self.walk.files.directory_in(&parent.dir, &name) {
                    Ok(dir) => {
                        let ignores = parent.ignores.clone();
                        self.level(Level { dir, ignores, depth: parent.depth + 1 })
                    }
                    Err(error) => {
                        self.left_out.unreadable += usize::from(!is_gone(&error));
                        Vec::new()
                    }
                }
            }
            Job::Opened(level) => self.level(*level),
            Job::Files { level, names } => {
                self.files(&level, &names);
                Vec::new()
            }
            Job::Named(path) => {
                let place = Place::Named(&path);
                let (files, kind) = (self.walk.files, Kind::File);
                self.visitor.visit(&Found { path: &path, kind, files, place });
                Vec::new()
            }
        }
    }

    /// Reads a directory: its files are visited here or by others, its directories are put aside.
    fn level(&mut self, mut level: Level) -> Vec<Job> {
        let Ok(entries) = list(&level.dir) else {
            self.left_out.unreadable += 1;
            return Vec::new();
        };
        level.ignores = level.ignores.below(self.walk.files, &level.dir, &entries);
        let level = Arc::new(level);
        let (mut names, mut jobs) = (Vec::new(), Vec::new());
        let mut path = PathBuffer::of(&level.dir);
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

    fn is_wanted(&self, level: &Level, path: &str, entry: &Entry) -> bool {
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
            && self.walk.may_read(canonical)
    }

    fn files(&mut self, level: &Level, names: &[String]) {
        let mut path = PathBuffer::of(&level.dir);
        for name in names {
            let path = path.with(name);
            self.visit(level, path, name, Kind::File);
        }
    }

    fn visit(&mut self, level: &Level, path: &str, name: &str, kind: Kind) {
        let (path, files) = (Utf8Path::new(path), self.walk.files);
        let place = Place::In(&level.dir, name);
        self.visitor.visit(&Found { path, kind, files, place });
    }
}

/// The paths of a directory's entries, written into one place.
struct PathBuffer {
    path: String,
    prefix: usize,
}

impl PathBuffer {
    fn of(dir: &Directory) -> Self {
        let path = if dir.path() == "." { String::new() } else { format!("{}/", dir.path()) };
        Self { prefix: path.len(), path }
    }

    fn with(&mut self, name: &str) -> &str {
        self.path.truncate(self.prefix);
        self.path.push_str(name);
        &self.path
    }
}

fn list(dir: &Directory) -> Result<Vec<Entry>, OpenError> {
    let failed = |source| OpenError::Io { path: dir.path().to_owned(), source };
    dir.entries()?.map(|entry| entry.map_err(failed)).collect()
}

fn is_gone(error: &OpenError) -> bool {
    matches!(error, OpenError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
}
