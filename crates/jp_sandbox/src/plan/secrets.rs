//! Sensitive paths are hidden, whatever grants them, unless a person said yes.
//!
//! A grant that covers a sensitive path is the rule, not the exception: `.` covers `.env`. So hiding
//! comes after everything else. In a place that can be written it costs something: a mask over a file
//! falls off when an editor on the host replaces the file, so there the writes of the whole place are
//! kept apart and judged, and the name is missing from what the tool sees.

use camino::{Utf8Path, Utf8PathBuf};

use super::{
    Facts, Fidelity, Kind, Request, tidy, words,
    workspace::{Remark, WRITES},
};
use crate::view::{Place, View, What, Write};

/// A view without secrets.
pub(super) struct Hidden {
    pub(super) view: View,
    pub(super) remarks: Vec<Remark>,
}

/// Hides what is sensitive.
pub(super) fn hide(request: &Request<'_>, open: &View, facts: &dyn Facts) -> Hidden {
    let mut hidden = Hidden { view: open.clone(), remarks: Vec::new() };
    // What presets keep hidden lies in places that only views without the whole host have.
    let of_presets = if request.denies_by_default() { &request.system.hidden[..] } else { &[] };
    let paths: Vec<_> = unapproved(request).chain(of_presets).collect();
    for path in &paths {
        hidden.forget_below(path);
        hidden.hide(request, path, facts);
    }
    for approved in request.approved {
        if paths.iter().any(|path| approved.starts_with(path)) {
            hidden.restore(open, approved);
        }
    }
    hidden
}

/// The sensitive paths that nobody said yes to.
pub(super) fn unapproved<'a>(request: &Request<'a>) -> impl Iterator<Item = &'a Utf8PathBuf> {
    let approved = request.approved;
    let is_approved = move |path: &Utf8Path| approved.iter().any(|yes| path.starts_with(yes));
    request.sensitive.iter().filter(move |path| !is_approved(path))
}

impl Hidden {
    /// Nothing below a sensitive path is shown because of a place of its own.
    fn forget_below(&mut self, path: &Utf8Path) {
        let is_below = |place: &&Place| place.path.starts_with(path);
        // Most sensitive paths have nothing below them that is shown.
        if self.view.places().iter().any(|place| is_below(&place)) {
            let others = self.view.places().iter().filter(|place| !is_below(place));
            self.view = View::new(others.cloned());
        }
    }

    fn hide(&mut self, request: &Request<'_>, path: &Utf8Path, facts: &dyn Facts) {
        let Some(around) = self.view.place_of(path).cloned() else { return };
        let What::Host { write, execute } = around.what else { return };
        if write == Write::Direct {
            if facts.kind(path) == Kind::Missing {
                return;
            }
            self.guard(request, &around, execute);
        }
        tidy::hide(&mut self.view, path, facts);
    }

    /// Prepares a place that can be written for something hidden in it.
    fn guard(&mut self, request: &Request<'_>, around: &Place, execute: bool) {
        let is_workspace = around.path.starts_with(request.root);
        let write = match is_workspace {
            true if request.can_judge() => Write::Judged,
            // For a server this is turned around afterwards; Landlock cannot hide it at all.
            true => Write::Direct,
            // What is written to a cache is not judged by anybody.
            false => Write::No,
        };
        self.view.set(around.path.clone(), What::Host { write, execute });
        if !is_workspace {
            self.remark(&around.path, Fidelity::Stricter, words::CACHE_WITH_SECRET);
        }
    }

    fn remark(&mut self, path: &Utf8Path, fidelity: Fidelity, reason: &str) {
        let capabilities = WRITES.to_vec();
        let reason = reason.to_owned();
        self.remarks.push(Remark { path: path.to_owned(), capabilities, fidelity, reason });
    }

    /// Shows what was there before, inside something that stays hidden.
    fn restore(&mut self, open: &View, approved: &Utf8Path) {
        self.view.set(approved, open.at(approved));
        for place in open.places().iter().filter(|place| place.path.starts_with(approved)) {
            self.view.set(place.path.clone(), place.what);
        }
    }
}
