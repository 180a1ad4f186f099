//! Files that the tool opens itself, under the policy of its call.
//!
//! Everything goes through [`Files`], which judges and opens as one act; no path is joined with the
//! root. In a sandbox, places with different rules are different file systems, so what cannot be
//! renamed from one to the other is carried.

mod write;

use std::{
    fs::File,
    io::{self, ErrorKind, Read as _},
    num::NonZero,
    thread,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{
    Call, Context, JsonSchema, Reply, Stop, ToolEntry, ToolError,
    access::{
        AccessPolicy, Capability,
        path::{Directory, Entry, Existing, Files, Kind, OpenError, Root},
    },
    vfs::{FsGrep, FsGrepResult},
};
use serde::de::DeserializeOwned;

use self::write::Held;
use super::{Change, Content, Deleted, Original, Place, PlaceError, Presence, Way};
use crate::{git, walk::Tree};

/// More threads wait for the disk rather than work.
const MAX_THREADS: usize = 12;

/// Tools beside the files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Beside;

impl Way for Beside {
    type Start = Call;
    type Place = Direct;

    fn tool<A, R, E>(name: &str, tool: fn(A, &Call, &Direct) -> Result<R, E>) -> ToolEntry
    where
        A: DeserializeOwned + JsonSchema + 'static,
        R: Into<Reply> + 'static,
        E: Into<Stop> + From<ToolError> + 'static,
    {
        jp_tool::tool(name, move |arguments, call: &Call| {
            tool(arguments, call, &Direct::open(call)?)
        })
    }
}

/// The files below the root of a call.
#[derive(Debug)]
pub(crate) struct Direct {
    files: Files,
    context: Context,
}

impl Tree for Direct {
    type Dir = Directory;
    type File = File;

    fn policy(&self) -> Option<&AccessPolicy> {
        self.files.policy()
    }

    fn threads(&self) -> usize {
        thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS)
    }

    fn kind(&self, path: &Utf8Path) -> Result<Kind, PlaceError> {
        Ok(self.files.metadata(path)?.kind)
    }

    fn canonical(&self, path: &Utf8Path) -> Result<Utf8PathBuf, PlaceError> {
        Ok(self.files.root().resolve(path)?.relative().to_owned())
    }

    fn open(&self, path: &Utf8Path) -> Result<File, PlaceError> {
        Ok(self.files.read(path)?)
    }

    fn dir(&self, path: &Utf8Path) -> Result<Directory, PlaceError> {
        Ok(self.files.directory(path)?)
    }

    fn path_of<'a>(&self, dir: &'a Directory) -> &'a Utf8Path {
        dir.path()
    }

    fn entries(&self, dir: &Directory) -> Result<Vec<Entry>, PlaceError> {
        let failed = |source: io::Error| PlaceError::system(dir.path(), source);
        dir.entries()?.map(|entry| entry.map_err(failed)).collect()
    }

    fn open_in(&self, dir: &Directory, name: &str) -> Result<File, PlaceError> {
        Ok(self.files.read_in(dir, name)?)
    }

    fn dir_in(&self, dir: &Directory, name: &str) -> Result<Directory, PlaceError> {
        Ok(self.files.directory_in(dir, name)?)
    }

    fn leads_to_readable(&self, path: &Utf8Path) -> bool {
        self.files.metadata(path).is_ok()
    }
}

impl Place for Direct {
    type Held = Held;

    fn check(&self, capability: Capability, path: &Utf8Path) -> Result<(), PlaceError> {
        match capability {
            Capability::Read => self.context.check_read(path),
            Capability::Create => self.context.check_create(path),
            Capability::Update => self.context.check_update(path),
            Capability::Delete => self.context.check_delete(path),
            Capability::Execute => self.context.check_execute(path),
        }?;
        Ok(())
    }

    fn presence(&self, path: &Utf8Path) -> Result<Presence, PlaceError> {
        let is_there = self.files.root().resolve(path)?.exists();
        Ok(if is_there { Presence::There } else { Presence::Nothing })
    }

    fn is_dir(&self, path: &Utf8Path) -> bool {
        self.files.list(path).is_ok()
    }

    fn create(&self, path: &Utf8Path, content: &[u8]) -> Result<(), PlaceError> {
        self.make_parents(path)?;
        Ok(write::create(&self.files, path, content)?)
    }

    fn original(&self, path: &str, max: u64) -> Result<Original<Held>, PlaceError> {
        Ok(write::open(&self.files, path, max)?)
    }

    fn replace(&self, changes: Vec<Change<Held>>) -> Result<(), ToolError> {
        write::replace(&self.files, changes)
    }

    fn delete(&self, path: &Utf8Path) -> Result<Deleted, PlaceError> {
        let Err(error) = self.files.remove_file(path) else {
            return Ok(Deleted::File);
        };
        let error = PlaceError::from(error);
        // Linux says the first of a directory, other systems the second.
        if !error.is_any(&[ErrorKind::IsADirectory, ErrorKind::PermissionDenied]) {
            return Err(error);
        }
        match self.files.remove_dir(path).map_err(PlaceError::from) {
            Ok(()) => Ok(Deleted::Directory),
            Err(other) if other.is_any(&[ErrorKind::NotADirectory]) => Err(error),
            Err(other) => Err(other),
        }
    }

    fn rename(&self, from: &Utf8Path, to: &Utf8Path, existing: Existing) -> Result<(), PlaceError> {
        let is_there = self.files.root().resolve(from)?.exists();
        match self.rename_or_carry(from, to, existing) {
            // If it is not the source that is missing, it is a directory on the way to the target.
            Err(error) if error.is_missing() && is_there => {
                self.make_parents(to)?;
                self.rename_or_carry(from, to, existing)
            }
            renamed => renamed,
        }
    }

    fn is_dirty(&self, canonical: &Utf8Path) -> bool {
        git::is_dirty(&self.context, canonical)
    }

    fn grep(&self, _query: &FsGrep) -> Result<Option<FsGrepResult>, PlaceError> {
        Ok(None)
    }
}

impl Direct {
    fn open(call: &Call) -> Result<Self, ToolError> {
        let context = call.context.clone();
        let root = Root::open(&context.root).map_err(|error| {
            ToolError::new(format!("cannot open the workspace {}: {error}", context.root))
        })?;
        Ok(Self { files: Files::new(root, context.access.clone()), context })
    }

    /// Makes the directories above a path that is to be made. Needs `create` on each, and on the path;
    /// without, nothing is made.
    fn make_parents(&self, path: &Utf8Path) -> Result<(), PlaceError> {
        self.context.check_create(path)?;
        let root = self.files.root();
        let canonical = root.resolve(path)?.relative().to_owned();
        let mut missing: Vec<Utf8PathBuf> = Vec::new();
        for dir in canonical.ancestors().skip(1).filter(|dir| !dir.as_str().is_empty()) {
            if root.resolve(dir)?.exists() {
                break;
            }
            self.context.check_create(dir)?;
            missing.push(dir.to_owned());
        }
        for dir in missing.iter().rev() {
            match self.files.create_dir(dir) {
                // Somebody else was faster.
                Err(OpenError::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {}
                made => made?,
            }
        }
        Ok(())
    }

    fn rename_or_carry(
        &self,
        from: &Utf8Path,
        to: &Utf8Path,
        existing: Existing,
    ) -> Result<(), PlaceError> {
        match self.files.rename(from, to, existing).map_err(PlaceError::from) {
            Err(error) if error.is_any(&[ErrorKind::CrossesDevices]) => {
                self.carry(from, to, existing).map_err(PlaceError::Other)
            }
            renamed => renamed,
        }
    }

    /// Moves a file by copying it. It is removed when the copy is whole.
    fn carry(&self, from: &Utf8Path, to: &Utf8Path, existing: Existing) -> Result<(), ToolError> {
        let files = &self.files;
        let mut source = files.read(from)?;
        let data = source.metadata()?;
        if !data.is_file() {
            return Err(ToolError::new(format!(
                "{from} is no file, and has other rules than {to}: move the files in it one by one"
            )));
        }
        match existing {
            Existing::Replace => {
                let original = write::open(files, to.as_str(), 0)?;
                let mut content = Vec::new();
                source.read_to_end(&mut content)?;
                write::replace(files, vec![Change { original, content }])?;
            }
            Existing::Keep => {
                let mut target = files.create(to)?;
                let copied = io::copy(&mut source, &mut target)
                    .and_then(|_| target.set_permissions(data.permissions()))
                    .and_then(|()| target.sync_all());
                if let Err(error) = copied {
                    let _best_effort = files.remove_file(to);
                    return Err(error.into());
                }
            }
        }
        Ok(files.remove_file(from)?)
    }
}

impl Content for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }

    fn rewind(&mut self) -> io::Result<()> {
        io::Seek::rewind(self)
    }
}
