//! Changes that nobody has decided about yet, wherever they are kept: in the view of a process, or above the
//! files of the project. They are looked at and made in the same way.

use jp_changes::{Change, Refused, Report, Reviewed, Shown};
use jp_confine::Pending;
use jp_project::OverlayProjectFiles;

/// Changes that wait for a decision. Dropped, they are thrown away.
#[derive(Debug)]
pub enum Held {
    /// Of a process that wrote by itself.
    Process(Pending),
    /// Of a tool whose requests were carried out apart.
    Project(ProjectChanges),
}

/// Changes above the files of the project. Each was judged when it was asked for.
#[derive(Debug)]
pub struct ProjectChanges {
    changes: Vec<Change>,
    files: OverlayProjectFiles,
}

impl Held {
    /// What was changed above these files. From here on nothing is changed there any more: a tool can say its
    /// last word while something that it asked for is still being done, and what a person agrees to is what the
    /// person was shown.
    pub(crate) fn above(files: OverlayProjectFiles) -> Self {
        files.seal();
        Self::Project(ProjectChanges { changes: files.changes(), files })
    }

    /// What a person can look at.
    pub fn reviewed(&self) -> &dyn Reviewed {
        match self {
            Self::Process(pending) => pending.judged(),
            Self::Project(changes) => changes,
        }
    }

    /// Makes the changes that are allowed.
    pub fn commit(self) -> Report {
        match self {
            Self::Process(pending) => pending.commit(),
            Self::Project(changes) => changes.files.apply(),
        }
    }
}

impl Reviewed for ProjectChanges {
    fn allowed(&self) -> &[Change] {
        &self.changes
    }

    fn refused(&self) -> &[Refused] {
        &[]
    }

    fn show(&self, change: &Change, lines: usize) -> Shown {
        self.files.show(change, lines)
    }
}
