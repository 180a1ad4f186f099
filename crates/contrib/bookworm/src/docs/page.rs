//! The page of an item, taken apart.

use scraper::{ElementRef, Selector};

use super::{
    html::{self, PageError},
    items::Kind,
    markdown::{code, markdown},
    path::DocPath,
};

/// More members than this are not read; no page that a person wrote has them.
const MAX_MEMBERS: usize = 5_000;

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
        Ok(main.and_then(|main| Self::read(main, path)))
    }

    fn read(main: ElementRef<'_>, path: &DocPath) -> Option<Self> {
        let title = first(main, ".main-heading h1, h1.fqn, h1")?;
        let title: String =
            title.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Self {
            path: path.clone(),
            title: title.trim_end_matches(" Copy item path").to_owned(),
            declaration: first(main, "pre.item-decl").map(code).unwrap_or_default(),
            docs: first(main, "details.top-doc > .docblock, details.top-doc > .docblock-short")
                .map(markdown)
                .unwrap_or_default(),
            source: first(main, ".main-heading a.src, h1 a.src, .out-of-band a.src").and_then(link),
            members: members(main),
            contents: contents(main),
        })
    }
}

/// The first paragraph of a text.
pub(crate) fn summary(docs: &str) -> String {
    let first = docs.split("\n\n").find(|part| !part.starts_with('#')).unwrap_or_default();
    first.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn members(main: ElementRef<'_>) -> Vec<Member> {
    let kinds =
        ["method", "tymethod", "variant", "structfield", "associatedtype", "associatedconstant"];
    let selector: Vec<String> = kinds.iter().map(|kind| format!("[id^=\"{kind}.\"]")).collect();
    let found = select(main, &selector.join(", ")).filter_map(member);
    found.take(MAX_MEMBERS).collect()
}

fn member(element: ElementRef<'_>) -> Option<Member> {
    let (kind, name) = element.value().id()?.split_once('.')?;
    // A second method of the same name has a number behind its name.
    let name = name.split('-').next()?.to_owned();
    let header = first(element, ".code-header, h3, h4").unwrap_or(element);
    Some(Member {
        kind: Kind::of_member(kind)?,
        name,
        declaration: code(header).trim_start_matches('§').trim().to_owned(),
        docs: docs_after(element).map(markdown).unwrap_or_default(),
        source: first(element, "a.src").and_then(link),
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

fn contents(main: ElementRef<'_>) -> Vec<(String, String, String)> {
    let rows = select(main, "dl.item-table > dt, .item-table .item-name");
    let row = |row: ElementRef<'_>| {
        let anchor = first(row, "a")?;
        let kind = anchor.value().classes().next().unwrap_or("mod").to_owned();
        let name = anchor.text().collect::<String>();
        let next = row.next_siblings().find_map(ElementRef::wrap);
        let says = next.filter(|next| matches!(next.value().name(), "dd" | "div"));
        let says = says.map(|says| summary(&markdown(says))).unwrap_or_default();
        Some((kind, name, says))
    };
    rows.filter_map(row).take(MAX_MEMBERS).collect()
}

fn link(element: ElementRef<'_>) -> Option<String> {
    element.value().attr("href").map(ToOwned::to_owned)
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
