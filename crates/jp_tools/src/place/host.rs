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

use camino::Utf8Path;
use jp_tool::{
    Call, Context, Invocation, JsonSchema, Reply, Stop, ToolEntry, ToolError,
    access::{AccessPolicy, path::Kind},
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
        match error.code() {
            Some(ErrorCode::NotFound) if self.is_below_file(path) => {
                PlaceError::system(path, Errno::NOTDIR)
            }
            Some(ErrorCode::NotFound) => PlaceError::system(path, Errno::NOENT),
            Some(ErrorCode::AlreadyExists) => PlaceError::system(path, Errno::EXIST),
            Some(ErrorCode::AccessDenied) => PlaceError::Refused(self.refusal(&error.to_string())),
            _ => PlaceError::Other(ToolError::from_error(error)),
        }
    }

    /// A refusal in the words of a tool beside the files: what is granted is listed by path alone.
    fn refusal(&self, message: &str) -> String {
        let granted = ["; granted: ", "; nothing is granted"];
        let Some((what, _)) = granted.iter().find_map(|words| message.split_once(words)) else {
            return message.to_owned();
        };
        let grants = self.policy.as_ref().map(|policy| policy.fs.grants()).unwrap_or_default();
        let grants: Vec<_> = grants.iter().map(|path| path.as_str()).collect();
        let grants = if grants.is_empty() { "nothing".to_owned() } else { grants.join(", ") };
        format!("{what} (granted: {grants})")
    }

    /// What a refusal means where a file was meant.
    fn failed_on_file(&self, path: &Utf8Path, error: &VfsError) -> PlaceError {
        let is_unnamed = matches!(self.failed(path, error), PlaceError::Other(_));
        if is_unnamed && self.looks_like(path, Kind::Directory) {
            return PlaceError::system(path, Errno::ISDIR);
        }
        self.failed(path, error)
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
}
