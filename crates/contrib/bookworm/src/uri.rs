//! The URIs of documents: `crate://NAME/VERSION/…`.

use std::fmt;

use semver::Version;

use crate::names::{CrateName, ItemPath};

/// A document that this server has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CrateUri {
    /// `crate://NAME/versions`
    Versions(CrateName),
    /// `crate://NAME/VERSION` and what follows it.
    Of(CrateName, Version, Part),
}

/// A document about one version of a crate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Part {
    /// Nothing follows: what it is, its features and dependencies.
    Info,
    /// `readme`
    Readme,
    /// `items`: all of them.
    Items,
    /// `items/PATH`: one with its signature and documentation.
    Item(ItemPath),
    /// `source/PATH`
    Source(ItemPath),
}

/// The forms above, for clients that build URIs themselves.
pub(crate) const TEMPLATES: [(&str, &str, &str, &str); 6] = [
    ("crate://{name}/versions", "versions", "Versions of a crate", "text/markdown"),
    ("crate://{name}/{version}", "info", "A crate, its features and dependencies", "text/markdown"),
    ("crate://{name}/{version}/readme", "readme", "The readme of a crate", "text/markdown"),
    ("crate://{name}/{version}/items", "items", "All items of a crate", "text/markdown"),
    (
        "crate://{name}/{version}/items/{path}",
        "item",
        "One item, path like a::B::c",
        "text/markdown",
    ),
    ("crate://{name}/{version}/source/{path}", "source", "The source of an item", "text/x-rust"),
];

impl CrateUri {
    /// `None` for whatever is no such URI.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix("crate://")?.split('/');
        let name = CrateName::parse(parts.next()?).ok()?;
        let version = parts.next()?;
        let rest: Vec<&str> = parts.collect();
        if version == "versions" && rest.is_empty() {
            return Some(Self::Versions(name));
        }
        let version = Version::parse(version).ok()?;
        let path = |path: &str| ItemPath::parse(path, &name.library()).ok();
        let part = match rest.as_slice() {
            [] => Part::Info,
            ["readme"] => Part::Readme,
            ["items"] => Part::Items,
            ["items", item] => Part::Item(path(item)?),
            ["source", item] => Part::Source(path(item)?),
            _ => return None,
        };
        Some(Self::Of(name, version, part))
    }
}

impl fmt::Display for CrateUri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, version, part) = match self {
            Self::Versions(name) => return write!(f, "crate://{name}/versions"),
            Self::Of(name, version, part) => (name, version, part),
        };
        write!(f, "crate://{name}/{version}")?;
        match part {
            Part::Info => Ok(()),
            Part::Readme => f.write_str("/readme"),
            Part::Items => f.write_str("/items"),
            // The crate itself has a path as well, so that it can be read back.
            Part::Item(path) if path.segments().is_empty() => {
                write!(f, "/items/{}", name.library())
            }
            Part::Item(path) => write!(f, "/items/{path}"),
            Part::Source(path) if path.segments().is_empty() => {
                write!(f, "/source/{}", name.library())
            }
            Part::Source(path) => write!(f, "/source/{path}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_read_as_they_are_written() {
        for uri in [
            "crate://serde_json/versions",
            "crate://serde_json/1.0.154",
            "crate://serde_json/1.0.154/readme",
            "crate://serde_json/1.0.154/items",
            "crate://serde_json/1.0.154/items/value::Value",
            "crate://serde_json/1.0.154/items/serde_json",
            "crate://serde_json/1.0.0-rc.1+b/source/Value::pointer",
        ] {
            assert_eq!(CrateUri::parse(uri).unwrap().to_string(), uri);
        }
        for wrong in [
            "",
            "file:///etc/passwd",
            "crate://",
            "crate://serde",
            "crate://serde/",
            "crate://serde/1",
            "crate://serde/1.0.0/",
            "crate://serde/1.0.0/items/",
            "crate://serde/1.0.0/items/../../x",
            "crate://serde/1.0.0/items/a/b",
            "crate://serde/1.0.0/secrets",
            "crate://../1.0.0",
            "crate://serde/../readme",
        ] {
            assert_eq!(CrateUri::parse(wrong), None, "{wrong}");
        }
    }
}
