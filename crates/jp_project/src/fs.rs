//! Files on a disk, opened beneath a handle of the root.
//!
//! Whatever is judged is judged and used by [`Files`], which holds on to what it found. What this file
//! adds is the shape of the operations: parents that are made, a deletion that takes a whole directory
//! ([`delete`]), and a move that leaves everything a name ([`moving`]).
//! Each step of those is judged by itself where it happens, so somebody who swaps directories under us
//! can make an operation fail and cannot make it reach what the rules deny.

mod delete;
mod moving;

use std::{
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    sync::Arc,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{
    Capability, FsAccessError,
    path::{self as access, Contents, Directory, Entry, Existing, Files, OpenError, Root},
};
use rustix::{buffer::spare_capacity, io::Errno};

use crate::{
    Content, DeleteReach, DirEntry, GrepAnswer, GrepQuery, Kind, Materialized, Metadata, Part,
    ProjectError, ProjectFiles, ProjectPath, RenameTarget, Rules, Slice, WriteMode, grep, parts,
    walk::{Found, Tree},
};

/// How often a write is tried again when a file comes or goes meanwhile.
const ATTEMPTS: usize = 8;

/// The files below a directory of the file system.
#[derive(Debug)]
pub struct FsProjectFiles {
    files: Files,
    rules: Rules,
    /// The same without rules, to find one's way. What it finds is judged before it is used.
    all: Files,
}

impl FsProjectFiles {
    /// The files below a root under rules.
    pub fn new(root: Root, rules: Rules) -> Self {
        let files = Files::new(root.clone(), rules.policy.clone());
        let files = files.behind(rules.sensitive.clone());
        Self { files, rules, all: Files::new(root, None) }
    }

    fn check(&self, capability: Capability, path: &Utf8Path) -> Result<(), ProjectError> {
        Ok(self.rules.check(capability, path)?)
    }

    fn find_out(&self, path: &Utf8Path) -> Result<(Utf8PathBuf, bool), ProjectError> {
        let resolved = self.files.root().resolve(path)?;
        Ok((resolved.relative().to_owned(), resolved.exists()))
    }

    fn create(&self, path: &ProjectPath, content: &[u8]) -> Result<(), ProjectError> {
        self.make_parents(path)?;
        self.files
            .create_whole(path.as_path(), content)
            .map_err(|error| ProjectError::from_open(error, path))
    }

    /// Makes a file that is filled afterwards, in a directory that is there.
    pub(crate) fn create_open(&self, path: &ProjectPath) -> Result<File, ProjectError> {
        self.files.create(path.as_path()).map_err(|error| ProjectError::from_open(error, path))
    }

    /// Makes the directories above a path that is to be made. All are judged before the first is made.
    fn make_parents(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        let (canonical, _) = self.find_out(path.as_path())?;
        self.check(Capability::Create, &canonical)?;
        let mut missing = Vec::new();
        for dir in canonical.ancestors().skip(1).filter(|dir| !dir.as_str().is_empty()) {
            if self.find_out(dir)?.1 {
                break;
            }
            self.check(Capability::Create, dir)?;
            missing.push(dir);
        }
        for dir in missing.into_iter().rev() {
            match self.files.create_dir(dir) {
                // Somebody else was faster.
                Err(OpenError::Io { source, .. })
                    if source.kind() == io::ErrorKind::AlreadyExists => {}
                made => made.map_err(|error| ProjectError::from_open(error, path))?,
            }
        }
        Ok(())
    }

    /// What an entry is; of a link, what it leads to.
    fn kind(&self, dir: &ProjectPath, entry: &Entry) -> Kind {
        if entry.kind != access::Kind::Symlink {
            return entry.kind.into();
        }
        let Ok(target) = dir.join(&entry.name) else {
            return Kind::Other;
        };
        let data = match self.files.metadata(target.as_path()) {
            // The policy allows it, and that something sensitive is there is no secret.
            Err(OpenError::Access(FsAccessError::Sensitive(_))) => {
                self.all.metadata(target.as_path())
            }
            data => data,
        };
        data.map_or(Kind::Other, |data| data.kind.into())
    }
}

impl ProjectFiles for FsProjectFiles {
    fn read(&self, path: &ProjectPath, part: Part) -> Result<Content, ProjectError> {
        let (mut file, data) = self
            .files
            .read_known(path.as_path())
            .map_err(|error| ProjectError::from_open(error, path).or_not_found())?;
        let failed = |error| ProjectError::from_io(error, path);
        let (offset, len) = part.of(data.len, path)?;
        if offset > 0 {
            file.seek(SeekFrom::Start(offset)).map_err(failed)?;
        }
        let len = usize::try_from(len).map_err(|_| failed(io::ErrorKind::FileTooLarge.into()))?;
        let bytes = read_most(&file, len).map_err(failed)?;
        Ok(Content { bytes, size: data.len, executable: data.executable })
    }

    fn write(
        &self,
        path: &ProjectPath,
        content: &[u8],
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        if mode == WriteMode::CreateNew {
            return self.create(path, content);
        }
        for _ in 0..ATTEMPTS {
            let written = if self.find_out(path.as_path())?.1 {
                self.files
                    .replace(path.as_path(), content)
                    .map_err(|error| ProjectError::from_open(error, path))
            } else {
                self.create(path, content)
            };
            match written {
                // It came or went since the look at it; or a link is there that leads nowhere.
                Err(ProjectError::NotFound { .. } | ProjectError::AlreadyExists { .. }) => {}
                written => return written,
            }
        }
        Err(ProjectError::AlreadyExists { path: path.clone() })
    }

    /// A file takes its place as a whole, for which it is in memory.
    fn write_from(
        &self,
        path: &ProjectPath,
        content: &mut dyn Read,
        size: u64,
        mode: WriteMode,
    ) -> Result<(), ProjectError> {
        self.write(path, &parts::whole(path, content, size, u64::MAX)?, mode)
    }

    fn list_dir(&self, path: &ProjectPath, slice: Slice) -> Result<Vec<DirEntry>, ProjectError> {
        let failed = |error: OpenError| match ProjectError::from_open(error, path) {
            ProjectError::NotADirectory { .. } if self.metadata(path).is_err() => {
                ProjectError::NotFound { path: path.clone() }
            }
            other => other,
        };
        let dir = self.files.directory(path.as_path()).map_err(failed)?;
        let mut entries = Vec::new();
        for entry in dir.entries().map_err(failed)? {
            let entry = entry.map_err(|error| ProjectError::from_io(error, path))?;
            if self.rules.is_visible(&dir.path_of(&entry.name)) {
                entries.push(entry);
            }
        }
        entries.sort();
        // Where a link leads is only looked up for those that are told.
        let entries = slice.of(entries).into_iter().map(|entry| {
            let kind = self.kind(path, &entry);
            let is_link = entry.kind == access::Kind::Symlink;
            DirEntry { name: entry.name, kind, is_link }
        });
        Ok(entries.collect())
    }

    fn leaves_out(&self, path: &ProjectPath) -> Result<bool, ProjectError> {
        let dir = self.all.directory(path.as_path());
        let entries = dir.and_then(|dir| dir.entries());
        let mut entries = entries.map_err(|error| ProjectError::from_open(error, path))?;
        let seen = entries.by_ref().try_for_each(|entry| entry.map(drop));
        seen.map_err(|error| ProjectError::from_io(error, path))?;
        Ok(entries.leaves_out())
    }

    fn metadata(&self, path: &ProjectPath) -> Result<Metadata, ProjectError> {
        let data = self
            .files
            .metadata(path.as_path())
            .map_err(|error| ProjectError::from_open(error, path).or_not_found())?;
        let kind = data.kind.into();
        Ok(Metadata { kind, size: if kind == Kind::File { data.len } else { 0 } })
    }

    fn delete(&self, path: &ProjectPath, reach: DeleteReach) -> Result<(), ProjectError> {
        if path.is_root() {
            return Err(ProjectError::Root);
        }
        if reach == DeleteReach::Empty {
            return self.delete_empty(path);
        }
        match self.files.remove_file(path.as_path()) {
            Ok(()) => Ok(()),
            Err(error) => match ProjectError::from_open(error, path).or_not_found() {
                ProjectError::IsADirectory { .. } if reach == DeleteReach::Recursive => {
                    self.delete_all(path)
                }
                // What some systems say of a directory.
                ProjectError::Io { source, .. }
                    if source.kind() == io::ErrorKind::PermissionDenied
                        && self.all.directory(path.as_path()).is_ok() =>
                {
                    match reach {
                        DeleteReach::Recursive => self.delete_all(path),
                        _ => Err(ProjectError::IsADirectory { path: path.clone() }),
                    }
                }
                error => Err(error),
            },
        }
    }

    fn rename(
        &self,
        from: &ProjectPath,
        to: &ProjectPath,
        target: RenameTarget,
    ) -> Result<(), ProjectError> {
        if from.is_root() || to.is_root() {
            return Err(ProjectError::Root);
        }
        let (canonical, is_there) = self.find_out(from.as_path())?;
        self.check(Capability::Delete, &canonical)?;
        if from != to && to.starts_with(from) && self.all.directory(from.as_path()).is_ok() {
            return Err(ProjectError::IntoItself { path: from.clone() });
        }
        self.check_paths(from, to, target)?;
        let existing = match target {
            RenameTarget::Overwrite => Existing::Replace,
            RenameTarget::Keep => Existing::Keep,
        };
        let rename = || {
            self.files.rename(from.as_path(), to.as_path(), existing).map_err(|error| {
                match ProjectError::from_open(error, to) {
                    ProjectError::NotFound { .. } => ProjectError::NotFound { path: from.clone() },
                    other => other,
                }
            })
        };
        match rename() {
            // If it is not the source that is missing, it is a directory on the way to the target.
            Err(ProjectError::NotFound { .. }) if is_there => {
                self.make_parents(to)?;
                rename()
            }
            renamed => renamed,
        }
    }

    fn create_dir(&self, path: &ProjectPath) -> Result<(), ProjectError> {
        self.make_parents(path)?;
        self.files.create_dir(path.as_path()).map_err(|error| ProjectError::from_open(error, path))
    }

    fn grep(&self, query: &GrepQuery) -> Result<GrepAnswer, ProjectError> {
        grep::grep(self, query)
    }

    fn materialize(&self, _scratch: &Utf8Path) -> Result<Materialized, ProjectError> {
        Ok(Materialized::in_place(self.files.root().path().to_owned()))
    }

    fn display_root(&self) -> String {
        self.files.root().path().to_string()
    }

    fn canonical(&self, path: &ProjectPath) -> Result<ProjectPath, ProjectError> {
        let (canonical, _) = self.find_out(path.as_path())?;
        ProjectPath::new(canonical.as_str()).map_err(|error| ProjectError::Io {
            path: path.to_string(),
            source: io::Error::new(io::ErrorKind::InvalidFilename, error),
        })
    }

    fn is_quick(&self) -> bool {
        true
    }

    fn under(&self, rules: Rules) -> Arc<dyn ProjectFiles> {
        Arc::new(Self::new(self.files.root().clone(), rules))
    }
}

impl Tree for FsProjectFiles {
    type Dir = Directory;
    type File = Contents;

    fn rules(&self) -> &Rules {
        &self.rules
    }

    fn find(&self, path: &ProjectPath) -> Result<Found<Directory>, ProjectError> {
        let data = self.metadata(path)?;
        let failed = |error| ProjectError::from_open(error, path);
        if data.kind == Kind::Directory {
            return Ok(Found::Directory(self.files.directory(path.as_path()).map_err(failed)?));
        }
        // A FIFO or a device is an error that says so.
        drop(self.files.read(path.as_path()).map_err(failed)?);
        Ok(Found::File(self.find_out(path.as_path())?.0))
    }

    fn path<'a>(&self, dir: &'a Directory) -> &'a str {
        dir.path().as_str()
    }

    fn entries(&self, dir: &Directory) -> Result<Vec<Entry>, ProjectError> {
        let entries = dir.entries().map_err(system_error)?;
        let failed = |source| ProjectError::Io { path: dir.path().to_string(), source };
        entries.map(|entry| entry.map_err(failed)).collect()
    }

    fn dir_in(&self, dir: &Directory, name: &str) -> Result<Directory, ProjectError> {
        self.files.directory_in(dir, name).map_err(system_error)
    }

    fn open_in(&self, dir: &Directory, name: &str) -> Result<Contents, ProjectError> {
        self.files.read_in(dir, name).map_err(system_error)
    }

    fn open(&self, path: &Utf8Path) -> Result<Contents, ProjectError> {
        self.files.read(path).map(Contents::from).map_err(system_error)
    }
}

impl From<access::Kind> for Kind {
    fn from(kind: access::Kind) -> Self {
        match kind {
            access::Kind::File => Self::File,
            access::Kind::Directory => Self::Directory,
            access::Kind::Symlink | access::Kind::Other => Self::Other,
        }
    }
}

/// So many bytes from where the file stands, or fewer where it ends. The system is asked directly: small files are
/// read so often that what the C library does beside it would show.
fn read_most(file: &File, len: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(len);
    while bytes.len() < len {
        match rustix::io::read(file, spare_capacity(&mut bytes)) {
            Ok(0) => break,
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    // The room may be larger than was asked for.
    bytes.truncate(len);
    Ok(bytes)
}

/// An error about something that the walk found, whose path need not be one that can be asked for.
fn system_error(error: OpenError) -> ProjectError {
    match error {
        OpenError::Access(error) => error.into(),
        OpenError::Io { path, source } => match ProjectPath::new(path.as_str()) {
            Ok(path) => ProjectError::from_io(source, &path),
            Err(_) => ProjectError::Io { path: path.to_string(), source },
        },
    }
}

#[cfg(test)]
mod tests;
