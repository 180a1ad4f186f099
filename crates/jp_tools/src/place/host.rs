//! Files that the host opens for a tool that is sealed off from them.
//!
//! Every step is a request, and the host judges each by where it leads at that moment. So a sequence of
//! requests has gaps in which others can act. Where that matters the last request is one that fails
//! rather than harms: a file is made only if there is none, and before one is given new content it is
//! read once more. A file that somebody changes between that look and the write loses the change; a
//! tool beside the files has the same gap, only shorter.
//!
//! The host tells less about an error than the system does. What it was is found out by asking, after
//! the fact, so that it is told in the same words as to a tool beside the files.

mod change;
mod file;
mod path;
mod tree;

use std::io::ErrorKind;

use camino::Utf8Path;
use jp_tool::{
    Call, Context, Invocation, JsonSchema, Reply, Stop, ToolEntry, ToolError,
    access::{
        AccessPolicy,
        path::{Entry, Kind},
    },
    vfs::{self, ErrorCode, VfsError, VfsHost},
};
use rustix::io::Errno;
use serde::de::DeserializeOwned;

pub(crate) use self::file::HostFile;
use super::{PlaceError, Way};
use crate::walk::Tree;

/// Tools that are sealed off from the files.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sealed;

impl Way for Sealed {
    type Start = VfsHost;
    type Place = HostPlace;

    fn tool<A, R, E>(
        name: &str,
        tool: fn(A, &Call, &HostPlace) -> Result<R, E>,
    ) -> ToolEntry<VfsHost>
    where
        A: DeserializeOwned + JsonSchema + 'static,
        R: Into<Reply> + 'static,
        E: Into<Stop> + From<ToolError> + 'static,
    {
        vfs::tool(name, move |arguments, host: &VfsHost| {
            let policy = host.init().context.access.clone();
            tool(arguments, &call(host), &HostPlace { host: host.clone(), policy })
        })
    }
}

/// The call as a tool beside the files would get it. There is no root that it could open.
fn call(host: &VfsHost) -> Call {
    let vfs::Init { tool, context, .. } = host.init().clone();
    let vfs::InitContext { action, workspace_id, conversation_id, access } = context;
    let context = Context { root: ".".into(), action, access, workspace_id, conversation_id };
    Call::split(Invocation { tool, context }).0
}

/// The files of one call.
#[derive(Debug)]
pub(crate) struct HostPlace {
    host: VfsHost,
    /// What the host said about the rules when it started the tool.
    policy: Option<AccessPolicy>,
}

impl HostPlace {
    /// What a refusal means.
    fn failed(&self, path: &Utf8Path, error: &VfsError) -> PlaceError {
        let message = error.to_string();
        match error.code() {
            Some(ErrorCode::NotFound) if self.is_below_file(path) => {
                PlaceError::system(path, Errno::NOTDIR)
            }
            Some(ErrorCode::NotFound) => PlaceError::system(path, Errno::NOENT),
            Some(ErrorCode::AlreadyExists) => PlaceError::system(path, Errno::EXIST),
            Some(ErrorCode::AccessDenied) => PlaceError::Refused(self.refusal(&message)),
            _ => match system_error(&message) {
                Some(errno) => PlaceError::system(path, errno),
                None => PlaceError::Other(ToolError::from_error(error)),
            },
        }
    }

    /// A refusal in the words of a tool beside the files: what is granted is listed by path alone.
    fn refusal(&self, message: &str) -> String {
        if let Some(path) = message.strip_prefix("access denied: ")
            && path.starts_with("path ")
        {
            return path.to_owned();
        }
        let granted = ["; granted: ", "; nothing is granted"];
        let Some((what, _)) = granted.iter().find_map(|words| message.split_once(words)) else {
            return message.to_owned();
        };
        let grants = self.policy.as_ref().map(|policy| policy.fs.grants()).unwrap_or_default();
        let grants: Vec<_> = grants.iter().map(|path| path.as_str()).collect();
        let grants = if grants.is_empty() { "nothing".to_owned() } else { grants.join(", ") };
        format!("{what} (granted: {grants})")
    }

    /// Whether a path leads to something of this kind, as far as it may be known.
    fn looks_like(&self, path: &Utf8Path, kind: Kind) -> bool {
        let may_look = path::lexical(path).is_ok_and(|path| self.may_read(&path));
        may_look && self.kind(path).is_ok_and(|found| found == kind)
    }

    fn is_below_file(&self, path: &Utf8Path) -> bool {
        let Ok(path) = path::lexical(path) else {
            return false;
        };
        path.ancestors()
            .skip(1)
            .filter(|dir| !dir.as_str().is_empty())
            .any(|dir| self.looks_like(dir, Kind::File))
    }

    /// Whether a path is known to have no link on it, so that the rules can be compared with it as it is
    /// written. Costs a look at each directory above it.
    fn is_plain(&self, canonical: &Utf8Path) -> bool {
        let dirs = canonical.ancestors().filter(|path| !path.as_str().is_empty() && *path != ".");
        dirs.into_iter().all(|path| {
            let name = path.file_name().unwrap_or_default();
            let parent = path.parent().filter(|dir| !dir.as_str().is_empty());
            let parent = parent.unwrap_or(Utf8Path::new("."));
            let is_link = |entry: &Entry| entry.name == name && entry.kind == Kind::Symlink;
            match self.may_read(parent).then(|| self.dir(parent)) {
                Some(Ok(dir)) => {
                    self.entries(&dir).is_ok_and(|entries| !entries.iter().any(is_link))
                }
                // In what is not there, there is no link.
                Some(Err(error)) => error.is_any(&[ErrorKind::NotFound, ErrorKind::NotADirectory]),
                None => false,
            }
        })
    }
}

/// Where a path leads to which the host refused to read, as it says itself.
fn refused_target(message: &str) -> Option<&str> {
    let target = message.strip_prefix("access denied: read on ")?;
    target.rsplit_once(" (granted: ").map(|(target, _)| target)
}

/// What the system would say where the host has a sentence, and no code, of its own.
fn system_error(message: &str) -> Option<Errno> {
    let sentences = [
        (": is a directory", Errno::ISDIR),
        (": is not a directory, or something above it is not", Errno::NOTDIR),
        (": the directory is not empty", Errno::NOTEMPTY),
        (": cannot be moved into itself", Errno::INVAL),
        ("the root of the project cannot be moved or deleted", Errno::BUSY),
    ];
    sentences.iter().find(|(end, _)| message.ends_with(end)).map(|(_, errno)| *errno)
}
