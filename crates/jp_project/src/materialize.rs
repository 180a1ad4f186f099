//! A real directory with the files of a project, for programs that know nothing else.
//!
//! A project on a disk is that directory. Any other is copied, as far as it may be read, and what a
//! program changed in the copy is brought back through the same methods, so by the same rules: what they
//! do not allow stays in the copy and is named. What somebody else changed meanwhile is not written over:
//! then nothing is brought back, and the paths are named.
//!
//! What a program made or changed comes back first, and what it deleted is deleted last, and only if all the rest is
//! back: a move of which only the second half works would lose a file. Only what has to go before something of
//! another kind can be there is deleted at once.
//!
//! Only files and directories travel. Links of the project are not copied. Links, FIFOs and sockets that a program
//! makes stay in the copy, and so do permissions. Of those of the project, a copy has whether a file may be run. A
//! copy has a largest size, and so has each file. Files travel in pieces, as far as the backend can write in pieces
//! ([`ProjectFiles::write_from`]).

use std::{
    collections::BTreeMap,
    fs::{File, Permissions},
    io::{self, Read, Write},
    os::unix::fs::PermissionsExt,
    sync::Arc,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{FsAccessError, path::Root};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

use crate::{
    DeleteReach, FsProjectFiles, Kind, ProjectError, ProjectFiles, ProjectPath, Rules, Slice,
    WriteMode, parts::Parts,
};

/// The largest file that travels, the most files and directories, and the most bytes of all files.
const MAX_FILE: u64 = 256 << 20;
const MAX_ENTRIES: usize = 500_000;
const MAX_BYTES: u64 = 8 << 30;
/// How much of a file is on its way at once; each piece can be a request to somewhere far away.
const PIECE: u64 = 4 << 20;

/// A directory with the files of a project. A copy is removed when this is dropped.
#[derive(Debug)]
pub struct Materialized {
    path: Utf8PathBuf,
    copy: Option<Copy>,
}

/// What was brought back.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Synced {
    /// Files that are new or changed, and directories that are new.
    pub written: Vec<ProjectPath>,
    /// What is gone.
    pub deleted: Vec<ProjectPath>,
}

/// Why changes were not brought back.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// The project has changed in the same places. Nothing was brought back.
    #[error("changed in the project meanwhile: {}", list(paths))]
    Conflict {
        /// Where.
        paths: Vec<ProjectPath>,
    },
    /// The rules do not allow some of it, or hide something in its place. Everything else was brought back, apart from
    /// deletions.
    #[error("not allowed, and not brought back: {}{}", first(reasons, "; "), kept(not_deleted))]
    Refused {
        /// What is not allowed, and why.
        reasons: Vec<NotBrought>,
        /// What is still there, because something that may be in its place now was refused.
        not_deleted: Vec<ProjectPath>,
    },
    /// A file could not be read or written. Those before it in the order of paths may be back, and what the program
    /// deleted is deleted only if all are.
    #[error(transparent)]
    Project(#[from] ProjectError),
}

/// Why something was not brought back.
#[derive(Debug, thiserror::Error)]
pub enum NotBrought {
    /// The rules do not allow it.
    #[error(transparent)]
    Access(#[from] FsAccessError),
    /// It would take the place of a directory in which there is more than was copied.
    #[error("{path}: is a directory, and something is in it that the program could not see")]
    Directory {
        /// Which directory.
        path: ProjectPath,
    },
}

#[derive(Debug)]
struct Copy {
    inside: Arc<FsProjectFiles>,
    project: Arc<dyn ProjectFiles>,
    before: States,
    _dir: TempDir,
}

type States = BTreeMap<ProjectPath, State>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Directory,
    /// The hash of the content.
    File([u8; 32]),
}

impl Materialized {
    /// A project that is a directory.
    pub fn in_place(path: Utf8PathBuf) -> Self {
        Self { path, copy: None }
    }

    /// A copy of everything that may be read, made in `scratch`. For backends that have no directory.
    pub fn copy_of(
        project: Arc<dyn ProjectFiles>,
        scratch: &Utf8Path,
    ) -> Result<Self, ProjectError> {
        let failed = |source| ProjectError::Io { path: scratch.to_string(), source };
        let dir =
            tempfile::Builder::new().prefix("jp-project-").tempdir_in(scratch).map_err(failed)?;
        let path = Utf8Path::from_path(dir.path())
            .ok_or_else(|| failed(io::ErrorKind::InvalidFilename.into()))?;
        let root = Root::open(path).map_err(failed)?;
        let path = root.path().to_owned();
        let inside = Arc::new(FsProjectFiles::new(root, Rules::default()));
        let before = scan(&project, Some(&inside))?;
        Ok(Self { path, copy: Some(Copy { inside, project, before, _dir: dir }) })
    }

    /// The directory.
    pub fn path(&self) -> &Utf8Path {
        &self.path
    }

    /// Brings back what changed since the directory was made, or since the last time that all of it came back. In a
    /// project that is the directory itself there is nothing to do.
    pub fn sync_back(&mut self) -> Result<Synced, SyncError> {
        self.copy.as_mut().map_or_else(|| Ok(Synced::default()), Copy::sync_back)
    }
}

impl Copy {
    fn sync_back(&mut self) -> Result<Synced, SyncError> {
        let inside: Arc<dyn ProjectFiles> = self.inside.clone();
        let now = scan(&inside, None)?;
        let changed = |path: &&ProjectPath| self.before.get(path) != now.get(path);
        let mut paths: Vec<_> =
            self.before.keys().chain(now.keys()).filter(changed).cloned().collect();
        paths.sort();
        paths.dedup();
        self.check_conflicts(&paths, &now)?;
        let (made, mut gone): (Vec<_>, Vec<_>) =
            paths.into_iter().partition(|path| now.contains_key(path));
        let (mut synced, mut reasons) = (Synced::default(), Vec::new());
        for path in made {
            note_refusal(self.bring(&path, &now, &mut synced), &mut reasons)?;
        }
        if reasons.is_empty() {
            // What is inside a directory goes before it.
            for path in gone.drain(..).rev() {
                note_refusal(self.remove(&path, &now, &mut synced), &mut reasons)?;
            }
        }
        if !reasons.is_empty() {
            return Err(SyncError::Refused { reasons, not_deleted: gone });
        }
        self.before = now;
        Ok(synced)
    }

    /// Brings back what is new or changed, in place of whatever was there.
    fn bring(
        &self,
        path: &ProjectPath,
        now: &States,
        synced: &mut Synced,
    ) -> Result<(), ProjectError> {
        self.clear_way(path, now, synced)?;
        if now.get(path) == Some(&State::Directory) {
            make_dir(self.project.as_ref(), path)?;
        } else {
            let mut content = open(self.inside.clone(), path)?;
            let size = content.size();
            self.project.write_from(path, &mut content, size, WriteMode::Replace)?;
        }
        synced.written.push(path.clone());
        Ok(())
    }

    /// Deletes what was there if something of another kind comes to its place; of a directory, what was copied.
    fn clear_way(
        &self,
        path: &ProjectPath,
        now: &States,
        synced: &mut Synced,
    ) -> Result<(), ProjectError> {
        if !self.is_replaced(path, now) {
            return Ok(());
        }
        let prefix = format!("{path}/");
        let inside = self.before.range(ProjectPath::known(&prefix)..);
        let inside = inside.take_while(|(path, _)| path.as_str().starts_with(&prefix));
        let paths: Vec<_> = [path].into_iter().chain(inside.map(|(path, _)| path)).collect();
        if self.before.get(path) == Some(&State::Directory) {
            self.check_known(path)?;
        }
        // What is inside a directory goes before it.
        paths.into_iter().rev().try_for_each(|path| self.remove(path, now, synced))?;
        // Somebody can have put something there since the look at it.
        match self.project.metadata(path) {
            Ok(data) if data.kind == Kind::Directory => Err(not_empty(path)),
            _ => Ok(()),
        }
    }

    /// Whether everything in a directory was copied, whatever the rules hide: what was not makes the directory stay,
    /// and then nothing that is in it must go.
    fn check_known(&self, dir: &ProjectPath) -> Result<(), ProjectError> {
        let all = self.project.under(Rules::default());
        let mut dirs = vec![dir.clone()];
        while let Some(inside) = dirs.pop() {
            let entries = match all.list_dir(&inside, Slice::default()) {
                Err(ProjectError::NotFound { .. } | ProjectError::NotADirectory { .. }) => continue,
                entries => entries?,
            };
            for entry in entries {
                let path = inside.join(&entry.name).map_err(|_| not_empty(dir))?;
                match self.before.get(&path) {
                    _ if entry.is_link => return Err(not_empty(dir)),
                    None => return Err(not_empty(dir)),
                    Some(State::Directory) => dirs.push(path),
                    Some(State::File(_)) => {}
                }
            }
            if all.leaves_out(&inside)? {
                return Err(not_empty(dir));
            }
        }
        Ok(())
    }

    /// Deletes what was there if it is gone in the copy.
    fn remove(
        &self,
        path: &ProjectPath,
        now: &States,
        synced: &mut Synced,
    ) -> Result<(), ProjectError> {
        if !self.is_replaced(path, now) {
            return Ok(());
        }
        let reach = match state(&self.project, path)? {
            None => return Ok(()),
            Some(State::File(_)) => DeleteReach::File,
            Some(State::Directory) => DeleteReach::Empty,
        };
        match self.project.delete(path, reach) {
            // The project has something in it that is new, or that may not be read. It stays.
            Err(ProjectError::NotEmpty { .. }) => return Ok(()),
            deleted => deleted?,
        }
        synced.deleted.push(path.clone());
        Ok(())
    }

    fn check_conflicts(&self, paths: &[ProjectPath], now: &States) -> Result<(), SyncError> {
        let mut conflicts = Vec::new();
        for path in paths {
            let current = match state(&self.project, path) {
                // What cannot be seen has not been copied; whether it can be made the rules decide.
                Err(ProjectError::Access(_)) => continue,
                current => current?,
            };
            if current.as_ref() != self.before.get(path) && current.as_ref() != now.get(path) {
                conflicts.push(path.clone());
            }
        }
        if conflicts.is_empty() { Ok(()) } else { Err(SyncError::Conflict { paths: conflicts }) }
    }

    /// Whether something that was there is gone, or something of another kind is in its place.
    fn is_replaced(&self, path: &ProjectPath, now: &States) -> bool {
        match (self.before.get(path), now.get(path)) {
            (Some(State::File(_)), Some(State::File(_))) | (None, _) => false,
            (before, now) => before != now,
        }
    }
}

/// What the rules do not allow, or a directory that they make stay, does not stop the rest.
fn note_refusal(
    done: Result<(), ProjectError>,
    reasons: &mut Vec<NotBrought>,
) -> Result<(), ProjectError> {
    match done {
        Err(ProjectError::Access(error)) => reasons.push(error.into()),
        Err(ProjectError::NotEmpty { path }) => reasons.push(NotBrought::Directory { path }),
        done => done?,
    }
    Ok(())
}

fn not_empty(dir: &ProjectPath) -> ProjectError {
    ProjectError::NotEmpty { path: dir.clone() }
}

fn make_dir(project: &dyn ProjectFiles, path: &ProjectPath) -> Result<(), ProjectError> {
    match project.create_dir(path) {
        Err(ProjectError::AlreadyExists { .. }) => Ok(()),
        made => made,
    }
}

/// What is at a path now.
fn state(
    project: &Arc<dyn ProjectFiles>,
    path: &ProjectPath,
) -> Result<Option<State>, ProjectError> {
    match project.metadata(path) {
        Err(ProjectError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
        Ok(data) if data.kind == Kind::Directory => Ok(Some(State::Directory)),
        Ok(_) => Ok(Some(travel(open(project.clone(), path)?, path, None)?.0)),
    }
}

/// Everything that may be read, each directory before what is in it, copied to a directory if there is one.
fn scan(
    project: &Arc<dyn ProjectFiles>,
    copy: Option<&Arc<FsProjectFiles>>,
) -> Result<States, ProjectError> {
    let mut states = States::new();
    let mut bytes = 0;
    let mut dirs = vec![ProjectPath::root()];
    while let Some(dir) = dirs.pop() {
        let entries = match project.list_dir(&dir, Slice::default()) {
            Err(ProjectError::Access(_)) => continue,
            entries => entries?,
        };
        for entry in entries {
            // A name that is too long to be asked for cannot be told to anybody either.
            let Ok(path) = dir.join(&entry.name) else { continue };
            let state = match entry.kind {
                _ if entry.is_link => continue,
                Kind::Other => continue,
                Kind::Directory => {
                    copy.map_or(Ok(()), |copy| copy.create_dir(&path))?;
                    dirs.push(path.clone());
                    State::Directory
                }
                Kind::File => {
                    let content = match open(project.clone(), &path) {
                        // One that is denied by another of its names.
                        Err(ProjectError::Access(_)) => continue,
                        content => content?,
                    };
                    let (state, size) = travel(content, &path, copy)?;
                    bytes += size;
                    state
                }
            };
            states.insert(path, state);
            if states.len() > MAX_ENTRIES || bytes > MAX_BYTES {
                let source = io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    format!("a copy has at most {MAX_ENTRIES} entries and {MAX_BYTES} bytes"),
                );
                return Err(ProjectError::Io { path: dir.to_string(), source });
            }
        }
    }
    Ok(states)
}

/// Opens a file that is to travel.
fn open(project: Arc<dyn ProjectFiles>, path: &ProjectPath) -> Result<Parts, ProjectError> {
    let parts = Parts::in_pieces_of(PIECE, project, path.clone())?;
    let (size, max) = (parts.size(), MAX_FILE);
    if size > max {
        return Err(ProjectError::TooLarge { path: path.clone(), size, max });
    }
    Ok(parts)
}

/// Reads a file to its end, into a copy if there is one; says what it is, and how large.
fn travel(
    mut content: Parts,
    path: &ProjectPath,
    copy: Option<&Arc<FsProjectFiles>>,
) -> Result<(State, u64), ProjectError> {
    let failed = |source: io::Error| ProjectError::Io { path: path.to_string(), source };
    let mut file = copy.map(|copy| copy.create_open(path)).transpose()?;
    if let Some(file) = file.as_ref().filter(|_| content.executable()) {
        make_executable(file).map_err(failed)?;
    }
    let (mut hash, mut piece, mut size) = (Sha256::new(), vec![0; 64 << 10], 0);
    loop {
        let read = content.read(&mut piece).map_err(failed)?;
        if read == 0 {
            return Ok((State::File(hash.finalize().into()), size));
        }
        hash.update(&piece[..read]);
        size += u64::try_from(read).unwrap_or(u64::MAX);
        if size > MAX_FILE {
            return Err(ProjectError::TooLarge { path: path.clone(), size, max: MAX_FILE });
        }
        if let Some(file) = &mut file {
            file.write_all(&piece[..read]).map_err(failed)?;
        }
    }
}

/// Lets everybody run a file who can read it.
fn make_executable(file: &File) -> io::Result<()> {
    let mode = file.metadata()?.permissions().mode();
    file.set_permissions(Permissions::from_mode(mode | ((mode & 0o444) >> 2)))
}

fn list(paths: &[ProjectPath]) -> String {
    paths.iter().map(ProjectPath::as_str).collect::<Vec<_>>().join(", ")
}

fn kept(not_deleted: &[ProjectPath]) -> String {
    if not_deleted.is_empty() {
        return String::new();
    }
    format!("; and therefore not deleted: {}", first(not_deleted, ", "))
}

fn first<T: ToString>(all: &[T], separator: &str) -> String {
    const SHOWN: usize = 20;
    let mut shown: Vec<_> = all.iter().take(SHOWN).map(ToString::to_string).collect();
    if all.len() > SHOWN {
        shown.push(format!("and {} more", all.len() - SHOWN));
    }
    shown.join(separator)
}

#[cfg(test)]
mod tests;
