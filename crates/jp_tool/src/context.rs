//! What the host tells a tool about where it runs, and the checks a tool makes before it acts.

use camino::{Utf8Path, Utf8PathBuf};
use serde::{Deserialize, Serialize};

use crate::{
    Action,
    access::{AccessPolicy, Capability, FsAccessError, path},
};

/// Where a tool runs and what it may do.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Context {
    /// The root of the workspace.
    pub root: Utf8PathBuf,
    /// What the tool is asked to do.
    #[serde(default)]
    pub action: Action,
    /// What the tool may touch. `None`: everything in the workspace.
    #[serde(default)]
    pub access: Option<AccessPolicy>,
    /// The id of the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub workspace_id: Option<String>,
    /// The conversation in which the tool was called.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<String>,
}

impl Context {
    /// Checks that a path may be read, and returns its resolved absolute form.
    ///
    /// Somebody can still change what the path leads to between this check and its use. A program
    /// that has to be sure opens files through [`path::Files`].
    pub fn check_read(&self, input: &Utf8Path) -> Result<Utf8PathBuf, FsAccessError> {
        self.check(Capability::Read, input)
    }

    /// Checks that a path may be made, and returns its resolved absolute form.
    pub fn check_create(&self, input: &Utf8Path) -> Result<Utf8PathBuf, FsAccessError> {
        self.check(Capability::Create, input)
    }

    /// Checks that a path may be changed, and returns its resolved absolute form.
    pub fn check_update(&self, input: &Utf8Path) -> Result<Utf8PathBuf, FsAccessError> {
        self.check(Capability::Update, input)
    }

    /// Checks that a path may be removed, and returns its resolved absolute form.
    pub fn check_delete(&self, input: &Utf8Path) -> Result<Utf8PathBuf, FsAccessError> {
        self.check(Capability::Delete, input)
    }

    /// Checks that a path may be run, and returns its resolved absolute form.
    pub fn check_execute(&self, input: &Utf8Path) -> Result<Utf8PathBuf, FsAccessError> {
        self.check(Capability::Execute, input)
    }

    fn check(
        &self,
        capability: Capability,
        input: &Utf8Path,
    ) -> Result<Utf8PathBuf, FsAccessError> {
        let resolved = path::resolve(&self.root, input)?;
        if let Some(access) = &self.access {
            access.check(capability, resolved.relative())?;
        }
        Ok(resolved.absolute())
    }
}

#[cfg(test)]
mod tests;
