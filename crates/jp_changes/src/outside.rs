//! What a tool sees outside of its workspace, as far as links may lead there.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};

/// Places outside of the workspace, each with everything below it. The deepest one that covers a path
/// decides.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outside {
    places: BTreeMap<Utf8PathBuf, bool>,
}

impl Outside {
    /// Nothing is seen, so no link may lead out of the workspace.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// Absolute paths, and whether what the host has there is what the tool sees.
    pub fn new(places: impl IntoIterator<Item = (Utf8PathBuf, bool)>) -> Self {
        Self { places: places.into_iter().collect() }
    }

    /// Whether the tool sees what the host has at a path.
    pub fn shows(&self, path: &Utf8Path) -> bool {
        self.at(path) == Some(true)
    }

    /// Whether it is known that the tool sees something else there, or nothing.
    pub fn keeps(&self, path: &Utf8Path) -> bool {
        self.at(path) == Some(false)
    }

    fn at(&self, path: &Utf8Path) -> Option<bool> {
        path.ancestors().find_map(|ancestor| self.places.get(ancestor).copied())
    }
}
