//! `fs_modify_file`: parts of files replaced, all of them or none.
//!
//! The new contents are worked out first ([`edits`]), without touching anything. What could be meant
//! in several ways is asked: which of several matches, whether changes that git does not know yet may
//! be mixed with these, and, with the diff before one's eyes, whether to go on at all. The tool is
//! started anew after each answer and works everything out again, so what is applied is made from the
//! files as they are then.

mod edits;
mod newlines;

use std::fmt::Write;

use camino::Utf8PathBuf;
use jp_tool::{AnswerType, Call, JsonSchema, Question, Stop, ToolError};
use serde::Deserialize;

use self::{
    edits::{Choice, EditError, Which},
    newlines::Text,
};
use crate::{
    diff,
    place::{Change, Original, Place},
    text::{self, count},
};

/// The largest file that is changed.
const MAX_FILE: u64 = 16 << 20;
const MAX_EDITS: usize = 1_000;

pub(crate) const EXAMPLES: &str = r#"{"path": "src/lib.rs", "edits": [{"old": "let x = 1;", "new": "let x = 2;"}]}
{"path": "a.txt", "edits": [{"old": "(\\w+)=(\\d+)", "new": "$2=$1", "regex": true, "all": true}]}"#;

/// Change parts of files.
///
/// Each edit replaces a text by another, one after the other; if one of them cannot be done, nothing
/// is changed. `old` has to occur exactly once unless `all` is set, so give enough of the text around
/// it. Line endings, permissions and the rest of the file stay as they are: write newlines as `\n`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ModifyFile {
    /// The file, relative to the root of the workspace.
    path: String,
    /// What to replace, in this order.
    #[schemars(length(min = 1))]
    edits: Vec<Edit>,
}

/// One replacement.
#[derive(Debug, Deserialize, JsonSchema)]
struct Edit {
    /// The text to replace, exactly as it is in the file; with `regex`, a regular expression.
    old: String,
    /// The text to put in its place; with `regex`, `$1` or `${name}` stand for groups and `$$` for a
    /// dollar sign.
    new: String,
    /// Take `old` as a regular expression in the syntax of Rust's `regex` crate. `^` and `$` match at
    /// lines, and `.` does not match newlines; `(?s)` changes that.
    #[serde(default)]
    regex: bool,
    /// Replace every occurrence.
    #[serde(default)]
    all: bool,
    /// The file to change, if it is another one than `path`.
    #[serde(default)]
    path: Option<String>,
}

pub(crate) fn modify_file<P: Place>(
    args: ModifyFile,
    call: &Call,
    place: &P,
) -> Result<String, Stop> {
    if args.edits.is_empty() || args.edits.len() > MAX_EDITS {
        let message = format!("argument `edits`: needs 1 to {MAX_EDITS} of them");
        return Err(ToolError::new(message).into());
    }
    let mut targets = targets(place, &args)?;
    let replaced = work_out(&args, &mut targets, call)?;
    targets.retain(Target::is_changed);
    if targets.is_empty() {
        return Ok("Nothing to change: the new text is the same as the old.".to_owned());
    }
    ask_about_uncommitted(place, &targets, call)?;
    ask_to_apply(&targets, call)?;
    let names: Vec<_> =
        targets.iter().map(|target| text::name(&target.shown).into_owned()).collect();
    place.replace(targets.into_iter().map(Target::into_change).collect())?;
    Ok(format!("Made {} in {}.", count(replaced, "replacement", "replacements"), names.join(", ")))
}

/// The edits as they were asked for. The files are not looked at.
pub(crate) fn show<C>(args: ModifyFile, _call: &C) -> String {
    let mut out = format!("Change `{}`:\n", args.path);
    for edit in &args.edits {
        let path = edit.path.as_deref().unwrap_or(&args.path);
        out.push('\n');
        if edit.regex {
            let all = if edit.all { ", everywhere" } else { "" };
            let _ = writeln!(out, "{path}: /{}/ → {}{all}", edit.old, edit.new);
        } else {
            out.push_str(&diff::unified(path, &edit.old, &edit.new, false));
        }
    }
    out
}

/// A file and what becomes of it.
struct Target<H> {
    /// As it was asked for.
    shown: String,
    original: Original<H>,
    text: Text,
    /// The text as it was, and as it is after the edits so far.
    before: String,
    after: String,
}

impl<H> Target<H> {
    fn is_changed(&self) -> bool {
        self.before != self.after
    }

    fn into_change(self) -> Change<H> {
        Change { content: self.text.restore(&self.after).into_bytes(), original: self.original }
    }

    fn path(&self) -> &Utf8PathBuf {
        &self.original.path
    }
}

/// Every file that is to be changed, each once. All have to be there and to grant `update`.
fn targets<P: Place>(place: &P, args: &ModifyFile) -> Result<Vec<Target<P::Held>>, ToolError> {
    let mut targets: Vec<Target<P::Held>> = Vec::new();
    for edit in &args.edits {
        let path = edit.path.as_ref().unwrap_or(&args.path);
        if targets.iter().any(|target| target.shown == *path) {
            continue;
        }
        let original = place.original(path, MAX_FILE)?;
        if targets.iter().any(|target| *target.path() == original.path) {
            return Err(ToolError::new(format!(
                "{} is named in two ways; use one of them",
                text::name(path)
            )));
        }
        targets.push(target(place, path, original)?);
    }
    Ok(targets)
}

fn target<P: Place>(
    place: &P,
    path: &str,
    mut original: Original<P::Held>,
) -> Result<Target<P::Held>, ToolError> {
    let shown = text::name(path).into_owned();
    if let Some(size) = original.len.filter(|size| *size > MAX_FILE) {
        return Err(ToolError::new(format!(
            "{shown} has {size} bytes; files up to {MAX_FILE} bytes can be changed"
        )));
    }
    let Some(content) = original.content.take() else {
        // Changing is granted. If reading is not, this says so.
        drop(place.open(path.into())?);
        return Err(ToolError::new(format!("cannot read {shown}")).transient());
    };
    let text = String::from_utf8(content).map_err(|_| {
        ToolError::new(format!("{shown} is not UTF-8 text and cannot be changed by this tool"))
    })?;
    original.content = Some(text.clone().into_bytes());
    if text.contains('\0') {
        return Err(ToolError::new(format!("{shown} is a binary file")));
    }
    let (text, before) = Text::of(text);
    Ok(Target { shown: path.to_owned(), original, text, after: before.clone(), before })
}

/// Makes all edits in memory, and returns how many replacements there are.
fn work_out<H>(args: &ModifyFile, targets: &mut [Target<H>], call: &Call) -> Result<usize, Stop> {
    let mut replaced = 0;
    for (index, edit) in args.edits.iter().enumerate() {
        let path = edit.path.as_ref().unwrap_or(&args.path);
        let Some(target) = targets.iter_mut().find(|target| target.shown == *path) else {
            continue;
        };
        let number = index + 1;
        let failed = |error: EditError| {
            let path = text::name(path);
            ToolError::new(format!("edit {number} in {path}: {error}; nothing was changed"))
        };
        let pattern = edits::Pattern::new(&edit.old, edit.regex).map_err(failed)?;
        let new = newlines::normal(&edit.new, target.text);
        let matches = pattern.find(&target.after).map_err(failed)?;
        let which = if edit.all || matches.len() == 1 {
            Which::All
        } else {
            ask_which(number, path, &target.after, &matches, call)?
        };
        let (text, count) =
            pattern.replace(&target.after, &matches, &new, which).map_err(failed)?;
        target.after = text;
        replaced += count;
    }
    Ok(replaced)
}

fn ask_which(
    number: usize,
    path: &str,
    text: &str,
    matches: &[edits::Found],
    call: &Call,
) -> Result<Which, Stop> {
    let choice = Choice::new(text, matches);
    let path = text::name(path);
    let question = format!(
        "Edit {number} matches {} places in {path}. Which of them shall be replaced?",
        matches.len()
    );
    let answer: String = call.ask(Question {
        pre_amble: Some(choice.explanation),
        ..Question::new(
            format!("ambiguous_edit_{number}"),
            question,
            AnswerType::Select { options: choice.options },
        )
    })?;
    Which::parse(&answer, matches.len()).ok_or_else(|| {
        let places = matches.len();
        ToolError::new(format!(
            "edit {number} matches {places} places in {path}; nothing was changed. Give more of the text around it, or set `all`"
        ))
        .into()
    })
}

fn ask_about_uncommitted<P: Place>(
    place: &P,
    targets: &[Target<P::Held>],
    call: &Call,
) -> Result<(), Stop> {
    const ID: &str = "modify_dirty_file";
    // Who has agreed already need not wait for git.
    if call.answer::<bool>(ID)? == Some(true) {
        return Ok(());
    }
    let dirty: Vec<_> = targets.iter().filter(|target| place.is_dirty(target.path())).collect();
    if dirty.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = dirty.iter().map(|target| text::name(&target.shown)).collect();
    let (names, have) = (names.join(", "), if dirty.len() == 1 { "has" } else { "have" });
    let question = format!("{names} {have} changes that are not committed. Change anyway?");
    if call.ask::<bool>(Question::new(ID, question, AnswerType::Boolean))? {
        return Ok(());
    }
    Err(ToolError::new(format!("{names} {have} uncommitted changes; nothing was changed")).into())
}

fn ask_to_apply<H>(targets: &[Target<H>], call: &Call) -> Result<(), Stop> {
    let diffs: String = targets
        .iter()
        .map(|target| diff::unified(&target.shown, &target.before, &target.after, false))
        .collect();
    let question = Question {
        pre_amble: Some(diffs),
        ..Question::new("apply_changes", "Apply these changes?", AnswerType::Boolean)
    };
    if call.ask::<bool>(question)? {
        return Ok(());
    }
    Err(ToolError::new("the changes were not accepted; nothing was changed").into())
}
