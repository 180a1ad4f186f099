//! Why a path may not be used.

use camino::Utf8PathBuf;

use crate::access::SensitiveError;

/// Why a path may not be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FsAccessError {
    /// The path is absolute and not below the workspace root.
    #[error("path is outside the workspace: {0}")]
    Outside(Utf8PathBuf),
    /// The path leaves the workspace, by `..` or by a symbolic link.
    #[error("path escapes the workspace: {0}")]
    Escape(Utf8PathBuf),
    /// No rule grants it: one denies it, or none speaks about it.
    #[error("access denied: {capability} on {target}")]
    Denied {
        /// The name of the capability that was asked for.
        capability: &'static str,
        /// The canonical path, relative to the workspace root.
        target: Utf8PathBuf,
        /// Where something is granted.
        grants: Vec<Utf8PathBuf>,
        /// Whether a rule says no. Otherwise no rule covers the path.
        covered: bool,
    },
    /// The rules grant it, and it holds secrets, so that takes a person's yes.
    #[error(transparent)]
    Sensitive(#[from] SensitiveError),
    /// Nobody can say where the path leads: a loop of links, a name that is not UTF-8, a directory
    /// that cannot be searched.
    #[error("path cannot be resolved: {path}: {reason}")]
    Unresolvable {
        /// The path as it was given.
        path: Utf8PathBuf,
        /// What stopped the resolution.
        reason: String,
    },
}
