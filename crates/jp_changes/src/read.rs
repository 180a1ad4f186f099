//! Reading a change set: the upper directories of the overlays against the workspace as it is now.
//!
//! A directory of the overlay is merged with the one of the workspace unless it says otherwise, so
//! both are walked together, and each name of the upper one is compared with what has the name in the
//! workspace. Files are compared byte by byte: a file that was only touched is there as a whole and is
//! no change. The walk keeps a list of directories still to be read instead of a stack of handles, so
//! depth costs nothing; a path that is too long for the kernel ends it with an error.

mod files;
mod removals;
mod walk;

use std::sync::Arc;

use camino::Utf8Path;

use crate::{Change, Kind, Limits, Node, ReadError, ground::Ground, set::Set};

/// What a call did to the workspace, by path.
#[derive(Debug)]
pub struct Changes {
    pub(crate) ground: Arc<Ground>,
    pub(crate) list: Vec<Change>,
}

impl Changes {
    pub(crate) fn read(set: &Arc<Set>, root: &Utf8Path, limits: Limits) -> Result<Self, ReadError> {
        let ground = Ground::new(set, root)?;
        let mut list = walk::walk(&ground, limits)?;
        // A directory on the way to a place can be there twice: made by the tool, and implied.
        list.sort_by(|a, b| (&a.path, a.implied).cmp(&(&b.path, b.implied)));
        list.dedup_by(|later, earlier| later.path == earlier.path && later.implied);
        drop_mount_points(&ground, &mut list);
        Ok(Self { ground: Arc::new(ground), list })
    }

    /// The changes, each directory before what is in it.
    pub fn list(&self) -> &[Change] {
        &self.list
    }
}

/// Directories that are only there so that another place can be mounted below are nobody's wish. They
/// stay if something is made in them.
fn drop_mount_points(ground: &Ground, list: &mut Vec<Change>) {
    let mut kept: Vec<Change> = Vec::with_capacity(list.len());
    for change in list.drain(..).rev() {
        let is_new_dir = change.kind == Kind::Created(Node::Directory);
        let is_empty = || !kept.last().is_some_and(|next| next.path.starts_with(&change.path));
        if is_new_dir && ground.leads_to_place(&change.path) && is_empty() {
            continue;
        }
        kept.push(change);
    }
    kept.reverse();
    *list = kept;
}

#[cfg(test)]
mod tests;
