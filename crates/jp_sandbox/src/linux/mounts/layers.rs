//! Overlays: a place whose lower layers are what it hides and what the host has, and whose upper
//! layer, if it is written to, is the change set.

use std::{
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::OFlags,
    fs::{
        AtFlags, CWD, Dir, FileType, Mode, fchmod, mknodat, openat, readlinkat, statat, symlinkat,
    },
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, fsconfig_create, fsconfig_set_flag,
        fsconfig_set_string, fsmount, fsopen,
    },
};

use super::{Tree, attach, bind, inside, make_directory, make_file, open};
use crate::{
    linux::mount_table::mount_points,
    view::{Place, What, Write},
};

impl Tree<'_> {
    /// The overlay of a place over a directory of the host, or over nothing.
    pub(super) fn overlay(
        &self,
        place: &Place,
        host: Option<BorrowedFd<'_>>,
    ) -> io::Result<OwnedFd> {
        let stubs = self.stubs(place, host)?;
        let context = fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC)?;
        fsconfig_set_flag(&context, "userxattr")?;
        let layers: Vec<String> =
            [Some(stubs.as_fd()), host].into_iter().flatten().map(by_descriptor).collect();
        fsconfig_set_string(&context, "lowerdir", layers.join(":"))?;
        // The descriptors have to live until the file system is made.
        let _changes = self.set_changes(place, &context)?;
        fsconfig_create(&context)?;
        let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
        Ok(fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)?)
    }

    fn set_changes(&self, place: &Place, context: &OwnedFd) -> io::Result<Option<[OwnedFd; 2]>> {
        if !place.what.is_judged() {
            return Ok(None);
        }
        let judged = self.view.places().iter().filter(|place| place.what.is_judged());
        let index = judged.take_while(|before| before.path != place.path).count().to_string();
        let changes = self.changes.ok_or_else(|| {
            io::Error::new(io::ErrorKind::InvalidInput, "no directory for changes was given")
        })?;
        let upper = open(&changes.join(&index).join("upper"))?;
        let work = open(&changes.join(&index).join("work"))?;
        fsconfig_set_string(context, "upperdir", by_descriptor(upper.as_fd()))?;
        fsconfig_set_string(context, "workdir", by_descriptor(work.as_fd()))?;
        Ok(Some([upper, work]))
    }

    /// The layer above the host's: a whiteout for what is hidden, and a mount point for what is
    /// mounted inside. Two lower layers are also what an overlay without an upper one must have.
    fn stubs(&self, place: &Place, host: Option<BorrowedFd<'_>>) -> io::Result<OwnedFd> {
        let name = self.view.index_of(&place.path).unwrap_or_default().to_string();
        let name = Utf8Path::new(&name);
        make_directory(self.memory.as_fd(), name)?;
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let layer = openat(&self.memory, name.as_std_path(), flags, Mode::empty())?;
        if let Some(host) = host {
            fchmod(&layer, Mode::from_raw_mode(rustix::fs::fstat(host)?.st_mode))?;
        }
        for inner in self.children(place) {
            let Ok(path) = inner.path.strip_prefix(&place.path) else { continue };
            self.stub(&layer, host, inner, path)?;
        }
        Ok(layer)
    }

    fn stub(
        &self,
        layer: &OwnedFd,
        host: Option<BorrowedFd<'_>>,
        inner: &Place,
        path: &Utf8Path,
    ) -> io::Result<()> {
        let kind = kind(CWD, &inner.path);
        let is_visible = match inner.what {
            What::Hidden => self.children(inner).next().is_some(),
            // What appears there later would have the rights of what is around it, which may be more.
            What::Host { .. } if kind.is_none() => false,
            What::Host { .. } | What::Private { .. } | What::Blank => true,
        };
        // What is hidden in a directory that does not exist is hidden with that directory: a stub of
        // it would be there, where the host has nothing.
        let path = if is_visible { path } else { first_missing(host, path) };
        if !stub_parents(layer, host, path)? {
            return Ok(());
        }
        if !is_visible {
            return hide(layer.as_fd(), path, kind.filter(|_| host.is_some()));
        }
        match (inner.what, kind) {
            (What::Host { .. }, Some(kind)) if kind != FileType::Directory => {
                make_file(layer.as_fd(), path)
            }
            _ => make_directory(layer.as_fd(), path),
        }
    }

    /// An overlay shows one file system of the host. What is mounted below it on the host is mounted
    /// here too, where the view shows it.
    pub(super) fn add_mounts_below(
        &mut self,
        place: &Place,
        write: Write,
        execute: bool,
    ) -> io::Result<()> {
        let write = if write == Write::Judged { Write::No } else { write };
        for path in mounts_below(&place.path)? {
            if self.view.place_of(&path).is_none_or(|covers| covers.path != place.path) {
                continue;
            }
            let mount = bind(open(&path)?.as_fd(), write, execute)?;
            attach(mount.as_fd(), self.root.as_fd(), inside(&path))?;
        }
        Ok(())
    }
}

/// The outermost part of a path that the host does not have, or all of it.
fn first_missing<'a>(host: Option<BorrowedFd<'_>>, path: &'a Utf8Path) -> &'a Utf8Path {
    let Some(host) = host else { return path };
    let outermost =
        path.ancestors().filter(|up| !up.as_str().is_empty() && kind(host, up).is_none());
    outermost.last().unwrap_or(path)
}

/// Makes the directories above a stub with the modes that the host's have. False when a file of the
/// host is in the way: then nothing can be below it, and the stub is not needed.
fn stub_parents(
    layer: &OwnedFd,
    host: Option<BorrowedFd<'_>>,
    path: &Utf8Path,
) -> io::Result<bool> {
    let parents: Vec<&Utf8Path> =
        path.ancestors().skip(1).filter(|up| !up.as_str().is_empty()).collect();
    for parent in parents.into_iter().rev() {
        if kind(layer.as_fd(), parent).is_some_and(|kind| kind != FileType::Directory) {
            return Ok(false);
        }
        let below = host
            .and_then(|host| statat(host, parent.as_std_path(), AtFlags::SYMLINK_NOFOLLOW).ok());
        let mode = below.as_ref().map(|stat| stat.st_mode);
        if mode.is_some_and(|mode| FileType::from_raw_mode(mode) != FileType::Directory) {
            return Ok(false);
        }
        make_directory(layer.as_fd(), parent)?;
        if let Some(mode) = mode {
            rustix::fs::chmodat(
                layer,
                parent.as_std_path(),
                Mode::from_raw_mode(mode),
                AtFlags::empty(),
            )?;
        }
    }
    Ok(true)
}

/// Puts something in the place of what is hidden. What the host has is there and cannot be opened, so
/// that nobody takes it for deleted: a program that commits what it finds would delete it for good.
/// What the host does not have is not there.
fn hide(layer: BorrowedFd<'_>, path: &Utf8Path, kind: Option<FileType>) -> io::Result<()> {
    match kind {
        Some(FileType::RegularFile) => {
            make_file(layer, path)?;
            close(layer, path)
        }
        Some(FileType::Directory) => {
            make_directory(layer, path)?;
            let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let directory = openat(layer, path.as_std_path(), flags, Mode::empty())?;
            // Without this mark the host's directory would shine through for whoever may change the
            // mode of what is there.
            let opaque = rustix::fs::fsetxattr(
                &directory,
                "user.overlay.opaque",
                b"y",
                rustix::fs::XattrFlags::empty(),
            );
            if opaque.is_err() {
                drop(directory);
                rustix::fs::unlinkat(layer, path.as_std_path(), AtFlags::REMOVEDIR)?;
                return whiteout(layer, path);
            }
            close(layer, path)
        }
        _ => whiteout(layer, path),
    }
}

/// Takes all rights away.
fn close(layer: BorrowedFd<'_>, path: &Utf8Path) -> io::Result<()> {
    Ok(rustix::fs::chmodat(layer, path.as_std_path(), Mode::empty(), AtFlags::empty())?)
}

/// The mark by which an overlay knows that a name of a lower layer is not there.
fn whiteout(layer: BorrowedFd<'_>, path: &Utf8Path) -> io::Result<()> {
    match mknodat(layer, path.as_std_path(), FileType::CharacterDevice, Mode::empty(), 0) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Copies the symbolic links in the host's root, such as `/bin`: what they point to is in the view or
/// not, and programs are found through them.
pub(super) fn copy_links(host: &OwnedFd, root: BorrowedFd<'_>) -> io::Result<()> {
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    let listing = openat(host, ".", flags, Mode::empty())?;
    for entry in Dir::new(listing)? {
        let entry = entry?;
        if kind_of(host.as_fd(), entry.file_name()) == Some(FileType::Symlink) {
            let target = readlinkat(host, entry.file_name(), Vec::new())?;
            symlinkat(target.as_c_str(), root, entry.file_name())?;
        }
    }
    Ok(())
}

/// Where the host has mounted something below a path, outermost first.
fn mounts_below(path: &Utf8Path) -> io::Result<Vec<Utf8PathBuf>> {
    let below = mount_points()?.into_iter();
    // A copy of a mount comes with what is mounted in it.
    let mut outermost: Vec<Utf8PathBuf> = Vec::new();
    for mounted in below.filter(|mounted| mounted != path && mounted.starts_with(path)) {
        if !outermost.last().is_some_and(|outer| mounted.starts_with(outer)) {
            outermost.push(mounted);
        }
    }
    Ok(outermost)
}

/// A layer by its descriptor: a path could be another thing by the time the kernel looks.
fn by_descriptor(layer: BorrowedFd<'_>) -> String {
    format!("/proc/self/fd/{}", layer.as_raw_fd())
}

pub(super) fn kind(at: BorrowedFd<'_>, path: &Utf8Path) -> Option<FileType> {
    kind_of(at, path.as_std_path())
}

fn kind_of(at: BorrowedFd<'_>, path: impl rustix::path::Arg) -> Option<FileType> {
    let stat = statat(at, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
    Some(FileType::from_raw_mode(stat.st_mode))
}
