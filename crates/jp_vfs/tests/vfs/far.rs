//! Files that are far away: what takes long goes on until a test lets it end.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use camino::Utf8Path;
use jp_project::{
    Content, DeleteReach, DirEntry, GrepAnswer, GrepQuery, Materialized, Metadata, Part,
    ProjectError, ProjectFiles, ProjectPath, RenameTarget, Rules, Slice, WriteMode,
};

use crate::tool::LIMIT;

/// Files to which somebody else keeps the way.
#[derive(Debug, Clone)]
pub(crate) struct Far {
    files: Arc<dyn ProjectFiles>,
    at_work: Arc<AtWork>,
}

/// What is done there.
#[derive(Debug, Default)]
pub(crate) struct AtWork {
    ends: AtomicBool,
    /// Whether a copy is made at once, and what was changed in it is not brought back.
    holds_changes: AtomicBool,
    copies: AtomicUsize,
    most_copies: AtomicUsize,
    changes: AtomicUsize,
    searches: AtomicUsize,
}

impl AtWork {
    /// Lets all of it come to an end.
    pub(crate) fn end(&self) {
        self.ends.store(true, Ordering::SeqCst);
    }

    pub(crate) fn hold_changes(&self) {
        self.holds_changes.store(true, Ordering::SeqCst);
    }

    /// Waits until so many copies are being made.
    pub(crate) fn until_copies(&self, count: usize) {
        until(|| self.copies.load(Ordering::SeqCst) == count);
    }

    /// How many were made at the same time.
    pub(crate) fn most_copies(&self) -> usize {
        self.most_copies.load(Ordering::SeqCst)
    }

    /// Waits until so many changes have begun.
    pub(crate) fn until_changes(&self, count: usize) {
        until(|| self.changes.load(Ordering::SeqCst) == count);
    }

    /// Waits until so many searches have begun.
    pub(crate) fn until_searches(&self, count: usize) {
        until(|| self.searches.load(Ordering::SeqCst) == count);
    }

    fn wait(&self) {
        let deadline = Instant::now() + LIMIT;
        while !self.ends.load(Ordering::SeqCst) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

/// Waits until something holds.
pub(crate) fn until(holds: impl Fn() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !holds() {
        assert!(Instant::now() < deadline, "it does not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

impl Far {
    pub(crate) fn new(files: Arc<dyn ProjectFiles>) -> Self {
        Self { files, at_work: Arc::default() }
    }

    pub(crate) fn at_work(&self) -> Arc<AtWork> {
        self.at_work.clone()
    }
}

impl ProjectFiles for Far {
    fn read(&self, path: &ProjectPath, part: Part) -> Result<Content, ProjectError> {
        self.files.read(path, part)
    }

    fn write(
        &self,
        path: &ProjectPath,
        content: &[u8],
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        if self.at_work.holds_changes.load(Ordering::SeqCst) {
            self.at_work.changes.fetch_add(1, Ordering::SeqCst);
            self.at_work.wait();
        }
        self.files.write(path, content, mode)
    }

    fn list_dir(&self, path: &ProjectPath, slice: Slice) -> Result<Vec<DirEntry>, ProjectError> {
        self.files.list_dir(path, slice)
    }

    fn metadata(&self, path: &ProjectPath) -> Result<Metadata, ProjectError> {
        self.files.metadata(path)
    }

    fn delete(&self, path: &ProjectPath, reach: DeleteReach) -> Result<(), ProjectError> {
        self.files.delete(path, reach)
    }

    fn rename(
        &self,
        from: &ProjectPath,
        to: &ProjectPath,
        target: RenameTarget,
    ) -> Result<(), ProjectError> {
        self.files.rename(from, to, target)
    }

    fn create_dir(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        self.files.create_dir(path)
    }

    fn grep(&self, query: &GrepQuery) -> Result<GrepAnswer, ProjectError> {
        self.at_work.searches.fetch_add(1, Ordering::SeqCst);
        self.at_work.wait();
        self.files.grep(query)
    }

    fn materialize(&self, scratch: &Utf8Path) -> Result<Materialized, ProjectError> {
        let held = self.at_work.holds_changes.load(Ordering::SeqCst);
        let copies = self.at_work.copies.fetch_add(1, Ordering::SeqCst) + 1;
        self.at_work.most_copies.fetch_max(copies, Ordering::SeqCst);
        if !held {
            self.at_work.wait();
        }
        let made = Materialized::copy_of(Arc::new(self.clone()), scratch);
        self.at_work.copies.fetch_sub(1, Ordering::SeqCst);
        made
    }

    fn display_root(&self) -> String {
        self.files.display_root()
    }

    fn is_quick(&self) -> bool {
        false
    }

    fn under(&self, rules: Rules) -> Arc<dyn ProjectFiles> {
        Arc::new(Self { files: self.files.under(rules), at_work: self.at_work.clone() })
    }
}
