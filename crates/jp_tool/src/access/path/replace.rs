//! New content for a file, all of it or nothing.
//!
//! The content is written beside the file and takes its place by a rename, so nobody ever sees half
//! of it. Both happen in the handle of the directory that was judged: whatever is put in the way
//! meanwhile, the place that changes is the one the rules were asked about. The file beside it is
//! ours and not the caller's, so it needs no rule.
//!
//! Where a rename would lose something (other names of the file, its owner) or cannot be done, the
//! content is written into the file itself.

use std::{
    fs::File,
    io::{self, ErrorKind, Write},
    os::fd::OwnedFd,
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use camino::Utf8Path;
use rustix::{
    fs::{AtFlags, Mode, OFlags, RenameFlags, Stat},
    io::Errno,
};

use super::{
    Files, FsAccessError, OpenError,
    files::io_error,
    open::{Want, with_stat},
    root::ATTEMPTS,
    walk::Spot,
};
use crate::access::Capability;

/// Makes the names of files beside others differ.
static COUNTER: AtomicU64 = AtomicU64::new(0);

impl Files {
    /// Gives a regular file that exists new content; its permissions stay. Needs `update`.
    pub fn replace(&self, input: &Utf8Path, content: &[u8]) -> Result<(), OpenError> {
        let lexical = self.root.lexical(input)?;
        for _ in 0..ATTEMPTS {
            let spot = self.root.find(input, &lexical)?;
            self.judge_found(Capability::Update, &spot.relative, &lexical)?;
            let kind = spot.kind().map_err(|error| io_error(input, error))?;
            Want::Update.accepts(kind).map_err(|source| io_error(input, source))?;
            let flags = Want::Update.flags(false) | OFlags::NOFOLLOW;
            match rustix::fs::openat(&spot.dir, &spot.name, flags, Mode::empty()) {
                Ok(file) => return self.replace_opened(input, &spot, file, content),
                // A link has taken its place since the look at it.
                Err(Errno::LOOP) => {}
                Err(error) => return Err(io_error(input, error)),
            }
        }
        Err(FsAccessError::Escape(input.to_owned()).into())
    }

    /// Makes a file with this content. Anything that has the name already is an error, a dangling link
    /// too; missing directories are not made. Needs `create`.
    pub fn create_whole(&self, input: &Utf8Path, content: &[u8]) -> Result<(), OpenError> {
        self.make(input, |dir, name| create_whole_in(dir, name, content))
    }

    fn replace_opened(
        &self,
        input: &Utf8Path,
        spot: &Spot,
        file: OwnedFd,
        content: &[u8],
    ) -> Result<(), OpenError> {
        let (file, stat) = with_stat(input, file)?;
        Want::Update
            .accepts(super::walk::kind_of(&stat))
            .map_err(|source| io_error(input, source))?;
        self.judge_links(input, Capability::Update, &stat)?;
        let placed = if stat.st_nlink > 1 {
            Err(Errno::MLINK.into())
        } else {
            take_place(&spot.dir, &spot.name, &stat, content)
        };
        match placed {
            Err(error) if is_impossible(&error) => overwrite(file.into(), content),
            placed => placed,
        }
        .map_err(|source| io_error(input, source))
    }
}

/// Puts a file with this content in the place of one with these owners and permissions.
fn take_place(dir: &OwnedFd, name: &str, old: &Stat, content: &[u8]) -> io::Result<()> {
    let (beside, file) = make_beside(dir, Mode::from_raw_mode(0o600))?;
    let placed = (|| {
        let new = rustix::fs::fstat(&file)?;
        if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid) {
            return Err(Errno::PERM.into());
        }
        rustix::fs::fchmod(&file, Mode::from_raw_mode(old.st_mode & 0o7777))?;
        fill(file, content)?;
        Ok(rustix::fs::renameat(dir, &beside, dir, name)?)
    })();
    if placed.is_err() {
        let _best_effort = rustix::fs::unlinkat(dir, &beside, AtFlags::empty());
    }
    placed
}

fn create_whole_in(dir: &OwnedFd, name: &str, content: &[u8]) -> rustix::io::Result<()> {
    let errno = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    let (beside, file) = make_beside(dir, Mode::from_raw_mode(0o666)).map_err(errno)?;
    let placed = fill(file, content).map_err(errno).and_then(|()| {
        match rustix::fs::renameat_with(dir, &beside, dir, name, RenameFlags::NOREPLACE) {
            // Some file systems cannot rename without replacing. A second name does not replace either.
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
                rustix::fs::linkat(dir, &beside, dir, name, AtFlags::empty())?;
                rustix::fs::unlinkat(dir, &beside, AtFlags::empty())
            }
            renamed => renamed,
        }
    });
    if placed.is_err() {
        let _best_effort = rustix::fs::unlinkat(dir, &beside, AtFlags::empty());
    }
    placed
}

fn make_beside(dir: &OwnedFd, mode: Mode) -> io::Result<(String, OwnedFd)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for _ in 0..ATTEMPTS {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!(".jp-{}-w{number}.tmp", process::id());
        match rustix::fs::openat(dir, &name, flags, mode) {
            Ok(file) => return Ok((name, file)),
            // Left behind by somebody who had our number and did not come to the end.
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Err(Errno::EXIST.into())
}

/// Whether nothing can take the place of a file, although the file itself may well be written to.
fn is_impossible(error: &io::Error) -> bool {
    let kinds = [
        ErrorKind::AlreadyExists,
        ErrorKind::CrossesDevices,
        ErrorKind::PermissionDenied,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::ResourceBusy,
        ErrorKind::TooManyLinks,
    ];
    kinds.contains(&error.kind())
}

fn fill(file: OwnedFd, content: &[u8]) -> io::Result<()> {
    let mut file = File::from(file);
    file.write_all(content)?;
    file.sync_all()
}

fn overwrite(mut file: File, content: &[u8]) -> io::Result<()> {
    file.write_all(content)?;
    file.set_len(u64::try_from(content.len()).unwrap_or(u64::MAX))?;
    file.sync_all()
}
