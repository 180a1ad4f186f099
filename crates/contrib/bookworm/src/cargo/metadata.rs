//! What `cargo metadata` says about packages.

use std::collections::BTreeMap;

use camino::{Utf8Path, Utf8PathBuf};
use semver::Version;
use serde::Deserialize;

use super::{Cargo, CargoError, Patience};
use crate::names::CrateName;

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
        self.read(&["--frozen"], manifest).await
    }

    /// A project of our own, whose lock file may be written. Nothing is fetched.
    pub(super) async fn metadata_of_scratch(
        &self,
        manifest: &Utf8Path,
    ) -> Result<Metadata, CargoError> {
        self.read(&["--offline"], manifest).await
    }

    /// One package without its dependencies.
    pub(crate) async fn package(&self, manifest: &Utf8Path) -> Result<Metadata, CargoError> {
        self.read(&["--offline", "--no-deps"], manifest).await
    }

    async fn read(&self, options: &[&str], manifest: &Utf8Path) -> Result<Metadata, CargoError> {
        let manifest = format!("--manifest-path={manifest}");
        let words = [&["metadata", "--format-version=1", &manifest], options].concat();
        let output = self.run(&words, Patience::Look).await?;
        serde_json::from_slice(&output)
            .map_err(|error| CargoError::Parse("metadata".to_owned(), error))
    }
}
