//! The tool `list_tags`.

use jp_mcp_server::{Call, Reply, Stop, Tool, define};
use jp_tool::ToolError;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Visit, arguments, hints, words};
use crate::{Library, LibraryError, library::TagName};

pub(super) const NAME: &str = "list_tags";

/// How many tags are listed if nothing is said.
const LIMIT: usize = 200;
/// How many tags are listed at most.
const MAX_TAGS: usize = 1000;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Only this tag and those inside it.
    within: Option<String>,
    /// How many tags to return, 200 if not given, 1000 at most.
    limit: Option<usize>,
}

pub(super) fn tool() -> Tool {
    define::<Arguments>(
        NAME,
        "List the tags of the notes with the number of notes that have them or a tag inside them. Notes \
         in the trash do not count.",
        hints("List tags"),
    )
}

pub(super) async fn call(visit: &Visit<'_>, call: &Call) -> Result<Reply, Stop> {
    let arguments: Arguments = call.arguments()?;
    let limit = arguments::limit(arguments.limit, LIMIT, MAX_TAGS)?;
    let within = match &arguments.within {
        Some(text) => Some(
            TagName::new(text)
                .ok_or_else(|| ToolError::new(format!("`{}` is not a tag.", words::short(text))))?,
        ),
        None => None,
    };
    let name = within.as_ref().map(|tag| tag.shown.clone());
    let counts = visit.work(move |library| counts(library, within.as_ref())).await?;
    if counts.is_empty() {
        let text = match name {
            Some(name) => format!("There is no tag `{name}`."),
            None => "There are no tags.".to_owned(),
        };
        return Ok(text.into());
    }
    Ok(list(&counts, limit).into())
}

/// The tags with the number of their notes, by name.
fn counts(library: &Library, within: Option<&TagName>) -> Result<Vec<(String, u64)>, LibraryError> {
    let mut notes = Vec::new();
    library.heads(|head| {
        if !head.is_trashed {
            notes.push(head.row);
        }
    })?;
    let in_time = notes.into_iter().take_while(|_| !library.budget().is_spent());
    let counts = library.tags()?.counts(in_time).into_values();
    if library.budget().is_spent() {
        return Err(library.out_of_time());
    }
    let is_meant = |name: &str| match (within, TagName::new(name)) {
        (Some(within), Some(tag)) => tag.is_within(within),
        (None, _) => true,
        (Some(_), None) => false,
    };
    Ok(counts.filter(|(name, _)| is_meant(name)).collect())
}

fn list(counts: &[(String, u64)], limit: usize) -> String {
    let lines = counts.iter().take(limit).map(|(name, notes)| format!("- {name} ({notes})\n"));
    let head = words::count(counts.len(), "tag", "tags");
    let more = match counts.len().saturating_sub(limit) {
        0 => String::new(),
        more => format!("\n{more} more; ask for one with `within`, or for more with `limit`."),
    };
    format!("{head}, with the number of notes:\n\n{}{more}", lines.collect::<String>())
}
