//! The words of this crate: a change, why one is refused, and what became of them.
//!
//! Paths are relative to the workspace root and canonical, the form in which rules are compared.
//! Paths and link targets come from the tool; whoever prints them makes control characters visible.

use std::{fmt, io};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use jp_tool::access::{Capability, FsAccessError, FsRule};

use crate::Shown;

/// One difference between the workspace and what the call left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Where, relative to the root; `.` is the root itself.
    pub path: Utf8PathBuf,
    /// What.
    pub kind: Kind,
    /// The size of the new content in bytes; of a removed file, the size it had.
    pub size: u64,
    /// The permissions of what is there afterwards. Bits that change the user or group that a
    /// program runs as are never among them.
    pub mode: Option<u32>,
    /// Whether this follows from a change of a directory above it and the tool may not even have
    /// known the name.
    pub implied: bool,
    /// Why it cannot be made, whatever the policy says.
    pub obstacle: Option<Obstacle>,
    /// Which place of the set holds the new content.
    pub(crate) place: usize,
    /// What was in the workspace when the set was read.
    pub(crate) seen: Option<Seen>,
}

/// What happened to a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// Nothing was there.
    Created(Node),
    /// A file or directory that is there is different now.
    Updated {
        /// Whether the content of the file differs.
        content: bool,
        /// The permissions, if they differ.
        mode: Option<ModeChange>,
    },
    /// A symbolic link leads somewhere else.
    Retargeted {
        /// Where it led.
        old: String,
        /// Where it leads.
        new: String,
    },
    /// It is gone. A directory takes everything below it along, each with a change of its own.
    Deleted(Node),
    /// Something of another kind has the name. Needs to be removed and made.
    Replaced {
        /// What was there.
        old: Node,
        /// What is there.
        new: Node,
    },
}

/// Permissions before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModeChange {
    /// Before.
    pub from: u32,
    /// After.
    pub to: u32,
}

/// What has a name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symbolic link.
    Link {
        /// The text of the link.
        target: String,
    },
    /// A FIFO, a socket or a device.
    Special,
}

/// Why a change cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Obstacle {
    /// Somebody else changed it after the call began.
    #[error("it was changed by somebody else while the tool ran")]
    Conflict,
    /// The tool made a FIFO, a socket or a device.
    #[error("it is neither a file nor a directory nor a link")]
    Special,
    /// Rules cannot be compared with such a name.
    #[error("the name is not UTF-8")]
    NotUtf8,
    /// Another file system begins there, which the tool has not seen.
    #[error("another file system is mounted there")]
    MountPoint,
    /// Another place of the view is there.
    #[error("it is the place of another rule")]
    OtherPlace,
    /// The file gives capabilities to whoever runs it.
    #[error("the file carries capabilities")]
    Capabilities,
    /// What is there cannot be looked at.
    #[error("what is there cannot be read: {0}")]
    Unreadable(String),
}

/// A change that will not be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The change.
    pub change: Change,
    /// Why.
    pub reason: Reason,
    /// Whether the policy does not let the tool read the path. Such a name is for the user's eyes
    /// and not for the tool's.
    pub hidden: bool,
}

/// Why a change is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The policy does not grant it.
    Denied {
        /// What is missing.
        capability: Capability,
        /// The rule that decided; none if no rule covers the path.
        rule: Option<FsRule>,
    },
    /// The path is sensitive, and nobody said yes.
    Sensitive(String),
    /// It cannot be made.
    Obstacle(Obstacle),
    /// The link leads out of the workspace, or could once other links are there.
    LeavesRoot {
        /// The text of the link.
        target: String,
    },
    /// The link would lead a rule of the policy somewhere else.
    MovesRule {
        /// The path of the rule.
        rule: Utf8PathBuf,
    },
    /// It depends on another change, which is refused.
    Depends(Utf8PathBuf),
    /// Its content would be lost, because the path that it was moved to is refused.
    Moved(Utf8PathBuf),
}

/// What a commit did.
#[derive(Debug, Default)]
pub struct Report {
    /// The changes that were made.
    pub done: Vec<Change>,
    /// The changes that were not.
    pub failed: Vec<Failure>,
}

/// A change that was allowed and could not be made. What was there is still there; only a link that
/// turned out to lead out of the workspace when all links were in place is gone.
#[derive(Debug)]
pub struct Failure {
    /// The change.
    pub change: Change,
    /// Why.
    pub error: CommitError,
}

/// Why a change could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Somebody else changed it after the set was read.
    #[error("it was changed by somebody else")]
    Changed,
    /// Something before it failed, and nothing is removed then.
    #[error("nothing is removed, because another change failed")]
    Skipped,
    /// The set was committed before, and what is left in it means nothing any more.
    #[error("the change set was committed already")]
    Used,
    /// The link would lead out of the workspace.
    #[error("the link would lead out of the workspace")]
    LeavesRoot,
    /// The rules do not allow it.
    #[error(transparent)]
    Access(#[from] FsAccessError),
    /// The system said no.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Why there is no place for change sets.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// This system has no overlays.
    #[error("change sets are not supported on this system: they need the overlays of Linux")]
    Unsupported,
    /// No directory was offered.
    #[error("no directory outside of the workspace {0} can hold change sets")]
    Nowhere(Utf8PathBuf),
    /// The directory belongs to somebody else.
    #[error("{path} belongs to user {owner}")]
    NotOurs {
        /// The directory.
        path: Utf8PathBuf,
        /// Whose it is.
        owner: u32,
    },
    /// The file system cannot hold the upper directory of an overlay.
    #[error("the file system of {path} cannot hold the writable side of an overlay: {reason}")]
    Unsuitable {
        /// The directory.
        path: Utf8PathBuf,
        /// What it lacks.
        reason: String,
    },
    /// An overlay cannot lie inside itself.
    #[error("the place {place} and the directory of change sets {store} contain one another")]
    Overlap {
        /// The place.
        place: Utf8PathBuf,
        /// The directory.
        store: Utf8PathBuf,
    },
    /// A place is not a plain absolute path.
    #[error("{0} is not an absolute path without `.` and `..`")]
    NotAbsolute(Utf8PathBuf),
    /// The system said no.
    #[error("{path}: {source}")]
    Io {
        /// What was used.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What a sweep found.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Swept {
    /// Sets that nobody uses any more and that are gone now.
    pub removed: usize,
    /// Sets that are in use.
    pub in_use: usize,
    /// Sets that are left for the next time.
    pub left: usize,
}

/// The identity and the times of what is in the workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) dev: u64,
    pub(crate) inode: u64,
    pub(crate) is_dir: bool,
    pub(crate) size: u64,
    /// Absent for directories, which change with their entries.
    pub(crate) modified: Option<i128>,
    /// Absent as well for files with several names, because removing one name changes the others.
    pub(crate) changed: Option<i128>,
}

impl Kind {
    /// What the policy has to grant.
    pub fn needs(&self) -> &'static [Capability] {
        match self {
            Self::Created(_) => &[Capability::Create],
            Self::Updated { .. } | Self::Retargeted { .. } => &[Capability::Update],
            Self::Deleted(_) => &[Capability::Delete],
            Self::Replaced { .. } => &[Capability::Delete, Capability::Create],
        }
    }

    /// What is there afterwards, where that is new.
    pub fn made(&self) -> Option<&Node> {
        match self {
            Self::Created(new) | Self::Replaced { new, .. } => Some(new),
            Self::Updated { .. } | Self::Retargeted { .. } | Self::Deleted(_) => None,
        }
    }

    /// What is gone afterwards.
    pub fn gone(&self) -> Option<&Node> {
        match self {
            Self::Deleted(old) | Self::Replaced { old, .. } => Some(old),
            Self::Created(_) | Self::Updated { .. } | Self::Retargeted { .. } => None,
        }
    }

    /// Where the link that is made leads.
    pub fn link(&self) -> Option<&str> {
        match self {
            Self::Retargeted { new, .. } => Some(new),
            _ => match self.made() {
                Some(Node::Link { target }) => Some(target),
                _ => None,
            },
        }
    }

    /// Whether new file content comes with it.
    pub fn has_content(&self) -> bool {
        matches!(self, Self::Updated { content: true, .. }) || self.made() == Some(&Node::File)
    }
}

impl Change {
    /// A change that is kept elsewhere than in a change set; its content is there as well.
    pub fn elsewhere(path: Utf8PathBuf, kind: Kind, size: u64) -> Self {
        let (mode, obstacle, seen) = (None, None, None);
        Self { path, kind, size, mode, implied: false, obstacle, place: 0, seen }
    }

    /// Why this deserves a second look: programs outside of the sandbox act on such files by
    /// themselves, so who writes them can make the host run something.
    pub fn notice(&self) -> Option<&'static str> {
        let runs = self.path.components().find_map(|component| match component {
            Utf8Component::Normal(name) => notice_of(name),
            _ => None,
        });
        match self.kind {
            Kind::Deleted(_) => None,
            _ => runs,
        }
    }
}

/// Names that are read by programs without anybody asking for it, wherever they stand in a path.
/// Case does not count, because some file systems ignore it.
fn notice_of(name: &str) -> Option<&'static str> {
    const NAMES: [(&str, &str); 11] = [
        (".git", "git runs hooks and commands that are configured here"),
        (".gitattributes", "git runs filters that are chosen here"),
        (".gitmodules", "git fetches and checks out what is named here"),
        (".jp", "this is configuration of jp itself"),
        (".jp.toml", "this is configuration of jp itself"),
        (".envrc", "direnv runs this when the directory is entered"),
        (".vscode", "the editor runs tasks that are configured here"),
        (".idea", "the editor runs tasks that are configured here"),
        (".cargo", "cargo runs programs that are configured here"),
        (".husky", "git hooks are kept here"),
        (".github", "the server runs workflows that are kept here"),
    ];
    NAMES.into_iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, why)| why)
}

impl Refused {
    /// The capability that is missing, if the policy refused.
    pub fn capability(&self) -> Option<Capability> {
        match self.reason {
            Reason::Denied { capability, .. } => Some(capability),
            _ => None,
        }
    }

    /// The path that is refused.
    pub fn path(&self) -> &Utf8Path {
        &self.change.path
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.change.path, self.reason)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Denied { capability, rule: Some(rule) } => {
                let capability = capability.as_str();
                write!(f, "the rule for `{}` does not grant {capability}", rule.path())
            }
            Self::Denied { capability, rule: None } => {
                write!(f, "no rule grants {}", capability.as_str())
            }
            Self::Sensitive(message) => f.write_str(message),
            Self::Obstacle(obstacle) => obstacle.fmt(f),
            Self::MovesRule { rule } => {
                write!(f, "the link would lead the rule for {rule} somewhere else")
            }
            Self::LeavesRoot { target } => {
                write!(f, "the link leads out of the workspace, to `{target}`")
            }
            Self::Depends(other) => write!(f, "it depends on `{other}`, which is refused"),
            Self::Moved(other) => {
                write!(f, "its content was moved to `{other}`, which is refused")
            }
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.change.path, self.error)
    }
}

/// Changes that a person can look at before they are made, wherever they are kept.
pub trait Reviewed: fmt::Debug + Send + Sync {
    /// What will be done.
    fn allowed(&self) -> &[Change];

    /// What will not.
    fn refused(&self) -> &[Refused];

    /// One of the changes as text, with at most so many lines of its content.
    fn show(&self, change: &Change, lines: usize) -> Shown;
}
