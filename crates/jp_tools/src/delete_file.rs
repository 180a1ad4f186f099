//! `fs_delete_file`: a file is gone, or it is said why not.

use std::io::ErrorKind;

use camino::Utf8Path;
use jp_tool::{
    Call, JsonSchema, ToolError,
    access::path::{Files, OpenError},
};
use serde::Deserialize;

use crate::{text, workspace};

/// Delete a file or an empty directory.
///
/// Of a symbolic link, the link itself is deleted.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DeleteFile {
    /// What to delete, relative to the root of the workspace.
    path: String,
}

pub(crate) fn delete_file(args: DeleteFile, call: &Call) -> Result<String, ToolError> {
    let files = workspace::files(call)?;
    let what = delete(&files, Utf8Path::new(&args.path))?;
    Ok(format!("Deleted the {what} {}.", text::name(&args.path)))
}

fn delete(files: &Files, path: &Utf8Path) -> Result<&'static str, OpenError> {
    let Err(error) = files.remove_file(path) else {
        return Ok("file");
    };
    // Linux says the first of a directory, other systems the second.
    if !is_any(&error, &[ErrorKind::IsADirectory, ErrorKind::PermissionDenied]) {
        return Err(error);
    }
    match files.remove_dir(path) {
        Ok(()) => Ok("directory"),
        Err(other) if is_any(&other, &[ErrorKind::NotADirectory]) => Err(error),
        Err(other) => Err(other),
    }
}

fn is_any(error: &OpenError, kinds: &[ErrorKind]) -> bool {
    matches!(error, OpenError::Io { source, .. } if kinds.contains(&source.kind()))
}
