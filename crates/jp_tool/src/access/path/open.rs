//! Opening what exists: found, judged and opened without a gap.
//!
//! Most paths have no link on them. The kernel is asked to open those with links forbidden, and when
//! it does, the path as it was written is the canonical one. What fails that way takes a longer road
//! by the kernel, and what fails there the walk, which also knows why something is refused.

use std::{io, os::fd::OwnedFd};

use camino::Utf8Path;
use rustix::{
    fs::{FileType, Mode, OFlags, Stat},
    io::Errno,
};

use super::{Files, FsAccessError, OpenError, files::io_error, root::ATTEMPTS, sys, walk::kind_of};
use crate::access::Capability;

/// What something is opened for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Want {
    Read,
    Update,
    List,
    Look,
}

impl Want {
    pub(super) fn capability(self) -> Capability {
        match self {
            Self::Read | Self::List | Self::Look => Capability::Read,
            Self::Update => Capability::Update,
        }
    }

    /// A FIFO or a device is refused when it is met, but something can still take the place of a file
    /// at the last moment. Opening that must not wait and must not become our terminal.
    pub(super) fn flags(self, readable: bool) -> OFlags {
        let quiet = OFlags::CLOEXEC | OFlags::NONBLOCK | OFlags::NOCTTY;
        match self {
            Self::Read => OFlags::RDONLY | quiet,
            Self::Update if readable => OFlags::RDWR | quiet,
            Self::Update => OFlags::WRONLY | quiet,
            Self::List => OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Self::Look => sys::SEARCH | OFlags::CLOEXEC,
        }
    }

    pub(super) fn accepts(self, kind: FileType) -> io::Result<()> {
        match (self, kind) {
            (Self::Look, _)
            | (Self::List, FileType::Directory)
            | (Self::Read | Self::Update, FileType::RegularFile) => Ok(()),
            (Self::List, _) => Err(Errno::NOTDIR.into()),
            (_, FileType::Directory) => Err(Errno::ISDIR.into()),
            _ => Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file")),
        }
    }
}

impl Files {
    pub(super) fn open(&self, input: &Utf8Path, want: Want) -> Result<(OwnedFd, Stat), OpenError> {
        let lexical = self.root.lexical(input)?;
        let (file, stat) = match self.open_at_once(input, &lexical, want)? {
            Some(opened) => opened,
            None => self.open_by_steps(input, &lexical, want)?,
        };
        want.accepts(kind_of(&stat)).map_err(|source| io_error(input, source))?;
        self.judge_links(input, want.capability(), &stat)?;
        if want == Want::Update && stat.st_nlink > 1 && can_be_read(&file) {
            self.judge_links(input, Capability::Read, &stat)?;
        }
        Ok((file, stat))
    }

    /// The two ways of the kernel. `None` leaves the answer to the walk.
    fn open_at_once(
        &self,
        input: &Utf8Path,
        lexical: &Utf8Path,
        want: Want,
    ) -> Result<Option<(OwnedFd, Stat)>, OpenError> {
        if !self.root.kernel() {
            return Ok(None);
        }
        let hint = self.detours.hint(lexical);
        if hint.is_none() && self.permits(want.capability(), lexical) {
            match self.root.open_plain(lexical, self.flags(want, lexical)) {
                Ok(file) => return Ok(Some(with_stat(input, file)?)),
                Err(error @ (Errno::NOENT | Errno::NOTDIR)) => return Err(io_error(input, error)),
                Err(_) => {}
            }
        }
        Ok(self.open_through_links(lexical, hint.as_deref(), want))
    }

    /// What a path leads to is looked at by a handle that can do nothing, so that a FIFO or a device
    /// behind a link is left alone. Then it is opened at its canonical path with links forbidden.
    ///
    /// Where that is, is only guessed: by what was found the last time, or by what `/proc` says.
    /// Nothing depends on the guess. What is opened at a path without links is what was judged by
    /// that path, and that it is the very file that was looked at makes it the right one.
    fn open_through_links(
        &self,
        lexical: &Utf8Path,
        hint: Option<&Utf8Path>,
        want: Want,
    ) -> Option<(OwnedFd, Stat)> {
        self.pass(lexical).ok()?;
        let seen = self.root.look_through_links(lexical)?;
        let stat = rustix::fs::fstat(&seen).ok()?;
        // Why it is refused can be told when the rules have been asked.
        want.accepts(kind_of(&stat)).ok()?;
        if let Some(opened) = hint.and_then(|hint| self.open_if_same(hint, want, &stat)) {
            return Some(opened);
        }
        let guess = self.root.guess_path(&seen)?;
        let opened = self.open_if_same(&guess, want, &stat)?;
        self.detours.note(lexical, &guess);
        Some(opened)
    }

    /// Opens a path without links if the rules permit it and it leads to this very file.
    pub(super) fn open_if_same(
        &self,
        path: &Utf8Path,
        want: Want,
        seen: &Stat,
    ) -> Option<(OwnedFd, Stat)> {
        if !self.permits(want.capability(), path) {
            return None;
        }
        let file = self.root.open_plain(path, self.flags(want, path)).ok()?;
        let stat = rustix::fs::fstat(&file).ok()?;
        let is_same = (stat.st_dev, stat.st_ino) == (seen.st_dev, seen.st_ino);
        is_same.then_some((file, stat))
    }

    fn open_by_steps(
        &self,
        input: &Utf8Path,
        lexical: &Utf8Path,
        want: Want,
    ) -> Result<(OwnedFd, Stat), OpenError> {
        for _ in 0..ATTEMPTS {
            let spot = self.root.find(input, lexical)?;
            self.judge_found(want.capability(), &spot.relative, lexical)?;
            let kind = spot.kind().map_err(|error| io_error(input, error))?;
            want.accepts(kind).map_err(|source| io_error(input, source))?;
            let flags = self.flags(want, &spot.relative) | OFlags::NOFOLLOW;
            match rustix::fs::openat(&spot.dir, &spot.name, flags, Mode::empty()) {
                Ok(file) => {
                    let (file, stat) = with_stat(input, file)?;
                    // A handle to look with can be one of a link that came in between.
                    if kind_of(&stat) != FileType::Symlink {
                        return Ok((file, stat));
                    }
                }
                Err(Errno::LOOP | Errno::NOTDIR) => {}
                Err(error) => return Err(io_error(input, error)),
            }
        }
        Err(FsAccessError::Escape(input.to_owned()).into())
    }

    fn flags(&self, want: Want, canonical: &Utf8Path) -> OFlags {
        want.flags(want != Want::Update || self.permits(Capability::Read, canonical))
    }
}

fn can_be_read(file: &OwnedFd) -> bool {
    rustix::fs::fcntl_getfl(file).is_ok_and(|flags| flags.contains(OFlags::RDWR))
}

pub(super) fn with_stat(input: &Utf8Path, file: OwnedFd) -> Result<(OwnedFd, Stat), OpenError> {
    let stat = rustix::fs::fstat(&file).map_err(|error| io_error(input, error))?;
    Ok((file, stat))
}
