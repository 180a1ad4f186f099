//! `crate_item` and `item_source`: one item, and its code.

use std::fmt::Write as _;

use jp_mcp_server::{
    Call, Document, Prompt, Reply, Stop,
    schemars::{self, JsonSchema},
};
use jp_tool::ToolError;
use serde::Deserialize;

use super::{cut, markdown, remarked};
use crate::{
    docs::{Docs, Item, Member, Page, summary},
    names::ItemPath,
    resolve::{Asking, Request},
    toolbox::Bookworm,
    uri::{CrateUri, Part},
};

pub(crate) const ABOUT: &str = "Read one item of a Rust crate: its signature, its documentation and \
    its members. The path may be written as in code, such as `Value`, `Value::pointer`, \
    `serde_json::from_str` or `json!`; the name of the crate alone is its front page.";

pub(crate) const ABOUT_SOURCE: &str = "Read the source code of one item of a Rust crate, by the same \
    paths as crate_item.";

/// More items of one name are not offered.
const MAX_CHOICES: usize = 20;

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Arguments {
    /// The name of the crate.
    name: String,
    /// The path of the item, such as `Value::pointer`.
    item: String,
    /// A version like `1.2.3`, or a requirement like `1`; that of the workspace if not given.
    version: Option<String>,
    /// Whether to fetch the crate if it is not on this machine. A yes is asked for where somebody can be.
    fetch: Option<bool>,
}

/// An item that was found, or a member of one.
#[derive(Debug)]
struct Found {
    item: Item,
    page: Page,
    member: Option<String>,
}

pub(crate) async fn run(worm: &Bookworm, call: &Call) -> Result<Reply, Stop> {
    let (request, path) = read_arguments(call)?;
    let document = document(worm, &request, &path, Asking::Call(call)).await?;
    remarked(worm, &request, document.into())
}

pub(crate) async fn run_source(worm: &Bookworm, call: &Call) -> Result<Reply, Stop> {
    let (request, path) = read_arguments(call)?;
    let source = source(worm, &request, &path, Asking::Call(call)).await?;
    remarked(worm, &request, source.into())
}

/// An item with its signature and documentation.
pub(crate) async fn document(
    worm: &Bookworm,
    request: &Request,
    path: &ItemPath,
    asking: Asking<'_>,
) -> Result<Document, Stop> {
    let docs = worm.docs(request, asking).await?;
    let found = find(&docs, path, asking).await?;
    let text = found.text(&docs);
    let uri = CrateUri::Of(docs.name, docs.version, Part::Item(found.path()));
    Ok(markdown(&uri, text))
}

/// The code of an item.
pub(crate) async fn source(
    worm: &Bookworm,
    request: &Request,
    path: &ItemPath,
    asking: Asking<'_>,
) -> Result<Document, Stop> {
    let docs = worm.docs(request, asking).await?;
    let found = find(&docs, path, asking).await?;
    let code = match found.source_link() {
        Some(link) => docs.source(&found.page, &link).await?,
        None => None,
    };
    let code = code.ok_or_else(|| {
        let text =
            format!("The source of `{path}` in {} {} is not there.", docs.name, docs.version);
        ToolError::new(text)
    })?;
    let uri = CrateUri::Of(docs.name, docs.version, Part::Source(found.path())).to_string();
    Ok(Document { uri, mime_type: "text/x-rust", text: cut(code) })
}

fn read_arguments(call: &Call) -> Result<(Request, ItemPath), Stop> {
    let arguments: Arguments = call.arguments()?;
    let request = Request::new(&arguments.name, arguments.version.as_deref(), arguments.fetch)?;
    let path = ItemPath::parse(&arguments.item, &request.name.library())?;
    Ok((request, path))
}

/// The item of a path: a module, an item with a page, or a member on the page of one.
async fn find(docs: &Docs, path: &ItemPath, asking: Asking<'_>) -> Result<Found, Stop> {
    // A library may be called otherwise than its package, and code is written with the library.
    let path = &path.within(&docs.library);
    let items = docs.items().await?;
    if let Some(item) = choose(&items, path, asking).await?
        && let Some(page) = docs.page(&item).await?
    {
        return Ok(Found { item, page, member: None });
    }
    if let Some((item, page)) = docs.module(path).await? {
        return Ok(Found { item, page, member: None });
    }
    if let Some((parent, member)) = path.split_last()
        && let Some(item) = choose(&items, &parent, asking).await?
        && let Some(page) = docs.page(&item).await?
        && page.members.iter().any(|has| has.name == member)
    {
        return Ok(Found { item, page, member: Some(member.to_owned()) });
    }
    Err(unknown(docs, &items, path))
}

/// The item that a path means: the one with this path, or the one whose path ends like this. Where
/// that is not one, somebody chooses.
async fn choose(items: &[Item], path: &ItemPath, asking: Asking<'_>) -> Result<Option<Item>, Stop> {
    if path.segments().is_empty() {
        return Ok(None);
    }
    if let Some(exact) = items.iter().find(|item| &item.path == path) {
        return Ok(Some(exact.clone()));
    }
    let mut ending: Vec<&Item> = items.iter().filter(|item| item.path.ends_with(path)).collect();
    ending.truncate(MAX_CHOICES);
    let (Asking::Call(call), true) = (asking, ending.len() > 1) else {
        return Ok(ending.into_iter().next().cloned());
    };
    let mut options: Vec<String> = ending.iter().map(|item| item.path.to_string()).collect();
    options.dedup();
    let prompt = Prompt {
        id: "item".into(),
        text: format!("Several items are called `{path}`. Which one?"),
        details: None,
        argument: "item",
    };
    let first = options.first().cloned();
    let chosen = call.choose(prompt, options, first).await?;
    Ok(ending.into_iter().find(|item| item.path.to_string() == chosen).cloned())
}

fn unknown(docs: &Docs, items: &[Item], path: &ItemPath) -> Stop {
    let last = path.segments().last().map(|last| last.to_lowercase()).unwrap_or_default();
    let similar = items.iter().filter(|item| item.path.to_string().to_lowercase().contains(&last));
    let similar: Vec<String> = similar.take(10).map(|item| item.path.to_string()).collect();
    let hint = if similar.is_empty() || last.is_empty() {
        "search_items finds items by part of their name.".to_owned()
    } else {
        format!("Similar: {}.", similar.join(", "))
    };
    let text = format!("{} {} has no item `{path}`. {hint}", docs.name, docs.version);
    ToolError::new(text).into()
}

impl Found {
    fn path(&self) -> ItemPath {
        match &self.member {
            Some(member) => self.item.path.join(member),
            None => self.item.path.clone(),
        }
    }

    /// The members that are meant; those of the item itself before those of traits.
    fn meant(&self) -> Vec<&Member> {
        let Some(name) = &self.member else { return Vec::new() };
        let all: Vec<&Member> =
            self.page.members.iter().filter(|member| &member.name == name).collect();
        let own: Vec<&Member> = all.iter().copied().filter(|member| !member.of_trait).collect();
        if own.is_empty() { all } else { own }
    }

    fn source_link(&self) -> Option<String> {
        let member = self.meant().into_iter().find_map(|member| member.source.clone());
        member.or_else(|| self.page.source.clone())
    }

    fn text(&self, docs: &Docs) -> String {
        let path = match self.path().to_string() {
            path if path.is_empty() => docs.library.clone(),
            path => format!("{}::{path}", docs.library),
        };
        let head = format!("{} {}", docs.name, docs.version);
        if self.member.is_some() {
            let mut text = format!("# `{path}` ({head})\n");
            for member in self.meant() {
                // Writing to a string does not fail.
                let _ = writeln!(text, "\n{}\n\n{}", fenced(&member.declaration), member.docs);
            }
            return text;
        }
        let kind = self.page.title.split(' ').next().unwrap_or_default();
        let mut text = format!("# {kind} `{path}` ({head})\n\n");
        if !self.page.declaration.is_empty() {
            let _ = writeln!(text, "{}\n", fenced(&self.page.declaration));
        }
        let _ = writeln!(text, "{}", self.page.docs);
        text + &self.members() + &self.contents()
    }

    /// The item's own members, each with its first sentence.
    fn members(&self) -> String {
        let own = self.page.members.iter().filter(|member| !member.of_trait);
        let lines: String = own
            .map(|member| {
                let first = summary(&member.docs);
                let says = if first.is_empty() { String::new() } else { format!(": {first}") };
                let declaration =
                    member.declaration.split_whitespace().collect::<Vec<_>>().join(" ");
                format!("- {} `{declaration}`{says}\n", member.kind.as_str())
            })
            .collect();
        if lines.is_empty() { lines } else { format!("\n## Members\n\n{lines}") }
    }

    /// What is in a module.
    fn contents(&self) -> String {
        let line = |(kind, name, says): &(String, String, String)| {
            let says = if says.is_empty() { String::new() } else { format!(": {says}") };
            format!("- {kind} `{name}`{says}\n")
        };
        let lines: String = self.page.contents.iter().map(line).collect();
        if lines.is_empty() { lines } else { format!("\n## Contents\n\n{lines}") }
    }
}

fn fenced(code: &str) -> String {
    format!("```rust\n{code}\n```")
}
