//! Notes and tags as resources.

use jp_mcp_server::{Document, Resource, ResourceTemplate};
use jp_tool::ToolError;

use super::{Visit, words};
use crate::{
    Address, Library, LibraryError, Lines, Sought, find,
    library::{Body, Head, TagName},
    search::{Search, search},
};

/// How many notes are listed: those that were changed last.
const MAX_LISTED: usize = 100;
/// A longer note is read by lines.
const MAX_BYTES: usize = 4 << 20;
const MARKDOWN: &str = "text/markdown";

/// The notes that were changed last, without archive and trash.
pub(super) async fn recent(visit: &Visit<'_>) -> Result<Vec<Resource>, ToolError> {
    let recent = Search { limit: MAX_LISTED, ..Search::default() };
    let found = visit.work(move |library| search(library, &recent)).await?;
    let resource = |head: &Head, tags: &[String]| {
        let mut resource = Resource::new(words::uri(head), head.title.clone());
        resource.mime_type = Some(MARKDOWN.to_owned());
        resource.description = Some(words::line(head, tags, visit.zone));
        resource
    };
    Ok(found.hits.iter().map(|hit| resource(&hit.head, &hit.tags)).collect())
}

/// The forms of the addresses.
pub(super) fn templates() -> Vec<ResourceTemplate> {
    [
        (
            "bear://x-callback-url/open-note?id={id}",
            "note",
            "A note; with #L3-L7 some of its lines.",
        ),
        ("bear://x-callback-url/open-tag?name={name}", "tag", "The notes that have a tag."),
    ]
    .map(|(uri, name, description)| {
        let mut template = ResourceTemplate::new(uri, name);
        template.mime_type = Some(MARKDOWN.to_owned());
        template.description = Some(description.to_owned());
        template
    })
    .into()
}

/// The document of an address.
pub(super) async fn read(visit: &Visit<'_>, uri: &str) -> Result<Option<Document>, ToolError> {
    let (sought, lines) = match Address::parse(uri) {
        None => return Ok(None),
        Some(Address::Tag(name)) => return tagged(visit, uri, &name).await,
        Some(Address::Note { id, lines }) => (Sought::Id(id), lines.unwrap_or(Lines::ALL)),
        Some(Address::Title(title)) => (Sought::Title(title), Lines::ALL),
    };
    let text = visit.work(move |library| text(library, &sought, lines)).await?;
    let Some(text) = text else { return Ok(None) };
    Ok(Some(Document { uri: uri.to_owned(), mime_type: MARKDOWN, text: text? }))
}

/// The lines of the note that is meant, or why they are not given.
fn text(
    library: &Library,
    sought: &Sought,
    lines: Lines,
) -> Result<Option<Result<String, ToolError>>, LibraryError> {
    let found = find(library, sought)?;
    let head = match (found.as_slice(), sought) {
        ([], _) => return Ok(None),
        ([_, _, ..], Sought::Title(title)) => {
            let text = format!("{} Use the id.", words::which_note(title, found.len()));
            return Ok(Some(Err(ToolError::new(text))));
        }
        ([head, ..], _) => head,
    };
    let Some((head, body)) = library.note(head.row)? else { return Ok(None) };
    Ok(Some(match body {
        Body::Encrypted => Err(words::encrypted(&head)),
        Body::TooLong => Err(words::too_long(&head)),
        Body::Text(text) => {
            let part = lines.of(&text, MAX_BYTES, MAX_BYTES);
            // Half a document would be taken for the whole one.
            if part.is_cut || part.has_short_line {
                Err(words::too_long_at_once(&head, MAX_BYTES))
            } else {
                Ok(part.text)
            }
        }
    }))
}

/// The notes of a tag, as a list of links.
async fn tagged(visit: &Visit<'_>, uri: &str, name: &str) -> Result<Option<Document>, ToolError> {
    let Some(tag) = TagName::new(name) else { return Ok(None) };
    let wanted = Search { tags: vec![tag.clone()], limit: MAX_LISTED, ..Search::default() };
    let found = visit
        .work(move |library| {
            let is_there = library.tags()?.names().iter().any(|name| name.is_within(&tag));
            if is_there { search(library, &wanted).map(Some) } else { Ok(None) }
        })
        .await?;
    let Some(found) = found else { return Ok(None) };
    let lines = found.hits.iter().map(|hit| {
        let title = hit.head.title.replace(['[', ']'], " ");
        format!("- [{title}]({})\n", words::uri(&hit.head))
    });
    let more = match found.total - found.hits.len() {
        0 => String::new(),
        more => format!("\n{more} more.\n"),
    };
    let text = lines.collect::<String>() + &more;
    Ok(Some(Document { uri: uri.to_owned(), mime_type: MARKDOWN, text }))
}
