//! Files that the tool opens itself, under the policy of its call.
//!
//! Everything goes through [`Files`], which judges and opens as one act; no path is joined with the
//! root. In a sandbox, places with different rules are different file systems, so what cannot be
//! renamed from one to the other is carried.

mod write;

use std::{
    io::{self, ErrorKind, Read as _},
    num::NonZero,
    thread,
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{
    Call, Context, JsonSchema, Reply, Stop, ToolEntry, ToolError,
    access::{
        AccessPolicy, Capability,
        path::{Contents, Directory, Entry, Existing, Files, Kind, OpenError, Root},
    },
    vfs::{FsGrep, FsGrepResult},
};
use serde::de::DeserializeOwned;

use self::write::Held;
use super::{Change, Content, Deleted, Original, Place, PlaceError, Presence, Way};
use crate::{git, text, walk::Tree};

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
    /// `None`: the sandbox shows nothing of the workspace, because no rule lets anything be seen.
    files: Option<Files>,
    context: Context,
}

impl Tree for Direct {
    type Dir = Directory;
    type File = Contents;

    fn policy(&self) -> Option<&AccessPolicy> {
        self.context.access.as_ref()
    }

    fn threads(&self) -> usize {
        thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS)
    }

    fn kind(&self, path: &Utf8Path) -> Result<Kind, PlaceError> {
        Ok(self.seen(Capability::Read, path)?.metadata(path)?.kind)
    }

    fn canonical(&self, path: &Utf8Path) -> Result<Utf8PathBuf, PlaceError> {
        Ok(self.seen(Capability::Read, path)?.root().resolve(path)?.relative().to_owned())
    }

    fn open(&self, path: &Utf8Path) -> Result<Contents, PlaceError> {
        Ok(self.seen(Capability::Read, path)?.read(path)?.into())
    }

    fn dir(&self, path: &Utf8Path) -> Result<Directory, PlaceError> {
        Ok(self.seen(Capability::Read, path)?.directory(path)?)
    }

    fn path_of<'a>(&self, dir: &'a Directory) -> &'a Utf8Path {
        dir.path()
    }

    fn entries(&self, dir: &Directory) -> Result<Vec<Entry>, PlaceError> {
        let failed = |source: io::Error| PlaceError::system(dir.path(), source);
        dir.entries()?.map(|entry| entry.map_err(failed)).collect()
    }

    fn open_in(&self, dir: &Directory, name: &str) -> Result<Contents, PlaceError> {
        Ok(self.seen(Capability::Read, dir.path())?.read_in(dir, name)?)
    }

    fn dir_in(&self, dir: &Directory, name: &str) -> Result<Directory, PlaceError> {
        Ok(self.seen(Capability::Read, dir.path())?.directory_in(dir, name)?)
    }

    fn leads_to_readable(&self, path: &Utf8Path) -> bool {
        self.files.as_ref().is_some_and(|files| files.metadata(path).is_ok())
    }
}

impl Place for Direct {
    type Held = Held;

    fn check(&self, capability: Capability, path: &Utf8Path) -> Result<(), PlaceError> {
        self.seen(capability, path)?;
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
        // Where nothing is seen, only the attempt to make it says what is granted.
        let Some(files) = &self.files else { return Ok(Presence::Nothing) };
        let is_there = files.root().resolve(path)?.exists();
        Ok(if is_there { Presence::There } else { Presence::Nothing })
    }

    fn is_dir(&self, path: &Utf8Path) -> bool {
        self.files.as_ref().is_some_and(|files| files.list(path).is_ok())
    }

    fn create(&self, path: &Utf8Path, content: &[u8]) -> Result<(), PlaceError> {
        let files = self.seen(Capability::Create, path)?;
        let create = || {
            self.make_parents(files, path)?;
            Ok(write::create(files, path, content)?)
        };
        create().map_err(|error| self.explained(Capability::Create, path, error))
    }

    fn original(&self, path: &str, max: u64) -> Result<Original<Held>, PlaceError> {
        let wanted = Utf8Path::new(path);
        let files = self.seen(Capability::Update, wanted)?;
        let opened = write::open(files, path, max).map_err(PlaceError::from);
        opened.map_err(|error| self.explained(Capability::Update, wanted, error))
    }

    fn replace(&self, changes: Vec<Change<Held>>) -> Result<(), ToolError> {
        match &self.files {
            Some(files) => write::replace(files, changes),
            // There is nothing to change: an original comes from files.
            None => Ok(()),
        }
    }

    fn delete(&self, path: &Utf8Path) -> Result<Deleted, PlaceError> {
        let files = self.seen(Capability::Delete, path)?;
        delete(files, path).map_err(|error| self.explained(Capability::Delete, path, error))
    }

    fn rename(&self, from: &Utf8Path, to: &Utf8Path, existing: Existing) -> Result<(), PlaceError> {
        let files = self.seen(Capability::Delete, from)?;
        let is_there = files.root().resolve(from)?.exists();
        let renamed = match rename_or_carry(files, from, to, existing) {
            // If it is not the source that is missing, it is a directory on the way to the target.
            Err(error) if error.is_missing() && is_there => self
                .make_parents(files, to)
                .and_then(|()| rename_or_carry(files, from, to, existing)),
            renamed => renamed,
        };
        let (wanted, path) =
            if is_there { (Capability::Create, to) } else { (Capability::Delete, from) };
        renamed.map_err(|error| self.explained(wanted, path, error))
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
        let access = context.access.clone();
        let has_rules = access.as_ref().is_some_and(|access| !access.fs.is_empty());
        let files = match Root::open(&context.root) {
            Ok(root) => Some(Files::new(root, access)),
            Err(error) if has_rules && error.kind() == ErrorKind::NotFound => None,
            Err(error) => {
                let message = format!("cannot open the workspace {}: {error}", context.root);
                return Err(ToolError::new(message));
            }
        };
        Ok(Self { files, context })
    }

    /// The files, if anything of them can be seen.
    fn seen(&self, wanted: Capability, path: &Utf8Path) -> Result<&Files, PlaceError> {
        self.files.as_ref().ok_or_else(|| match &self.context.access {
            Some(access) => match access.check(wanted, path) {
                Ok(()) => hidden(access, wanted, path),
                Err(denied) => beside_update(access, path, denied.into()),
            },
            None => PlaceError::system(path, ErrorKind::NotFound),
        })
    }

    /// An error of the system that is the sandbox's doing, in the words of the rules.
    fn explained(&self, wanted: Capability, path: &Utf8Path, error: PlaceError) -> PlaceError {
        let Some(files) = &self.files else { return error };
        let Ok(resolved) = files.root().resolve(path) else { return error };
        let path = resolved.relative();
        let access = self.context.access.as_ref().filter(|access| !access.can_read(path));
        let refused = [ErrorKind::ReadOnlyFilesystem, ErrorKind::PermissionDenied];
        match access {
            Some(access) if wanted == Capability::Create && error.is_denied() => {
                beside_update(access, path, error)
            }
            Some(access) if error.is_missing() || error.is_any(&refused) => {
                match access.check(wanted, path) {
                    Ok(()) => hidden(access, wanted, path),
                    Err(_) => error,
                }
            }
            _ if error.is_any(&[ErrorKind::ReadOnlyFilesystem]) && is_of_jp(path) => {
                PlaceError::Other(ToolError::new(format!(
                    "{} is protected: it belongs to the settings of jp, which are changed only where \
                     a rule names them",
                    text::name(path.as_str())
                )))
            }
            _ => error,
        }
    }

    /// Makes the directories above a path that is to be made. Needs `create` on each, and on the path;
    /// without, nothing is made.
    fn make_parents(&self, files: &Files, path: &Utf8Path) -> Result<(), PlaceError> {
        self.context.check_create(path)?;
        let root = files.root();
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
            match files.create_dir(dir) {
                // Somebody else was faster.
                Err(OpenError::Io { source, .. }) if source.kind() == ErrorKind::AlreadyExists => {}
                made => made?,
            }
        }
        Ok(())
    }
}

fn delete(files: &Files, path: &Utf8Path) -> Result<Deleted, PlaceError> {
    let Err(error) = files.remove_file(path) else {
        return Ok(Deleted::File);
    };
    let error = PlaceError::from(error);
    // Linux says the first of a directory, other systems the second.
    if !error.is_any(&[ErrorKind::IsADirectory, ErrorKind::PermissionDenied]) {
        return Err(error);
    }
    match files.remove_dir(path).map_err(PlaceError::from) {
        Ok(()) => Ok(Deleted::Directory),
        Err(other) if other.is_any(&[ErrorKind::NotADirectory]) => Err(error),
        Err(other) => Err(other),
    }
}

fn rename_or_carry(
    files: &Files,
    from: &Utf8Path,
    to: &Utf8Path,
    existing: Existing,
) -> Result<(), PlaceError> {
    match files.rename(from, to, existing).map_err(PlaceError::from) {
        Err(error) if error.is_any(&[ErrorKind::CrossesDevices]) => {
            carry(files, from, to, existing).map_err(PlaceError::Other)
        }
        renamed => renamed,
    }
}

/// Moves a file by copying it. It is removed when the copy is whole.
fn carry(
    files: &Files,
    from: &Utf8Path,
    to: &Utf8Path,
    existing: Existing,
) -> Result<(), ToolError> {
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

/// What is granted without `read`: the rules allow it, and the sandbox cannot.
fn hidden(access: &AccessPolicy, wanted: Capability, path: &Utf8Path) -> PlaceError {
    let grants: Vec<_> = access.fs.grants().iter().map(ToString::to_string).collect();
    PlaceError::Other(
        ToolError::new(format!(
            "access denied: {} on {} is granted without read, and what cannot be read is hidden \
             from a tool that opens its files itself (granted: {})",
            wanted.as_str(),
            text::name(path.as_str()),
            grants.join(", ")
        ))
        .because(READ_TOO),
    )
}

/// A refusal to make something that may be there, unseen, and may be changed then.
fn beside_update(access: &AccessPolicy, path: &Utf8Path, denied: PlaceError) -> PlaceError {
    if !access.can_update(path) {
        return denied;
    }
    let note = "update is granted there without read, so nobody can see whether it exists";
    PlaceError::Other(ToolError::from(denied).because(note).because(READ_TOO))
}

/// What to do about rules that let something be changed and not read.
const READ_TOO: &str = "grant `read` too, or let the host open the files with `runtime = \"vfs\"`";

/// Whether a canonical path is one of those that hold the rules.
fn is_of_jp(path: &Utf8Path) -> bool {
    path.starts_with(".jp") || path == ".jp.toml"
}

impl Content for Contents {
    fn size(&self) -> io::Result<u64> {
        self.size()
    }

    fn rewind(&mut self) -> io::Result<()> {
        self.rewind()
    }
}
