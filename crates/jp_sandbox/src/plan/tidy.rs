//! Small changes to a view that leave its meaning as it is, or hide something in it.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Facts, Kind};
use crate::view::{Place, View, What, Write};

/// Hides a path, in a way that a mount can follow.
///
/// An overlay of the whole root would lose everything that is mounted below it. So what lies directly
/// below it becomes an empty directory, and for what lies deeper the directory around it gets a place
/// of its own.
pub(super) fn hide(view: &mut View, path: &Utf8Path, facts: &dyn Facts) {
    let Some(around) = view.place_of(path).cloned() else { return };
    if !matches!(around.what, What::Host { .. }) {
        return;
    }
    if around.path != "/" || path == "/" {
        return view.set(path, What::Hidden);
    }
    if facts.kind(path) == Kind::Directory {
        return view.set(path, What::Private { execute: false });
    }
    let is_directory = |path: &&Utf8Path| facts.kind(path) == Kind::Directory;
    if let Some(directory) = path.ancestors().skip(1).find(is_directory) {
        // Where that is the root itself nothing exists on the way, and the root cannot be written.
        if directory != "/" {
            view.set(directory, around.what);
            view.set(path, What::Hidden);
        } else if facts.kind(path) != Kind::Missing {
            view.set(path, What::Hidden);
        }
    }
}

/// Leaves out the places that say nothing new.
pub(super) fn collapse(view: &View) -> View {
    let mut kept = View::default();
    for place in view.places() {
        let around = kept.place_of(&place.path);
        let is_same = around.is_some_and(|around| says_the_same(around.what, place.what))
            || (around.is_none() && place.what == What::Hidden);
        let is_in_root = around.is_some_and(|around| around.path == "/");
        if !is_same || (is_in_root && is_seat(view, place)) {
            kept.set(place.path.clone(), place.what);
        }
    }
    kept
}

/// Gives what is mounted inside an overlay a place of its own, because the overlay does not show it.
/// Returns the files that became read-only by that.
pub(super) fn keep_mounts(view: &mut View, facts: &dyn Facts) -> Vec<Utf8PathBuf> {
    let mut read_only = Vec::new();
    for place in view.clone().places() {
        if !place.what.is_judged() && !has_hidden(view, place) {
            continue;
        }
        let mut mounts = facts.mounts(&place.path);
        mounts.sort();
        for mount in mounts {
            if view.place_of(&mount) != Some(place) {
                continue;
            }
            match place.what {
                // A file cannot be an overlay.
                What::Host { write: Write::Judged, execute }
                    if facts.kind(&mount) != Kind::Directory =>
                {
                    read_only.push(mount.clone());
                    view.set(mount, What::Host { write: Write::No, execute });
                }
                what @ What::Host { .. } => view.set(mount, what),
                What::Blank | What::Hidden | What::Private { .. } => {}
            }
        }
    }
    read_only
}

/// Whether a place could be left out because of the one around it.
fn says_the_same(around: What, what: What) -> bool {
    match (around, what) {
        // The judge tells apart what lies in a judged place, and another place in it could not be
        // removed or moved.
        (
            What::Host { write: Write::Judged, execute: outer },
            What::Host { write: Write::Direct | Write::Judged, execute },
        ) => outer == execute,
        // Nothing of the host is seen there in any case.
        (What::Blank, What::Hidden) => true,
        // The inner one exists, and has to be seen: a home below the temporary directory.
        (What::Blank, What::Blank) | (What::Private { .. }, What::Private { .. }) => false,
        _ => around == what,
    }
}

/// Whether a place in the root has to stay because something is hidden in it: the whiteouts are kept
/// there, and the root itself cannot be an overlay. Everywhere else they belong to the outermost place
/// that says the same. A place of its own would be a mount on a directory of the host, and moving that
/// directory away would uncover what the host puts in its stead.
fn is_seat(view: &View, place: &Place) -> bool {
    matches!(place.what, What::Host { write: Write::No, .. }) && has_hidden(view, place)
}

fn has_hidden(view: &View, place: &Place) -> bool {
    let is_hidden_in = |other: &Place| {
        other.what == What::Hidden && view.around(other).is_some_and(|around| around == place)
    };
    matches!(place.what, What::Host { .. }) && view.places().iter().any(is_hidden_in)
}
