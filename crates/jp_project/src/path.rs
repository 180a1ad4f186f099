//! Paths that can only lead into the project.
//!
//! Whoever has a [`ProjectPath`] need not ask what `..`, a leading slash or a NUL would do on this
//! backend or that: there is none in it. What symbolic links do is another question, which the file
//! system answers when it is used.

use std::{fmt, str::FromStr};

use camino::Utf8Path;
use jp_tool::is_plain_path;

/// The longest path, in bytes, and the longest name in it: what file systems take. The limit is the same
/// on every backend, so that files can move from one to the other.
const MAX_PATH: usize = 4_000;
const MAX_NAME: usize = 255;
/// The most names in a path: as deep as a search and a deletion go.
const MAX_NAMES: usize = 200;

/// A path relative to the root of the project, with `/` between its names; `.` is the root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ProjectPath(String);

/// Why a text is no path of a project.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidProjectPath {
    /// There is nothing.
    #[error("the path is empty; `.` is the root of the project")]
    Empty,
    /// It begins with a slash.
    #[error("the path is absolute: {0:?}; paths are relative to the root of the project")]
    Absolute(String),
    /// A component is `..`.
    #[error("the path has a `..` in it: {0:?}")]
    Parent(String),
    /// It has a NUL in it.
    #[error("the path has a NUL byte in it: {0:?}")]
    Nul(String),
    /// It or a name in it is too long.
    #[error("the path is longer than {MAX_PATH} bytes, or a name in it than {MAX_NAME}: {0:?}…")]
    TooLong(String),
    /// It has too many names.
    #[error("the path has more than {MAX_NAMES} names in it: {0:?}…")]
    TooDeep(String),
}

impl ProjectPath {
    /// The root of the project.
    pub fn root() -> Self {
        Self(".".to_owned())
    }

    /// Reads a path. Empty and `.` components add nothing.
    pub fn new(text: &str) -> Result<Self, InvalidProjectPath> {
        let shown = || text.chars().take(60).collect::<String>();
        // One that is no longer than a name may be has at most half as many names.
        if text.len() <= MAX_NAME && is_plain_path(text) {
            return Ok(Self(text.to_owned()));
        }
        if text.is_empty() {
            return Err(InvalidProjectPath::Empty);
        }
        if text.contains('\0') {
            return Err(InvalidProjectPath::Nul(shown()));
        }
        if text.starts_with('/') {
            return Err(InvalidProjectPath::Absolute(shown()));
        }
        if text.len() > MAX_PATH || text.split('/').any(|name| name.len() > MAX_NAME) {
            return Err(InvalidProjectPath::TooLong(shown()));
        }
        if text.split('/').any(|name| name == "..") {
            return Err(InvalidProjectPath::Parent(shown()));
        }
        let names: Vec<_> = text.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
        if names.len() > MAX_NAMES {
            return Err(InvalidProjectPath::TooDeep(shown()));
        }
        Ok(if names.is_empty() { Self::root() } else { Self(names.join("/")) })
    }

    /// A path that was one before.
    pub(crate) fn known(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path for the rules of a policy.
    pub fn as_path(&self) -> &Utf8Path {
        Utf8Path::new(&self.0)
    }

    /// Whether this is the root.
    pub fn is_root(&self) -> bool {
        self.0 == "."
    }

    /// The path of something in this directory.
    pub fn join(&self, name: &str) -> Result<Self, InvalidProjectPath> {
        Self::new(&join(&self.0, name))
    }

    /// The directory it is in; the root is in none.
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        let parent = self.0.rsplit_once('/').map_or(".", |(parent, _)| parent);
        Some(Self(parent.to_owned()))
    }

    /// Whether this is the other path or below it.
    pub fn starts_with(&self, other: &Self) -> bool {
        other.is_root() || self.as_path().starts_with(other.as_path())
    }
}

impl fmt::Display for ProjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ProjectPath {
    type Err = InvalidProjectPath;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::new(text)
    }
}

/// The path of something in a directory.
pub(crate) fn join(dir: &str, name: &str) -> String {
    if dir == "." { name.to_owned() } else { format!("{dir}/{name}") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn only_what_stays_inside_is_a_path() {
        let long = "x".repeat(256);
        let (deepest, deep) = (vec!["a"; 200].join("/"), "a/".repeat(201));
        let deepest_of_all = "a/".repeat(4_096);
        for (text, expected) in [
            // D11-052
            ("src/main.rs", Ok("src/main.rs")),
            ("a..b", Ok("a..b")),
            ("...", Ok("...")),
            (".", Ok(".")),
            ("./src//main.rs/", Ok("src/main.rs")),
            ("/etc/passwd", Err("absolute")),
            ("//", Err("absolute")),
            ("../x", Err("`..`")),
            ("a/../b", Err("`..`")),
            ("", Err("empty")),
            ("a\0b", Err("NUL")),
            (&long, Err("longer")),
            (&deepest, Ok(deepest.as_str())),
            (&deep, Err("more than 200 names")),
            (&deepest_of_all, Err("longer")),
        ] {
            match (ProjectPath::new(text), expected) {
                (Ok(path), Ok(expected)) => assert_eq!(path.as_str(), expected),
                (Err(error), Err(part)) => assert!(error.to_string().contains(part), "{error}"),
                (result, _) => panic!("{text:?}: {result:?}"),
            }
        }
    }

    #[test]
    fn a_name_that_begins_alike_is_not_inside() {
        let path = |text| ProjectPath::new(text).unwrap();
        assert!(path("src/a").starts_with(&path("src")));
        assert!(!path("src_old").starts_with(&path("src")));
        assert!(path("src").starts_with(&ProjectPath::root()));
        assert_eq!(path("src/a").parent(), Some(path("src")));
        assert_eq!(path("src").parent(), Some(ProjectPath::root()));
        assert_eq!(ProjectPath::root().parent(), None);
    }

    proptest! {
        #[test]
        fn a_path_is_its_own_form(text in "[./a-c\0]{0,20}") {
            if let Ok(path) = ProjectPath::new(&text) {
                prop_assert_eq!(ProjectPath::new(path.as_str()), Ok(path.clone()));
                prop_assert!(!path.as_str().starts_with('/'));
                prop_assert!(path.as_str().split('/').all(|name| !matches!(name, "" | "..")));
            }
        }
    }
}
