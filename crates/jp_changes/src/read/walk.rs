//! The walk over both sides.

use std::{
    collections::HashSet,
    ffi::{CStr, CString},
    os::fd::{AsFd, OwnedFd},
};

use camino::{Utf8Path, Utf8PathBuf};
use rustix::{
    fs::{FileType, Stat},
    io::Errno,
};

use crate::{
    Change, Kind, Limits, ModeChange, Node, Obstacle, ReadError,
    change::Seen,
    ground::Ground,
    overlay::{self, Opaque},
    tree::{changed_at, kind_of, names, node_at, size_of, stat_at},
};

/// The permissions of a file that can be carried over, and those of a directory. The rest changes
/// who a program runs as.
pub(super) const FILE_MODE: u32 = 0o777;
const DIR_MODE: u32 = 0o1777;

/// All changes of all places, in no order.
pub(super) fn walk(ground: &Ground, limits: Limits) -> Result<Vec<Change>, ReadError> {
    let mut walker = Walker { ground, limits, entries: 0, bytes: 0, list: Vec::new() };
    for place in 0..ground.places.len() {
        walker.place(place)?;
    }
    Ok(walker.list)
}

pub(super) struct Walker<'a> {
    pub(super) ground: &'a Ground,
    pub(super) limits: Limits,
    entries: usize,
    pub(super) bytes: u64,
    pub(super) list: Vec<Change>,
}

/// A directory of the written side that is still to be read.
struct Task {
    place: usize,
    path: Utf8PathBuf,
    below: Below,
    /// Whether it is in an opaque directory. Nothing shows through then either, and it does not say so
    /// itself.
    covers: bool,
}

/// What the workspace has where a directory was written.
#[derive(Clone)]
enum Below {
    Nothing,
    Directory,
    Blocked(Obstacle),
}

/// The same, opened.
enum Host {
    Nothing,
    Directory(OwnedFd),
    Blocked(Obstacle),
}

/// A name of the written side.
pub(super) struct Entry<'a> {
    pub(super) place: usize,
    pub(super) path: Utf8PathBuf,
    dir: &'a OwnedFd,
    name: &'a CStr,
    pub(super) stat: Stat,
    /// What has the name in the workspace.
    pub(super) old: Option<(Stat, Node)>,
    pub(super) obstacle: Option<Obstacle>,
}

impl Walker<'_> {
    fn place(&mut self, place: usize) -> Result<(), ReadError> {
        let path = self.ground.places[place].clone();
        let before = self.list.len();
        let mode = self.ground.place_mode(place).map_err(|errno| io_error(&path, errno))?;
        let below = match self.ground.host.stat(&path) {
            Ok(None) => Below::Nothing,
            Ok(Some(stat)) if kind_of(&stat) == FileType::Directory => {
                self.directory_mode(place, &path, mode, &stat)?;
                Below::Directory
            }
            Ok(Some(_)) => Below::Blocked(Obstacle::Conflict),
            Err(error) => Below::Blocked(obstacle(error)),
        };
        let is_new = matches!(below, Below::Nothing);
        let mut todo = vec![Task { place, path: path.clone(), below, covers: false }];
        while let Some(task) = todo.pop() {
            self.directory(&task, &mut todo)?;
        }
        if is_new && self.list.len() > before {
            self.way_to(place, &path)?;
        }
        Ok(())
    }

    /// The directories that have to be made before something can be in a place that is missing.
    fn way_to(&mut self, place: usize, path: &Utf8Path) -> Result<(), ReadError> {
        for missing in path.ancestors().filter(|path| !path.as_str().is_empty()) {
            if !matches!(self.ground.host.stat(missing), Ok(None)) {
                break;
            }
            let mut change = Change::new(place, missing, Kind::Created(Node::Directory));
            change.implied = true;
            self.push(change)?;
        }
        Ok(())
    }

    fn directory(&mut self, task: &Task, todo: &mut Vec<Task>) -> Result<(), ReadError> {
        let failed = |errno| io_error(&task.path, errno);
        let (tree, inside) = self.ground.upper(task.place, &task.path);
        let dir = tree.dir(inside).map_err(failed)?;
        let opaque = overlay::opaque(&dir).map_err(failed)?;
        if let Some(mark) = overlay::marks(&dir).map_err(failed)?.partial {
            return Err(ReadError::Partial { path: task.path.clone(), mark });
        }
        let host = self.host(task);
        let covers = task.covers || opaque == Opaque::Yes;
        let mut known = HashSet::new();
        for name in names(dir.as_fd()).map_err(failed)? {
            let name = name.map_err(failed)?;
            self.count()?;
            if let Some(entry) = self.entry(task, &dir, &name, &host)? {
                self.meet(entry, opaque, covers, todo)?;
            }
            if covers {
                known.insert(name);
            }
        }
        match host {
            Host::Directory(host) if covers => self.uncovered(task, &host, &known),
            _ => Ok(()),
        }
    }

    fn host(&self, task: &Task) -> Host {
        match &task.below {
            Below::Nothing => Host::Nothing,
            Below::Blocked(obstacle) => Host::Blocked(obstacle.clone()),
            Below::Directory => match self.ground.host.dir(&task.path) {
                Ok(dir) => Host::Directory(dir),
                Err(errno) => Host::Blocked(obstacle(errno)),
            },
        }
    }

    /// What a directory of the workspace has and an opaque one that replaces it has not.
    fn uncovered(
        &mut self,
        task: &Task,
        host: &OwnedFd,
        known: &HashSet<CString>,
    ) -> Result<(), ReadError> {
        for name in names(host.as_fd()).map_err(|errno| io_error(&task.path, errno))? {
            let name = name.map_err(|errno| io_error(&task.path, errno))?;
            self.count()?;
            if !known.contains(&name) {
                self.delete(task.place, &task.path, host, &name, false)?;
            }
        }
        Ok(())
    }

    /// Both sides of a name; `None` if it is the place of somebody else.
    fn entry<'a>(
        &self,
        task: &Task,
        dir: &'a OwnedFd,
        name: &'a CStr,
        host: &Host,
    ) -> Result<Option<Entry<'a>>, ReadError> {
        let (path, is_text) = join(&task.path, name);
        let Some(stat) = stat_at(dir, name).map_err(|errno| io_error(&path, errno))? else {
            return Ok(None);
        };
        if is_text && self.ground.is_place(&path) {
            return Ok(None);
        }
        let (old, mut blocked) = match host {
            Host::Nothing => (None, None),
            Host::Blocked(obstacle) => (None, Some(obstacle.clone())),
            Host::Directory(host) => match look(host, name) {
                Ok(old) => (old, None),
                Err(errno) => (None, Some(obstacle(errno))),
            },
        };
        if !is_text {
            blocked = Some(Obstacle::NotUtf8);
        }
        Ok(Some(Entry { place: task.place, path, dir, name, stat, old, obstacle: blocked }))
    }

    fn meet(
        &mut self,
        entry: Entry<'_>,
        opaque: Opaque,
        covers: bool,
        todo: &mut Vec<Task>,
    ) -> Result<(), ReadError> {
        if overlay::is_whiteout(&entry.stat) {
            return self.whiteout(&entry);
        }
        match kind_of(&entry.stat) {
            FileType::Directory => self.meet_directory(&entry, covers, todo),
            FileType::RegularFile => self.meet_file(entry, opaque),
            FileType::Symlink => self.meet_link(&entry),
            _ => self.replace(&entry, Node::Special, Some(Obstacle::Special)),
        }
    }

    pub(super) fn whiteout(&mut self, entry: &Entry<'_>) -> Result<(), ReadError> {
        match (&entry.obstacle, &entry.old) {
            (Some(obstacle), old) => {
                let node = old.as_ref().map_or(Node::File, |(_, node)| node.clone());
                let mut change = Change::new(entry.place, &entry.path, Kind::Deleted(node));
                change.obstacle = Some(obstacle.clone());
                self.push(change)
            }
            (None, Some((stat, node))) => {
                let change = self.deleted(entry.place, &entry.path, stat, node.clone());
                self.push(change)?;
                self.empty(self.list.len() - 1)
            }
            (None, None) => Ok(()),
        }
    }

    fn meet_directory(
        &mut self,
        entry: &Entry<'_>,
        covers: bool,
        todo: &mut Vec<Task>,
    ) -> Result<(), ReadError> {
        let Entry { place, dir, name, .. } = *entry;
        let mode = self.ground.directory_mode(dir, name, &entry.path, &entry.stat);
        let mode = mode.map_err(|errno| io_error(&entry.path, errno))? & DIR_MODE;
        let below = match (&entry.old, &entry.obstacle) {
            (_, Some(obstacle)) => Below::Blocked(obstacle.clone()),
            (Some((old, Node::Directory)), None) => {
                self.directory_mode(place, &entry.path, mode, old)?;
                Below::Directory
            }
            _ => Below::Nothing,
        };
        if !matches!(below, Below::Directory) {
            self.replace(entry, Node::Directory, None)?;
            if let Some(change) = self.list.last_mut() {
                change.mode = Some(mode);
            }
        }
        // Below a name that is not text no path is what it looks like.
        if entry.obstacle != Some(Obstacle::NotUtf8) {
            todo.push(Task { place, path: entry.path.clone(), below, covers });
        }
        Ok(())
    }

    fn directory_mode(
        &mut self,
        place: usize,
        path: &Utf8Path,
        mode: u32,
        old: &Stat,
    ) -> Result<(), ReadError> {
        let (from, to) = (old.st_mode & DIR_MODE, mode & DIR_MODE);
        if from == to {
            return Ok(());
        }
        // The tool has seen the directory beneath a mount, not the one that is mounted there.
        if matches!(self.ground.host.dir(path), Err(Errno::XDEV)) {
            return Ok(());
        }
        let kind = Kind::Updated { content: false, mode: Some(ModeChange { from, to }) };
        let mut change = Change::new(place, path, kind);
        change.mode = Some(to);
        change.seen = Some(Seen::from(old));
        let is_later = changed_at(old) >= self.ground.set.began;
        change.obstacle = is_later.then_some(Obstacle::Conflict);
        self.push(change)
    }

    fn meet_link(&mut self, entry: &Entry<'_>) -> Result<(), ReadError> {
        let node = node_at(entry.dir, entry.name, &entry.stat);
        let (node, is_text) = node.map_err(|errno| io_error(&entry.path, errno))?;
        let not_text = (!is_text).then_some(Obstacle::NotUtf8);
        let (Node::Link { target: new }, Some((stat, Node::Link { target: old }))) =
            (&node, &entry.old)
        else {
            return self.replace(entry, node, not_text);
        };
        if new == old && is_text {
            return Ok(());
        }
        let kind = Kind::Retargeted { old: old.clone(), new: new.clone() };
        let mut change = Change::new(entry.place, &entry.path, kind);
        change.seen = Some(Seen::from(stat));
        change.obstacle = entry.obstacle.clone().or(not_text).or_else(|| self.conflict(stat));
        self.push(change)
    }

    /// Something is there where nothing was, or something of another kind.
    pub(super) fn replace(
        &mut self,
        entry: &Entry<'_>,
        new: Node,
        obstacle: Option<Obstacle>,
    ) -> Result<(), ReadError> {
        let kind = match &entry.old {
            None => Kind::Created(new),
            Some((_, old)) => Kind::Replaced { old: old.clone(), new },
        };
        let mut change = Change::new(entry.place, &entry.path, kind);
        if kind_of(&entry.stat) == FileType::RegularFile {
            change.size = size_of(&entry.stat);
            change.mode = Some(entry.stat.st_mode & FILE_MODE);
        }
        let old = entry.old.as_ref().map(|(stat, _)| stat);
        change.seen = old.map(Seen::from);
        let conflict = || old.and_then(|old| self.conflict(old));
        change.obstacle = entry.obstacle.clone().or(obstacle).or_else(conflict);
        let was_dir = old.is_some_and(|old| kind_of(old) == FileType::Directory);
        let can_look = change.obstacle != Some(Obstacle::NotUtf8);
        self.push(change)?;
        if was_dir && can_look { self.empty(self.list.len() - 1) } else { Ok(()) }
    }

    pub(super) fn push(&mut self, change: Change) -> Result<(), ReadError> {
        if self.list.len() >= self.limits.changes {
            let limit = self.limits.changes as u64;
            return Err(ReadError::TooMuch { what: "changes", limit });
        }
        self.list.push(change);
        Ok(())
    }

    pub(super) fn count(&mut self) -> Result<(), ReadError> {
        self.entries += 1;
        if self.entries > self.limits.entries {
            let limit = self.limits.entries as u64;
            return Err(ReadError::TooMuch { what: "entries", limit });
        }
        Ok(())
    }
}

impl Change {
    pub(super) fn new(place: usize, path: &Utf8Path, kind: Kind) -> Self {
        let path = if path.as_str().is_empty() { Utf8Path::new(".") } else { path };
        Self {
            path: path.to_owned(),
            kind,
            size: 0,
            mode: None,
            implied: false,
            obstacle: None,
            place,
            seen: None,
        }
    }
}

pub(super) fn look(dir: &OwnedFd, name: &CStr) -> rustix::io::Result<Option<(Stat, Node)>> {
    match stat_at(dir, name)? {
        None => Ok(None),
        Some(stat) => node_at(dir, name, &stat).map(|(node, _)| Some((stat, node))),
    }
}

/// The path of a name, and whether it is text at all.
pub(super) fn join(parent: &Utf8Path, name: &CStr) -> (Utf8PathBuf, bool) {
    (parent.join(&*name.to_string_lossy()), name.to_str().is_ok())
}

pub(super) fn obstacle(errno: Errno) -> Obstacle {
    match errno {
        Errno::XDEV => Obstacle::MountPoint,
        errno => Obstacle::Unreadable(errno.to_string()),
    }
}

pub(super) fn io_error(path: &Utf8Path, errno: Errno) -> ReadError {
    ReadError::Io { path: path.to_owned(), source: errno.into() }
}
