//! Names that came from a model and are used in command lines, manifests, file names and URLs.
//!
//! Each type holds only what has no other meaning in any of these places: no separator, no dot at the
//! start, no dash at the start, no quote. So whoever has one need not think about it again.

use std::fmt;

use semver::{Version, VersionReq};
use thiserror::Error;

/// The longest name of a crate that the registry accepts.
const MAX_NAME: usize = 64;
/// Longer versions and paths are not written by people.
const MAX_VERSION: usize = 64;
const MAX_PATH: usize = 512;
const MAX_SEGMENTS: usize = 24;

/// The name of a crate: a letter, then letters, digits, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct CrateName(String);

/// Which version is wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Whichever fits best.
    Any,
    /// This one.
    Exact(Version),
    /// One of these.
    Matching(VersionReq),
}

/// A path of an item inside a crate: identifiers, without the name of the crate.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct ItemPath(Vec<String>);

/// A name that is none.
#[derive(Debug, Error, PartialEq, Eq)]
pub(crate) enum NameError {
    #[error("`{0}` is not the name of a crate: a letter, then letters, digits, `-` and `_`")]
    Crate(String),
    #[error("`{0}` is not a version: write `1.2.3`, or `1` or `1.2` for the newest of these")]
    Version(String),
    #[error("`{0}` is not the path of an item: write it like `Value::pointer`")]
    Item(String),
}

impl CrateName {
    pub(crate) fn parse(text: &str) -> Result<Self, NameError> {
        let ok = text.len() <= MAX_NAME
            && text.starts_with(|c: char| c.is_ascii_alphabetic())
            && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        if ok { Ok(Self(text.to_owned())) } else { Err(NameError::Crate(shortened(text))) }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// Its library, unless the manifest says otherwise.
    pub(crate) fn library(&self) -> String {
        self.0.replace('-', "_")
    }

    /// Whether the registry takes the two for one: `-` and `_` are equal, and so are cases.
    pub(crate) fn is(&self, other: &str) -> bool {
        let same = |a: u8, b: u8| {
            a.eq_ignore_ascii_case(&b) || (matches!(a, b'-' | b'_') && matches!(b, b'-' | b'_'))
        };
        self.0.len() == other.len() && self.0.bytes().zip(other.bytes()).all(|(a, b)| same(a, b))
    }
}

impl fmt::Display for CrateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Wanted {
    pub(crate) fn parse(text: Option<&str>) -> Result<Self, NameError> {
        let Some(text) = text.map(str::trim).filter(|text| !text.is_empty() && *text != "*") else {
            return Ok(Self::Any);
        };
        let wrong = || NameError::Version(shortened(text));
        if text.len() > MAX_VERSION {
            return Err(wrong());
        }
        match Version::parse(text.strip_prefix(['=', 'v']).unwrap_or(text)) {
            Ok(version) => Ok(Self::Exact(version)),
            Err(_) => VersionReq::parse(text).map(Self::Matching).map_err(|_| wrong()),
        }
    }

    pub(crate) fn matches(&self, version: &Version) -> bool {
        match self {
            Self::Any => true,
            // Nobody writes what a version was built with.
            Self::Exact(wanted) if wanted.build.is_empty() => {
                wanted.cmp_precedence(version).is_eq()
            }
            Self::Exact(wanted) => wanted == version,
            Self::Matching(wanted) => wanted.matches(version),
        }
    }

    /// As the requirement of a manifest.
    pub(crate) fn requirement(&self) -> String {
        match self {
            Self::Any => "*".to_owned(),
            Self::Exact(version) => format!("={version}"),
            Self::Matching(wanted) => wanted.to_string(),
        }
    }
}

impl ItemPath {
    /// Reads `a::b::C`; a `!` at the end and the name of the crate at the start may be there.
    pub(crate) fn parse(text: &str, library: &str) -> Result<Self, NameError> {
        let wrong = || NameError::Item(shortened(text));
        if text.len() > MAX_PATH {
            return Err(wrong());
        }
        let path = text.trim().trim_start_matches("::").trim_end_matches('!');
        let mut segments: Vec<String> = path.split("::").map(ToOwned::to_owned).collect();
        if segments.first().is_some_and(|first| first == library || first == "crate") {
            segments.remove(0);
        }
        if segments.len() > MAX_SEGMENTS || !segments.iter().all(|segment| is_identifier(segment)) {
            return Err(wrong());
        }
        Ok(Self(segments))
    }

    /// The path without the name of a library at its start.
    pub(crate) fn within(&self, library: &str) -> Self {
        match self.0.split_first() {
            Some((first, rest)) if first == library => Self(rest.to_vec()),
            _ => self.clone(),
        }
    }

    /// The identifiers; none for the crate itself.
    pub(crate) fn segments(&self) -> &[String] {
        &self.0
    }

    /// The path without its last identifier, and that.
    pub(crate) fn split_last(&self) -> Option<(Self, &str)> {
        let (last, rest) = self.0.split_last()?;
        Some((Self(rest.to_vec()), last))
    }

    /// Whether the end of this path is the other.
    pub(crate) fn ends_with(&self, other: &Self) -> bool {
        self.0.ends_with(&other.0)
    }

    /// This path with one more identifier.
    pub(crate) fn join(&self, last: &str) -> Self {
        Self(self.0.iter().cloned().chain([last.to_owned()]).collect())
    }
}

impl fmt::Display for ItemPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join("::"))
    }
}

/// Letters, digits and `_`, not beginning with a digit; `r#` is not part of a name in documentation.
pub(crate) fn is_identifier(text: &str) -> bool {
    let head = text.chars().next();
    head.is_some_and(|c| c.is_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// What is said back to whoever wrote it.
fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(80).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_crates() {
        for good in ["serde_json", "a", "Inflector", "rmcp-macros", &"a".repeat(64)] {
            assert_eq!(CrateName::parse(good).unwrap().as_str(), good);
        }
        let long = "a".repeat(65);
        for bad in
            ["", "-p", "--config=x", "../x", "a/b", "a b", "1a", "_x", "ä", "a\n", "a\"", &long]
        {
            assert!(CrateName::parse(bad).is_err(), "{bad}");
        }
        assert!(CrateName::parse("serde_json").unwrap().is("serde-json"));
        assert!(!CrateName::parse("serde_json").unwrap().is("serde_jso"));
    }

    #[test]
    fn versions() {
        let wanted = |text| Wanted::parse(Some(text)).map(|wanted| wanted.requirement());
        for (text, requirement) in [
            ("1.2.3", "=1.2.3"),
            ("=1.2.3", "=1.2.3"),
            ("1.0.0-rc.1+x", "=1.0.0-rc.1+x"),
            ("1", "^1"),
            ("~1.2", "~1.2"),
            (">=1, <2", ">=1, <2"),
            ("*", "*"),
            ("", "*"),
        ] {
            assert_eq!(wanted(text).as_deref(), Ok(requirement), "{text}");
        }
        for bad in ["latest", "1.2.3\"", "../1", "--x", "1\n[x]", &"1".repeat(65)] {
            assert!(wanted(bad).is_err(), "{bad}");
        }
        assert!(Wanted::parse(Some("1")).unwrap().matches(&Version::new(1, 9, 0)));
        assert!(!Wanted::parse(Some("1.9.1")).unwrap().matches(&Version::new(1, 9, 0)));
    }

    #[test]
    fn paths_of_items() {
        let path = |text| ItemPath::parse(text, "serde_json").map(|path| path.to_string());
        for (text, want) in [
            ("Value", "Value"),
            ("serde_json::Value::pointer", "Value::pointer"),
            ("crate::value::Value", "value::Value"),
            ("::serde_json::json!", "json"),
            ("serde_json", ""),
        ] {
            assert_eq!(path(text).as_deref(), Ok(want), "{text}");
        }
        for bad in ["", "../x", "a::..::b", "a/b", "a.b", "a::", "a b", "0a", "a\0", "a%2fb", "-x"]
        {
            assert!(path(bad).is_err(), "{bad}");
        }
        assert!(path(&"a::".repeat(30)).is_err());
        let within = |text| ItemPath::parse(text, "md_5").unwrap().within("md5").to_string();
        assert_eq!(["md5::Md5", "md_5::Md5", "md5", "Md5"].map(within), ["Md5", "Md5", "", "Md5"]);
    }
}
