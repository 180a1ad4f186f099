//! `fs_delete_file`: a file is gone, or it is said why not.

use camino::Utf8Path;
use jp_tool::{Call, JsonSchema, ToolError};
use serde::Deserialize;

use crate::{
    place::{self, Deleted, Place},
    text,
};

/// Delete a file or an empty directory.
///
/// Of a symbolic link, the link itself is deleted.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct DeleteFile {
    /// What to delete, relative to the root of the workspace.
    path: String,
}

pub(crate) fn delete_file<P: Place>(
    args: DeleteFile,
    call: &Call,
    place: &P,
) -> Result<String, ToolError> {
    place::check_not_root(&args.path, &call.context.root)?;
    let what = match place.delete(Utf8Path::new(&args.path))? {
        Deleted::File => "file",
        Deleted::Directory => "directory",
    };
    Ok(format!("Deleted the {what} {}.", text::name(&args.path)))
}
