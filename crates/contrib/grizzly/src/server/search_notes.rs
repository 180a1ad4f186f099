//! The tool `search_notes`.

use jiff::Timestamp;
use jp_mcp_server::{Call, Document, Item, Reply, Resource, Stop, Tool, define};
use jp_tool::ToolError;
use schemars::JsonSchema;
use serde::Deserialize;

use super::{
    Visit,
    arguments::{self, Kind, Sort},
    hints, words,
};
use crate::{
    Address, Lines, date,
    library::TagName,
    search::{Found, Hit, MAX_HITS, Query, Search, Span, search},
};

pub(super) const NAME: &str = "search_notes";

/// How many notes are returned if nothing is said.
const LIMIT: usize = 20;
/// How many tags a search may name.
const MAX_TAGS: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// Words to find in titles, tags and texts; parts of words count less. "Quotes" keep words together,
    /// `-word` excludes, `a OR b` takes either. Leave out to list notes by the other conditions.
    #[serde(default)]
    query: String,
    /// Tags that a note must have, all of them. A tag includes those inside it: `work` finds `work/plans`.
    #[serde(default)]
    tags: Vec<String>,
    /// Made on or after this date, like 2026-05-17 or 2026-05-17T10:30:00Z.
    created_after: Option<String>,
    /// Made before this date.
    created_before: Option<String>,
    /// Changed on or after this date.
    modified_after: Option<String>,
    /// Changed before this date.
    modified_before: Option<String>,
    /// What about notes in the archive.
    #[serde(default)]
    archived: Kind,
    /// What about notes in the trash.
    #[serde(default)]
    trashed: Kind,
    /// What comes first; without a query always what was changed last, unless it is `created`.
    #[serde(default)]
    sort: Sort,
    /// How many notes to return, 20 if not given, 100 at most.
    limit: Option<usize>,
    /// How many to skip, to see more of a long list.
    #[serde(default)]
    offset: usize,
}

pub(super) fn tool() -> Tool {
    define::<Arguments>(
        NAME,
        "Find notes by words, tags and dates. Returns for each note its title, id, tags and the lines \
         that match, best match first. Notes in the archive and the trash are left out unless asked for.",
        hints("Search notes"),
    )
}

pub(super) async fn call(visit: &Visit<'_>, call: &Call) -> Result<Reply, Stop> {
    let arguments: Arguments = call.arguments()?;
    let wanted = arguments.read(visit)?;
    let (offset, tags) = (wanted.offset, wanted.tags.clone());
    let (found, missing) = visit
        .work(move |library| {
            let found = search(library, &wanted)?;
            // A tag that is not there at all is worth a word.
            let missing = if found.total == 0 && !tags.is_empty() {
                let all = library.tags()?;
                let is_there = |tag: &TagName| all.names().iter().any(|name| name.is_within(tag));
                tags.into_iter().filter(|tag| !is_there(tag)).collect()
            } else {
                Vec::new()
            };
            Ok((found, missing))
        })
        .await?;
    Ok(reply(visit, &found, offset, &missing))
}

impl Arguments {
    fn read(&self, visit: &Visit<'_>) -> Result<Search, ToolError> {
        let moment = |text: &Option<String>| -> Result<Option<Timestamp>, ToolError> {
            let moment = text.as_deref().map(|text| date::parse(text, visit.zone)).transpose();
            moment.map_err(|error| ToolError::from_error(&error))
        };
        let span = |from, until| -> Result<Span, ToolError> {
            Ok(Span { from: moment(from)?, until: moment(until)? })
        };
        if self.tags.len() > MAX_TAGS {
            return Err(ToolError::new(format!("More than {MAX_TAGS} tags. Use fewer.")));
        }
        let tag = |text: &String| {
            let error = || ToolError::new(format!("`{}` is not a tag.", words::short(text)));
            TagName::new(text).ok_or_else(error)
        };
        Ok(Search {
            query: Query::parse(&self.query).map_err(|error| ToolError::from_error(&error))?,
            tags: self.tags.iter().map(tag).collect::<Result<_, _>>()?,
            created: span(&self.created_after, &self.created_before)?,
            modified: span(&self.modified_after, &self.modified_before)?,
            archived: self.archived.into(),
            trashed: self.trashed.into(),
            order: self.sort.into(),
            offset: self.offset,
            limit: arguments::limit(self.limit, LIMIT, MAX_HITS)?,
        })
    }
}

fn reply(visit: &Visit<'_>, found: &Found, offset: usize, missing: &[TagName]) -> Reply {
    let mut items = vec![Item::Text(summary(found, offset, missing))];
    for (place, hit) in found.hits.iter().enumerate() {
        let line = words::line(&hit.head, &hit.tags, visit.zone);
        items.push(Item::Text(format!("{}. {line}", offset + place + 1)));
        items.push(shown(hit));
    }
    Reply::new(items)
}

/// The lines that match, or the address alone where there is nothing to show.
fn shown(hit: &Hit) -> Item {
    let Some(excerpt) = &hit.excerpt else {
        return Item::Link(Box::new(Resource::new(words::uri(&hit.head), hit.head.title.clone())));
    };
    let lines = Lines { first: excerpt.first_line, last: Some(excerpt.last_line) };
    let uri = Address::Note { id: hit.head.id.clone(), lines: Some(lines) }.to_uri();
    Item::Document(Document { uri, mime_type: "text/markdown", text: excerpt.text.clone() })
}

fn summary(found: &Found, offset: usize, missing: &[TagName]) -> String {
    let mut said = Vec::new();
    for tag in missing {
        said.push(format!("There is no tag `{}`; list_tags names them.", tag.shown));
    }
    let notes = words::count(found.total, "note", "notes");
    said.push(match (found.total, found.is_partial) {
        (0, _) => "No note matches.".to_owned(),
        (_, true) => format!("No note has all the words; {notes} with some of them."),
        (_, false) => format!("Found {notes}."),
    });
    let last = offset.saturating_add(found.hits.len());
    if found.total > found.hits.len() {
        let shown = format!("{} to {last} are shown", offset.saturating_add(1).min(last));
        let more = format!("; more with `offset` {last}");
        said.push(format!("{shown}{}.", if found.total > last { more.as_str() } else { "" }));
    }
    if found.unread > 0 {
        let notes = words::count(found.unread, "note was", "notes were");
        said.push(format!(
            "{notes} judged by title and tags only: encrypted, or too long to read."
        ));
    }
    said.join(" ")
}
