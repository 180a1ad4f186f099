//! The files of the workspace that a call may use.

use jp_tool::{
    Call, ToolError,
    access::path::{Files, OpenError, Root},
};

use crate::text;

/// The files below the root of the call, under its policy.
pub(crate) fn files(call: &Call) -> Result<Files, ToolError> {
    let root = Root::open(&call.context.root).map_err(|error| {
        ToolError::new(format!("cannot open the workspace {}: {error}", call.context.root))
    })?;
    Ok(Files::new(root, call.context.access.clone()))
}

/// Refuses a name for a new file that can only be one of a directory.
pub(crate) fn check_file_name(path: &str) -> Result<(), ToolError> {
    if path.ends_with('/') || path.ends_with("/.") || path.ends_with("/..") {
        let path = text::name(path);
        return Err(ToolError::new(format!(
            "{path} names a directory: give the name of the file too"
        )));
    }
    Ok(())
}

/// Whether the reason is that nothing is there.
pub(crate) fn is_missing(error: &OpenError) -> bool {
    matches!(error, OpenError::Io { source, .. } if source.kind() == std::io::ErrorKind::NotFound)
}
