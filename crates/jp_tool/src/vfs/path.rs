//! A path as a request may name it: relative to the root of the project, with no way out in its words.
//!
//! This looks at the text alone. Where the path leads, through links for example, is found out by
//! the one who opens it; a path that passed here has not been allowed anything yet.

use std::fmt;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::envelope::excerpt;
use crate::is_plain_path;

/// A path relative to the root of the project, with `/` between its parts. `.` is the root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct ProjectPath(String);

impl ProjectPath {
    /// Checks the words of a path.
    pub fn new(path: impl Into<String>) -> Result<Self, InvalidPath> {
        let path = path.into();
        match fault(&path) {
            Some(fault) => Err(InvalidPath { path, fault }),
            None => Ok(Self(path)),
        }
    }

    /// The path as it was written.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ProjectPath {
    type Error = InvalidPath;

    fn try_from(path: String) -> Result<Self, InvalidPath> {
        Self::new(path)
    }
}

impl AsRef<str> for ProjectPath {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A path that no request can name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("the path {:?} {fault}", excerpt(path))]
pub struct InvalidPath {
    /// The path as it was written.
    pub path: String,
    /// What is wrong with it.
    pub fault: PathFault,
}

/// What is wrong with a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum PathFault {
    /// It has no letter.
    #[error("is empty; the root of the project is \".\"")]
    Empty,
    /// It starts at the root of the system.
    #[error("is absolute; paths are relative to the root of the project")]
    Absolute,
    /// One of its parts is `..`, whether or not it would leave the project.
    #[error("has a part \"..\"")]
    Parent,
    /// It contains a NUL, at which the system would cut it off.
    #[error("contains NUL")]
    Nul,
}

// NUL comes first: what stands behind it is not what the system would see.
fn fault(path: &str) -> Option<PathFault> {
    if is_plain_path(path) {
        None
    } else if path.contains('\0') {
        Some(PathFault::Nul)
    } else if path.is_empty() {
        Some(PathFault::Empty)
    } else if path.starts_with('/') {
        Some(PathFault::Absolute)
    } else if path.split('/').any(|part| part == "..") {
        Some(PathFault::Parent)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_has_no_way_out_in_its_words() {
        for (path, expected) in [
            // D11-050
            ("/etc/passwd", Some(PathFault::Absolute)),
            ("//", Some(PathFault::Absolute)),
            // D11-051
            ("..", Some(PathFault::Parent)),
            ("../..", Some(PathFault::Parent)),
            ("src/../src/main.rs", Some(PathFault::Parent)),
            ("src/..", Some(PathFault::Parent)),
            // D11-053
            ("", Some(PathFault::Empty)),
            // D11-054
            ("src\0", Some(PathFault::Nul)),
            ("\0/..", Some(PathFault::Nul)),
            // D11-052
            ("a..b", None),
            ("..a/b..", None),
            ("...", None),
            // The root, and other ways to write a path.
            (".", None),
            ("./src//main.rs", None),
            ("src/", None),
        ] {
            let read = ProjectPath::new(path);
            assert_eq!(read.clone().err().map(|error| error.fault), expected, "{path:?}");
            let quoted = serde_json::to_string(path).unwrap();
            let parsed = serde_json::from_str::<ProjectPath>(&quoted).ok();
            assert_eq!(parsed, read.ok(), "{path:?}");
            if let Some(path) = parsed {
                assert_eq!(serde_json::to_string(&path).unwrap(), quoted);
            }
        }
    }

    #[test]
    fn the_error_names_the_path() {
        let error = ProjectPath::new("a/../b").unwrap_err();
        assert_eq!(error.to_string(), r#"the path "a/../b" has a part "..""#);
        // Not all of one that nobody would read.
        let error = ProjectPath::new("/".repeat(1 << 20)).unwrap_err();
        assert!(error.to_string().len() < 1_000, "{error}");
    }
}
