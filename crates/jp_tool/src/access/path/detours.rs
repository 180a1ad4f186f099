//! Where paths led that had a link on them.
//!
//! A path without a link on it is opened in one call that forbids links. Where that fails, a second
//! call follows them and a third finds out where they led. So the answer is kept for the next time:
//! the first call is left out, and the third as well if the answer still holds. That is a matter of
//! time only: what is kept here is a guess, and whoever uses it has to see that it leads to the same
//! file.

use std::{
    collections::HashMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use camino::{Utf8Path, Utf8PathBuf};
use rustc_hash::FxBuildHasher;

/// More than this are not worth their memory; the collection then starts anew. Only paths that the
/// kernel has opened are kept, and those are at most 4 KiB long.
const LIMIT: usize = 1_024;

/// Directories, and files that are links themselves, with their canonical paths.
#[derive(Debug, Default)]
pub(super) struct Detours {
    /// Most trees have none, and then nothing needs to be looked up.
    any: AtomicBool,
    paths: Mutex<HashMap<String, Utf8PathBuf, FxBuildHasher>>,
}

impl Detours {
    /// Where a path led, or would have, if there was a link on its way.
    pub(super) fn hint(&self, lexical: &Utf8Path) -> Option<Utf8PathBuf> {
        if !self.any.load(Ordering::Relaxed) {
            return None;
        }
        let paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(canonical) = paths.get(lexical.as_str()) {
            return Some(canonical.clone());
        }
        let directory = paths.get(lexical.parent()?.as_str())?;
        Some(directory.join(lexical.file_name()?))
    }

    /// Notes where a path as it was written leads.
    pub(super) fn note(&self, lexical: &Utf8Path, canonical: &Utf8Path) {
        let mut paths = self.paths.lock().unwrap_or_else(PoisonError::into_inner);
        if lexical == canonical {
            // What was known about it is over.
            paths.remove(lexical.as_str());
            lexical.parent().and_then(|parent| paths.remove(parent.as_str()));
            return;
        }
        if paths.len() >= LIMIT {
            paths.clear();
        }
        let (from, to) = match (lexical.parent(), canonical.parent()) {
            // The link is on the way, so everything beside it takes it too. The root has no way.
            (Some(from), Some(to))
                if from != "" && lexical.file_name() == canonical.file_name() =>
            {
                (from, to)
            }
            _ => (lexical, canonical),
        };
        paths.insert(from.as_str().to_owned(), to.to_owned());
        self.any.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_linked_directory_counts_for_all_in_it_and_a_linked_file_for_itself() {
        let detours = Detours::default();
        assert_eq!(detours.hint("link/a".into()), None);
        detours.note("link/a".into(), "real/a".into());
        detours.note("dir/alias".into(), "dir/file".into());
        detours.note("up/a".into(), "a".into());
        detours.note("top".into(), "real/top".into());
        for (path, expected) in [
            ("link/a", "real/a"),
            ("link/b", "real/b"),
            ("dir/alias", "dir/file"),
            ("up/b", "b"),
            ("top", "real/top"),
            ("dir/file", ""),
            ("a", ""),
        ] {
            let hint = detours.hint(path.into()).map(Utf8PathBuf::into_string);
            assert_eq!(hint.unwrap_or_default(), expected, "{path}");
        }
        detours.note("link/a".into(), "link/a".into());
        detours.note("dir/alias".into(), "dir/alias".into());
        assert_eq!(detours.hint("link/b".into()), None);
        assert_eq!(detours.hint("dir/alias".into()), None);
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
