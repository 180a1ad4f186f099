//! New content for a file, all of it or nothing.
//!
//! The content is written to a new file, which takes the place by a rename, so nobody ever sees half of
//! it. All happens in the handle of the directory that was judged: whatever is put in the way meanwhile,
//! the place that changes is the one the rules were asked about. The new file is ours and not the
//! caller's, so it needs no rule.
//!
//! On Linux the new file has no name while it is written, and is gone if we are killed. A file that is
//! made gets its name when it is whole. For one that is replaced there is no such call: it gets a name
//! beside, `.jp-*.tmp`, and is renamed at once; only who is killed between the two leaves that behind.
//! Where files without a name are not to be had, they have that name from the beginning.
//!
//! A file that takes the place of another gets its permissions first, its group and its list of who may use it (ACL)
//! included: what is in the directory would give it others. Where a rename would lose something (other names of the
//! file, its owner, a group that we may not give) or cannot be done, the content is written into the file itself. Room
//! for it is reserved first, so a full disk or a quota that is used up costs nothing. Half of the content is left where
//! the write fails in spite of that: if we are killed, if the device fails, or on a file system that cannot reserve or
//! copies what is overwritten, if it is full.

use std::{
    fs::File,
    io::{self, ErrorKind, Write},
    os::fd::OwnedFd,
    process,
    sync::atomic::{AtomicU64, Ordering},
};

use camino::Utf8Path;
use rustix::{
    fs::{AtFlags, FileType, Gid, Mode, OFlags, Stat},
    io::Errno,
};

use super::{
    Files, FsAccessError, OpenError,
    files::io_error,
    no_replace::{Name, rename_new},
    open::{Want, with_stat},
    root::{ATTEMPTS, Root},
    sys,
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
        self.make(input, |dir, name| create_whole_in(&self.root, dir, name, content))
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
            take_place(&self.root, spot, (&file, &stat), content)
        };
        match placed {
            Err(error) if is_impossible(&error) => overwrite(file.into(), content),
            placed => placed,
        }
        .map_err(|source| io_error(input, source))
    }
}

/// Puts a file with this content and the same owners and permissions in the place of one that is open.
fn take_place(root: &Root, spot: &Spot, old: (&OwnedFd, &Stat), content: &[u8]) -> io::Result<()> {
    let (dir, private) = (&spot.dir, Mode::from_raw_mode(0o600));
    let write = |file: OwnedFd| {
        make_alike(&file, old)?;
        fill(file, content)
    };
    let mut beside = None;
    if let Some(file) = open_unnamed(root, dir, private) {
        write(file.try_clone()?)?;
        beside = name_beside(|beside| sys::give_name(&file, dir, beside)).ok();
    }
    let beside = if let Some(beside) = beside {
        beside
    } else {
        let (beside, file) = make_beside(dir, private)?;
        write(file).inspect_err(|_| forget(dir, &beside))?;
        beside
    };
    rustix::fs::renameat(dir, &beside, dir, &spot.name).inspect_err(|_| forget(dir, &beside))?;
    Ok(())
}

/// Gives a new file the owners and the permissions of another. Whatever of that we may not is `PERM`.
fn make_alike(new: &OwnedFd, (file, old): (&OwnedFd, &Stat)) -> rustix::io::Result<()> {
    let made = rustix::fs::fstat(new)?;
    if made.st_uid != old.st_uid {
        return Err(Errno::PERM);
    }
    if made.st_gid != old.st_gid {
        let group = Some(Gid::from_raw(old.st_gid));
        rustix::fs::fchown(new, None, group).map_err(|_| Errno::PERM)?;
    }
    match sys::copy_acl(file, new) {
        Ok(()) | Err(Errno::NOSYS) => {}
        Err(_) => return Err(Errno::PERM),
    }
    // Last, because a new group takes some of them away.
    rustix::fs::fchmod(new, Mode::from_raw_mode(old.st_mode & 0o7777))
}

fn create_whole_in(
    root: &Root,
    dir: &OwnedFd,
    name: &str,
    content: &[u8],
) -> rustix::io::Result<()> {
    let errno = |error: io::Error| Errno::from_io_error(&error).unwrap_or(Errno::IO);
    let mode = Mode::from_raw_mode(0o666);
    if let Some(file) = open_unnamed(root, dir, mode) {
        fill(file.try_clone().map_err(errno)?, content).map_err(errno)?;
        match sys::give_name(&file, dir, name) {
            // Whatever else is wrong with it, there is another way.
            Err(error) if error != Errno::EXIST => {}
            named => return named,
        }
    }
    let (beside, file) = make_beside(dir, mode).map_err(errno)?;
    let placed = fill(file, content).map_err(errno).and_then(|()| {
        rename_new(Name::new(dir, &beside), Name::new(dir, name), FileType::RegularFile)
    });
    placed.inspect_err(|_| forget(dir, &beside))
}

/// A file without a name, where the kernel is asked at all and knows them.
fn open_unnamed(root: &Root, dir: &OwnedFd, mode: Mode) -> Option<OwnedFd> {
    if root.kernel() { sys::open_unnamed(dir, mode).ok() } else { None }
}

fn make_beside(dir: &OwnedFd, mode: Mode) -> io::Result<(String, OwnedFd)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut opened = None;
    let name = name_beside(|name| {
        opened = Some(rustix::fs::openat(dir, name, flags, mode)?);
        Ok(())
    })?;
    Ok((name, opened.ok_or(Errno::IO)?))
}

/// Finds a name for something beside a file.
pub(super) fn name_beside(
    mut make: impl FnMut(&str) -> rustix::io::Result<()>,
) -> rustix::io::Result<String> {
    for _ in 0..ATTEMPTS {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let name = format!(".jp-{}-w{number}.tmp", process::id());
        match make(&name) {
            Ok(()) => return Ok(name),
            // Left behind by somebody who had our number and did not come to the end.
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error),
        }
    }
    Err(Errno::EXIST)
}

fn forget(dir: &OwnedFd, beside: &str) {
    let _best_effort = rustix::fs::unlinkat(dir, beside, AtFlags::empty());
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
    let len = u64::try_from(content.len()).unwrap_or(u64::MAX);
    reserve(&file, len)?;
    file.write_all(content)?;
    file.set_len(len)?;
    file.sync_all()
}

/// Has the system find room for so much of a file, where it can.
fn reserve(file: &File, len: u64) -> io::Result<()> {
    match rustix::io::retry_on_intr(|| sys::reserve(file, len)) {
        Err(error @ (Errno::NOSPC | Errno::DQUOT | Errno::FBIG)) => {
            // What was found until then lies behind the end of the file, where it would stay.
            let _best_effort = file.metadata().and_then(|data| file.set_len(data.len()));
            Err(error.into())
        }
        // It can fit all the same, and is tried.
        Ok(()) | Err(_) => Ok(()),
    }
}
