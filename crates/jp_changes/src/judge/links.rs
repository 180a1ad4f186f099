//! Whether a link that a tool made stays in the workspace.
//!
//! Two questions. Its text alone: `..` may only stand at the beginning, because after a name that is
//! itself a link nobody can say what `..` means, and which links will be there depends on what else
//! is refused. And what the workspace makes of it now: a link of the user's may lead out, and then one
//! that goes through it does as well. The commit asks again when everything is in place.

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use jp_tool::access::path::Root;

/// Whether the link at `path` with this text leads to a place below the root.
pub(super) fn stays(root: Option<&Root>, path: &Utf8Path, target: &str) -> bool {
    let target = Utf8Path::new(target);
    let Some(root) = root else {
        return false;
    };
    if !climbs_first(target) {
        return false;
    }
    let parent = path.parent().unwrap_or(Utf8Path::new(""));
    let ups = target.components().filter(|part| *part == Utf8Component::ParentDir).count();
    if ups > parent.components().count() {
        return false;
    }
    let full = if target.is_absolute() { target.to_owned() } else { below(parent, target) };
    root.resolve(&full).is_ok()
}

/// `..` is only at the beginning, and never in an absolute path.
fn climbs_first(target: &Utf8Path) -> bool {
    let mut is_climbing = !target.is_absolute();
    target.components().all(|part| match part {
        Utf8Component::ParentDir => is_climbing,
        Utf8Component::CurDir => true,
        _ => {
            is_climbing = false;
            true
        }
    })
}

fn below(parent: &Utf8Path, target: &Utf8Path) -> Utf8PathBuf {
    if parent.as_str().is_empty() { target.to_owned() } else { parent.join(target) }
}
