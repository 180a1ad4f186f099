//! The tool `read_notes`.

use jp_mcp_server::{Call, Document, Item, Reply, Stop, Tool, define};
use jp_tool::ToolError;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{Visit, arguments, hints, words};
use crate::{
    Address, Library, LibraryError, Lines, Part, Sought,
    library::{Body, Head},
};

pub(super) const NAME: &str = "read_notes";

/// How many notes one call reads.
const MAX_NOTES: usize = 20;
/// How much text one call returns, shared by the notes.
const MAX_BYTES: usize = 256 << 10;
/// The longest line that is given whole, in bytes; `resources/read` has no such limit.
const MAX_LINE: usize = 16 << 10;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The ids or addresses (`bear://…`) of the notes, 20 at most.
    #[serde(default)]
    ids: Vec<String>,
    /// Instead of `ids`: the title of a note, whole. If several notes have it, it is asked which one.
    title: Option<String>,
    /// The first line to return, counted from 1.
    first_line: Option<usize>,
    /// The last line to return; the end if not given.
    last_line: Option<usize>,
}

pub(super) fn tool() -> Tool {
    define::<Arguments>(
        NAME,
        "Read notes by their ids, or one note by its title, whole or a range of lines. Long notes are \
         cut, and the answer says where to go on.",
        hints("Read notes"),
    )
}

pub(super) async fn call(visit: &Visit<'_>, call: &Call) -> Result<Reply, Stop> {
    let arguments: Arguments = call.arguments()?;
    let lines = arguments.lines()?;
    let heads = visit.choose(call, arguments.sought()?, "ids").await?;
    let is_alone = heads.len() == 1;
    let notes = visit.work(move |library| read(library, &heads, lines)).await?;
    let mut items = Vec::new();
    for Note { head, tags, part } in notes {
        let line = words::line(&head, &tags, visit.zone);
        match part {
            Ok(part) => {
                items.push(Item::Text(format!("{line}: {}", extent(&part))));
                items.push(Item::Document(document(&head, part)));
            }
            // One that cannot be shown does not cost the others.
            Err(error) if is_alone => return Err(error.into()),
            Err(error) => items.push(Item::Text(format!("{line}: {error}"))),
        }
    }
    Ok(Reply::new(items))
}

impl Arguments {
    fn lines(&self) -> Result<Lines, ToolError> {
        let first = self.first_line.unwrap_or(1);
        if first == 0 || self.last_line.is_some_and(|last| last < first) {
            let text =
                "`first_line` and `last_line` count from 1, and the last is not before the first.";
            return Err(ToolError::new(text));
        }
        Ok(Lines { first, last: self.last_line })
    }

    /// The notes that are meant.
    fn sought(&self) -> Result<Vec<Sought>, ToolError> {
        match (&self.title, self.ids.as_slice()) {
            (Some(title), []) => Ok(vec![Sought::Title(title.clone())]),
            (None, [_, ..]) if self.ids.len() <= MAX_NOTES => {
                self.ids.iter().map(|id| arguments::by_id(id)).collect()
            }
            (None, [_, ..]) => {
                let text = format!("More than {MAX_NOTES} ids. Read them in several calls.");
                Err(ToolError::new(text))
            }
            (None, []) | (Some(_), [_, ..]) => Err(ToolError::new("Pass either `ids` or `title`.")),
        }
    }
}

/// A note with the lines that were asked for, or why there are none.
struct Note {
    head: Head,
    tags: Vec<String>,
    part: Result<Part, ToolError>,
}

/// Reads notes, all from one moment.
fn read(library: &Library, heads: &[Head], lines: Lines) -> Result<Vec<Note>, LibraryError> {
    let share = MAX_BYTES / heads.len().max(1);
    let all = library.tags()?;
    let mut notes = Vec::new();
    for found in heads {
        let tags = all.shown(found.row).into_iter().map(str::to_owned).collect();
        // Since it was found it may have been deleted, or changed, or encrypted.
        let (head, part) = match library.note(found.row)? {
            None => (found.clone(), Err(words::no_such_note(&Sought::Id(found.id.clone())))),
            Some((head, Body::Text(text))) => (head, Ok(lines.of(&text, share, MAX_LINE))),
            Some((head, Body::Encrypted)) => (head.clone(), Err(words::encrypted(&head))),
            Some((head, Body::TooLong)) => (head.clone(), Err(words::too_long(&head))),
        };
        notes.push(Note { head, tags, part });
    }
    Ok(notes)
}

fn document(head: &Head, part: Part) -> Document {
    let is_whole = part.first == 1 && part.last >= part.total;
    let lines =
        (!is_whole).then_some(Lines { first: part.first, last: Some(part.last.max(part.first)) });
    let uri = Address::Note { id: head.id.clone(), lines }.to_uri();
    Document { uri, mime_type: "text/markdown", text: part.text }
}

/// Which lines these are, and what to do about what is missing.
fn extent(part: &Part) -> String {
    let Part { first, last, total, .. } = *part;
    let mut said = if total == 0 {
        "the note is empty.".to_owned()
    } else if last < first {
        format!("there is no line {first}, the note has {total}.")
    } else {
        format!("lines {first} to {last} of {total}.")
    };
    if part.is_cut {
        said = format!("{said} More with `first_line` {}.", last + 1);
    }
    if part.has_short_line {
        said.push_str(" A very long line is cut; the resource has it whole.");
    }
    said
}
