//! The two sides of a change set, side by side: the workspace and what was written over it.

use std::{
    fs::File,
    io,
    os::fd::OwnedFd,
    sync::{Arc, PoisonError},
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{fs::Stat, io::Errno};

use crate::{
    Change, ReadError,
    set::Set,
    tree::{OWNER, Tree, chmod, handle_at, stat_at},
};

/// Handles of both sides. Paths are relative to the root, and the root is empty.
#[derive(Debug)]
pub(crate) struct Ground {
    pub(crate) set: Arc<Set>,
    /// The canonical path of the root.
    pub(crate) root: Utf8PathBuf,
    pub(crate) host: Tree,
    uppers: Vec<Tree>,
    /// The places, relative to the root.
    pub(crate) places: Vec<Utf8PathBuf>,
}

impl Ground {
    pub(crate) fn new(set: &Arc<Set>, root: &Utf8Path) -> Result<Self, ReadError> {
        let error = |source: io::Error| ReadError::Io { path: root.to_owned(), source };
        let canonical = root.canonicalize_utf8().map_err(error)?;
        let host = Tree::open(&canonical).map_err(|errno| error(errno.into()))?;
        let mut places = Vec::with_capacity(set.places.len());
        let mut uppers = Vec::with_capacity(set.places.len());
        for (index, place) in set.places.iter().enumerate() {
            let below = place.strip_prefix(&canonical).or_else(|_| place.strip_prefix(root));
            let below = below
                .map_err(|_| ReadError::NotBelow { place: place.clone(), root: root.to_owned() })?;
            places.push(below.to_owned());
            let upper = set.upper(index);
            let tree = Tree::open(&upper);
            uppers.push(tree.map_err(|errno| ReadError::Io { path: upper, source: errno.into() })?);
        }
        Ok(Self { set: Arc::clone(set), root: canonical, host, uppers, places })
    }

    /// The written side of a place, and the path in it.
    pub(crate) fn upper<'a>(&self, place: usize, path: &'a Utf8Path) -> (&Tree, &'a Utf8Path) {
        let inside = path.strip_prefix(&self.places[place]).unwrap_or(path);
        (&self.uppers[place], inside)
    }

    /// The written side of a change.
    pub(crate) fn source<'a>(&self, change: &'a Change) -> (&Tree, &'a Utf8Path) {
        self.upper(change.place, plain(&change.path))
    }

    /// The new content of a file.
    pub(crate) fn new_file(&self, change: &Change) -> rustix::io::Result<File> {
        let (tree, path) = self.source(change);
        tree.file_of_ours(path).map(File::from)
    }

    /// The content of a file in the workspace.
    pub(crate) fn old_file(&self, change: &Change) -> rustix::io::Result<File> {
        self.host.file(plain(&change.path)).map(File::from)
    }

    /// Whether a place begins exactly here.
    pub(crate) fn is_place(&self, path: &Utf8Path) -> bool {
        self.places.iter().any(|place| place == path)
    }

    /// Whether a place begins somewhere below.
    pub(crate) fn leads_to_place(&self, path: &Utf8Path) -> bool {
        self.places.iter().any(|place| place != path && place.starts_with(path))
    }

    /// The permissions that the tool gave to the directory in which a place begins.
    pub(crate) fn place_mode(&self, place: usize) -> rustix::io::Result<u32> {
        let dir = self.set.place(place)?;
        let stat = stat_at(&dir, "upper")?.ok_or(Errno::NOENT)?;
        self.directory_mode(&dir, "upper", &self.places[place], &stat)
    }

    /// The permissions that the tool gave to a directory. One that its owner cannot read is opened
    /// up, here in the set only, and what it had is remembered.
    pub(crate) fn directory_mode(
        &self,
        dir: &OwnedFd,
        name: impl rustix::path::Arg,
        path: &Utf8Path,
        stat: &Stat,
    ) -> rustix::io::Result<u32> {
        let mut modes = self.set.modes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mode) = modes.get(path) {
            return Ok(*mode);
        }
        let mode = stat.st_mode & 0o7777;
        if mode & OWNER != OWNER {
            chmod(&handle_at(dir, name)?, mode | OWNER)?;
            modes.insert(path.to_owned(), mode);
        }
        Ok(mode)
    }
}

/// A path of a change as a path for handles, where the root is empty.
pub(crate) fn plain(path: &Utf8Path) -> &Utf8Path {
    if path == "." { Utf8Path::new("") } else { path }
}
