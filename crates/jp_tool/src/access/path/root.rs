//! A handle of the workspace root, and the two ways from it to a path.
//!
//! The kernel can resolve a whole path beneath a handle in one call, which is fast and cannot be
//! raced. Where it cannot (another system, an old kernel, a filter, no `/proc`), the walk in
//! [`walk`](super::walk) goes component by component. Both give the same answers; which one is used
//! is decided once, when the root is opened.

use std::{borrow::Cow, io, os::fd::OwnedFd, sync::Arc};

use camino::{Utf8Component, Utf8Path, Utf8PathBuf};
use rustix::fs::{Mode, OFlags};

use super::{
    FsAccessError, Resolved, sys, unresolvable,
    walk::{Spot, Stop, walk},
};
use crate::is_plain_path;

/// How often a path is resolved again when it changed on the way. Somebody who swaps directories in
/// a loop gets a refusal, not an endless loop.
pub(super) const ATTEMPTS: usize = 16;

/// The longest path that is looked at. No system opens one this long, and resolving takes a step for
/// each component.
const MAX_INPUT: usize = 64 << 10;

/// The workspace root: an open directory and its canonical path.
#[derive(Debug, Clone)]
pub struct Root {
    dir: Arc<OwnedFd>,
    spelled: Utf8PathBuf,
    canonical: Utf8PathBuf,
    kernel: bool,
}

impl Root {
    /// Opens a directory as a root. Links in its path are followed, because this is where trust
    /// begins. The path has to be absolute: the current directory has no say here.
    pub fn open(path: &Utf8Path) -> io::Result<Self> {
        if !path.is_absolute() {
            let message = format!("the root is not an absolute path: {path}");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let canonical = path.canonicalize_utf8()?;
        let flags = sys::SEARCH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let dir = rustix::fs::open(canonical.as_std_path(), flags, Mode::empty())?;
        let kernel = sys::usable(&dir, &canonical);
        Ok(Self { dir: Arc::new(dir), spelled: path.to_owned(), canonical, kernel })
    }

    /// The canonical path of the root.
    pub fn path(&self) -> &Utf8Path {
        &self.canonical
    }

    /// Resolves a path; see [`resolve`](super::resolve).
    pub fn resolve(&self, input: &Utf8Path) -> Result<Resolved, FsAccessError> {
        let lexical = self.lexical(input)?;
        let (relative, exists) = if self.kernel && self.open_plain(&lexical, sys::SEARCH).is_ok() {
            (lexical.into_owned(), true)
        } else {
            let spot = self.find(input, &lexical)?;
            let exists = spot.kind().is_ok();
            (spot.relative, exists)
        };
        Ok(Resolved { root: self.canonical.clone(), relative, exists })
    }

    /// Whether the kernel resolves whole paths.
    pub(super) fn kernel(&self) -> bool {
        self.kernel
    }

    pub(super) fn dir(&self) -> &Arc<OwnedFd> {
        &self.dir
    }

    /// Steps 1 and 2: the path relative to the root before links are looked at. `.` is the root.
    pub(super) fn lexical<'a>(
        &self,
        input: &'a Utf8Path,
    ) -> Result<Cow<'a, Utf8Path>, FsAccessError> {
        if input.as_str().len() <= MAX_INPUT && is_plain_path(input.as_str()) {
            return Ok(input.into());
        }
        if input.as_str().is_empty() {
            return Err(unresolvable(input, "empty path"));
        }
        if input.as_str().len() > MAX_INPUT {
            let start: String = input.as_str().chars().take(60).collect();
            let reason = format!("longer than {MAX_INPUT} bytes");
            return Err(unresolvable(Utf8Path::new(&start), reason));
        }
        if input.as_str().contains('\0') {
            return Err(unresolvable(input, "a path cannot contain a NUL byte"));
        }
        let base = if input.is_absolute() && !input.starts_with(&self.spelled) {
            &self.canonical
        } else {
            &self.spelled
        };
        if input.is_absolute() && !input.starts_with(base) {
            return Err(FsAccessError::Outside(input.to_owned()));
        }
        let base = normal(base.components());
        let full = if input.is_absolute() {
            normal(input.components())
        } else {
            let mut full = base.clone();
            extend(&mut full, input.components());
            full
        };
        match full.strip_prefix(base.as_slice()) {
            None => Err(FsAccessError::Escape(input.to_owned())),
            Some([]) => Ok(Utf8Path::new(".").into()),
            Some(names) => Ok(Utf8PathBuf::from(names.join("/")).into()),
        }
    }

    /// Step 3 by the walk, repeated while the tree changes under it.
    pub(super) fn find(&self, input: &Utf8Path, lexical: &Utf8Path) -> Result<Spot, FsAccessError> {
        for _ in 0..ATTEMPTS {
            match walk(self, input, lexical) {
                Ok(spot) => return Ok(spot),
                Err(Stop::Changed) => {}
                Err(Stop::Access(error)) => return Err(error),
            }
        }
        Err(FsAccessError::Escape(input.to_owned()))
    }

    /// Opens a path on which there is no link at all, so that it is its own canonical form.
    pub(super) fn open_plain(&self, path: &Utf8Path, flags: OFlags) -> rustix::io::Result<OwnedFd> {
        sys::open_plain(&self.dir, path.as_str(), flags | OFlags::CLOEXEC)
    }

    /// A handle that can do nothing, of what a path leads to through links that stay beneath the root.
    pub(super) fn look_through_links(&self, path: &Utf8Path) -> Option<OwnedFd> {
        sys::look_through_links(&self.dir, path.as_str()).ok()
    }

    /// Where a handle probably is, relative to the root. Only a path that leads to the same file by
    /// [`open_plain`](Self::open_plain) is known to be right.
    pub(super) fn guess_path(&self, handle: &OwnedFd) -> Option<Utf8PathBuf> {
        sys::guess_path(&self.canonical, handle)
    }

    /// The same root for tests of the walk.
    #[cfg(test)]
    pub(super) fn without_kernel(mut self) -> Self {
        self.kernel = false;
        self
    }
}

fn normal<'a>(components: impl Iterator<Item = Utf8Component<'a>>) -> Vec<&'a str> {
    let mut names = Vec::with_capacity(16);
    extend(&mut names, components);
    names
}

/// Appends components; `..` takes the last one away, and above `/` there is only `/`.
fn extend<'a>(names: &mut Vec<&'a str>, components: impl Iterator<Item = Utf8Component<'a>>) {
    for component in components {
        match component {
            Utf8Component::Normal(name) => names.push(name),
            Utf8Component::ParentDir => drop(names.pop()),
            Utf8Component::CurDir | Utf8Component::RootDir | Utf8Component::Prefix(_) => {}
        }
    }
}
