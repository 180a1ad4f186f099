//! Renders Markdown for a terminal.
//!
//! Events of the parser are turned into lines one by one: text is gathered until its block ends,
//! then wrapped and written on the [`Page`]. Nothing recurses and nothing is kept beyond a block (a
//! table is one block), so depth costs no stack and the time grows with the text. A long text is rendered
//! in pieces, and a block that is too large for that is shown as it is written, as is everything after so
//! much that nobody reads it.
//!
//! The danger is in what the parser makes of harmless text: `&#27;` is an escape character only
//! after parsing. The text is therefore cleaned before it is parsed, and every piece that comes out
//! of the parser is cleaned again.

mod blocks;
mod inline;
mod look;
mod page;
mod pieces;
mod spans;
mod table;
#[cfg(test)]
mod tests;
mod wrap;

use anstyle::Style;
use pulldown_cmark::{Event, Options as Extensions, Parser, Tag, TagEnd};

use self::{
    blocks::{Block, Verbatim},
    inline::Inline,
    look::Look,
    page::Page,
    pieces::{Piece, pieces},
    spans::Link,
    table::Table,
};
use super::{Hazards, code};
use crate::color::Ink;

/// How to render.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options {
    pub(super) ink: Option<Ink>,
    pub(super) width: usize,
    pub(super) hazards: Hazards,
}

/// Four bytes can become a line of the whole width, so what follows this much is not rendered any more.
const MAX_OUTPUT: usize = 24 << 20;

/// The text rendered; it ends in a newline unless there was nothing to show.
pub(super) fn render(text: &str, options: &Options) -> String {
    let extensions = Extensions::ENABLE_TABLES
        | Extensions::ENABLE_STRIKETHROUGH
        | Extensions::ENABLE_TASKLISTS
        | Extensions::ENABLE_FOOTNOTES
        | Extensions::ENABLE_GFM;
    let mut renderer = Renderer::new(options);
    for piece in pieces(text) {
        match piece {
            Piece::Markdown(text) if renderer.page.len() < MAX_OUTPUT => {
                for event in Parser::new_ext(text, extensions) {
                    renderer.event(event);
                }
                renderer.flush();
            }
            Piece::Markdown(text) | Piece::TooLarge(text) => renderer.as_written(text),
        }
    }
    renderer.page.finish()
}

struct Renderer {
    look: Look,
    hazards: Hazards,
    page: Page,
    budget: code::Budget,
    /// The text of the block being read.
    inline: Inline,
    /// The styles that are on, each including the ones around it.
    styles: Vec<Style>,
    links: Vec<Link>,
    blocks: Vec<Block>,
    /// How many of the blocks are lists.
    lists: usize,
    verbatim: Option<Verbatim>,
    table: Option<Table>,
}

impl Renderer {
    fn new(options: &Options) -> Self {
        Self {
            look: Look::new(options.ink),
            hazards: options.hazards,
            page: Page::new(options.width),
            budget: code::Budget::default(),
            inline: Inline::default(),
            styles: Vec::new(),
            links: Vec::new(),
            blocks: Vec::new(),
            lists: 0,
            verbatim: None,
            table: None,
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.text(&text);
            }
            Event::Html(html) => self.text(&html),
            Event::InlineHtml(html) => self.prose(&html, self.look.faint),
            Event::Code(code) => self.code_span(&code),
            Event::FootnoteReference(label) => {
                self.prose(&format!("[^{label}]"), self.look.faint);
            }
            Event::TaskListMarker(done) => self.task_marker(done),
            Event::SoftBreak => self.prose(" ", Style::new()),
            Event::HardBreak => self.inline.push_break(),
            Event::Rule => self.rule(),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.start_paragraph(),
            Tag::Heading { level, .. } => self.start_heading(level),
            Tag::BlockQuote(kind) => self.start_quote(kind),
            Tag::CodeBlock(kind) => self.start_verbatim(Some(blocks::language(&kind))),
            Tag::HtmlBlock => self.start_verbatim(None),
            Tag::List(next) => self.start_list(next),
            Tag::Item => self.start_item(),
            Tag::FootnoteDefinition(label) => self.start_footnote(&label),
            Tag::Table(alignments) => self.start_table(alignments),
            Tag::TableHead => {
                self.start_row();
                self.push_style(self.look.strong);
            }
            Tag::TableRow => self.start_row(),
            Tag::Emphasis => self.start_span("*", self.look.emphasis),
            Tag::Strong => self.start_span("**", self.look.strong),
            Tag::Strikethrough => self.start_span("~~", self.look.strike),
            Tag::Link { dest_url, .. } => self.start_link(&dest_url),
            Tag::Image { dest_url, .. } => {
                self.prose("image: ", self.look.faint);
                self.start_link(&dest_url);
            }
            // The rest is text without a shape of its own, or belongs to extensions that are off.
            Tag::TableCell
            | Tag::Superscript
            | Tag::Subscript
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => {
                self.leave();
                self.end_block();
            }
            TagEnd::Item => self.end_item(),
            TagEnd::List(_) => self.end_list(),
            TagEnd::CodeBlock | TagEnd::HtmlBlock => self.end_verbatim(),
            TagEnd::Table => self.end_table(),
            TagEnd::TableHead => {
                self.styles.pop();
            }
            TagEnd::TableCell => self.end_cell(),
            TagEnd::Emphasis => self.end_span("*"),
            TagEnd::Strong => self.end_span("**"),
            TagEnd::Strikethrough => self.end_span("~~"),
            TagEnd::Link | TagEnd::Image => self.end_link(),
            TagEnd::TableRow
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::MetadataBlock(_) => {}
        }
    }
}
