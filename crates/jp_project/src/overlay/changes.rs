//! What is different, in the words that all changes are shown in.

use jp_changes::{Change, Kind, Node, Shown};

use super::{
    OverlayProjectFiles,
    state::{Before, Now, State},
};
use crate::{Part, ProjectPath};

impl OverlayProjectFiles {
    /// The changes, sorted by path; a directory comes before what is in it. What was changed and is again
    /// as it was is not among them.
    pub fn changes(&self) -> Vec<Change> {
        list(&self.lock())
    }

    /// One of the changes as text, with at most so many lines of its content.
    pub fn show(&self, change: &Change, lines: usize) -> Shown {
        let (old, new) = self.contents(change, Change::MAX_SHOWN + 1);
        change.show(old.as_deref(), new.as_deref(), lines)
    }

    /// What was in the file of a change and what is, each up to so many bytes; `None` where no file was
    /// or is.
    pub fn contents(&self, change: &Change, max: u64) -> (Option<Vec<u8>>, Option<Vec<u8>>) {
        let path = ProjectPath::known(change.path.as_str());
        let part = Part { offset: 0, limit: Some(max), max };
        let state = self.lock();
        let old = matches!(state.before(&path), Before::File(_))
            .then(|| self.all.read(&path, part).ok())
            .flatten();
        let new = match state.now(&path) {
            Now::File(file) => state.store.read(&file.content, 0, file.content.len().min(max)).ok(),
            Now::AsBefore | Now::Nothing | Now::Directory => None,
        };
        (old.map(|content| content.bytes), new)
    }
}

pub(super) fn list(state: &State) -> Vec<Change> {
    let change = |path: ProjectPath| {
        let (kind, size) = kind(state.before(&path), &state.now(&path))?;
        Some(Change::elsewhere(path.as_path().to_owned(), kind, size))
    };
    let mut changes: Vec<_> = state.paths().into_iter().filter_map(change).collect();
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    changes
}

/// What happened to a path, and the size that is told with it.
fn kind(before: &Before, now: &Now<'_>) -> Option<(Kind, u64)> {
    let (node, size) = match now {
        Now::AsBefore => return None,
        Now::Nothing => {
            let size = if let Before::File(stamp) = before { stamp.size } else { 0 };
            return Some((Kind::Deleted(before.node()?), size));
        }
        Now::Directory => (Node::Directory, 0),
        Now::File(file) => (Node::File, file.content.len()),
    };
    match (before, now) {
        (Before::Directory, Now::Directory) => None,
        (Before::File(old), Now::File(new))
            if old.hash == Some(new.content.hash) && old.size == size =>
        {
            None
        }
        (Before::File(_), Now::File(_)) => {
            Some((Kind::Updated { content: true, mode: None }, size))
        }
        _ => Some(match before.node() {
            None => (Kind::Created(node), size),
            Some(old) => (Kind::Replaced { old, new: node }, size),
        }),
    }
}

impl Before {
    fn node(&self) -> Option<Node> {
        match self {
            Self::Nothing => None,
            Self::Directory => Some(Node::Directory),
            Self::File(_) => Some(Node::File),
            Self::Link(target) => Some(Node::Link { target: target.clone() }),
            Self::Special => Some(Node::Special),
        }
    }
}
