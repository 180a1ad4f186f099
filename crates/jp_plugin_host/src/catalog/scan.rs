//! Finds the files that may be plugins: by their names alone, nothing is opened or run.
//!
//! The danger is a file that lies in wait. An entry of the search path that is empty or relative means the
//! directory one happens to be in, and a workspace could bring its own `jp-export`; such entries are passed
//! over, as in every search for a program.

use std::{collections::BTreeSet, env, ffi::OsStr, os::fd::OwnedFd};

use camino::{Utf8Path, Utf8PathBuf};
use jp_plugin::{CommandPath, PREFIX, PluginId};
use rustix::fs::{Access, AtFlags, CWD, Mode, OFlags, Stat, accessat};

use super::listings::Listings;
use crate::look::Look;

/// More files than these are not looked at.
pub(super) const MOST: usize = 500;

/// Programs of ours that are called like plugins and are none.
const NOT_PLUGINS: [&str; 1] = ["jp-tools"];

/// Where plugins are looked for.
#[derive(Debug, Clone, Copy)]
pub struct Places<'a> {
    /// The directory of installed ones.
    pub installed: Option<&'a Utf8Path>,
    /// A value like that of `PATH`.
    pub search: &'a OsStr,
}

/// A file that is called like a plugin and can be executed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Binary {
    /// The name without `jp-`.
    pub id: String,
    /// What the name stands for, unless the plugin says something else.
    pub named: CommandPath,
    /// Where it was found.
    pub path: Utf8PathBuf,
    /// Where it really is.
    pub canonical: Utf8PathBuf,
    /// Whether it is in the directory of installed ones.
    pub installed: bool,
    pub look: Look,
}

/// Every such file: installed ones first, then those of the search path in its order.
pub fn scan(places: Places<'_>, listings: &mut Listings) -> Vec<Binary> {
    let mut found = Vec::new();
    let (mut read, mut seen) = (BTreeSet::new(), BTreeSet::new());
    let mut add = |directory: &Utf8Path, installed: bool| {
        // A directory may be listed twice, and two of them may be one: `/bin` often is `/usr/bin`.
        let opened = open(directory).filter(|(_, it)| read.insert((it.st_dev, it.st_ino)));
        let Some((opened, stat)) = opened else { return };
        let names = listings.names(directory, &opened, &stat, PREFIX);
        for binary in names.iter().filter_map(|name| binary(directory, name, installed)) {
            // Two directories may lead to one file.
            if found.len() < MOST && seen.insert(binary.canonical.clone()) {
                found.push(binary);
            }
        }
    };
    if let Some(installed) = places.installed {
        add(installed, true);
    }
    for directory in env::split_paths(places.search).filter(|place| place.is_absolute()) {
        if let Ok(directory) = Utf8PathBuf::try_from(directory) {
            add(&directory, false);
        }
    }
    found
}

/// A directory, with what can be seen of it.
pub(super) fn open(directory: &Utf8Path) -> Option<(OwnedFd, Stat)> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let opened = rustix::fs::open(directory.as_std_path(), flags, Mode::empty()).ok()?;
    let found = rustix::fs::fstat(&opened).ok()?;
    Some((opened, found))
}

fn binary(directory: &Utf8Path, name: &str, installed: bool) -> Option<Binary> {
    // They never lie among the installed ones; what does is a plugin that somebody wanted.
    if !installed && NOT_PLUGINS.contains(&name) {
        return None;
    }
    let named = CommandPath::from_file_name(name).ok()?;
    let id = name.strip_prefix(PREFIX)?.to_owned();
    // What was installed has an id of the registry, and its name is part of a path.
    if installed && id.parse::<PluginId>().is_err() {
        return None;
    }
    let path = directory.join(name);
    let look = Look::of(&path)?;
    accessat(CWD, path.as_std_path(), Access::EXEC_OK, AtFlags::EACCESS).ok()?;
    let canonical = path.canonicalize_utf8().ok()?;
    Some(Binary { id, named, path, canonical, installed, look })
}
