//! `fs_move_file`: a file or directory under another name.

use camino::Utf8Path;
use jp_tool::{
    AnswerType, Call, JsonSchema, Question, Stop, ToolError,
    access::{Capability, path::Existing},
};
use serde::Deserialize;

use crate::{
    place::{self, Place, Presence},
    text,
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

pub(crate) fn move_file<P: Place>(args: MoveFile, call: &Call, place: &P) -> Result<String, Stop> {
    place::check_file_name(&args.target)?;
    place::check_not_root(&args.source, &call.context.root)?;
    let (from, to) = (Utf8Path::new(&args.source), Utf8Path::new(&args.target));
    let shown = |path: &str| text::name(path).into_owned();
    let (from_shown, to_shown) = (shown(&args.source), shown(&args.target));
    place.check(Capability::Delete, from)?;
    let presence = place.presence(to)?;
    let ask = || ask_to_replace(place, call, to, &from_shown, &to_shown);
    let existing = if presence == Presence::There { ask()? } else { Existing::Keep };
    match place.rename(from, to, existing) {
        Err(error) if presence == Presence::Unknown && error.is_present() => {
            place.rename(from, to, ask()?)?;
        }
        moved => moved?,
    }
    Ok(format!("Moved {from_shown} to {to_shown}."))
}

/// Whoever names a directory as the target may mean a place inside it, or its place.
fn ask_to_replace<P: Place>(
    place: &P,
    call: &Call,
    to: &Utf8Path,
    from_shown: &str,
    to_shown: &str,
) -> Result<Existing, Stop> {
    place.check(Capability::Update, to)?;
    if place.is_dir(to) {
        let message = format!("{to_shown} is a directory: give the new path with the name in it");
        return Err(ToolError::new(message).into());
    }
    let text = format!("{to_shown} exists. Replace it by {from_shown}?");
    if call.ask::<bool>(Question::new("overwrite_file", text, AnswerType::Boolean))? {
        return Ok(Existing::Replace);
    }
    Err(ToolError::new(format!("{to_shown} exists and was not replaced")).into())
}
