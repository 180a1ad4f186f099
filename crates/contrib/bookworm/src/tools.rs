//! The tools, one file each, and the documents that they share with `resources/read`.

pub(crate) mod find;
pub(crate) mod info;
pub(crate) mod item;
pub(crate) mod search;
pub(crate) mod versions;

use jp_mcp_server::{Document, Item, Reply, Stop};
use jp_tool::ToolError;
use std::fmt::Write as _;

use crate::{
    names::Wanted,
    resolve::{Asking, Request},
    toolbox::Bookworm,
    uri::{CrateUri, Part},
};

/// A document that is longer is cut off: what a model reads should leave room for its thoughts.
const MAX_TEXT: usize = 96 << 10;

/// The document of a URI; `None` if there is none. Nothing is asked and nothing is fetched.
pub(crate) async fn read(worm: &Bookworm, uri: &CrateUri) -> Result<Option<Document>, ToolError> {
    let nobody = Asking::Nobody;
    let document = match uri.clone() {
        CrateUri::Versions(name) => versions::document(worm, &name).await,
        CrateUri::Of(name, version, part) => {
            let request = Request::exact(name, version);
            match part {
                Part::Info => info::document(&worm.package(&request, nobody).await.map_err(error)?),
                Part::Readme => {
                    let package = worm.package(&request, nobody).await.map_err(error)?;
                    return info::readme(&package).map_err(error);
                }
                Part::Items => search::all_items(worm, &request, nobody).await,
                Part::Item(path) => item::document(worm, &request, &path, nobody).await,
                Part::Source(path) => item::source(worm, &request, &path, nobody).await,
            }
        }
    };
    document.map(Some).map_err(error)
}

/// The reply, with a remark where the workspace could not say which version is meant.
pub(crate) fn remarked(worm: &Bookworm, request: &Request, reply: Reply) -> Result<Reply, Stop> {
    let own = || worm.library.lock().map(|lock| !lock.is_empty());
    if request.wanted != Wanted::Any || own()? {
        return Ok(reply);
    }
    let text = format!(
        "There is no Cargo.lock in {}, so this is the newest version on this machine.",
        worm.library.workspace()
    );
    Ok(reply.with(Item::Text(text)))
}

/// Nothing is asked here, so whatever stopped a tool is an error.
fn error(stop: Stop) -> ToolError {
    stop.into_error()
}

/// Markdown under a URI, cut off where it is too long.
fn markdown(uri: &CrateUri, text: String) -> Document {
    Document { uri: uri.to_string(), mime_type: "text/markdown", text: cut(text) }
}

fn cut(mut text: String) -> String {
    if text.len() > MAX_TEXT {
        let end = text.floor_char_boundary(MAX_TEXT);
        let end = text[..end].rfind('\n').unwrap_or(end);
        let left_off = text.len() - end;
        text.truncate(end);
        let _ = writeln!(text, "\n\n… cut off here; {left_off} more bytes.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_at_a_line() {
        assert_eq!(cut("short".to_owned()), "short");
        let long = "äöü\n".repeat(30_000);
        let text = cut(long.clone());
        assert!(text.len() < MAX_TEXT + 100);
        let (head, note) = text.split_once("\n\n…").unwrap();
        assert!(long.starts_with(head) && head.ends_with('ü'));
        assert!(note.contains(&format!("{} more bytes", long.len() - head.len())), "{note}");
    }
}
