//! The blocks of a document: where each starts and ends on the page.

use std::mem;

use anstyle::Style;
use pulldown_cmark::{Alignment, BlockQuoteKind, CodeBlockKind, HeadingLevel};

use super::{
    Renderer,
    look::styled,
    page::Margin,
    table::Table,
    wrap::{Addresses, width_of, wrap},
};
use crate::{
    format::code,
    text::{fence, single_line},
};

/// A container of other blocks.
pub(super) enum Block {
    Quote,
    List {
        /// The number of the next item; `None` for bullets.
        next: Option<u64>,
        /// Whether its items are set apart by empty lines.
        loose: bool,
    },
    Item,
    Footnote,
}

/// A block that is shown as it is written.
pub(super) struct Verbatim {
    /// `None` for HTML, which is shown in the background and without fences.
    language: Option<String>,
    pub(super) text: String,
}

/// A footnote whose label is wider than this has it on a line of its own.
const MAX_LABEL: usize = 8;

impl Renderer {
    /// Writes the text gathered so far as a paragraph.
    pub(super) fn flush(&mut self) {
        let inline = mem::take(&mut self.inline);
        if inline.is_blank() {
            return;
        }
        self.page.start_block();
        let mut line = String::new();
        for part in wrap(inline.text().trim_end(), self.page.room(), Addresses::Whole) {
            line.clear();
            inline.paint(part.range, &mut line);
            self.page.line(&line);
        }
        self.end_block();
    }

    /// Blocks are set apart, except inside an item of a list without empty lines.
    pub(super) fn end_block(&mut self) {
        let tight = matches!(self.blocks[..], [.., Block::List { loose: false, .. }, Block::Item]);
        self.page.set_gap(!tight);
    }

    pub(super) fn start_paragraph(&mut self) {
        self.flush();
        // In a list without empty lines the parser leaves paragraphs out.
        if let [.., Block::List { loose, .. }, Block::Item] = &mut self.blocks[..] {
            *loose = true;
        }
    }

    pub(super) fn start_heading(&mut self, level: HeadingLevel) {
        self.flush();
        self.push_style(self.look.heading(level));
        if self.look.keeps_marks() {
            let marks = "#".repeat(level as usize);
            self.prose(&format!("{marks} "), Style::new());
        }
    }

    pub(super) fn start_quote(&mut self, kind: Option<BlockQuoteKind>) {
        let alert = kind.map(|kind| self.look.alert(kind));
        let bar = alert.map_or(self.look.faint, |(style, _)| style);
        self.enter(Block::Quote, None, format!("{} ", styled(self.look.bar(), bar)), 2);
        if let Some((style, title)) = alert {
            let strong = style | self.look.strong.get_effects();
            self.page.line(&styled(title, strong));
        }
    }

    pub(super) fn start_list(&mut self, next: Option<u64>) {
        self.flush();
        self.page.start_block();
        self.blocks.push(Block::List { next, loose: false });
        self.lists += 1;
    }

    pub(super) fn end_list(&mut self) {
        self.blocks.pop();
        self.lists = self.lists.saturating_sub(1);
        self.end_block();
    }

    pub(super) fn start_item(&mut self) {
        let bullet = match self.blocks.last_mut() {
            Some(Block::List { next: Some(number), .. }) => {
                let bullet = format!("{number}.");
                *number = number.saturating_add(1);
                bullet
            }
            _ => self.look.bullet(self.lists).to_owned(),
        };
        let columns = width_of(&bullet) + 1;
        let first = format!("{} ", styled(&bullet, self.look.bullet));
        self.enter(Block::Item, Some(first), " ".repeat(columns), columns);
    }

    pub(super) fn end_item(&mut self) {
        self.leave();
        let loose = matches!(self.blocks.last(), Some(Block::List { loose: true, .. }));
        self.page.set_gap(loose);
    }

    pub(super) fn start_footnote(&mut self, label: &str) {
        let label = format!("[^{}]: ", single_line(label));
        let columns = width_of(&label);
        let marker = styled(&label, self.look.faint);
        if columns <= MAX_LABEL {
            self.enter(Block::Footnote, Some(marker), " ".repeat(columns), columns);
            return;
        }
        self.flush();
        self.page.start_block();
        self.page.line(styled(label.trim_end(), self.look.faint).as_str());
        self.enter(Block::Footnote, None, "    ".to_owned(), 4);
    }

    /// Goes into a container, after what stands before it.
    fn enter(&mut self, block: Block, first: Option<String>, rest: String, columns: usize) {
        self.flush();
        self.page.start_block();
        self.page.enter(Margin { first, rest, columns });
        self.blocks.push(block);
    }

    pub(super) fn leave(&mut self) {
        self.flush();
        self.page.leave();
        self.blocks.pop();
    }

    pub(super) fn rule(&mut self) {
        self.flush();
        self.page.start_block();
        let rule = self.look.rule().repeat(self.page.room());
        self.page.line(&styled(&rule, self.look.faint));
        self.end_block();
    }

    /// A part of the document that is not rendered.
    pub(super) fn as_written(&mut self, text: &str) {
        self.page.start_block();
        text.trim_end_matches('\n').lines().for_each(|line| self.page.line(line));
        self.page.set_gap(true);
    }

    pub(super) fn start_verbatim(&mut self, language: Option<String>) {
        self.flush();
        self.page.start_block();
        self.verbatim = Some(Verbatim { language, text: String::new() });
    }

    pub(super) fn end_verbatim(&mut self) {
        let Some(block) = self.verbatim.take() else {
            return;
        };
        match block.language {
            None => {
                for line in block.text.lines() {
                    self.page.line(&styled(line, self.look.faint));
                }
            }
            Some(language) => self.code_block(&block.text, &language),
        }
        self.end_block();
    }

    /// Code between its fences, which show where it ends and are easy to leave out of a copy. The
    /// code itself is neither wrapped nor moved.
    fn code_block(&mut self, text: &str, language: &str) {
        let fenced = fence(text, language);
        let colored =
            self.look.ink.and_then(|ink| code::highlight(text, language, ink, &mut self.budget));
        let mut lines = fenced.lines();
        let (Some(open), Some(close)) = (lines.next(), lines.next_back()) else {
            return;
        };
        self.page.line(&styled(open, self.look.faint));
        match colored {
            Some(colored) => colored.lines().for_each(|line| self.page.line(line)),
            None => lines.for_each(|line| self.page.line(line)),
        }
        self.page.line(&styled(close, self.look.faint));
    }

    pub(super) fn start_table(&mut self, alignments: Vec<Alignment>) {
        self.flush();
        self.page.start_block();
        self.table = Some(Table::new(alignments));
    }

    pub(super) fn start_row(&mut self) {
        if let Some(table) = &mut self.table {
            table.start_row();
        }
    }

    pub(super) fn end_cell(&mut self) {
        let cell = mem::take(&mut self.inline);
        if let Some(table) = &mut self.table {
            table.push_cell(cell);
        }
    }

    pub(super) fn end_table(&mut self) {
        if let Some(table) = self.table.take() {
            table.draw(&mut self.page, &self.look);
        }
        self.end_block();
    }
}

/// What a block of code says about its language.
pub(super) fn language(kind: &CodeBlockKind<'_>) -> String {
    match kind {
        CodeBlockKind::Indented => String::new(),
        CodeBlockKind::Fenced(info) => single_line(info).into_owned(),
    }
}
