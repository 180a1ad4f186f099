//! `fs_move_file`: a file or directory under another name.

use std::io::{self, ErrorKind, Read as _};

use camino::Utf8Path;
use jp_tool::{
    AnswerType, Call, JsonSchema, Question, Stop, ToolError,
    access::path::{Existing, Files, OpenError},
};
use serde::Deserialize;

use crate::{
    create_file::make_parents,
    text,
    workspace::{self, is_missing},
    write::{self, Change, Original},
};

/// Move or rename a file or directory.
///
/// Missing directories on the way to the new path are created. If a file has the new path already, a
/// person is asked whether to replace it.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct MoveFile {
    /// What to move, relative to the root of the workspace.
    source: String,
    /// The new path with the new name, relative to the root of the workspace.
    target: String,
}

pub(crate) fn move_file(args: MoveFile, call: &Call) -> Result<String, Stop> {
    workspace::check_file_name(&args.target)?;
    let files = workspace::files(call)?;
    let (from, to) = (Utf8Path::new(&args.source), Utf8Path::new(&args.target));
    let shown = |path: &str| text::name(path).into_owned();
    let (from_shown, to_shown) = (shown(&args.source), shown(&args.target));
    call.context.check_delete(from)?;
    let is_there = files.root().resolve(from)?.exists();
    let mut existing = Existing::Keep;
    if files.root().resolve(to)?.exists() {
        call.context.check_update(to)?;
        check_is_file(&files, to, &to_shown)?;
        let text = format!("{to_shown} exists. Replace it by {from_shown}?");
        if !call.ask::<bool>(Question::new("overwrite_file", text, AnswerType::Boolean))? {
            return Err(ToolError::new(format!("{to_shown} exists and was not replaced")).into());
        }
        existing = Existing::Replace;
    }
    match files.rename(from, to, existing) {
        // If it is not the source that is missing, it is a directory on the way to the target.
        Err(error) if is_missing(&error) && is_there => {
            make_parents(&files, call, to)?;
            move_or_carry(&files, from, to, existing)?;
        }
        Err(error) if is_elsewhere(&error) => carry(&files, from, to, existing)?,
        moved => moved?,
    }
    Ok(format!("Moved {from_shown} to {to_shown}."))
}

fn move_or_carry(
    files: &Files,
    from: &Utf8Path,
    to: &Utf8Path,
    existing: Existing,
) -> Result<(), ToolError> {
    match files.rename(from, to, existing) {
        Err(error) if is_elsewhere(&error) => carry(files, from, to, existing),
        moved => Ok(moved?),
    }
}

/// Whether nothing can be renamed from one of the places to the other: in a sandbox, places with
/// different rules are different file systems.
fn is_elsewhere(error: &OpenError) -> bool {
    matches!(error, OpenError::Io { source, .. } if source.kind() == ErrorKind::CrossesDevices)
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
            let original = Original::open(files, to.as_str(), 0)?;
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

/// Whoever names a directory as the target may mean a place inside it, or its place.
fn check_is_file(files: &Files, to: &Utf8Path, shown: &str) -> Result<(), ToolError> {
    match files.list(to) {
        Ok(_) => Err(ToolError::new(format!(
            "{shown} is a directory: give the new path with the name in it"
        ))),
        Err(OpenError::Io { .. } | OpenError::Access(_)) => Ok(()),
    }
}
