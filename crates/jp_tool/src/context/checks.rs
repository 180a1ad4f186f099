//! The checks that a tool makes itself before it acts: a raw path in, a resolved path or a refusal out.

use camino::{Utf8Path, Utf8PathBuf};

use crate::{
    Context,
    access::{Capability, FsAccessError, path},
};

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
