//! `fs_create_file`: a file with this content, and the directories it needs.
//!
//! Everything is judged before the first directory is made, so that a refusal leaves nothing behind.
//! A file that is there already is not overwritten without asking.

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::{
    AnswerType, Call, JsonSchema, Question, Stop, ToolError,
    access::path::{Files, OpenError},
};
use serde::Deserialize;

use crate::{
    diff, text, workspace,
    write::{self, Change, Original},
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

pub(crate) fn create_file(args: CreateFile, call: &Call) -> Result<String, Stop> {
    workspace::check_file_name(&args.path)?;
    let files = workspace::files(call)?;
    let shown = text::name(&args.path).into_owned();
    let lines = text::count(args.content.lines().count(), "line", "lines");
    if files.root().resolve(Utf8Path::new(&args.path)).map_err(OpenError::from)?.exists() {
        let original = Original::open(&files, &args.path, MAX_SHOWN)?;
        if original.content.as_deref() == Some(args.content.as_bytes()) {
            return Ok(format!("{shown} has this content already."));
        }
        if !call.ask::<bool>(question(&shown, &original, &args.content))? {
            return Err(ToolError::new(format!("{shown} exists and was not overwritten")).into());
        }
        write::replace(&files, vec![Change { original, content: args.content.into_bytes() }])?;
        return Ok(format!("Overwrote {shown} ({lines})."));
    }
    make_parents(&files, call, Utf8Path::new(&args.path))?;
    write::create(&files, Utf8Path::new(&args.path), args.content.as_bytes())?;
    Ok(format!("Created {shown} ({lines})."))
}

/// The file as it would be.
pub(crate) fn show(args: CreateFile, _call: &Call) -> String {
    format!("Create `{}`:\n\n{}", args.path, diff::unified(&args.path, "", &args.content, true))
}

/// Makes the directories above a path that is to be made. Needs `create` on each, and on the path;
/// without, nothing is made.
pub(crate) fn make_parents(files: &Files, call: &Call, path: &Utf8Path) -> Result<(), ToolError> {
    call.context.check_create(path)?;
    let canonical = files.root().resolve(path)?.relative().to_owned();
    let mut missing: Vec<Utf8PathBuf> = Vec::new();
    for dir in canonical.ancestors().skip(1).filter(|dir| !dir.as_str().is_empty()) {
        if files.root().resolve(dir)?.exists() {
            break;
        }
        call.context.check_create(dir)?;
        missing.push(dir.to_owned());
    }
    for dir in missing.iter().rev() {
        match files.create_dir(dir) {
            // Somebody else was faster.
            Err(OpenError::Io { source, .. })
                if source.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => made?,
        }
    }
    Ok(())
}

fn question(path: &str, original: &Original, content: &str) -> Question {
    let before = original.content.as_deref().map(std::str::from_utf8);
    let pre_amble = match before {
        Some(Ok(before)) => diff::unified(path, before, content, false),
        _ => format!("{path} has {} bytes; the new content has {}.", original.len(), content.len()),
    };
    let text = format!("{path} exists. Overwrite it?");
    Question {
        pre_amble: Some(pre_amble),
        ..Question::new("overwrite_file", text, AnswerType::Boolean)
    }
}
