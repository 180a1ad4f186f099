//! What is left of a view when Landlock alone has to enforce it.
//!
//! Landlock only adds: a rule for a directory holds for everything below it, and no other rule can
//! take anything back. So a place may only widen what the place around it grants. Where one narrows,
//! there are two ways out. If the outer place cannot be written, its entries are granted one by one
//! without the narrow one; what is made later is then out of reach, which is stricter. Otherwise the
//! narrow place is given up, and the rows will show that this is looser.
//!
//! Nor can Landlock make an empty directory appear, so private places are simply not there.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Facts, Kind, tidy};
use crate::view::{Place, View, What, Write};

/// With more rules than this, starting a process takes noticeably longer.
const MAX_ENTRIES: usize = 500;

/// What of these is needed the helper grants by itself, device by device.
const BY_HELPER: [&str; 2] = ["/dev", "/proc"];

/// A view in which places only widen.
pub(super) struct Narrowed {
    pub(super) view: View,
    /// The places that were replaced by their entries.
    pub(super) expanded: Vec<Utf8PathBuf>,
}

/// Makes a view that Landlock can enforce.
pub(super) fn narrow(view: &View, facts: &dyn Facts) -> Narrowed {
    let places = view.places().iter().cloned().map(|Place { path, what }| Place {
        path,
        what: match what {
            What::Private { .. } | What::Blank => What::Hidden,
            other => other,
        },
    });
    let mut work = Work { view: View::new(places), facts, expanded: Vec::new() };
    while let Some(outer) = work.first_narrowed() {
        work.resolve(&outer);
    }
    // A rule needs something that exists, and is not needed where the one around says the same.
    let is_rule =
        |place: &&Place| place.what != What::Hidden && facts.kind(&place.path) != Kind::Missing;
    let rules = View::new(work.view.places().iter().filter(is_rule).cloned());
    Narrowed { view: tidy::collapse(&rules), expanded: work.expanded }
}

struct Work<'a> {
    view: View,
    facts: &'a dyn Facts,
    expanded: Vec<Utf8PathBuf>,
}

impl Work<'_> {
    /// The first place with something narrower directly in it.
    fn first_narrowed(&self) -> Option<Place> {
        self.view.places().iter().find_map(|place| {
            let outer = self.view.around(place)?;
            is_narrower(place, outer).then(|| outer.clone())
        })
    }

    fn narrower_in(&self, outer: &Place) -> Vec<Place> {
        let is_inside = |place: &&Place| self.view.around(place) == Some(outer);
        let places = self.view.places().iter().filter(|place| is_narrower(place, outer));
        places.filter(is_inside).cloned().collect()
    }

    fn resolve(&mut self, outer: &Place) {
        let narrow = self.narrower_in(outer);
        let entries = if rights(outer.what).write { None } else { self.entries(outer, &narrow) };
        let Some(entries) = entries else {
            return narrow.iter().for_each(|place| self.give_up(outer, place));
        };
        self.view.set(outer.path.clone(), What::Hidden);
        for path in entries {
            self.view.set(path, outer.what);
        }
        self.expanded.push(outer.path.clone());
    }

    /// What has to be granted instead of the whole of a place; `None` if that is too much.
    fn entries(&self, outer: &Place, narrow: &[Place]) -> Option<Vec<Utf8PathBuf>> {
        let mut entries = Vec::new();
        let mut pending = vec![outer.path.clone()];
        while let Some(directory) = pending.pop() {
            for name in self.facts.children(&directory) {
                let path = directory.join(name);
                let is_made_by_helper = BY_HELPER.iter().any(|made| path == *made);
                let is_decided = self.view.exactly(&path).is_some() || is_made_by_helper;
                if is_decided || is_link(self.facts, &path) {
                    continue;
                }
                if narrow.iter().any(|place| place.path.starts_with(&path)) {
                    pending.push(path);
                } else {
                    entries.push(path);
                }
                if entries.len() + pending.len() > MAX_ENTRIES {
                    return None;
                }
            }
        }
        Some(entries)
    }

    /// Lets a narrow place have what the one around it has.
    fn give_up(&mut self, outer: &Place, narrow: &Place) {
        let (outer, inner) = (rights(outer.what), rights(narrow.what));
        let write = if outer.write || inner.write { Write::Direct } else { Write::No };
        let execute = outer.execute || inner.execute;
        self.view.set(narrow.path.clone(), What::Host { write, execute });
    }
}

/// Whether a place grants less than the one around it.
pub(super) fn is_narrower(place: &Place, outer: &Place) -> bool {
    !rights(place.what).contain(rights(outer.what))
}

/// A link has no rights of its own: Landlock looks at where it leads.
fn is_link(facts: &dyn Facts, path: &Utf8Path) -> bool {
    matches!(facts.kind(path), Kind::Link(_))
}

/// What a Landlock rule for a place would grant.
#[derive(Clone, Copy)]
struct Rights {
    read: bool,
    write: bool,
    execute: bool,
}

impl Rights {
    fn contain(self, other: Self) -> bool {
        self.read >= other.read && self.write >= other.write && self.execute >= other.execute
    }
}

fn rights(what: What) -> Rights {
    match what {
        What::Host { write, execute } => Rights { read: true, write: write != Write::No, execute },
        What::Hidden | What::Private { .. } | What::Blank => {
            Rights { read: false, write: false, execute: false }
        }
    }
}
