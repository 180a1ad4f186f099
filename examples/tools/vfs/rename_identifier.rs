//! Renames an identifier in all files that have it: a sealed tool on the SDK.

use std::process::ExitCode;

use jp_tool::vfs::{self, FsGrep, VfsHost};
use jp_tool::{AnswerType, JsonSchema, Question, Stop};
use serde::Deserialize;

fn main() -> ExitCode {
    vfs::main([vfs::tool("rename_identifier", rename).describe(show)])
}

/// Rename an identifier in all files that have it.
///
/// Only whole words are changed, in code, comments and text alike. Asks before it writes.
#[derive(Deserialize, JsonSchema)]
struct Rename {
    /// The name as it is.
    from: String,
    /// The name as it will be.
    to: String,
    /// Only in files whose names end so, without the dot.
    extensions: Option<Vec<String>>,
}

fn rename(args: Rename, host: &VfsHost) -> Result<String, Stop> {
    let Rename { from, to, extensions } = args;
    for (argument, name) in [("from", &from), ("to", &to)] {
        if name.is_empty() || !name.chars().all(is_part) {
            return Err(format!("argument `{argument}`: expected letters, digits and _").into());
        }
    }
    // The host finds the files, whatever holds them, and reads them side by side.
    let query = FsGrep { fixed: true, extensions, ..FsGrep::new(&from) };
    let paths: Vec<String> = host.grep(&query)?.into_iter().map(|file| file.path).collect();
    let mut changed = Vec::new();
    for (path, text) in paths.iter().zip(host.read_many(&paths)) {
        let (text, count) = replace(&text?, &from, &to);
        if count > 0 {
            changed.push((path, text, count));
        }
    }
    if changed.is_empty() {
        return Ok(format!("There is no {from}."));
    }
    let question = format!("Rename {from} to {to} in {} files?", changed.len());
    if !host.ask::<bool>(Question::new("rename", question, AnswerType::Boolean))? {
        return Ok("Nothing was changed.".to_owned());
    }
    let mut lines = Vec::new();
    for (path, text, count) in changed {
        host.write(path, text)?;
        lines.push(format!("{path}: {count}"));
    }
    Ok(lines.join("\n"))
}

/// The text with the whole words replaced, and how many they are.
fn replace(text: &str, from: &str, to: &str) -> (String, usize) {
    let (mut changed, mut count, mut end) = (String::with_capacity(text.len()), 0, 0);
    for (at, _) in text.match_indices(from) {
        let after = &text[at + from.len()..];
        if text[..at].ends_with(is_part) || after.starts_with(is_part) {
            continue;
        }
        changed.push_str(&text[end..at]);
        changed.push_str(to);
        (count, end) = (count + 1, at + from.len());
    }
    (changed + &text[end..], count)
}

fn is_part(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

fn show(args: Rename, _host: &VfsHost) -> String {
    let Rename { from, to, .. } = args;
    format!("rename {from} to {to}")
}
