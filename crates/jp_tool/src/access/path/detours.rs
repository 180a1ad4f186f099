//! Which paths led through a link the last time.
//!
//! A path without a link on it is opened in one call that forbids links. Where that fails, a second
//! call follows them, and the first was for nothing. So the paths on which there was one are kept,
//! and go the longer way at once. That is a matter of time only: both ways judge what they open, and
//! a path that has no link any more is opened by the longer way just as well.

use std::{
    collections::HashSet,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use camino::Utf8Path;
use rustc_hash::FxBuildHasher;

/// More than this are not worth their memory; the collection then starts anew.
const LIMIT: usize = 1_024;

/// Directories, and files that are links themselves.
#[derive(Debug, Default)]
pub(super) struct Detours {
    /// Most trees have none, and then nothing needs to be looked up.
    any: AtomicBool,
    paths: Mutex<HashSet<String, FxBuildHasher>>,
}

impl Detours {
    /// Whether a path led through a link before.
    pub(super) fn known(&self, lexical: &Utf8Path) -> bool {
        if !self.any.load(Ordering::Relaxed) {
            return false;
        }
        let paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        let directory = lexical.parent().is_some_and(|parent| paths.contains(parent.as_str()));
        directory || paths.contains(lexical.as_str())
    }

    /// Notes that a path as it was written leads to another.
    pub(super) fn note(&self, lexical: &Utf8Path, canonical: &Utf8Path) {
        let path = match (lexical.parent(), canonical.parent()) {
            // The link is on the way, so everything beside it takes it too.
            (Some(parent), other) if Some(parent) != other => parent,
            _ => lexical,
        };
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        if paths.len() >= LIMIT {
            paths.clear();
        }
        paths.insert(path.as_str().to_owned());
        self.any.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linked_directory_counts_for_all_in_it_and_a_linked_file_for_itself() {
        let detours = Detours::default();
        assert!(!detours.known("link/a".into()));
        detours.note("link/a".into(), "real/a".into());
        detours.note("dir/alias".into(), "dir/file".into());
        for (path, known) in [
            ("link/a", true),
            ("link/b", true),
            ("dir/alias", true),
            ("dir/file", false),
            ("a", false),
        ] {
            assert_eq!(detours.known(path.into()), known, "{path}");
        }
    }

    #[test]
    fn the_collection_has_a_limit() {
        let detours = Detours::default();
        for number in 0..10 * LIMIT {
            detours.note(format!("{number}/x").as_str().into(), "y/x".into());
        }
        assert!(detours.paths.lock().unwrap().len() <= LIMIT);
    }
}
