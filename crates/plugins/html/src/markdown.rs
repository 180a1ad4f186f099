//! Markdown as HTML that can be put into any page.
//!
//! The parser gives a flat list of events, and this writes a tag for each. What is dangerous in Markdown
//! is not Markdown itself: HTML in it becomes text, an address that is not plainly one of the web or of
//! mail is shown and not linked, and an image is a link to it, because loading it would tell its server
//! that somebody reads this. Elements are nested to a bounded depth; browsers stop at a few hundred.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{Alignment, CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use crate::{
    budget::Budget,
    code::{code, escape},
};

/// A text longer than this is shown as it is.
const LONGEST_TEXT: usize = 1 << 20;

/// How deep elements are nested; what is deeper stands at the deepest place.
const DEEPEST: usize = 64;

/// Where addresses may lead.
const SCHEMES: [&str; 3] = ["https://", "http://", "mailto:"];

/// Markdown as people write it in a chat: with tables, tasks and strikethrough, and headings that fit
/// below those of a page.
pub fn markdown(text: &str, budget: &Budget<'_>) -> Markup {
    if text.len() > LONGEST_TEXT {
        return html! { pre.text tabindex="0" { (text) } };
    }
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut page = Page::new(budget);
    for event in Parser::new_ext(text, options) {
        page.event(event);
    }
    PreEscaped(page.html)
}

struct Page<'b> {
    budget: &'b Budget<'b>,
    html: String,
    /// What is open, and how it is closed.
    open: Vec<Open>,
    /// The number of those that are written.
    depth: usize,
    /// Whether a link is open; there can be only one.
    in_link: bool,
    /// The code block that is being read: its fence and its text.
    code: Option<(String, String)>,
    table: Columns,
}

#[derive(Clone, Copy)]
enum Open {
    Element(&'static str),
    Link,
    /// Too deep, so nothing was written.
    Nothing,
}

#[derive(Default)]
struct Columns {
    alignments: Vec<Alignment>,
    next: usize,
    in_head: bool,
}

impl<'b> Page<'b> {
    fn new(budget: &'b Budget<'b>) -> Self {
        Self {
            budget,
            html: String::new(),
            open: Vec::new(),
            depth: 0,
            in_link: false,
            code: None,
            table: Columns::default(),
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text),
            },
            Event::Code(text) => {
                self.html.push_str("<code>");
                self.text(&text);
                self.html.push_str("</code>");
            }
            Event::SoftBreak => self.html.push('\n'),
            Event::HardBreak => self.html.push_str("<br>"),
            Event::Rule => self.html.push_str("<hr>"),
            Event::TaskListMarker(done) => {
                self.html.push_str("<input type=\"checkbox\" disabled");
                self.html.push_str(if done { " checked> " } else { "> " });
            }
            Event::Html(text)
            | Event::InlineHtml(text)
            | Event::InlineMath(text)
            | Event::DisplayMath(text)
            | Event::FootnoteReference(text) => self.text(&text),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.open("<p>", "</p>"),
            Tag::Heading { level, .. } => self.heading(level),
            Tag::BlockQuote(_) => self.open("<blockquote>", "</blockquote>"),
            Tag::HtmlBlock => self.open("<p class=\"raw\">", "</p>"),
            Tag::List(None) => self.open("<ul>", "</ul>"),
            Tag::List(Some(first)) => self.open(&format!("<ol start=\"{first}\">"), "</ol>"),
            Tag::Item => self.open_inside("<li>", "</li>"),
            Tag::Emphasis => self.open("<em>", "</em>"),
            Tag::Strong => self.open("<strong>", "</strong>"),
            Tag::Strikethrough => self.open("<del>", "</del>"),
            Tag::Link { dest_url, .. } => self.link("link", &dest_url),
            Tag::Image { dest_url, .. } => {
                self.link("image", &dest_url);
                self.text("image: ");
            }
            Tag::Table(alignments) => {
                self.table = Columns { alignments, ..Columns::default() };
                self.open("<div class=\"table\"><table>", "</tbody></table></div>");
            }
            Tag::TableHead => {
                (self.table.in_head, self.table.next) = (true, 0);
                self.open_inside("<thead><tr>", "</tr></thead><tbody>");
            }
            Tag::TableRow => {
                self.table.next = 0;
                self.open_inside("<tr>", "</tr>");
            }
            Tag::TableCell => self.cell(),
            Tag::CodeBlock(kind) => {
                let fence = match kind {
                    CodeBlockKind::Fenced(fence) => fence.to_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((fence, String::new()));
                self.open.push(Open::Nothing);
            }
            // Everything else is an extension that is not enabled.
            _ => self.open.push(Open::Nothing),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if let Some((fence, text)) = self.code.take() {
            let language = Some(fence.as_str()).filter(|fence| !fence.is_empty());
            self.html.push_str(&code(language, &text, self.budget).into_string());
        }
        if tag == TagEnd::TableHead {
            self.table.in_head = false;
        }
        match self.open.pop() {
            Some(Open::Element(close)) => self.close(close),
            Some(Open::Link) => {
                self.in_link = false;
                self.close("</a>");
            }
            Some(Open::Nothing) | None => {}
        }
    }

    fn heading(&mut self, level: HeadingLevel) {
        let (open, close) = match level {
            HeadingLevel::H1 => ("<h3>", "</h3>"),
            HeadingLevel::H2 => ("<h4>", "</h4>"),
            HeadingLevel::H3 => ("<h5>", "</h5>"),
            HeadingLevel::H4 | HeadingLevel::H5 | HeadingLevel::H6 => ("<h6>", "</h6>"),
        };
        self.open(open, close);
    }

    fn cell(&mut self) {
        let Columns { alignments, next, in_head } = &mut self.table;
        let class = match alignments.get(*next) {
            Some(Alignment::Right) => " class=\"right\"",
            Some(Alignment::Center) => " class=\"center\"",
            _ => "",
        };
        *next += 1;
        let (name, close) = if *in_head { ("th", "</th>") } else { ("td", "</td>") };
        self.open_inside(&format!("<{name}{class}>"), close);
    }

    /// A link, or the text of it with the address in a hint where it cannot be one.
    fn link(&mut self, class: &str, address: &str) {
        let mut quoted = String::new();
        escape(&mut quoted, address);
        if self.in_link || !is_safe(address) {
            let tag = format!("<span class=\"unlinked {class}\" title=\"{quoted}\">");
            return self.open(&tag, "</span>");
        }
        let tag = format!("<a class=\"{class}\" href=\"{quoted}\" rel=\"noopener noreferrer\">");
        self.open(&tag, "</a>");
        if let Some(open @ Open::Element(_)) = self.open.last_mut() {
            *open = Open::Link;
            self.in_link = true;
        }
    }

    /// Opens an element if it is not too deep.
    fn open(&mut self, tag: &str, close: &'static str) {
        let fits = self.depth < DEEPEST;
        self.open_if(fits, tag, close);
    }

    /// Opens a part of the element it is in, if that one is there.
    fn open_inside(&mut self, tag: &str, close: &'static str) {
        let fits = !matches!(self.open.last(), Some(Open::Nothing));
        self.open_if(fits, tag, close);
    }

    fn open_if(&mut self, fits: bool, tag: &str, close: &'static str) {
        if !fits {
            return self.open.push(Open::Nothing);
        }
        self.html.push_str(tag);
        self.open.push(Open::Element(close));
        self.depth += 1;
    }

    fn close(&mut self, tag: &str) {
        self.html.push_str(tag);
        self.depth -= 1;
    }

    fn text(&mut self, text: &str) {
        escape(&mut self.html, text);
    }
}

/// Whether an address leads to the web, to mail, or to a place on the same page.
fn is_safe(address: &str) -> bool {
    let has_scheme = |scheme: &str| {
        address.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    let is_plain = !address.chars().any(|c| c.is_control() || c.is_whitespace());
    is_plain && (address.starts_with('#') || SCHEMES.into_iter().any(has_scheme))
}

#[cfg(test)]
mod tests;
