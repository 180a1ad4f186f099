//! The tool `find_backlinks`.

use jp_mcp_server::{Call, Document, Item, Reply, Stop, Tool, define};
use jp_tool::ToolError;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Visit, arguments, hints, words};
use crate::{
    Address, Lines, Sought,
    links::{Backlink, backlinks},
};

pub(super) const NAME: &str = "find_backlinks";

/// How many notes are returned if nothing is said.
const LIMIT: usize = 20;
/// How many notes are returned at most.
const MAX_NOTES: usize = 100;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The id or address (`bear://…`) of the note.
    id: Option<String>,
    /// Instead of `id`: the title of the note, whole. If several notes have it, it is asked which one.
    title: Option<String>,
    /// How many notes to return, 20 if not given, 100 at most.
    limit: Option<usize>,
}

pub(super) fn tool() -> Tool {
    define::<Arguments>(
        NAME,
        "Find the notes that link to a note, by [[Title]] or by a bear:// address, with the lines where \
         they do. Notes in the trash are left out.",
        hints("Find backlinks"),
    )
}

pub(super) async fn call(visit: &Visit<'_>, call: &Call) -> Result<Reply, Stop> {
    let arguments: Arguments = call.arguments()?;
    let limit = arguments::limit(arguments.limit, LIMIT, MAX_NOTES)?;
    let sought = match (&arguments.id, &arguments.title) {
        (Some(id), None) => arguments::by_id(id)?,
        (None, Some(title)) => Sought::Title(title.clone()),
        _ => return Err(ToolError::new("Pass either `id` or `title`.").into()),
    };
    let [target] = visit
        .choose(call, vec![sought.clone()], "id")
        .await?
        .try_into()
        .map_err(|_: Vec<_>| words::no_such_note(&sought))?;
    let title = target.title.clone();
    let (found, tags) = visit
        .work(move |library| {
            let found = backlinks(library, &target)?;
            let all = library.tags()?;
            let tags = |link: &Backlink| -> Vec<String> {
                all.shown(link.head.row).into_iter().map(str::to_owned).collect()
            };
            let tags: Vec<_> = found.iter().take(limit).map(tags).collect();
            Ok((found, tags))
        })
        .await?;
    let mut items = vec![Item::Text(summary(&title, found.len(), limit))];
    for (link, tags) in found.iter().zip(&tags) {
        items.push(Item::Text(words::line(&link.head, tags, visit.zone)));
        items.extend(link.lines.iter().map(|(number, text)| line(link, *number, text)));
    }
    Ok(Reply::new(items))
}

fn summary(title: &str, total: usize, limit: usize) -> String {
    let notes = words::count(total, "note links", "notes link");
    let more = if total > limit { format!(" The first {limit} are shown.") } else { String::new() };
    match total {
        0 => format!("No note links to “{title}”."),
        _ => format!("{notes} to “{title}”.{more}"),
    }
}

/// A line with a link, as the part of its note that it is.
fn line(link: &Backlink, number: usize, text: &str) -> Item {
    let lines = Some(Lines { first: number, last: Some(number) });
    let uri = Address::Note { id: link.head.id.clone(), lines }.to_uri();
    Item::Document(Document { uri, mime_type: "text/markdown", text: text.to_owned() })
}
