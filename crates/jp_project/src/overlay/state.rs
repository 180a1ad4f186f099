//! What is kept above: what is there instead of what is below, and what was below when it was touched.

use std::collections::{BTreeMap, BTreeSet};

use camino::Utf8Path;

use super::store::{Bounds, Store, Stored};
use crate::{DirEntry, Kind, ProjectPath, path::join};

/// More paths than this are nobody's review.
pub(super) const MAX_PATHS: usize = 100_000;
/// The most bytes that paths may have together.
pub(super) const MAX_PATH_BYTES: usize = 16 << 20;

#[derive(Debug)]
pub(super) struct State {
    /// By canonical path.
    upper: BTreeMap<ProjectPath, Upper>,
    /// What was below at each path that was touched.
    before: BTreeMap<ProjectPath, Before>,
    /// How many paths there are in one or both of these, and how many bytes they have in each.
    held: Held,
    pub(super) store: Store,
    /// Whether nothing more is taken.
    pub(super) is_sealed: bool,
}

/// Paths that are kept.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Held {
    pub(super) paths: usize,
    pub(super) bytes: usize,
}

impl Held {
    /// Whether these are not more than can be kept.
    pub(super) fn is_bounded(self) -> bool {
        self.paths <= MAX_PATHS && self.bytes <= MAX_PATH_BYTES
    }
}

/// What is at a path instead of what is below. Whatever it is, nothing that is below the path in the
/// backend below can be seen any more.
#[derive(Debug, Clone)]
pub(super) enum Upper {
    Gone,
    Directory,
    File(File),
}

#[derive(Debug, Clone)]
pub(super) struct File {
    pub(super) content: Stored,
    /// Where the file was below, if it was moved from there.
    pub(super) moved_from: Option<ProjectPath>,
    /// Whether anybody may run it, as far as the backend below says so of the file that it was.
    pub(super) executable: bool,
}

/// What was at a path in the backend below.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Before {
    Nothing,
    Directory,
    File(Stamp),
    /// A link, and where it leads.
    Link(String),
    Special,
}

/// What tells a content from another: its size and its hash. Of a large file the size has to do, because
/// whoever deletes a file of a terabyte does not want to wait until it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) size: u64,
    pub(super) hash: Option<[u8; 32]>,
}

/// What decides about a path.
#[derive(Debug)]
pub(super) enum Cover<'a> {
    /// What is kept here.
    Upper(&'a Upper),
    /// Something above it is kept here, so nothing is there.
    Hidden,
    /// The backend below.
    Below,
}

impl State {
    pub(super) fn new(scratch: &Utf8Path) -> Self {
        Self::with(Store::new(scratch, Bounds::default()), false)
    }

    fn with(store: Store, is_sealed: bool) -> Self {
        let (upper, before) = (BTreeMap::new(), BTreeMap::new());
        Self { upper, before, held: Held::default(), store, is_sealed }
    }

    /// Takes everything out. What was sealed stays so.
    pub(super) fn take(&mut self) -> Self {
        let empty = Self::with(self.store.anew(), self.is_sealed);
        std::mem::replace(self, empty)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.upper.is_empty()
    }

    pub(super) fn cover(&self, path: &ProjectPath) -> Cover<'_> {
        if self.upper.is_empty() {
            return Cover::Below;
        }
        if let Some(upper) = self.upper.get(path) {
            return Cover::Upper(upper);
        }
        let mut above = std::iter::successors(path.parent(), ProjectPath::parent);
        if above.any(|dir| self.upper.contains_key(&dir)) { Cover::Hidden } else { Cover::Below }
    }

    pub(super) fn set(&mut self, path: &ProjectPath, upper: Upper) {
        self.clear(path);
        self.held.bytes += path.as_str().len();
        self.held.paths += usize::from(!self.before.contains_key(path));
        self.upper.insert(path.clone(), upper);
    }

    /// Keeps what was below at paths that are touched for the first time.
    pub(super) fn note(&mut self, seen: BTreeMap<ProjectPath, Before>) {
        for (path, before) in seen {
            self.held.bytes += path.as_str().len();
            self.held.paths += usize::from(!self.upper.contains_key(&path));
            self.before.insert(path, before);
        }
    }

    /// Whether nobody has looked yet at what is below at a path that is touched.
    pub(super) fn is_unseen(&self, path: &ProjectPath) -> bool {
        matches!(self.cover(path), Cover::Below) && !self.before.contains_key(path)
    }

    /// What would be held after all these paths were touched, of which the last ones are then kept above. What is
    /// kept now at and below `gone` is not kept any more.
    pub(super) fn held_with<'p>(
        &self,
        touched: impl IntoIterator<Item = &'p ProjectPath>,
        kept: impl IntoIterator<Item = &'p ProjectPath>,
        gone: Option<&ProjectPath>,
    ) -> Held {
        let mut held = self.held;
        if let Some(gone) = gone {
            let at = self.upper.get_key_value(gone);
            for (path, _) in self.below(gone).chain(at) {
                held.bytes -= path.as_str().len();
                held.paths -= usize::from(!self.before.contains_key(path));
            }
        }
        for path in touched.into_iter().filter(|path| self.is_unseen(path)) {
            held.bytes += path.as_str().len();
            held.paths += 1;
        }
        for path in kept.into_iter().filter(|path| !self.upper.contains_key(path)) {
            held.bytes += path.as_str().len();
            let is_counted = self.is_unseen(path) || self.before.contains_key(path);
            held.paths += usize::from(!is_counted);
        }
        held
    }

    /// Forgets what is kept at a path and below it.
    pub(super) fn clear(&mut self, path: &ProjectPath) {
        let below: Vec<_> = self.below(path).map(|(path, _)| path.clone()).collect();
        for path in below.iter().chain([path]) {
            let Some(upper) = self.upper.remove(path) else { continue };
            self.held.bytes -= path.as_str().len();
            self.held.paths -= usize::from(!self.before.contains_key(path));
            if let Upper::File(file) = upper {
                self.store.free(&file.content);
            }
        }
    }

    /// What is kept below a directory.
    pub(super) fn below(&self, dir: &ProjectPath) -> impl Iterator<Item = (&ProjectPath, &Upper)> {
        let prefix = if dir.is_root() { String::new() } else { format!("{dir}/") };
        self.upper
            .range(ProjectPath::known(&prefix)..)
            .take_while(move |(path, _)| path.as_str().starts_with(&prefix))
    }

    /// The entries of a directory, given those of the backend below as far as they can be seen.
    pub(super) fn merge(&self, dir: &ProjectPath, below: Vec<DirEntry>) -> Vec<DirEntry> {
        let path = |name: &str| ProjectPath::known(&join(dir.as_str(), name));
        let is_kept = |entry: &DirEntry| self.upper.contains_key(&path(&entry.name));
        let below = below.into_iter().filter(|entry| !is_kept(entry));
        let depth = if dir.is_root() { 0 } else { dir.as_str().len() + 1 };
        let above = self.below(dir).filter_map(|(path, upper)| {
            let name = path.as_str().get(depth..).filter(|name| !name.contains('/'))?;
            let kind = upper.kind()?;
            Some(DirEntry { name: name.to_owned(), kind, is_link: false })
        });
        let mut entries: Vec<_> = below.chain(above).collect();
        entries.sort();
        entries
    }

    /// Every path that was touched.
    pub(super) fn paths(&self) -> BTreeSet<ProjectPath> {
        self.upper.keys().chain(self.before.keys()).cloned().collect()
    }

    /// What was at a path before; where nobody looked, nothing was.
    pub(super) fn before(&self, path: &ProjectPath) -> &Before {
        self.before.get(path).unwrap_or(&Before::Nothing)
    }

    /// What is at a path now, as far as it is kept here.
    pub(super) fn now(&self, path: &ProjectPath) -> Now<'_> {
        match self.cover(path) {
            Cover::Upper(Upper::File(file)) => Now::File(file),
            Cover::Upper(Upper::Directory) => Now::Directory,
            Cover::Upper(Upper::Gone) | Cover::Hidden => Now::Nothing,
            Cover::Below => Now::AsBefore,
        }
    }
}

/// What is at a path that was touched.
#[derive(Debug)]
pub(super) enum Now<'a> {
    AsBefore,
    Nothing,
    Directory,
    File(&'a File),
}

impl Upper {
    pub(super) fn kind(&self) -> Option<Kind> {
        match self {
            Self::Gone => None,
            Self::Directory => Some(Kind::Directory),
            Self::File(_) => Some(Kind::File),
        }
    }
}
