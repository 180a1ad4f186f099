//! The page of an item, taken apart.
//!
//! All that is taken from a page shares one room of 16 MiB, as much as a page may have, so that a page
//! on which things lie within each other becomes no more than one on which they follow each other.

use scraper::{ElementRef, Selector};

use super::{
    html::{self, PageError},
    items::Kind,
    markdown::{code, markdown, plain},
    path::DocPath,
    room::Room,
};

/// More members than this are not read; no page that a person wrote has them.
const MAX_MEMBERS: usize = 5_000;
/// What is taken from a page, all in all.
const MAX_TEXT: usize = 16 << 20;
const MAX_LINK: usize = 4 << 10;
/// The name and the source of a member are among its first elements.
const NEAR: usize = 100;

/// What a page says.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) path: DocPath,
    /// `Struct`, `Trait`, `Attribute Macro`…
    pub(crate) title: String,
    /// How it is declared; empty for a module.
    pub(crate) declaration: String,
    /// Its documentation as Markdown.
    pub(crate) docs: String,
    /// Where its source is.
    pub(crate) source: Option<String>,
    pub(crate) members: Vec<Member>,
    /// What is in a module: kind, name, first sentence.
    pub(crate) contents: Vec<(String, String, String)>,
}

/// A method, variant, field or the like.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) kind: Kind,
    pub(crate) name: String,
    pub(crate) declaration: String,
    pub(crate) docs: String,
    pub(crate) source: Option<String>,
    /// It is there because a trait is implemented.
    pub(crate) of_trait: bool,
}

impl Page {
    /// `None` for a page that rustdoc did not write.
    pub(crate) fn parse(text: &str, path: &DocPath) -> Result<Option<Self>, PageError> {
        let document = html::parse(text)?;
        let main = first(document.root_element(), "#main-content");
        Ok(main.and_then(|main| Self::read(main, path, &Room::new(MAX_TEXT))))
    }

    fn read(main: ElementRef<'_>, path: &DocPath, room: &Room) -> Option<Self> {
        let title = first(main, ".main-heading h1, h1.fqn, h1")?;
        let title = in_one_line(&plain(title, room));
        Some(Self {
            path: path.clone(),
            title: title.trim_end_matches(" Copy item path").to_owned(),
            declaration: first(main, "pre.item-decl")
                .map(|declaration| code(declaration, room))
                .unwrap_or_default(),
            docs: first(main, "details.top-doc > .docblock, details.top-doc > .docblock-short")
                .map(|docs| markdown(docs, room))
                .unwrap_or_default(),
            source: first(main, ".main-heading a.src, h1 a.src, .out-of-band a.src").and_then(link),
            members: members(main, room),
            contents: contents(main, room),
        })
    }
}

/// The first paragraph of a text.
pub(crate) fn summary(docs: &str) -> String {
    let first = docs.split("\n\n").find(|part| !part.starts_with('#')).unwrap_or_default();
    in_one_line(first)
}

fn in_one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn members(main: ElementRef<'_>, room: &Room) -> Vec<Member> {
    let kinds =
        ["method", "tymethod", "variant", "structfield", "associatedtype", "associatedconstant"];
    let selector: Vec<String> = kinds.iter().map(|kind| format!("[id^=\"{kind}.\"]")).collect();
    let found = select(main, &selector.join(", ")).take_while(|_| !room.is_full());
    found.filter_map(|element| member(element, room)).take(MAX_MEMBERS).collect()
}

fn member(element: ElementRef<'_>, room: &Room) -> Option<Member> {
    let (kind, name) = element.value().id()?.split_once('.')?;
    // A second method of the same name has a number behind its name.
    let name = room.fit(name.split('-').next()?).to_owned();
    let header = near(element, ".code-header, h3, h4").unwrap_or(element);
    Some(Member {
        kind: Kind::of_member(kind)?,
        name,
        declaration: code(header, room).trim_start_matches('§').trim().to_owned(),
        docs: docs_after(element).map(|docs| markdown(docs, room)).unwrap_or_default(),
        source: near(element, "a.src").and_then(link),
        of_trait: element.value().classes().any(|class| class == "trait-impl"),
    })
}

/// The documentation of a member follows it, or the summary that it stands in.
fn docs_after(element: ElementRef<'_>) -> Option<ElementRef<'_>> {
    let within = element.parent().and_then(ElementRef::wrap);
    let in_summary = within.filter(|parent| parent.value().name() == "summary");
    let siblings = in_summary.unwrap_or(element).next_siblings().filter_map(ElementRef::wrap);
    // Notes about stability and features may stand in between.
    let mut near = siblings.take(3).take_while(|next| next.value().id().is_none());
    near.find(|next| next.value().classes().any(|class| class == "docblock"))
}

fn contents(main: ElementRef<'_>, room: &Room) -> Vec<(String, String, String)> {
    let rows = select(main, "dl.item-table > dt, .item-table .item-name");
    let row = |row: ElementRef<'_>| {
        let anchor = near(row, "a")?;
        let kind = room.fit(anchor.value().classes().next().unwrap_or("mod")).to_owned();
        let name = plain(anchor, room);
        let next = row.next_siblings().find_map(ElementRef::wrap);
        let says = next.filter(|next| matches!(next.value().name(), "dd" | "div"));
        let says = says.map(|says| summary(&markdown(says, room))).unwrap_or_default();
        Some((kind, name, says))
    };
    rows.take_while(|_| !room.is_full()).filter_map(row).take(MAX_MEMBERS).collect()
}

/// A link that is longer than any path has no use.
fn link(element: ElementRef<'_>) -> Option<String> {
    let link = element.value().attr("href")?;
    (link.len() <= MAX_LINK).then(|| link.to_owned())
}

/// The first that fits, among the first elements of this one.
fn near<'a>(element: ElementRef<'a>, selector: &str) -> Option<ElementRef<'a>> {
    let selector = Selector::parse(selector).ok()?;
    element.descendent_elements().take(NEAR).find(|near| selector.matches(near))
}

fn first<'a>(element: ElementRef<'a>, selector: &str) -> Option<ElementRef<'a>> {
    select(element, selector).next()
}

/// The selectors are ours, and right.
fn select<'a>(
    element: ElementRef<'a>,
    selector: &str,
) -> impl Iterator<Item = ElementRef<'a>> + use<'a> {
    let found: Vec<_> = match Selector::parse(selector) {
        Ok(selector) => element.select(&selector).collect(),
        Err(_) => Vec::new(),
    };
    found.into_iter()
}

#[cfg(test)]
mod tests;
