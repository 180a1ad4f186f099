//! Names that strangers may be asked about.
//!
//! A name does not say whose crate it is. A package of the workspace, one from git and one from a
//! company's own registry may be called like something that anybody has put into the public registry,
//! or will when he learns of the name. So such a crate is never fetched by its name and never looked
//! for on a documentation site: that would tell the name, and bring somebody else's code. Who fetches
//! or reads from a site needs a [`PublicName`], and there is one way to get it, which asks the lock
//! file first and works also where cargo is of no help; where nobody can tell, there is none.

use std::{fmt, sync::Arc};

use jp_tool::ToolError;
use semver::Version;
use thiserror::Error;

use crate::{cargo::CargoError, library::Stock, lock::Locked, names::CrateName};

/// A name by which the workspace has nothing of its own.
#[derive(Debug, Clone)]
pub(crate) struct PublicName(CrateName);

/// A crate that nobody else is asked about.
#[derive(Debug, Error)]
pub(crate) enum PrivateError {
    #[error(
        "{0} is the workspace's own: from a path, from git or from a registry of its own. \
         It is not fetched by its name, and not read from a site"
    )]
    Own(CrateName),
    #[error(
        "which crates are the workspace's own is not known, because cargo cannot read it; \
         until then {0} is not fetched and not read from a site"
    )]
    Unknown(CrateName, #[source] Option<Arc<CargoError>>),
    #[error("{0} {1} is the workspace's own, and cargo does not say where it is")]
    Nowhere(CrateName, Version, #[source] Option<Arc<CargoError>>),
}

impl PublicName {
    pub(crate) fn name(&self) -> &CrateName {
        &self.0
    }
}

impl fmt::Display for PublicName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Stock {
    /// The name as one that others may be asked about, in this version if one is meant.
    pub(crate) fn public(
        &self,
        name: &CrateName,
        version: Option<&Version>,
    ) -> Result<PublicName, PrivateError> {
        let of_name = self.locked(name);
        let same: Vec<_> =
            of_name.iter().filter(|locked| Some(&locked.version) == version).collect();
        let is_public = match (same.as_slice(), of_name.as_slice()) {
            ([], []) if self.metadata.has_own(name) => false,
            ([], []) if self.knows_own => true,
            ([], []) => return Err(PrivateError::Unknown(name.clone(), self.trouble.clone())),
            // Another version of it than those in use: the name is as public as they are.
            ([], all) => all.iter().any(|locked| locked.is_public()),
            (same, _) => same.iter().all(|locked| locked.is_public()),
        };
        if is_public { Ok(PublicName(name.clone())) } else { Err(PrivateError::Own(name.clone())) }
    }

    /// An error if this very version is the workspace's own, so that what has the same name and version
    /// elsewhere on this machine is not taken for it.
    pub(crate) fn expect_foreign(
        &self,
        name: &CrateName,
        version: &Version,
    ) -> Result<(), PrivateError> {
        let mut locked = self.locked(name).into_iter();
        if locked.any(|locked| &locked.version == version && locked.is_local()) {
            let (name, version) = (name.clone(), version.clone());
            return Err(PrivateError::Nowhere(name, version, self.trouble.clone()));
        }
        Ok(())
    }

    fn locked(&self, name: &CrateName) -> Vec<&Locked> {
        self.lock.packages().iter().filter(|locked| name.is(&locked.name)).collect()
    }
}

impl From<PrivateError> for ToolError {
    fn from(error: PrivateError) -> Self {
        Self::from_error(&error)
    }
}
