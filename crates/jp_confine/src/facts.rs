//! The disk as a plan asks about it.

use camino::{Utf8Path, Utf8PathBuf};
use jp_sandbox::{
    linux::mount_points,
    plan::{Facts, Kind},
};

/// The disk of this machine. The mounts are read once: a plan asks about them for many places.
#[derive(Debug)]
pub(crate) struct Disk {
    mounts: Vec<Utf8PathBuf>,
}

impl Disk {
    /// Where nobody can list the mounts, none are known, and mounting over them fails.
    pub(crate) fn new() -> Self {
        Self { mounts: mount_points().unwrap_or_default() }
    }
}

impl Facts for Disk {
    fn kind(&self, path: &Utf8Path) -> Kind {
        let Ok(found) = path.symlink_metadata() else { return Kind::Missing };
        if found.is_dir() {
            return Kind::Directory;
        }
        if found.is_file() {
            return Kind::File;
        }
        match path.read_link_utf8() {
            Ok(target) if found.is_symlink() => Kind::Link(target),
            _ => Kind::Other,
        }
    }

    fn children(&self, directory: &Utf8Path) -> Vec<String> {
        let entries = directory.read_dir_utf8().into_iter().flatten().flatten();
        entries.map(|entry| entry.file_name().to_owned()).collect()
    }

    fn mounts(&self, below: &Utf8Path) -> Vec<Utf8PathBuf> {
        let is_below = |path: &&Utf8PathBuf| *path != below && path.starts_with(below);
        self.mounts.iter().filter(is_below).cloned().collect()
    }
}
