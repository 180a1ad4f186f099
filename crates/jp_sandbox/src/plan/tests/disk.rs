//! A disk in memory.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

use crate::plan::{Facts, Kind};

/// What is where. Directories around an entry are there by themselves.
#[derive(Debug, Clone, Default)]
pub(in crate::plan) struct Disk {
    entries: BTreeMap<Utf8PathBuf, Kind>,
    pub(in crate::plan) mounts: Vec<Utf8PathBuf>,
}

impl Disk {
    /// From words: `/a/b/` is a directory, `/a/c` a file, `/a/d->b` a link, `/a/s=` a socket.
    pub(in crate::plan) fn new(words: &str) -> Self {
        let mut disk = Self::default();
        words.split_whitespace().for_each(|word| disk.add(word));
        disk
    }

    pub(in crate::plan) fn add(&mut self, word: &str) {
        let (path, kind) = match word.split_once("->") {
            Some((path, target)) => (path, Kind::Link(target.into())),
            None if word.ends_with('=') => (word.trim_end_matches('='), Kind::Other),
            None if word.ends_with('/') && word.len() > 1 => {
                (word.trim_end_matches('/'), Kind::Directory)
            }
            None => (word, Kind::File),
        };
        let path = Utf8Path::new(path);
        for ancestor in path.ancestors().skip(1) {
            self.entries.insert(ancestor.to_owned(), Kind::Directory);
        }
        // What has entries of its own stays a directory.
        let entry = self.entries.entry(path.to_owned()).or_insert_with(|| kind.clone());
        if *entry != Kind::Directory {
            *entry = kind;
        }
    }
}

impl Facts for Disk {
    fn kind(&self, path: &Utf8Path) -> Kind {
        self.entries.get(path).cloned().unwrap_or(Kind::Missing)
    }

    fn children(&self, directory: &Utf8Path) -> Vec<String> {
        let names = self.entries.keys().filter(|path| path.parent() == Some(directory));
        names.filter_map(|path| path.file_name().map(str::to_owned)).collect()
    }

    fn mounts(&self, below: &Utf8Path) -> Vec<Utf8PathBuf> {
        let is_below = |path: &&Utf8PathBuf| path.as_path() != below && path.starts_with(below);
        self.mounts.iter().filter(is_below).cloned().collect()
    }
}
