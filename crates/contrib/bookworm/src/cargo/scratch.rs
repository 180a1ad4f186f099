//! A project of our own with one dependency, for crates that the workspace does not use.
//!
//! It is how cargo is asked for a crate: fetching the project fetches the crate with everything that
//! is needed to document it, and documenting works as it does in any project.

use camino::{Utf8Path, Utf8PathBuf};

use super::{Cargo, CargoError, Metadata, Package, Patience};
use crate::{
    files,
    names::{CrateName, Wanted},
    public::PublicName,
};

/// A project that depends on one crate.
#[derive(Debug)]
pub(crate) struct Scratch {
    manifest: Utf8PathBuf,
    name: CrateName,
}

impl Scratch {
    /// Writes the project below `cache`, or finds it there.
    pub(crate) fn new(
        cache: &Utf8Path,
        name: &CrateName,
        wanted: &Wanted,
    ) -> Result<Self, CargoError> {
        let requirement = wanted.requirement();
        // A requirement has characters that are no good in the name of a file.
        let part = |c: char| if c.is_ascii_alphanumeric() || c == '.' { c } else { '_' };
        let directory: String = requirement.chars().map(part).collect();
        let root = cache.join("projects").join(name.as_str()).join(format!("v{directory}"));
        let manifest = root.join("Cargo.toml");
        let text = format!(
            "[package]\nname = \"bookworm-reads\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\
             publish = false\n\n[lib]\npath = \"lib.rs\"\n\n[workspace]\n\n\
             [dependencies]\n{name} = \"{requirement}\"\n"
        );
        // Another server may be reading the same project.
        let write = |path: &Utf8Path, text: &str| {
            files::replace(path, text).map_err(|error| CargoError::Write(path.to_owned(), error))
        };
        write(&root.join("lib.rs"), "")?;
        write(&manifest, &text)?;
        Ok(Self { manifest, name: name.clone() })
    }

    pub(crate) fn manifest(&self) -> &Utf8Path {
        &self.manifest
    }

    /// The project with everything it needs, if all of that is on this machine.
    pub(crate) async fn metadata(&self, cargo: &Cargo) -> Result<Metadata, CargoError> {
        cargo.metadata_of_scratch(&self.manifest).await
    }

    /// Fetches everything it needs. Nowhere else does cargo download a crate to be read, and never one
    /// that only the workspace knows by this name.
    pub(crate) async fn fetch(
        &self,
        _name: &PublicName,
        cargo: &Cargo,
    ) -> Result<Package, CargoError> {
        let manifest = format!("--manifest-path={}", self.manifest);
        cargo.run(&["fetch", &manifest], Patience::Fetch).await?;
        let metadata = self.metadata(cargo).await?;
        let found = metadata.packages.into_iter().find(|package| self.name.is(&package.name));
        found.ok_or_else(|| CargoError::Failed("fetch".to_owned(), format!("no {}", self.name)))
    }
}
