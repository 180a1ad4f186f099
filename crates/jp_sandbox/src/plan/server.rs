//! What a server may write when something inside it is kept back.
//!
//! The writes of a call are kept apart and judged when it ends. A server does not end, and its writes
//! have to be seen at once, so they go to the host's own files. Something narrower inside such a place
//! could only be a mount over it, and that falls off when somebody on the host renames another file to
//! its name, which is how editors save. Then the server would have what was kept from it.
//!
//! So it is turned around: the place is read-only, what is hidden in it is missing from an overlay,
//! which nothing on the host can change, and what may be written is mounted into it, entry by entry. A
//! mount that falls off there uncovers what can only be read. What is given up is making, removing and
//! replacing names directly in the directories above the narrow place; everything further down is as
//! the rules say.

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::Capability;

use super::{
    Facts, Kind, Request,
    landlock::is_narrower,
    workspace::{self, Node},
};
use crate::view::{Place, View, What, Write};

/// With more mounts than this, starting a process takes noticeably longer. Where there are more
/// entries, none of them can be written.
const MAX_ENTRIES: usize = 1_000;

/// A view in which nothing that can be written has something narrower in it.
pub(super) struct Held {
    pub(super) view: View,
    /// The places that were replaced by their entries.
    pub(super) expanded: Vec<Utf8PathBuf>,
}

/// Makes a view that holds for as long as a server runs.
pub(super) fn hold(request: &Request<'_>, view: &View, facts: &dyn Facts) -> Held {
    let mut nodes = workspace::nodes(request, facts);
    nodes.retain(|node| !node.is_impossible);
    let mut work = Work { view: view.clone(), facts, nodes, expanded: Vec::new() };
    while let Some((outer, inner)) = work.first_narrowed() {
        work.resolve(&outer, &inner);
    }
    Held { view: work.view, expanded: work.expanded }
}

struct Work<'a> {
    view: View,
    facts: &'a dyn Facts,
    nodes: Vec<Node>,
    expanded: Vec<Utf8PathBuf>,
}

impl Work<'_> {
    /// The first place that can be written and has something narrower in it, and what that is.
    fn first_narrowed(&self) -> Option<(Place, Vec<Utf8PathBuf>)> {
        let mut written = self.view.places().iter().filter(|place| is_written(place.what));
        written.find_map(|place| {
            let inner = self.narrower_in(place);
            (!inner.is_empty()).then(|| (place.clone(), inner))
        })
    }

    fn narrower_in(&self, outer: &Place) -> Vec<Utf8PathBuf> {
        let places = self.view.places().iter().filter(|place| is_narrower(place, outer));
        let places = places.filter(|place| self.view.around(place) == Some(outer));
        // Not all that is narrow has a place of its own: a file that may be changed and not removed
        // is seen like any other, and what does not exist yet is not seen at all.
        let around = |node: &Node| node.path.parent().and_then(|parent| self.view.place_of(parent));
        let rules = self.nodes.iter().filter(|node| {
            let is_narrow = node.is_narrow() || (!node.grants.executes() && runs(outer.what));
            is_narrow && node.path != outer.path && around(node) == Some(outer)
        });
        places.map(|place| &place.path).chain(rules.map(|node| &node.path)).cloned().collect()
    }

    fn resolve(&mut self, outer: &Place, inner: &[Utf8PathBuf]) {
        // What a mount that fell off uncovers, or what is made later, must not be run either.
        let is_run = |path: &Utf8PathBuf| match self.nodes.iter().find(|node| node.path == *path) {
            Some(node) if node.grants.reads() => node.grants.executes(),
            _ => self.view.at(path) == What::Hidden || runs(self.view.at(path)),
        };
        let execute = runs(outer.what) && inner.iter().all(is_run);
        let entries = self.entries(outer, inner).unwrap_or_default();
        self.view.set(outer.path.clone(), What::Host { write: Write::No, execute });
        for path in entries {
            self.view.set(path, outer.what);
        }
        self.add_files(outer, inner);
        self.expanded.push(outer.path.clone());
    }

    /// Files that may be changed and not removed.
    fn add_files(&mut self, outer: &Place, inner: &[Utf8PathBuf]) {
        let is_changed = |node: &&Node| {
            let grants = node.grants;
            node.kind == Kind::File && grants.reads() && grants.has(Capability::Update)
        };
        for node in self.nodes.iter().filter(is_changed).filter(|node| inner.contains(&node.path)) {
            if self.view.place_of(&node.path).is_some_and(|place| place.path == outer.path) {
                let execute = node.grants.executes();
                let what = What::Host { write: Write::Direct, execute };
                self.view.set(node.path.clone(), what);
            }
        }
    }

    /// What can be mounted instead of the whole place; `None` if that is too much.
    fn entries(&self, outer: &Place, inner: &[Utf8PathBuf]) -> Option<Vec<Utf8PathBuf>> {
        let mut entries = Vec::new();
        let mut pending = vec![outer.path.clone()];
        while let Some(directory) = pending.pop() {
            for name in self.facts.children(&directory) {
                let path = directory.join(name);
                if inner.contains(&path) || self.view.exactly(&path).is_some() {
                    continue;
                }
                if inner.iter().any(|narrow| narrow.starts_with(&path)) {
                    pending.push(path);
                } else if self.can_be_mounted(&path) {
                    entries.push(path);
                }
                if entries.len() + pending.len() > MAX_ENTRIES {
                    return None;
                }
            }
        }
        Some(entries)
    }

    /// A link leads where it leads without a mount of its own.
    fn can_be_mounted(&self, path: &Utf8Path) -> bool {
        matches!(self.facts.kind(path), Kind::File | Kind::Directory)
    }
}

fn runs(what: What) -> bool {
    matches!(what, What::Host { execute: true, .. })
}

fn is_written(what: What) -> bool {
    matches!(what, What::Host { write: Write::Direct, .. })
}
