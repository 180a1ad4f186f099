//! `search_items`: the items of a crate by name.

use jp_mcp_server::{
    Call, Document, Item as Piece, Reply, Resource, Stop,
    schemars::{self, JsonSchema},
};
use jp_tool::ToolError;
use serde::Deserialize;

use super::{markdown, remarked};
use crate::{
    docs::{Docs, Item, Kind},
    resolve::{Asking, Request},
    toolbox::Bookworm,
    uri::{CrateUri, Part},
};

pub(crate) const ABOUT: &str = "Search a Rust crate for items whose path contains all the words of \
    the query: modules, types, traits, functions, macros, and methods, variants and fields. Gives \
    links that crate_item and item_source understand.";

const DEFAULT_LIMIT: usize = 25;
const MAX_LIMIT: usize = 200;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The name of the crate.
    name: String,
    /// Words that the path contains, such as `pointer` or `Value::as_`.
    query: String,
    /// Only items of this kind.
    kind: Option<Kind>,
    /// A version like `1.2.3`, or a requirement like `1`; that of the workspace if not given.
    version: Option<String>,
    /// Whether to fetch the crate if it is not on this machine. A yes is asked for where somebody can be.
    fetch: Option<bool>,
    /// At most so many items; 25 if not given, 200 at most.
    limit: Option<usize>,
}

pub(crate) async fn run(worm: &Bookworm, call: &Call) -> Result<Reply, Stop> {
    let arguments: Arguments = call.arguments()?;
    let query = Query::new(&arguments.query)?;
    let request = Request::new(&arguments.name, arguments.version.as_deref(), arguments.fetch)?;
    let docs = worm.docs(&request, Asking::Call(call)).await?;
    let mut items = docs.items().await?;
    items.extend(docs.members(&items).await?);
    items.retain(|item| arguments.kind.is_none_or(|kind| kind == item.kind));
    let limit = arguments.limit.unwrap_or(DEFAULT_LIMIT).min(MAX_LIMIT);
    let reply = reply(&docs, &arguments.query, query.ranked(items), limit);
    remarked(worm, &request, reply)
}

/// All items of a crate, as a document.
pub(crate) async fn all_items(
    worm: &Bookworm,
    request: &Request,
    asking: Asking<'_>,
) -> Result<Document, Stop> {
    let docs = worm.docs(request, asking).await?;
    let lines = docs
        .items()
        .await?
        .into_iter()
        .map(|item| format!("- {} `{}::{}`\n", item.kind.as_str(), docs.library, item.path));
    let text =
        format!("# Items of {} {}\n\n{}", docs.name, docs.version, lines.collect::<String>());
    Ok(markdown(&CrateUri::Of(docs.name, docs.version, Part::Items), text))
}

/// Words of a query.
#[derive(Debug)]
struct Query {
    words: Vec<String>,
}

impl Query {
    fn new(text: &str) -> Result<Self, ToolError> {
        let words: Vec<String> = text
            .to_lowercase()
            .split_whitespace()
            .map(|word| word.trim_end_matches('!').to_owned())
            .collect();
        if words.is_empty() || text.len() > 200 {
            return Err(ToolError::new("The query must have between 1 and 200 letters."));
        }
        Ok(Self { words })
    }

    /// The items that match: the name itself first, then what begins with it, then the shorter path.
    fn ranked(&self, items: Vec<Item>) -> Vec<Item> {
        let mut found: Vec<(_, Item)> =
            items.into_iter().filter_map(|item| Some((self.rank(&item)?, item))).collect();
        found.sort_by(|a, b| a.0.cmp(&b.0));
        found.dedup_by(|a, b| a.1.kind == b.1.kind && a.1.path == b.1.path);
        found.into_iter().map(|(_, item)| item).collect()
    }

    fn rank(&self, item: &Item) -> Option<(bool, bool, bool, usize, String)> {
        let path = item.path.to_string();
        let lower = path.to_lowercase();
        if !self.words.iter().all(|word| lower.contains(word)) {
            return None;
        }
        let last = lower.rsplit("::").next().unwrap_or_default();
        let whole = self.words.join("::");
        let named = lower == whole || lower.ends_with(&format!("::{whole}"));
        let begins = self.words.iter().any(|word| last.starts_with(word.as_str()));
        let within = self.words.iter().any(|word| last.contains(word.as_str()));
        Some((!named, !begins, !within, path.len(), path))
    }
}

fn reply(docs: &Docs, query: &str, items: Vec<Item>, limit: usize) -> Reply {
    let (total, name, version) = (items.len(), &docs.name, &docs.version);
    let shown = total.min(limit);
    let text = match total {
        0 => format!("No item of {name} {version} matches `{query}`."),
        1 => format!("1 item of {name} {version} matches `{query}`:"),
        _ if shown < total => {
            format!("{shown} of {total} items of {name} {version} that match `{query}`:")
        }
        _ => format!("{total} items of {name} {version} match `{query}`:"),
    };
    let links = items.into_iter().take(limit).map(|item| {
        let title = format!("{}::{}", docs.library, item.path);
        let uri = CrateUri::Of(name.clone(), version.clone(), Part::Item(item.path));
        let resource = Resource::new(uri.to_string(), title).with_mime_type("text/markdown");
        Piece::Link(Box::new(resource.with_description(item.kind.as_str())))
    });
    Reply::new([Piece::Text(text)].into_iter().chain(links))
}
