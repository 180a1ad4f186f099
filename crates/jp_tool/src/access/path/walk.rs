//! The walk: from the root to a path one component at a time, following links ourselves.
//!
//! Every step is taken from the handle of the directory before it and refuses to follow a link, so
//! at each moment the path walked so far has no link in it and the handle is the directory at that
//! path. A link is read and its components are put before those still to come. A link may lead out
//! of the workspace and back in; outside, only text is followed, and the one way back in is through
//! the handle of the root.
//!
//! Links come from strangers: their number and the number of steps are bounded.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::Arc,
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{AtFlags, CWD, FileType, Mode, OFlags, Stat},
    io::Errno,
};

use super::{FsAccessError, root::Root, sys, unresolvable};

/// As many links as the Linux kernel follows.
const MAX_LINKS: usize = 40;

/// A link can hold hundreds of `a/..`; this many looks at the disk are enough for any honest path.
const MAX_STEPS: usize = 10_000;

/// Where a walk ended: a directory that is open, and a name in it.
#[derive(Debug)]
pub(super) struct Spot {
    /// The directory of the last component, or of the first one that is missing.
    pub(super) dir: Arc<OwnedFd>,
    /// The last component; `.` when `dir` itself is meant.
    pub(super) name: String,
    /// The canonical path.
    pub(super) relative: Utf8PathBuf,
    /// Whether the last component of the input is a link itself.
    pub(super) leaf_link: bool,
    presence: Presence,
}

#[derive(Debug, Clone, Copy)]
enum Presence {
    There(FileType),
    /// Only the last component is missing: it could be created.
    LeafMissing,
    Missing(Errno),
}

impl Spot {
    /// What is there, or the error that using it gives.
    pub(super) fn kind(&self) -> Result<FileType, Errno> {
        match self.presence {
            Presence::There(kind) => Ok(kind),
            Presence::LeafMissing => Err(Errno::NOENT),
            Presence::Missing(error) => Err(error),
        }
    }

    /// Checks that the last component could be made here; a link in its place is in the way.
    pub(super) fn vacancy(&self) -> Result<(), Errno> {
        match self.presence {
            _ if self.leaf_link => Err(Errno::EXIST),
            Presence::There(_) => Err(Errno::EXIST),
            Presence::LeafMissing => Ok(()),
            Presence::Missing(error) => Err(error),
        }
    }
}

/// Why a walk did not arrive.
#[derive(Debug)]
pub(super) enum Stop {
    /// The tree changed between two looks at it; another walk can succeed.
    Changed,
    /// The path is refused.
    Access(FsAccessError),
}

/// Walks a lexically normal path. Errors name `input`, the path as the caller knows it.
pub(super) fn walk(root: &Root, input: &Utf8Path, lexical: &Utf8Path) -> Result<Spot, Stop> {
    let mut walker = Walker {
        root,
        input,
        pending: Vec::new(),
        done: Vec::new(),
        dir: Arc::clone(root.dir()),
        position: Position::Inside,
        leaf: None,
        leaf_link: false,
        links: 0,
        steps: 0,
    };
    walker.put_before(lexical.as_str());
    walker.run()?;
    walker.finish()
}

enum Position {
    /// At `done`, whose handle is `dir`.
    Inside,
    /// At `done`, of which only the first `existing` components are there; `dir` is their handle.
    Missing { existing: usize, error: Errno },
    /// At this canonical path outside of the root.
    Outside(Utf8PathBuf),
}

struct Walker<'a> {
    root: &'a Root,
    input: &'a Utf8Path,
    /// What is still to come, the next one last.
    pending: Vec<String>,
    /// The canonical components behind us.
    done: Vec<String>,
    dir: Arc<OwnedFd>,
    position: Position,
    /// Set when the last component was found: it is in `done`, and `dir` is where it is.
    leaf: Option<FileType>,
    leaf_link: bool,
    links: usize,
    steps: usize,
}

impl Walker<'_> {
    fn run(&mut self) -> Result<(), Stop> {
        while let Some(name) = self.pending.pop() {
            match (&self.position, name.as_str()) {
                (Position::Outside(at), _) => {
                    let at = at.clone();
                    self.step_outside(&at, &name)?;
                }
                (_, "..") => self.step_up()?,
                (Position::Missing { .. }, _) => self.done.push(name),
                (Position::Inside, _) => self.step_down(name)?,
            }
        }
        Ok(())
    }

    fn finish(mut self) -> Result<Spot, Stop> {
        let relative = match self.done.as_slice() {
            [] => Utf8PathBuf::from("."),
            names => Utf8PathBuf::from(names.join("/")),
        };
        let presence = match self.position {
            Position::Outside(_) => return Err(self.escape()),
            Position::Inside => Presence::There(self.leaf.unwrap_or(FileType::Directory)),
            Position::Missing { existing, error: Errno::NOENT }
                if existing + 1 == self.done.len() =>
            {
                Presence::LeafMissing
            }
            Position::Missing { error, .. } => Presence::Missing(error),
        };
        let at_dir_itself = matches!(self.position, Position::Inside) && self.leaf.is_none();
        let name = if at_dir_itself { None } else { self.done.pop() };
        Ok(Spot {
            dir: self.dir,
            name: name.unwrap_or_else(|| ".".to_owned()),
            relative,
            leaf_link: self.leaf_link,
            presence,
        })
    }

    fn step_down(&mut self, name: String) -> Result<(), Stop> {
        self.count_step()?;
        let last = self.pending.is_empty();
        if !last {
            match open_dir(&self.dir, &name) {
                Ok(dir) => {
                    self.dir = Arc::new(dir);
                    self.done.push(name);
                    return Ok(());
                }
                Err(Errno::NOTDIR | Errno::LOOP) => {}
                Err(error) => return self.step_failed(name, error),
            }
        }
        let kind = match kind_at(self.dir.as_fd(), &name) {
            Ok(kind) => kind,
            Err(error) => return self.step_failed(name, error),
        };
        match kind {
            FileType::Symlink => return self.follow(&name),
            FileType::Directory if !last => return Err(Stop::Changed),
            _ if last => self.leaf = Some(kind),
            _ => {
                let existing = self.done.len();
                self.position = Position::Missing { existing, error: Errno::NOTDIR };
            }
        }
        self.done.push(name);
        Ok(())
    }

    /// What cannot be there counts as missing; any other failure means that nobody can tell.
    fn step_failed(&mut self, name: String, error: Errno) -> Result<(), Stop> {
        match error {
            Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG => {
                self.position = Position::Missing { existing: self.done.len(), error };
                self.done.push(name);
                Ok(())
            }
            error => Err(self.unreachable(&name, error)),
        }
    }

    /// `..` in a link. The directory is opened again from the root, because `..` of a handle is
    /// wherever the directory was moved to.
    fn step_up(&mut self) -> Result<(), Stop> {
        if self.done.pop().is_none() {
            if let Some(parent) = self.root.path().parent() {
                self.position = Position::Outside(parent.to_owned());
            }
            return Ok(());
        }
        if let Position::Missing { existing, .. } = self.position
            && self.done.len() > existing
        {
            return Ok(());
        }
        self.position = Position::Inside;
        self.dir = Arc::clone(self.root.dir());
        for index in 0..self.done.len() {
            self.count_step()?;
            match open_dir(&self.dir, &self.done[index]) {
                Ok(dir) => self.dir = Arc::new(dir),
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => return Err(Stop::Changed),
                Err(error) => return Err(self.unreachable(&self.done[index], error)),
            }
        }
        Ok(())
    }

    /// Outside nothing is opened, and what cannot be looked at is taken by its name: the only
    /// question is whether the way leads back to the root.
    fn step_outside(&mut self, at: &Utf8Path, name: &str) -> Result<(), Stop> {
        self.count_step()?;
        if name == ".." {
            self.go_outside(at.parent().unwrap_or(at).to_owned());
            return Ok(());
        }
        let next = at.join(name);
        // The links of `/proc` are doors into whatever a process has open; their text is no path.
        let is_link = next != self.root.path()
            && !next.starts_with("/proc")
            && kind_at(CWD, next.as_str()).is_ok_and(|kind| kind == FileType::Symlink);
        if !is_link {
            self.go_outside(next);
            return Ok(());
        }
        let target = self.read_link(CWD, next.as_str())?;
        self.put_before_link(&target);
        Ok(())
    }

    fn follow(&mut self, name: &str) -> Result<(), Stop> {
        self.leaf_link |= self.pending.is_empty();
        let dir = Arc::clone(&self.dir);
        let target = self.read_link(dir.as_fd(), name)?;
        self.put_before_link(&target);
        Ok(())
    }

    fn read_link(&mut self, dir: BorrowedFd<'_>, name: &str) -> Result<String, Stop> {
        self.links += 1;
        if self.links > MAX_LINKS {
            let reason = format!("more than {MAX_LINKS} symbolic links");
            return Err(Stop::Access(unresolvable(self.input, reason)));
        }
        let target = match rustix::fs::readlinkat(dir, name, Vec::new()) {
            Ok(target) => target,
            Err(Errno::INVAL | Errno::NOENT | Errno::NOTDIR) => return Err(Stop::Changed),
            Err(error) => return Err(self.unreachable(name, error)),
        };
        target.into_string().map_err(|_| {
            let reason = format!("the symbolic link `{name}` leads to a name that is not UTF-8");
            Stop::Access(unresolvable(self.input, reason))
        })
    }

    fn put_before_link(&mut self, target: &str) {
        if target.starts_with('/') {
            self.go_outside(Utf8PathBuf::from("/"));
        }
        self.put_before(target);
    }

    /// Goes to a canonical absolute path; at the root's own path that is back inside.
    fn go_outside(&mut self, at: Utf8PathBuf) {
        self.done.clear();
        self.dir = Arc::clone(self.root.dir());
        self.position =
            if at == self.root.path() { Position::Inside } else { Position::Outside(at) };
    }

    fn put_before(&mut self, path: &str) {
        let names = path.split('/').rev().filter(|name| !matches!(*name, "" | "."));
        self.pending.extend(names.map(str::to_owned));
    }

    fn count_step(&mut self) -> Result<(), Stop> {
        self.steps += 1;
        if self.steps <= MAX_STEPS {
            return Ok(());
        }
        let reason = format!("more than {MAX_STEPS} steps");
        Err(Stop::Access(unresolvable(self.input, reason)))
    }

    fn unreachable(&self, name: &str, error: Errno) -> Stop {
        let reason = format!("cannot look at `{name}`: {error}");
        Stop::Access(unresolvable(self.input, reason))
    }

    fn escape(&self) -> Stop {
        Stop::Access(FsAccessError::Escape(self.input.to_owned()))
    }
}

/// Opens a directory in a directory; a link is refused.
pub(super) fn open_dir(dir: &OwnedFd, name: &str) -> Result<OwnedFd, Errno> {
    let flags = sys::SEARCH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(dir, name, flags, Mode::empty())
}

/// What a name in a directory is; a link is a link.
pub(super) fn kind_at(dir: BorrowedFd<'_>, name: &str) -> Result<FileType, Errno> {
    Ok(kind_of(&rustix::fs::statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?))
}

pub(super) fn kind_of(stat: &Stat) -> FileType {
    FileType::from_raw_mode(stat.st_mode)
}
