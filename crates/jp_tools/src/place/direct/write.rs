//! New content for files, all of it or nothing.
//!
//! The new content is written beside the file and takes its place by a rename, so nobody ever sees
//! half of it. That needs more than `update` on the file: something is made and removed beside it.
//! Where the rules do not grant that, or where a rename would lose something (other names of the file,
//! its owner), the content is written into the file itself.
//!
//! Several files are prepared before the first is changed. If one fails after that, those before it
//! get their old content back.

use std::{
    fs::File,
    io::{self, ErrorKind, Read, Seek, Write},
    os::unix::fs::MetadataExt,
    process,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{
    ToolError,
    access::{
        FsAccessError,
        path::{Existing, Files, OpenError},
    },
};

use super::super::failed_after;

/// How many names for the new file are tried.
const ATTEMPTS: u32 = 64;

/// A file that is open, and what it was like then.
#[derive(Debug)]
pub(crate) struct Held {
    file: File,
    state: State,
}

type Original = super::Original<Held>;
type Change = super::Change<Held>;

/// What tells whether a file is still the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct State {
    identity: (u64, u64),
    len: u64,
    modified: (i64, i64),
    owner: (u32, u32),
    links: u64,
}

impl State {
    fn of(file: &File) -> io::Result<Self> {
        let data = file.metadata()?;
        Ok(Self {
            identity: (data.dev(), data.ino()),
            len: data.len(),
            modified: (data.mtime(), data.mtime_nsec()),
            owner: (data.uid(), data.gid()),
            links: data.nlink(),
        })
    }
}

/// Opens a file that may be changed. Needs `update`.
pub(super) fn open(files: &Files, path: &str, max: u64) -> Result<Original, OpenError> {
    let path = Utf8Path::new(path);
    let mut file = files.update(path)?;
    let canonical = files.root().resolve(path)?.relative().to_owned();
    let state = State::of(&file).map_err(|source| io_error(path, source))?;
    let mut content = Vec::new();
    let read = Read::by_ref(&mut file).take(max.saturating_add(1)).read_to_end(&mut content);
    let is_whole = read.is_ok_and(|len| u64::try_from(len).is_ok_and(|len| len <= max));
    let content = is_whole.then_some(content);
    Ok(Original { path: canonical, content, len: Some(state.len), held: Held { file, state } })
}

/// Gives all files their new content, or none.
pub(super) fn replace(files: &Files, changes: Vec<Change>) -> Result<(), ToolError> {
    let prepared = prepare(files, changes)?;
    for prepared in &prepared {
        check_unchanged(&prepared.change.original, files)?;
    }
    commit(files, prepared)
}

/// Whether the path still leads to this file, and nobody has written to it.
fn check_unchanged(original: &Original, files: &Files) -> Result<(), ToolError> {
    let now = files.update(&original.path)?;
    if State::of(&now)? == original.held.state {
        return Ok(());
    }
    Err(ToolError::new(format!("{} was changed by somebody else meanwhile", original.path))
        .transient())
}

/// A change, and the file with the new content unless the file itself has to be written to.
struct Prepared<'a> {
    change: Change,
    beside: Option<Beside<'a>>,
}

fn prepare(files: &Files, changes: Vec<Change>) -> Result<Vec<Prepared<'_>>, OpenError> {
    let prepare = |change| {
        let beside = Beside::for_original(files, &change)?;
        Ok(Prepared { change, beside })
    };
    changes.into_iter().map(prepare).collect()
}

fn commit(files: &Files, prepared: Vec<Prepared<'_>>) -> Result<(), ToolError> {
    let mut done: Vec<Original> = Vec::new();
    for Prepared { change, beside } in prepared {
        let Change { original, content } = change;
        let placed = beside.map(|beside| beside.take_place_of(&original.path, Existing::Replace));
        let written = match placed {
            Some(Err(error)) if !is_impossible(&error) => Err(error),
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => write_into(&original, &content),
        };
        if let Err(error) = written {
            let lost: Vec<_> = done.iter().filter(|done| !put_back(files, done)).collect();
            let lost: Vec<_> = lost.iter().map(|original| original.path.as_str()).collect();
            return Err(failed_after(&error, &lost));
        }
        done.push(original);
    }
    Ok(())
}

/// Makes a file with this content; missing directories are not made. Needs `create`.
pub(super) fn create(files: &Files, path: &Utf8Path, content: &[u8]) -> Result<(), OpenError> {
    if let Some(beside) = Beside::new(files, path, content)? {
        let kept = beside.take_place_of(path, Existing::Keep);
        // Some file systems cannot rename without replacing.
        let unable = |error: &OpenError| {
            matches!(error, OpenError::Io { source, .. }
                if matches!(source.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported))
        };
        if !kept.as_ref().is_err_and(unable) {
            return kept;
        }
    }
    let mut file = files.create(path)?;
    file.write_all(content).and_then(|()| file.sync_all()).map_err(|source| {
        let _best_effort = files.remove_file(path);
        io_error(path, source)
    })
}

/// A new file beside the one whose place it will take. Dropped before that, it is removed.
#[derive(Debug)]
struct Beside<'a> {
    files: &'a Files,
    path: Utf8PathBuf,
    is_moved: bool,
}

impl<'a> Beside<'a> {
    /// `None` where the file itself has to be written to.
    fn for_original(files: &'a Files, change: &Change) -> Result<Option<Self>, OpenError> {
        let Change { original, content } = change;
        if original.held.state.links > 1 {
            return Ok(None);
        }
        let Some((beside, file)) = Self::make(files, &original.path)? else {
            return Ok(None);
        };
        let failed = |source| io_error(&original.path, source);
        let state = State::of(&file).map_err(failed)?;
        if state.owner != original.held.state.owner {
            return Ok(None);
        }
        let mode = original.held.file.metadata().map_err(failed)?.permissions();
        file.set_permissions(mode).and_then(|()| fill(file, content)).map_err(failed)?;
        Ok(Some(beside))
    }

    /// `None` where nothing can be made beside the path.
    fn new(files: &'a Files, path: &Utf8Path, content: &[u8]) -> Result<Option<Self>, OpenError> {
        let Some((beside, file)) = Self::make(files, path)? else {
            return Ok(None);
        };
        fill(file, content).map_err(|source| io_error(path, source))?;
        Ok(Some(beside))
    }

    fn make(files: &'a Files, path: &Utf8Path) -> Result<Option<(Self, File)>, OpenError> {
        for number in 0..ATTEMPTS {
            let name = format!(".jp-{}-{number}.tmp", process::id());
            let beside = path.with_file_name(name);
            if !may_take_place(files, &beside, path) {
                return Ok(None);
            }
            match files.create(&beside) {
                Ok(file) => {
                    return Ok(Some((Self { files, path: beside, is_moved: false }, file)));
                }
                Err(OpenError::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {}
                Err(error) if is_impossible(&error) => return Ok(None),
                Err(error) => return Err(named(error, path)),
            }
        }
        Ok(None)
    }

    fn take_place_of(mut self, path: &Utf8Path, existing: Existing) -> Result<(), OpenError> {
        self.files.rename(&self.path, path, existing).map_err(|error| named(error, path))?;
        self.is_moved = true;
        Ok(())
    }
}

impl Drop for Beside<'_> {
    fn drop(&mut self) {
        if !self.is_moved {
            let _best_effort = self.files.remove_file(&self.path);
        }
    }
}

/// Whether nothing can be made beside a file or take its place, although the file itself may well be
/// written to: its directory is closed, or, in a sandbox, it is mounted by itself.
fn is_impossible(error: &OpenError) -> bool {
    let kinds = [
        ErrorKind::PermissionDenied,
        ErrorKind::ReadOnlyFilesystem,
        ErrorKind::ResourceBusy,
        ErrorKind::CrossesDevices,
    ];
    matches!(error, OpenError::Io { source, .. } if kinds.contains(&source.kind()))
}

/// Whether the rules let a file be made here and renamed to the path.
fn may_take_place(files: &Files, beside: &Utf8Path, path: &Utf8Path) -> bool {
    files.policy().is_none_or(|policy| {
        let moves = policy.can_create(beside) && policy.can_delete(beside);
        moves && (policy.can_read(beside) || !policy.can_read(path))
    })
}

fn fill(mut file: File, content: &[u8]) -> io::Result<()> {
    file.write_all(content)?;
    file.sync_all()
}

/// Writes into the file itself. What was there is written back if that fails.
fn write_into(original: &Original, content: &[u8]) -> Result<(), OpenError> {
    overwrite(&original.held.file, content).map_err(|source| {
        if let Some(before) = &original.content {
            let _best_effort = overwrite(&original.held.file, before);
        }
        io_error(&original.path, source)
    })
}

fn overwrite(mut file: &File, content: &[u8]) -> io::Result<()> {
    file.rewind()?;
    file.write_all(content)?;
    file.set_len(u64::try_from(content.len()).unwrap_or(u64::MAX))?;
    file.sync_all()
}

/// Gives a file that was changed its old content, and says whether that worked.
fn put_back(files: &Files, original: &Original) -> bool {
    let Some(content) = &original.content else {
        return false;
    };
    files.update(&original.path).is_ok_and(|file| overwrite(&file, content).is_ok())
}

/// The same error about the file that matters, not about the one beside it.
fn named(error: OpenError, path: &Utf8Path) -> OpenError {
    match error {
        OpenError::Io { source, .. } => io_error(path, source),
        OpenError::Access(FsAccessError::Denied { capability, grants, covered, .. }) => {
            FsAccessError::Denied { capability, target: path.to_owned(), grants, covered }.into()
        }
        other @ OpenError::Access(_) => other,
    }
}

fn io_error(path: &Utf8Path, source: io::Error) -> OpenError {
    OpenError::Io { path: path.to_owned(), source }
}

#[cfg(test)]
mod tests;
