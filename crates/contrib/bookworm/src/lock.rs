//! Which versions the workspace uses, by its `Cargo.lock`.

use std::{io, time::SystemTime};

use camino::Utf8Path;
use semver::Version;
use serde::Deserialize;
use thiserror::Error;

use crate::{files, names::CrateName};

/// What the file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Lock {
    packages: Vec<Locked>,
}

/// A package of the workspace or of its dependencies.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct Locked {
    pub(crate) name: String,
    pub(crate) version: Version,
    /// `None`: a package of the workspace itself, or one beside it.
    source: Option<String>,
}

/// What changes when the file does.
pub(crate) type Stamp = Option<(SystemTime, u64)>;

#[derive(Debug, Error)]
pub(crate) enum LockError {
    #[error("cannot read Cargo.lock")]
    Read(#[source] io::Error),
    #[error("cannot understand Cargo.lock")]
    Parse(#[source] toml::de::Error),
}

impl Locked {
    /// Whether its name means the same crate to everybody.
    pub(crate) fn is_public(&self) -> bool {
        self.source.as_deref().is_some_and(is_public)
    }

    /// Whether it is no crate of any registry: from a path or from git.
    pub(crate) fn is_local(&self) -> bool {
        let source = self.source.as_deref().unwrap_or_default();
        !source.starts_with("registry+") && !source.starts_with("sparse+")
    }
}

/// Whether a source is the public registry. Cargo writes it like this whichever way it speaks to it,
/// and also where the settings put a mirror in its place.
pub(crate) fn is_public(source: &str) -> bool {
    source == "registry+https://github.com/rust-lang/crates.io-index"
}

impl Lock {
    /// Reads the file of a workspace; without one, nothing is locked.
    pub(crate) fn read(workspace: &Utf8Path) -> Result<Self, LockError> {
        #[derive(Deserialize)]
        struct Document {
            #[serde(default)]
            package: Vec<Locked>,
        }
        let text = files::read(workspace, "Cargo.lock".into()).map_err(LockError::Read)?;
        let Some(text) = text else { return Ok(Self::default()) };
        let document: Document = toml::from_str(&text).map_err(LockError::Parse)?;
        Ok(Self { packages: document.package })
    }

    pub(crate) fn stamp(workspace: &Utf8Path) -> Stamp {
        let metadata = std::fs::metadata(workspace.join("Cargo.lock")).ok()?;
        Some((metadata.modified().ok()?, metadata.len()))
    }

    /// Whether nothing is locked: there is no file, or no package in it.
    pub(crate) fn is_empty(&self) -> bool {
        self.packages.is_empty()
    }

    pub(crate) fn packages(&self) -> &[Locked] {
        &self.packages
    }

    /// The versions of a crate, newest first.
    pub(crate) fn versions(&self, name: &CrateName) -> Vec<Version> {
        let of_name = self.packages.iter().filter(|package| name.is(&package.name));
        let mut versions: Vec<_> = of_name.map(|package| package.version.clone()).collect();
        versions.sort_by(|a, b| b.cmp(a));
        versions.dedup();
        versions
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_come_from_the_lock_file() {
        let dir = tempfile::tempdir().unwrap();
        let root = Utf8Path::from_path(dir.path()).unwrap();
        assert_eq!(Lock::read(root).unwrap(), Lock::default());
        let text = "version = 4\n[[package]]\nname = \"syn\"\nversion = \"2.0.1\"\n\
                    [[package]]\nname = \"syn\"\nversion = \"3.0.0\"\nsource = \"registry+x\"\n";
        std::fs::write(root.join("Cargo.lock"), text).unwrap();
        let lock = Lock::read(root).unwrap();
        let versions = |name| lock.versions(&CrateName::parse(name).unwrap());
        assert_eq!(versions("syn"), [Version::new(3, 0, 0), Version::new(2, 0, 1)]);
        assert_eq!(versions("quote"), []);
        assert!(lock.packages().iter().all(|locked| !locked.is_public()));
        std::fs::write(root.join("Cargo.lock"), "[[package]]\nname = 1").unwrap();
        assert!(matches!(Lock::read(root), Err(LockError::Parse(_))));
    }
}
