//! Makes the view of a process out of mounts, inside its own mount namespace.
//!
//! The new root is mounted on top of the old one, where nobody looks: this process still has the old
//! root as its root, so the host's files are found by their paths while the new tree grows, reached
//! through descriptors. Places are mounted by depth, so that what is deeper covers what is shallower,
//! which is the meaning of the longest prefix.
//!
//! A mount that hides a file of the host goes away when somebody on the host renames another file to
//! its name, and then shows it. So nothing is hidden that way: a place with something hidden in it is
//! an overlay whose upper layer has a whiteout of that name, which needs no file to sit on, works for
//! names that do not exist yet, and stays whatever the host does.

mod layers;

use std::{
    collections::BTreeSet,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{CWD, FileType, Mode, OFlags, ResolveFlags, mkdirat, openat2},
    mount::{
        FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags,
        OpenTreeFlags, UnmountFlags, fsconfig_create, fsconfig_set_string, fsmount, fsopen,
        mount_change, move_mount, open_tree, unmount,
    },
};

use super::{devices, sys};
use crate::{
    confinement::{Confinement, Link},
    failure::{Failure, Step},
    view::{Place, View, What, Write},
};

pub(super) const READ_ONLY: u64 = MountAttrFlags::MOUNT_ATTR_RDONLY.bits() as u64;
pub(super) const NO_EXECUTE: u64 = MountAttrFlags::MOUNT_ATTR_NOEXEC.bits() as u64;
pub(super) const NO_PRIVILEGE: u64 =
    (MountAttrFlags::MOUNT_ATTR_NOSUID.bits() | MountAttrFlags::MOUNT_ATTR_NODEV.bits()) as u64;

/// A tree under construction.
pub(super) struct Tree<'a> {
    view: &'a View,
    changes: Option<&'a Utf8Path>,
    root: OwnedFd,
    /// One file system in memory, where nobody sees all of it: for the layers of overlays, and for all private
    /// directories, so that they hold together what one may hold.
    memory: OwnedFd,
    /// Empty directories that are made read-only when everything is mounted in them.
    blanks: Vec<OwnedFd>,
    /// Ancestors of a nested mount that were mounted onto themselves.
    pinned: BTreeSet<Utf8PathBuf>,
    /// For each place, which places are directly inside it.
    nested: Vec<Vec<usize>>,
    /// Names that must not become something else, see [`Tree::hold`].
    held: Vec<OwnedFd>,
}

/// Directories that only installing software changes.
const SYSTEM: [&str; 4] = ["/etc", "/opt", "/usr", "/var"];

/// Where the memory is mounted while the tree is built; a mount point that every root has.
const STAGING: &str = "proc";

/// Mounts the whole view; what is returned is its root directory, and what has to stay open for as long
/// as the view is used.
pub(super) fn build(how: &Confinement) -> Result<(OwnedFd, Vec<OwnedFd>), Failure> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)
        .map_err(Step::Mount.of("the namespace's own copy of everything"))?;
    let view = &with_tops(&how.view).map_err(Step::Mount.of("/"))?;
    let mut tree = Tree::start(view, how.changes.as_deref(), how.limits.private)?;
    for place in view.places().iter().filter(|place| place.path != "/" && !is_own(view, place)) {
        tree.add(place).map_err(|error| Step::Mount.failed(&place.path, error))?;
    }
    for link in &how.links {
        tree.link(link).map_err(|error| Step::Mount.failed(&link.path, error))?;
    }
    devices::provide(tree.root.as_fd(), view, how.limits.private).map_err(Step::Devices.of(""))?;
    tree.finish().map_err(Step::Mount.of("what was prepared"))
}

impl<'a> Tree<'a> {
    fn start(view: &'a View, changes: Option<&'a Utf8Path>, private: u64) -> Result<Self, Failure> {
        let failed = |error: io::Error| Step::Mount.failed("/", error);
        let (root, again) = blank_root().map_err(failed)?;
        let blanks = vec![again];
        attach(root.as_fd(), CWD, "/").map_err(failed)?;
        let memory = memory_for("0700", private, files_in(private) + names_in_layers(view))
            .map_err(failed)?;
        // Older kernels only copy what is mounted somewhere.
        attach(memory.as_fd(), root.as_fd(), STAGING).map_err(failed)?;
        let (pinned, nested, held) = (BTreeSet::new(), view.nested(), Vec::new());
        Ok(Self { view, changes, root, memory, blanks, pinned, nested, held })
    }

    /// Mounts one place, if the host has what it shows.
    fn add(&mut self, place: &Place) -> io::Result<()> {
        match place.what {
            What::Host { write, execute } => self.add_host(place, write, execute),
            What::Private { execute } => {
                let mount = self.private(place)?;
                let extra = if execute { 0 } else { NO_EXECUTE };
                sys::mount_setattr(mount.as_fd(), NO_PRIVILEGE | extra, false)?;
                self.place(place, mount.as_fd(), true)
            }
            What::Blank => {
                let mount = self.overlay(place, None)?;
                sys::mount_setattr(mount.as_fd(), NO_PRIVILEGE | NO_EXECUTE, false)?;
                self.place(place, mount.as_fd(), true)
            }
            What::Hidden => self.add_hidden(place),
        }
    }

    fn add_host(&mut self, place: &Place, write: Write, execute: bool) -> io::Result<()> {
        let source = match open(&place.path) {
            Ok(source) => source,
            // The host has none of it now. Nothing can appear there either: the place around it is
            // not writable, or what is made in it is judged.
            Err(error) if is_missing(&error) => return Ok(()),
            Err(error) => return Err(error),
        };
        let is_directory = is_directory(source.as_fd())?;
        let needs_overlay = write == Write::Judged || self.hides_something(place);
        let wants_overlay = write == Write::No && !is_top(&place.path) && self.hides_below(place);
        if is_directory && (needs_overlay || wants_overlay) {
            match self.overlay(place, Some(source.as_fd())) {
                Ok(mount) => {
                    set_attributes(mount.as_fd(), write, execute)?;
                    self.place(place, mount.as_fd(), true)?;
                    self.hold(place)?;
                    return self.add_mounts_below(place, write, execute);
                }
                Err(error) if error.raw_os_error() != Some(libc::EINVAL) => return Err(error),
                Err(_) if needs_overlay => return self.add_masked(place, source.as_fd(), execute),
                Err(_) => {}
            }
        }
        let mount = bind(source.as_fd(), write, execute)?;
        self.place(place, mount.as_fd(), is_directory)
    }

    /// Hides names in a directory that cannot be an overlay, because the host has mounted something
    /// inside it. A mask goes away when somebody on the host renames something to its name, so it is
    /// only good enough in the directories of the system, where nobody but root can and hardly ever
    /// does.
    fn add_masked(
        &mut self,
        place: &Place,
        source: BorrowedFd<'_>,
        execute: bool,
    ) -> io::Result<()> {
        let owner = rustix::fs::fstat(source)?;
        let is_of_system = SYSTEM.iter().any(|system| place.path.starts_with(system));
        let is_guarded = is_of_system && owner.st_uid == 0 && owner.st_mode & 0o022 == 0;
        if place.what.is_judged() || !is_guarded {
            let reason =
                "something is mounted inside it, so that nothing in it can be hidden or kept apart";
            return Err(io::Error::other(reason));
        }
        let mount = bind(source, Write::No, execute)?;
        self.place(place, mount.as_fd(), true)?;
        let hidden: Vec<Place> =
            self.children(place).filter(|inner| inner.what == What::Hidden).cloned().collect();
        for inner in hidden {
            self.cover(&inner)?;
        }
        Ok(())
    }

    /// Puts something empty over what the host has at a path, if it has something.
    fn cover(&mut self, place: &Place) -> io::Result<()> {
        match layers::kind(CWD, &place.path) {
            None | Some(FileType::Symlink) => Ok(()),
            Some(FileType::Directory) => {
                let (mount, again) = blank()?;
                self.blanks.push(again);
                attach(mount.as_fd(), self.root.as_fd(), inside(&place.path))
            }
            Some(_) => attach(self.empty_file()?.as_fd(), self.root.as_fd(), inside(&place.path)),
        }
    }

    /// What is hidden in an overlay is whited out there. Otherwise an empty directory covers it: in
    /// the host's root, where only the host's root user can rename, and where something that is
    /// hidden has something visible in it.
    fn add_hidden(&mut self, place: &Place) -> io::Result<()> {
        let around = self.view.around(place).map_or(What::Hidden, |around| around.what);
        let is_in_root = place.path.parent().is_some_and(|parent| parent == "/");
        let shows_something = self.children(place).next().is_some();
        if !shows_something && (around == What::Hidden || !is_in_root) {
            return Ok(());
        }
        let kind = layers::kind(CWD, &place.path);
        if kind == Some(FileType::Symlink) || (kind.is_none() && !shows_something) {
            return Ok(());
        }
        if kind.is_some_and(|kind| kind != FileType::Directory) {
            return self.place(place, self.empty_file()?.as_fd(), false);
        }
        let (mount, again) = blank()?;
        self.blanks.push(again);
        self.place(place, mount.as_fd(), true)
    }

    fn empty_file(&self) -> io::Result<OwnedFd> {
        let path = Utf8Path::new("empty");
        make_file(self.memory.as_fd(), path)?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file = rustix::fs::openat(&self.memory, path.as_std_path(), flags, Mode::empty())?;
        bind(file.as_fd(), Write::No, false)
    }

    /// Attaches a mount at the path of a place, making the mount point where it can be made.
    fn place(
        &mut self,
        place: &Place,
        mount: BorrowedFd<'_>,
        is_directory: bool,
    ) -> io::Result<()> {
        let around = self.view.around(place);
        match around.map_or(What::Hidden, |around| around.what) {
            What::Hidden | What::Private { .. } => {
                self.make_mount_point(&place.path, is_directory)?;
            }
            What::Host { write, .. } if write != Write::No => self.pin(around, place)?,
            What::Host { .. } | What::Blank => {}
        }
        attach(mount, self.root.as_fd(), inside(&place.path))
    }

    fn make_parents(&self, path: &Utf8Path) -> io::Result<()> {
        let parents: Vec<&Utf8Path> = inside(path).ancestors().skip(1).collect();
        for parent in parents.into_iter().rev().filter(|parent| !parent.as_str().is_empty()) {
            make_directory(self.root.as_fd(), parent)?;
        }
        Ok(())
    }

    fn make_mount_point(&self, path: &Utf8Path, is_directory: bool) -> io::Result<()> {
        match self.make_at(path, is_directory) {
            // Most places are beside others.
            Err(error) if is_missing(&error) => {
                self.make_parents(path)?;
                self.make_at(path, is_directory)
            }
            done => done,
        }
    }

    fn make_at(&self, path: &Utf8Path, is_directory: bool) -> io::Result<()> {
        let make = if is_directory { make_directory } else { make_file };
        make(self.root.as_fd(), inside(path))
    }

    /// Makes a link where nothing of the host is seen that could have it.
    fn link(&self, link: &Link) -> io::Result<()> {
        if !matches!(self.view.at(&link.path), What::Hidden | What::Private { .. }) {
            return Ok(());
        }
        self.make_parents(&link.path)?;
        let (target, path) = (link.target.as_std_path(), inside(&link.path).as_std_path());
        match rustix::fs::symlinkat(target, &self.root, path) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Mounts every directory between a writable place and one inside it onto itself: what is a mount
    /// cannot be renamed away from above the inner place.
    fn pin(&mut self, around: Option<&Place>, place: &Place) -> io::Result<()> {
        let Some(around) = around else { return Ok(()) };
        let between = place.path.ancestors().skip(1).take_while(|path| *path != around.path);
        let between: Vec<Utf8PathBuf> = between.map(Utf8Path::to_owned).collect();
        for path in between.into_iter().rev() {
            if self.pinned.contains(&path) || self.view.exactly(&path).is_some() {
                continue;
            }
            let here = self.look(&path)?;
            let again = clone_tree(here.as_fd())?;
            attach(again.as_fd(), self.root.as_fd(), inside(&path))?;
            self.pinned.insert(path);
        }
        Ok(())
    }

    /// The places directly inside one.
    fn children(&self, place: &Place) -> impl Iterator<Item = &Place> {
        let inner = self.view.index_of(&place.path).map_or(&[][..], |index| &self.nested[index]);
        inner.iter().map(|index| &self.view.places()[*index])
    }

    fn hides_something(&self, place: &Place) -> bool {
        self.children(place).any(|inner| inner.what == What::Hidden)
    }

    /// Whether a place further inside has something hidden. Such a place is a mount on a directory,
    /// and a directory of the host can be moved away, which uncovers what takes its name. The
    /// directory of an overlay stays where it is.
    fn hides_below(&self, place: &Place) -> bool {
        self.children(place).any(|inner| {
            matches!(inner.what, What::Host { .. })
                && (self.hides_something(inner) || self.hides_below(inner))
        })
    }

    /// A descriptor of what the tree has at a path.
    fn look(&self, path: &Utf8Path) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let way = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let path = inside(path).as_std_path();
        // The kernel wants to be asked again when something was renamed or mounted meanwhile, which
        // can be anywhere on the machine.
        for _ in 0..64 {
            match openat2(&self.root, path, flags, Mode::empty(), way) {
                Err(rustix::io::Errno::AGAIN) => {}
                found => return Ok(found?),
            }
        }
        Err(rustix::io::Errno::AGAIN.into())
    }

    /// Keeps what is not a directory, and has something hidden below its name, from becoming one. No
    /// whiteout can be below a file; but an overlay that has looked a name up does not look again for
    /// as long as somebody has it, whatever the host puts there.
    fn hold(&mut self, place: &Place) -> io::Result<()> {
        let mut held = Vec::new();
        for hidden in self.children(place).filter(|inner| inner.what == What::Hidden) {
            let between = hidden.path.ancestors().skip(1).take_while(|path| *path != place.path);
            for path in between {
                match self.look(path) {
                    Ok(found) if is_directory(found.as_fd())? => {}
                    Ok(found) => held.push(found),
                    // It is not there, or below a file or a link, which is held itself.
                    Err(error) if is_missing(&error) || is_link(&error) => {}
                    Err(error) => return Err(error),
                }
            }
        }
        self.held.append(&mut held);
        Ok(())
    }

    /// A private directory, in the file system that they share.
    fn private(&self, place: &Place) -> io::Result<OwnedFd> {
        let name = self.view.index_of(&place.path).unwrap_or_default().to_string();
        mkdirat(&self.memory, &name, Mode::from(0o700))?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let directory = rustix::fs::openat(&self.memory, &name, flags, Mode::empty())?;
        clone_tree(directory.as_fd())
    }

    /// The memory goes to where the host's tree goes soon, and away with it: what of it is seen is mounted by itself.
    /// To unmount it alone would take as long again, because the kernel waits each time until no processor can be
    /// looking at what is gone.
    fn finish(self) -> io::Result<(OwnedFd, Vec<OwnedFd>)> {
        attach(self.memory.as_fd(), CWD, Utf8Path::new("/").join(STAGING))?;
        for blank in &self.blanks {
            sys::mount_setattr(blank.as_fd(), READ_ONLY | NO_PRIVILEGE | NO_EXECUTE, false)?;
        }
        Ok((self.root, self.held))
    }
}

/// Where the host's root is visible, each entry of it is a place of its own in an empty root. Were the
/// host's root the root here, Landlock would take it for the same directory: what is granted below it
/// would be granted for every file of the host that the process gets a descriptor of.
fn with_tops(view: &View) -> io::Result<View> {
    let mut with = view.clone();
    let root = Utf8Path::new("/");
    let What::Host { execute, .. } = view.at(root) else { return Ok(with) };
    with.set(root, What::Hidden);
    let flags = OFlags::DIRECTORY | OFlags::RDONLY | OFlags::CLOEXEC;
    for entry in rustix::fs::Dir::new(rustix::fs::open("/", flags, Mode::empty())?)? {
        let entry = entry?;
        // A name that is not text cannot be a place, and stays hidden.
        let Ok(name) = entry.file_name().to_str() else { continue };
        let path = root.join(name);
        // These two are the process's own, whatever the view says; links are made anyway.
        let is_own = matches!(name, "." | ".." | "proc" | "dev");
        let is_link = layers::kind(CWD, &path) == Some(FileType::Symlink);
        if !is_own && !is_link && view.exactly(&path).is_none() {
            with.set(path, What::Host { write: Write::No, execute });
        }
    }
    Ok(with)
}

/// The most names that layers can have: those on the way to each place, its own, and that of its layer.
fn names_in_layers(view: &View) -> u64 {
    view.places().iter().map(|place| place.path.components().count() as u64 + 1).sum()
}

/// Whether a place is below `/dev` or `/proc` where these are the process's own, which would cover it.
fn is_own(view: &View, place: &Place) -> bool {
    let is_below = |own: &str| place.path != own && place.path.starts_with(own);
    is_below("/proc") || (is_below("/dev") && view.exactly(Utf8Path::new("/dev")).is_none())
}

/// The tree becomes the root of this process, and the host's tree is gone from it.
pub(super) fn enter(root: &OwnedFd) -> Result<(), Failure> {
    let failed = Step::Root.of::<rustix::io::Errno>("");
    let go = || {
        rustix::process::fchdir(root)?;
        rustix::process::pivot_root(".", ".")?;
        unmount(".", UnmountFlags::DETACH)?;
        rustix::process::chdir("/")
    };
    go().map_err(failed)
}

/// A descriptor of what a path of the host names. Paths of places are canonical, so a link on the way
/// is somebody's trick, and refused. One at the end is opened as the link that it is: mounted, it leads
/// where the view of the process leads, and Landlock grants nothing by it.
pub(super) fn open(path: &Utf8Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(openat2(CWD, path.as_std_path(), flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?)
}

/// A copy of the mounts below a descriptor, restricted.
fn bind(source: BorrowedFd<'_>, write: Write, execute: bool) -> io::Result<OwnedFd> {
    let mount = clone_tree(source)?;
    set_attributes(mount.as_fd(), write, execute)?;
    Ok(mount)
}

fn set_attributes(mount: BorrowedFd<'_>, write: Write, execute: bool) -> io::Result<()> {
    let read_only = if write == Write::No { READ_ONLY } else { 0 };
    let no_execute = if execute { 0 } else { NO_EXECUTE };
    sys::mount_setattr(mount, NO_PRIVILEGE | read_only | no_execute, true)
}

fn clone_tree(source: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(open_tree(source, "", flags)?)
}

/// A mebibyte.
pub(super) const MEBIBYTE: u64 = 1 << 20;

/// A new, empty file system in memory: the mode of its root in octal, and how many bytes it holds.
pub(super) fn memory(mode: &str, size: u64) -> io::Result<OwnedFd> {
    memory_for(mode, size, files_in(size))
}

/// How many files so many bytes are for: one without content takes no page, but memory of the kernel.
fn files_in(size: u64) -> u64 {
    (size / 512).clamp(1024, 256 * 1024)
}

fn memory_for(mode: &str, size: u64, files: u64) -> io::Result<OwnedFd> {
    let context = fsopen("tmpfs", FsOpenFlags::FSOPEN_CLOEXEC)?;
    fsconfig_set_string(&context, "mode", mode)?;
    fsconfig_set_string(&context, "size", size.to_string())?;
    fsconfig_set_string(&context, "nr_inodes", files.to_string())?;
    fsconfig_create(&context)?;
    let flags = FsMountFlags::FSMOUNT_CLOEXEC;
    Ok(fsmount(&context, flags, MountAttrFlags::MOUNT_ATTR_NOSUID)?)
}

/// An empty directory to mount in, and a second descriptor for when everything is mounted in it.
fn blank() -> io::Result<(OwnedFd, OwnedFd)> {
    let mount = memory("0755", MEBIBYTE)?;
    let again = rustix::io::fcntl_dupfd_cloexec(&mount, 3)?;
    Ok((mount, again))
}

/// The same as a root: with the mount points and links that every program expects of one.
fn blank_root() -> io::Result<(OwnedFd, OwnedFd)> {
    let (root, again) = blank()?;
    for name in ["dev", "proc"] {
        make_directory(root.as_fd(), Utf8Path::new(name))?;
    }
    layers::copy_links(&open(Utf8Path::new("/"))?, root.as_fd())?;
    Ok((root, again))
}

pub(super) fn attach(
    mount: BorrowedFd<'_>,
    at: BorrowedFd<'_>,
    path: impl AsRef<Utf8Path>,
) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    Ok(move_mount(mount, "", at, path.as_ref().as_std_path(), flags)?)
}

pub(super) fn make_directory(at: BorrowedFd<'_>, path: &Utf8Path) -> io::Result<()> {
    match mkdirat(at, path.as_std_path(), Mode::from(0o755)) {
        Ok(()) | Err(rustix::io::Errno::EXIST) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn make_file(at: BorrowedFd<'_>, path: &Utf8Path) -> io::Result<()> {
    let flags = OFlags::CREATE | OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(at, path.as_std_path(), flags, Mode::from(0o644))?;
    Ok(())
}

/// A path of the view as a path below the new root.
pub(super) fn inside(path: &Utf8Path) -> &Utf8Path {
    path.strip_prefix("/").unwrap_or(path)
}

/// Whether a directory is one of those in the root, in which only the host's root user renames.
fn is_top(path: &Utf8Path) -> bool {
    path.parent().is_some_and(|parent| parent == "/")
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

fn is_link(error: &io::Error) -> bool {
    error.raw_os_error() == Some(libc::ELOOP)
}

fn is_directory(file: BorrowedFd<'_>) -> io::Result<bool> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(file)?.st_mode) == FileType::Directory)
}
