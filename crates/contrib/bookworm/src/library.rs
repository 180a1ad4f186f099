//! What is on this machine: the workspace, and the crates that cargo has unpacked.

use std::{
    io,
    sync::{Arc, Mutex, PoisonError},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::ToolError;
use semver::Version;

use crate::{
    cargo::{Cargo, CargoError, Metadata, Package},
    index::{self, Indexed},
    lock::{Lock, LockError, Stamp},
    names::{CrateName, Wanted},
};

/// A registry with more crates than this unpacked is not listed to its end.
const MAX_ENTRIES: usize = 100_000;

/// Everything that can be looked up without asking anybody.
#[derive(Debug)]
pub(crate) struct Library {
    pub(crate) cargo: Cargo,
    pub(crate) cache: Utf8PathBuf,
    cargo_home: Option<Utf8PathBuf>,
    known: Mutex<Option<(Stamp, Arc<Stock>)>>,
}

/// The workspace at a moment.
#[derive(Debug)]
pub(crate) struct Stock {
    pub(crate) lock: Lock,
    /// Only the workspace's own packages where cargo cannot tell more without changing or fetching
    /// something, and nothing where it cannot even tell these.
    pub(crate) metadata: Metadata,
    /// Whether the metadata has at least the workspace's own packages, or there is no workspace.
    pub(crate) knows_own: bool,
    /// Why there is not more of it.
    pub(crate) trouble: Option<Arc<CargoError>>,
    /// Where cargo unpacks crates, one directory for each registry.
    sources: Vec<Utf8PathBuf>,
}

impl Library {
    pub(crate) fn new(cargo: Cargo, cache: Utf8PathBuf, cargo_home: Option<Utf8PathBuf>) -> Self {
        Self { cargo, cache, cargo_home, known: Mutex::new(None) }
    }

    pub(crate) fn workspace(&self) -> &Utf8Path {
        self.cargo.directory()
    }

    pub(crate) fn lock(&self) -> Result<Lock, LockError> {
        Lock::read(self.workspace())
    }

    /// The workspace as it is now; read again only when its lock file has changed, or when cargo could
    /// not tell everything: whatever was in its way may be gone.
    pub(crate) async fn stock(&self) -> Result<Arc<Stock>, LockError> {
        let stamp = Lock::stamp(self.workspace());
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((_, stock)) = known.filter(|(then, _)| *then == stamp) {
            return Ok(stock);
        }
        let lock = Lock::read(self.workspace())?;
        let manifest = self.workspace().join("Cargo.toml");
        let whole = match stamp {
            Some(_) => self.cargo.metadata(&manifest).await.map_err(|error| Some(Arc::new(error))),
            None => Err(None),
        };
        let (metadata, knows_own, trouble) = match whole {
            Ok(metadata) => (metadata, true, None),
            Err(trouble) if !manifest.exists() => (Metadata::default(), true, trouble),
            Err(trouble) => match self.cargo.package(&manifest).await {
                Ok(metadata) => (metadata, true, trouble),
                Err(error) => (Metadata::default(), false, trouble.or(Some(Arc::new(error)))),
            },
        };
        let is_whole = stamp.is_some() && trouble.is_none();
        let sources = self.sources(&metadata);
        let stock = Arc::new(Stock { lock, metadata, knows_own, trouble, sources });
        if is_whole {
            let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            *known = Some((stamp, stock.clone()));
        }
        Ok(stock)
    }

    /// The package of this version, if its sources are here.
    pub(crate) async fn package(
        &self,
        stock: &Stock,
        name: &CrateName,
        version: &Version,
    ) -> Result<Option<Package>, ToolError> {
        if let Some(package) = stock.metadata.find(name, version) {
            return Ok(Some(package.clone()));
        }
        // What is unpacked is from a registry, and there the same name and version are another crate.
        stock.expect_foreign(name, version)?;
        let Some(root) = stock.unpacked(name).into_iter().find(|(is, _)| is == version) else {
            return Ok(None);
        };
        let mut metadata = self.cargo.package(&root.1.join("Cargo.toml")).await?;
        let package = metadata.packages.pop().map(|mut package| {
            // Cargo takes a lone directory for a project of the user's.
            package.source = Some("registry+unpacked".to_owned());
            package
        });
        Ok(package)
    }

    /// Where cargo unpacks crates, as the packages of the workspace show, and as its home does.
    fn sources(&self, metadata: &Metadata) -> Vec<Utf8PathBuf> {
        let registry = metadata.packages.iter().filter(|package| package.is_from_registry());
        let mut sources: Vec<Utf8PathBuf> =
            registry.filter_map(|package| Some(package.root().parent()?.to_owned())).collect();
        let home = self.cargo_home.as_ref().map(|home| home.join("registry/src"));
        sources.extend(home.into_iter().flat_map(|home| directories(&home).unwrap_or_default()));
        sources.sort();
        sources.dedup();
        sources
    }
}

impl Stock {
    /// The versions of a crate that the workspace uses, newest first: those of the lock file, and
    /// those of its own packages, which are not in it yet where there is none.
    pub(crate) fn used(&self, name: &CrateName) -> Vec<Version> {
        let own = self.metadata.packages.iter();
        let own = own.filter(|package| package.source.is_none() && name.is(&package.name));
        let mut versions = self.lock.versions(name);
        versions.extend(own.map(|package| package.version.clone()));
        versions.sort_by(|a, b| b.cmp(a));
        versions.dedup();
        versions
    }

    /// The versions of a crate that are unpacked, newest first, and where.
    pub(crate) fn unpacked(&self, name: &CrateName) -> Vec<(Version, Utf8PathBuf)> {
        let mut found: Vec<_> = self
            .unpacked_crates()
            .filter(|(is, _, _)| name.is(is))
            .map(|(_, version, path)| (version, path))
            .collect();
        found.sort_by(|a, b| b.0.cmp(&a.0));
        found.dedup_by(|a, b| a.0 == b.0);
        found
    }

    /// All crates that are unpacked: name, version, directory.
    pub(crate) fn unpacked_crates(&self) -> impl Iterator<Item = (String, Version, Utf8PathBuf)> {
        let directories =
            self.sources.iter().flat_map(|sources| directories(sources).unwrap_or_default());
        directories.filter_map(|path| {
            let (name, version) = split(path.file_name()?)?;
            Some((name.to_owned(), version, path))
        })
    }

    /// The versions of a crate in the index, newest first, as far as cargo has asked for it.
    pub(crate) fn indexed(&self, name: &CrateName) -> Vec<Indexed> {
        let mut versions: Vec<Indexed> =
            self.sources.iter().flat_map(|sources| index::versions(sources, name)).collect();
        versions.sort_by(|a, b| b.version.cmp(&a.version));
        versions.dedup_by(|a, b| a.version == b.version);
        versions
    }

    /// The newest version here that is wanted; one that is finished before one that is not.
    pub(crate) fn newest_unpacked(&self, name: &CrateName, wanted: &Wanted) -> Option<Version> {
        let versions = self.unpacked(name).into_iter().map(|(version, _)| version);
        newest(versions.filter(|version| wanted.matches(version)))
    }

    /// The newest version in the index that is wanted and was not withdrawn.
    pub(crate) fn newest_indexed(&self, name: &CrateName, wanted: &Wanted) -> Option<Version> {
        let versions = self.indexed(name).into_iter().filter(|indexed| !indexed.yanked);
        newest(versions.map(|indexed| indexed.version).filter(|version| wanted.matches(version)))
    }
}

impl From<LockError> for ToolError {
    fn from(error: LockError) -> Self {
        Self::from_error(&error)
    }
}

impl From<CargoError> for ToolError {
    fn from(error: CargoError) -> Self {
        let passing = matches!(error, CargoError::TooLong(..));
        let error = Self::from_error(&error);
        if passing { error.transient() } else { error }
    }
}

fn newest(versions: impl Iterator<Item = Version>) -> Option<Version> {
    versions.max_by(|a, b| (a.pre.is_empty(), a).cmp(&(b.pre.is_empty(), b)))
}

/// `serde_json-1.0.154`: a name and a version, wherever the name has its dashes.
fn split(directory: &str) -> Option<(&str, Version)> {
    let mut dashes = directory.match_indices('-').map(|(at, _)| at);
    dashes.find_map(|at| Some((&directory[..at], Version::parse(&directory[at + 1..]).ok()?)))
}

fn directories(path: &Utf8Path) -> io::Result<Vec<Utf8PathBuf>> {
    let entries = path.read_dir_utf8()?.take(MAX_ENTRIES).filter_map(Result::ok);
    let is_directory =
        |entry: &camino::Utf8DirEntry| entry.file_type().is_ok_and(|kind| kind.is_dir());
    Ok(entries.filter(is_directory).map(camino::Utf8DirEntry::into_path).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directories_of_crates() {
        let check = |text: &str, want: Option<(&str, &str)>| {
            let found = split(text);
            let found = found.as_ref().map(|(name, version)| (*name, version.to_string()));
            assert_eq!(found, want.map(|(name, version)| (name, version.to_owned())), "{text}");
        };
        check("serde_json-1.0.154", Some(("serde_json", "1.0.154")));
        check("rand-core-0.6.0-rc.1", Some(("rand-core", "0.6.0-rc.1")));
        check("toml-1.1.8+spec-1.1.0", Some(("toml", "1.1.8+spec-1.1.0")));
        check("no-version", None);
        check("x", None);
    }

    #[test]
    fn what_is_finished_counts_as_newer() {
        let newest = |texts: &[&str]| {
            newest(texts.iter().map(|text| Version::parse(text).unwrap())).map(|v| v.to_string())
        };
        assert_eq!(newest(&["1.2.0", "2.0.0-beta.1", "1.10.0"]).as_deref(), Some("1.10.0"));
        assert_eq!(newest(&["2.0.0-beta.1", "2.0.0-beta.2"]).as_deref(), Some("2.0.0-beta.2"));
        assert_eq!(newest(&[]), None);
    }
}
