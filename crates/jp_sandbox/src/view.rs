//! What a confined process sees of the file system, as data.
//!
//! A view is a list of places. Each covers its path and everything below it, and the deepest place
//! that covers a path says what is found there, whatever stands in which order; what no place covers
//! is hidden. That is the meaning of the rules of a policy, extended from the workspace to the whole
//! file system, so one walk over the places serves both. [`View::at`] is this meaning; the kernel is
//! made to agree with it.

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

/// All places of a process.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// By path; no path twice.
    places: Vec<Place>,
}

/// A path and what is found there and below.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Absolute, without `.`, `..` and symbolic links.
    pub path: Utf8PathBuf,
    /// What is found there.
    pub what: What,
}

/// What a process finds at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum What {
    /// Nothing: neither the names nor the contents.
    Hidden,
    /// What the host has there.
    Host {
        /// What becomes of writes.
        write: Write,
        /// Whether files can be run as programs.
        execute: bool,
    },
    /// An empty directory of the process's own, gone when it ends.
    Private {
        /// Whether files can be run as programs.
        execute: bool,
    },
    /// An empty directory in which something may be made: what it is, is judged when the call ends.
    Blank,
}

/// What becomes of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Write {
    /// It fails.
    No,
    /// It reaches the host's file at once.
    Direct,
    /// It is kept apart, judged by the policy when the call ends, and then made or refused.
    Judged,
}

impl What {
    /// Whether writes there are judged afterwards.
    pub fn is_judged(self) -> bool {
        matches!(self, Self::Blank | Self::Host { write: Write::Judged, .. })
    }
}

impl View {
    /// The places in any order; of two with the same path the later one counts.
    pub fn new(places: impl IntoIterator<Item = Place>) -> Self {
        let mut view = Self::default();
        places.into_iter().for_each(|place| view.set(place.path, place.what));
        view
    }

    /// Adds a place, or changes what is found at one.
    pub fn set(&mut self, path: impl Into<Utf8PathBuf>, what: What) {
        let path = path.into();
        match self.places.binary_search_by(|place| place.path.cmp(&path)) {
            Ok(index) => self.places[index].what = what,
            Err(index) => self.places.insert(index, Place { path, what }),
        }
    }

    /// The places by path, so that one comes before everything below it.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// What is found at an absolute path.
    pub fn at(&self, path: &Utf8Path) -> What {
        self.place_of(path).map_or(What::Hidden, |place| place.what)
    }

    /// The place that covers an absolute path.
    pub fn place_of(&self, path: &Utf8Path) -> Option<&Place> {
        path.ancestors().find_map(|ancestor| self.exactly(ancestor))
    }

    /// The place that covers this one from outside.
    pub fn around(&self, place: &Place) -> Option<&Place> {
        place.path.parent().and_then(|parent| self.place_of(parent))
    }

    /// The place with exactly this path.
    pub fn exactly(&self, path: &Utf8Path) -> Option<&Place> {
        self.index_of(path).map(|index| &self.places[index])
    }

    /// Which one of the places has exactly this path.
    pub(crate) fn index_of(&self, path: &Utf8Path) -> Option<usize> {
        self.places.binary_search_by(|place| place.path.as_path().cmp(path)).ok()
    }

    /// For each place, which places are directly inside it.
    pub(crate) fn nested(&self) -> Vec<Vec<usize>> {
        let mut nested = vec![Vec::new(); self.places.len()];
        // The places around the current one, outermost first: a path comes right after those that
        // it is below.
        let mut around: Vec<usize> = Vec::new();
        for (index, place) in self.places.iter().enumerate() {
            while around
                .last()
                .is_some_and(|last| !place.path.starts_with(&self.places[*last].path))
            {
                around.pop();
            }
            if let Some(last) = around.last() {
                nested[*last].push(index);
            }
            around.push(index);
        }
        nested
    }
}
