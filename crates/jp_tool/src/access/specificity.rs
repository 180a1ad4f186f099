//! How specific a rule is. Among the rules that match a target the greatest decides, and of two that
//! are equal the later one.
//!
//! Each kind of rule has a measure of its own and a type of its own, because a number of path
//! components says nothing about a number of bytes. They print themselves as a person would say it.
//!
//! A rule that nobody can read comes last in each order, which makes it the greatest: if it denies it
//! denies everything, and if it allows it matches nothing.

use std::fmt;

/// How specific a rule for files is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FsSpecificity {
    /// The number of components in the path of the rule; the root has none.
    Components(usize),
    /// The path is none below a root.
    Unreadable,
}

/// How specific a rule for the network is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NetSpecificity {
    /// One for a scheme, one for a port, and one for each segment of the path. The host counts for
    /// nothing: all rules that match a URL have the same.
    Parts(usize),
    /// The host, the scheme or the path is none.
    Unreadable,
}

/// How specific a rule for variables is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EnvSpecificity {
    /// A name. The order of the fields is the order of importance.
    Name {
        /// The length of the name in bytes, without the star.
        bytes: usize,
        /// Whether there is no star.
        exact: bool,
    },
    /// The name can stand for no variable.
    Unreadable,
}

const UNREADABLE: &str = "cannot be read";

impl fmt::Display for FsSpecificity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Components(1) => f.write_str("1 path component"),
            Self::Components(number) => write!(f, "{number} path components"),
            Self::Unreadable => f.write_str(UNREADABLE),
        }
    }
}

impl fmt::Display for NetSpecificity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parts(number) => write!(f, "{number} of scheme, port and path segments"),
            Self::Unreadable => f.write_str(UNREADABLE),
        }
    }
}

impl fmt::Display for EnvSpecificity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name { bytes, exact } => {
                let unit = if *bytes == 1 { "byte" } else { "bytes" };
                let kind = if *exact { "exact" } else { "prefix" };
                write!(f, "{bytes} {unit}, {kind}")
            }
            Self::Unreadable => f.write_str(UNREADABLE),
        }
    }
}
