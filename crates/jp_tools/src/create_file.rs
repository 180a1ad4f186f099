//! `fs_create_file`: a file with this content, and the directories it needs.
//!
//! Everything is judged before the first directory is made, so that a refusal leaves nothing behind.
//! A file that is there already is not overwritten without asking.

use camino::Utf8Path;
use jp_tool::{AnswerType, Call, JsonSchema, Question, Stop, ToolError};
use serde::Deserialize;

use crate::{
    diff,
    place::{self, Change, Original, Place, Presence},
    text,
};

/// The largest file of which the old content is shown, and put back if something fails.
const MAX_SHOWN: u64 = 1 << 20;

/// Create a file.
///
/// Missing directories are created too. If the file exists, a person is asked whether to overwrite
/// it; to change parts of a file, use `fs_modify_file`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct CreateFile {
    /// Where to create it, relative to the root of the workspace.
    path: String,
    /// The whole content. Text files should end with a newline.
    #[serde(default)]
    content: String,
}

pub(crate) fn create_file<P: Place>(
    args: CreateFile,
    call: &Call,
    place: &P,
) -> Result<String, Stop> {
    place::check_file_name(&args.path)?;
    let path = Utf8Path::new(&args.path);
    let presence = place.presence(path)?;
    if presence == Presence::There {
        return overwrite(args, call, place);
    }
    match place.create(path, args.content.as_bytes()) {
        Err(error) if presence == Presence::Unknown && error.is_present() => {
            overwrite(args, call, place)
        }
        created => {
            created?;
            let (shown, lines) = (text::name(&args.path), lines(&args.content));
            Ok(format!("Created {shown} ({lines})."))
        }
    }
}

/// The file as it would be.
pub(crate) fn show<C>(args: CreateFile, _call: &C) -> String {
    format!("Create `{}`:\n\n{}", args.path, diff::unified(&args.path, "", &args.content, true))
}

fn overwrite<P: Place>(args: CreateFile, call: &Call, place: &P) -> Result<String, Stop> {
    let (shown, lines) = (text::name(&args.path), lines(&args.content));
    let original = place.original(&args.path, MAX_SHOWN)?;
    if original.content.as_deref() == Some(args.content.as_bytes()) {
        return Ok(format!("{shown} has this content already."));
    }
    if !call.ask::<bool>(question(&shown, &original, &args.content))? {
        return Err(ToolError::new(format!("{shown} exists and was not overwritten")).into());
    }
    let content = args.content.clone().into_bytes();
    place.replace(vec![Change { original, content }])?;
    Ok(format!("Overwrote {shown} ({lines})."))
}

fn lines(content: &str) -> String {
    text::count(content.lines().count(), "line", "lines")
}

fn question<H>(path: &str, original: &Original<H>, content: &str) -> Question {
    let before = original.content.as_deref().map(std::str::from_utf8);
    let pre_amble = if let Some(Ok(before)) = before {
        diff::unified(path, before, content, false)
    } else {
        let size = original.len.map_or("an unknown number of".to_owned(), |len| len.to_string());
        format!("{path} has {size} bytes; the new content has {}.", content.len())
    };
    let text = format!("{path} exists. Overwrite it?");
    Question {
        pre_amble: Some(pre_amble),
        ..Question::new("overwrite_file", text, AnswerType::Boolean)
    }
}
