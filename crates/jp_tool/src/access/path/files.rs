//! Files of the workspace, judged and used as one thing.
//!
//! Each operation finds what a path leads to, holds on to it by a handle, compares the rules with
//! the canonical path of that handle, and works on the handle. There is no moment at which a path
//! that was judged is looked up again.
//!
//! Opening what exists is in [`open`](super::open), the questions to the policy are in
//! [`judge`](super::judge).

use std::{
    borrow::Cow,
    fs::File,
    io,
    os::fd::{AsFd, OwnedFd},
    sync::Arc,
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{AtFlags, Dir, FileType, Mode, OFlags},
    io::Errno,
};

use super::{
    Entries, FsAccessError, Metadata,
    detours::Detours,
    hard_links::{HardLinks, MAX_VISITED},
    no_replace::{Name, rename_new},
    open::Want,
    root::{ATTEMPTS, Root},
    same_file::rename_over,
    sys,
    walk::{kind_at, open_dir},
};
use crate::access::{AccessPolicy, Capability, SensitiveGate};

/// The files below a root, as far as a policy lets them be used.
///
/// Without a policy, or with one that has no rules for files, everything below the root can be used
/// and nothing outside.
#[derive(Debug)]
pub struct Files {
    pub(super) root: Root,
    pub(super) policy: Option<AccessPolicy>,
    pub(super) sensitive: Option<Arc<SensitiveGate>>,
    pub(super) links: HardLinks,
    pub(super) detours: Detours,
}

/// Why an operation failed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The path may not be used.
    #[error(transparent)]
    Access(#[from] FsAccessError),
    /// It may, and the system said no.
    #[error("{path}: {source}")]
    Io {
        /// The path as it was given.
        path: Utf8PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What a rename does with something that has the new name already.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// It is replaced.
    Replace,
    /// It stays, and the rename fails.
    Keep,
}

impl Files {
    /// The files below `root` under this policy, whose rule paths are canonical.
    pub fn new(root: Root, policy: Option<AccessPolicy>) -> Self {
        let (links, detours) = (HardLinks::new(MAX_VISITED), Detours::default());
        Self { root, policy, sensitive: None, links, detours }
    }

    /// The same files behind a gate, through which goes what the policy allows.
    #[must_use]
    pub fn behind(mut self, gate: Option<Arc<SensitiveGate>>) -> Self {
        self.sensitive = gate;
        self
    }

    /// The root.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The policy.
    pub fn policy(&self) -> Option<&AccessPolicy> {
        self.policy.as_ref()
    }

    /// Opens a regular file for reading. Needs `read`.
    pub fn read(&self, input: &Utf8Path) -> Result<File, OpenError> {
        Ok(self.open(input, Want::Read)?.0.into())
    }

    /// The same, with what was known of it when it was opened, which had to be found out anyway.
    pub fn read_known(&self, input: &Utf8Path) -> Result<(File, Metadata), OpenError> {
        let (file, stat) = self.open(input, Want::Read)?;
        Ok((file.into(), Metadata::from(&stat)))
    }

    /// Opens a regular file that exists for writing, and for reading as well if that is granted. Its
    /// content is left as it is. Needs `update`.
    pub fn update(&self, input: &Utf8Path) -> Result<File, OpenError> {
        Ok(self.open(input, Want::Update)?.0.into())
    }

    /// The entries of a directory. Needs `read` on the directory.
    pub fn list(&self, input: &Utf8Path) -> Result<Entries, OpenError> {
        let (dir, _) = self.open(input, Want::List)?;
        Ok(Entries::new(Dir::new(dir).map_err(|error| io_error(input, error))?))
    }

    /// What is known about a file or directory. Needs `read`.
    pub fn metadata(&self, input: &Utf8Path) -> Result<Metadata, OpenError> {
        Ok(Metadata::from(&self.open(input, Want::Look)?.1))
    }

    /// Makes a file and opens it for writing. Anything that has the name already is an error, a
    /// dangling link too; missing directories are not made. Needs `create`.
    pub fn create(&self, input: &Utf8Path) -> Result<File, OpenError> {
        let flags = OFlags::WRONLY
            | OFlags::CREATE
            | OFlags::EXCL
            | OFlags::NOFOLLOW
            | OFlags::CLOEXEC
            | OFlags::NOCTTY;
        let mode = Mode::from_raw_mode(0o666);
        let file = self.make(input, |dir, name| rustix::fs::openat(dir, name, flags, mode))?;
        Ok(file.into())
    }

    /// Makes a directory; only the last component. Needs `create`.
    pub fn create_dir(&self, input: &Utf8Path) -> Result<(), OpenError> {
        let mode = Mode::from_raw_mode(0o777);
        self.make(input, |dir, name| rustix::fs::mkdirat(dir, name, mode))
    }

    /// Removes a file. A link is removed itself, and `delete` is needed both where it is and where
    /// it leads.
    pub fn remove_file(&self, input: &Utf8Path) -> Result<(), OpenError> {
        self.remove(input, AtFlags::empty())
    }

    /// Removes an empty directory. Needs `delete`.
    pub fn remove_dir(&self, input: &Utf8Path) -> Result<(), OpenError> {
        self.remove(input, AtFlags::REMOVEDIR)
    }

    /// Moves a file or directory. Needs `delete` on the source, and on the target `create` if
    /// nothing is there and `update` if something is. If that is another name of the same file, only the old
    /// name goes.
    ///
    /// Rules stay where they are when a directory moves. So every rule inside the source has to grant
    /// `delete`, every rule inside the target `create`, and what cannot be read now must not become
    /// readable by moving it. Settings of jp inside need `delete` and `create` of their own.
    pub fn rename(
        &self,
        from: &Utf8Path,
        to: &Utf8Path,
        existing: Existing,
    ) -> Result<(), OpenError> {
        let source = self.place(from)?;
        self.judge_place(Capability::Delete, &source)?;
        let target = self.place(to)?;
        let is_new = target.kind.is_none();
        let needed = if is_new { Capability::Create } else { Capability::Update };
        self.judge_place(needed, &target)?;
        let kind = source.kind.ok_or_else(|| io_error(from, Errno::NOENT))?;
        self.judge_move(&source.relative, &target.relative, kind)?;
        self.judge_inside(&source, &target.relative)?;
        let (old, new) =
            (Name::new(source.dir()?, &source.name), Name::new(target.dir()?, &target.name));
        // Somebody can make the target between the look at it and the rename.
        let renamed = if existing == Existing::Replace && !is_new {
            rename_over(old, new)
        } else {
            rename_new(old, new, kind)
        };
        renamed.map_err(|error| io_error(if error == Errno::EXIST { to } else { from }, error))
    }

    fn remove(&self, input: &Utf8Path, flags: AtFlags) -> Result<(), OpenError> {
        let place = self.place(input)?;
        self.judge_place(Capability::Delete, &place)?;
        rustix::fs::unlinkat(place.dir()?, &place.name, flags)
            .map_err(|error| io_error(input, error))
    }
}

/// Making what does not exist, and working on names.
impl Files {
    pub(super) fn make<T>(
        &self,
        input: &Utf8Path,
        make: impl Fn(&OwnedFd, &str) -> rustix::io::Result<T>,
    ) -> Result<T, OpenError> {
        let lexical = self.root.lexical(input)?;
        if self.root.kernel()
            && self.permits(Capability::Create, &lexical)
            && let Some((parent, name)) = split(&lexical)
            && let Ok(dir) = self.root.open_plain(parent, sys::SEARCH | OFlags::DIRECTORY)
        {
            match make(&dir, name) {
                Ok(new) => return Ok(new),
                // If a link has the name, the answer depends on where it leads.
                Err(Errno::EXIST) => {}
                Err(error) => return Err(io_error(input, error)),
            }
        }
        let spot = self.root.find(input, &lexical)?;
        self.judge_found(Capability::Create, &spot.relative, &lexical)?;
        spot.vacancy()
            .and_then(|()| make(&spot.dir, &spot.name))
            .map_err(|error| io_error(input, error))
    }

    /// The directory entry that a path names: links are followed up to the last component, which
    /// stays what it is.
    fn place<'a>(&self, input: &'a Utf8Path) -> Result<Place<'a>, OpenError> {
        let lexical = self.root.lexical(input)?;
        let (parent, name) = split(&lexical).ok_or_else(|| io_error(input, Errno::BUSY))?;
        for _ in 0..ATTEMPTS {
            let spot = self.root.find(input, parent)?;
            let dir = match spot.kind() {
                Ok(_) => open_dir(&spot.dir, &spot.name),
                Err(error) => Err(error),
            };
            if matches!(dir, Err(Errno::LOOP | Errno::NOTDIR))
                && spot.kind() == Ok(FileType::Directory)
            {
                continue;
            }
            let kind = match dir.as_ref().map(|dir| kind_at(dir.as_fd(), name)) {
                Ok(Ok(kind)) => Some(kind),
                Ok(Err(Errno::NOENT | Errno::NAMETOOLONG)) | Err(_) => None,
                Ok(Err(error)) => return Err(io_error(input, error)),
            };
            let relative = if spot.relative == "." {
                Utf8PathBuf::from(name)
            } else {
                spot.relative.join(name)
            };
            let name = name.to_owned();
            return Ok(Place { input, lexical, relative, dir, name, kind });
        }
        Err(FsAccessError::Escape(input.to_owned()).into())
    }
}

/// A directory entry, there or not.
pub(super) struct Place<'a> {
    pub(super) input: &'a Utf8Path,
    pub(super) lexical: Cow<'a, Utf8Path>,
    /// The canonical directory and the name in it.
    pub(super) relative: Utf8PathBuf,
    dir: Result<OwnedFd, Errno>,
    pub(super) name: String,
    pub(super) kind: Option<FileType>,
}

impl Place<'_> {
    pub(super) fn dir(&self) -> Result<&OwnedFd, OpenError> {
        self.dir.as_ref().map_err(|error| io_error(self.input, *error))
    }
}

/// A path as directory and name; the root has none.
fn split(lexical: &Utf8Path) -> Option<(&Utf8Path, &str)> {
    let name = lexical.file_name()?;
    let parent = lexical.parent()?;
    Some((if parent.as_str().is_empty() { Utf8Path::new(".") } else { parent }, name))
}

pub(super) fn io_error(path: &Utf8Path, source: impl Into<io::Error>) -> OpenError {
    OpenError::Io { path: path.to_owned(), source: source.into() }
}

#[cfg(test)]
mod tests;
