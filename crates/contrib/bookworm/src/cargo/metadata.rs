//! What `cargo metadata` says about packages.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use semver::Version;
use serde::Deserialize;

use super::{Cargo, CargoError, Patience};
use crate::{lock::is_public, names::CrateName};

/// The packages of a workspace and of everything it depends on.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Metadata {
    pub(crate) packages: Vec<Package>,
    #[serde(default)]
    resolve: Option<Resolve>,
}

/// A package whose sources are on this machine.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Package {
    id: String,
    pub(crate) name: String,
    pub(crate) version: Version,
    /// `None`: it is here, and its files may change.
    pub(crate) source: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) license: Option<String>,
    pub(crate) repository: Option<String>,
    pub(crate) documentation: Option<String>,
    pub(crate) rust_version: Option<String>,
    pub(crate) readme: Option<Utf8PathBuf>,
    pub(crate) manifest_path: Utf8PathBuf,
    #[serde(default)]
    pub(crate) features: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(crate) dependencies: Vec<Dependency>,
    #[serde(default)]
    targets: Vec<Target>,
}

/// What a package needs.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    pub(crate) req: String,
    /// `None`: a path.
    source: Option<String>,
    /// `None`: to run. Otherwise `dev` or `build`.
    pub(crate) kind: Option<String>,
    #[serde(default)]
    pub(crate) optional: bool,
}

#[derive(Debug, Clone, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

#[derive(Debug, Clone, Deserialize)]
struct Resolve {
    nodes: Vec<Node>,
}

#[derive(Debug, Clone, Deserialize)]
struct Node {
    id: String,
    #[serde(default)]
    features: Vec<String>,
}

impl Metadata {
    pub(crate) fn find(&self, name: &CrateName, version: &Version) -> Option<&Package> {
        self.packages.iter().find(|package| name.is(&package.name) && &package.version == version)
    }

    /// Whether a crate of this name is the workspace's own, as far as this says: one of its packages,
    /// or one that they want from a path, from git or from a registry that is not the public one.
    pub(crate) fn has_own(&self, name: &CrateName) -> bool {
        let own = |is: &str, source: Option<&str>| name.is(is) && !source.is_some_and(is_public);
        self.packages.iter().any(|package| {
            let mut needs = package.dependencies.iter();
            own(&package.name, package.source.as_deref())
                || needs.any(|need| own(&need.name, need.source.as_deref()))
        })
    }

    /// The features with which a package is built.
    pub(crate) fn features(&self, package: &Package) -> &[String] {
        let mut nodes = self.resolve.iter().flat_map(|resolve| &resolve.nodes);
        nodes.find(|node| node.id == package.id).map_or(&[], |node| &node.features)
    }
}

impl Package {
    /// The directory of the package.
    pub(crate) fn root(&self) -> &Utf8Path {
        self.manifest_path.parent().unwrap_or(&self.manifest_path)
    }

    /// The name of its library, under which it is documented; `None` for a program.
    pub(crate) fn library(&self) -> Option<String> {
        let kinds = ["lib", "rlib", "dylib", "cdylib", "staticlib", "proc-macro"];
        let is_library =
            |target: &&Target| target.kind.iter().any(|kind| kinds.contains(&kind.as_str()));
        self.targets.iter().find(is_library).map(|target| target.name.replace('-', "_"))
    }

    /// Whether its files stay as they are.
    pub(crate) fn is_from_registry(&self) -> bool {
        let source = self.source.as_deref().unwrap_or_default();
        source.starts_with("registry+") || source.starts_with("sparse+")
    }
}

impl Cargo {
    /// The workspace and its dependencies, as the lock file has them. Nothing is changed and nothing
    /// is fetched; where that would be needed, it fails.
    pub(crate) async fn metadata(&self, manifest: &Utf8Path) -> Result<Metadata, CargoError> {
        self.read_for_here(&["--frozen"], manifest).await
    }

    /// A project of our own, whose lock file may be written. Nothing is fetched.
    pub(super) async fn metadata_of_scratch(
        &self,
        manifest: &Utf8Path,
    ) -> Result<Metadata, CargoError> {
        self.read_for_here(&["--offline"], manifest).await
    }

    /// One package, or those of a workspace, without their dependencies.
    pub(crate) async fn package(&self, manifest: &Utf8Path) -> Result<Metadata, CargoError> {
        self.read(&["--offline", "--no-deps"], manifest).await
    }

    /// Without what only other platforms need, which is often not on this machine.
    async fn read_for_here(
        &self,
        options: &[&str],
        manifest: &Utf8Path,
    ) -> Result<Metadata, CargoError> {
        let platform = format!("--filter-platform={}", self.host().await?);
        self.read(&[options, &[&platform]].concat(), manifest).await
    }

    async fn read(&self, options: &[&str], manifest: &Utf8Path) -> Result<Metadata, CargoError> {
        let manifest = format!("--manifest-path={manifest}");
        let words = [&["metadata", "--format-version=1", &manifest], options].concat();
        let output = self.run(&words, Patience::Look).await?;
        serde_json::from_slice(&output)
            .map_err(|error| CargoError::Parse("metadata".to_owned(), error))
    }
}
