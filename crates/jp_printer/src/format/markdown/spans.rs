//! The inside of a block: text, emphasis, code and links.

use anstyle::Style;

use super::{Renderer, look::inside};
use crate::text::longest_backtick_run;

/// A link or an image whose text is being read.
pub(super) struct Link {
    address: String,
    /// Where its text starts in the inline.
    start: usize,
}

impl Renderer {
    /// Text of the document, which belongs to a block that is shown as written, or to a paragraph.
    pub(super) fn text(&mut self, text: &str) {
        match &mut self.verbatim {
            Some(block) => block.text.push_str(&self.hazards.remove(text)),
            None => self.prose(text, Style::new()),
        }
    }

    pub(super) fn prose(&mut self, text: &str, style: Style) {
        let style = inside(self.style(), style);
        self.inline.push_prose(&self.hazards.remove(text), style);
    }

    /// A piece of code, between enough backticks where backticks are what shows it.
    pub(super) fn code_span(&mut self, code: &str) {
        let style = inside(self.style(), self.look.code);
        let code = self.hazards.remove(code);
        if !self.look.keeps_marks() {
            self.inline.push_exact(&code, style);
            return;
        }
        let marks = "`".repeat(longest_backtick_run(&code) + 1);
        let space = if code.starts_with('`') || code.ends_with('`') { " " } else { "" };
        self.inline.push_exact(&format!("{marks}{space}{code}{space}{marks}"), style);
    }

    pub(super) fn task_marker(&mut self, done: bool) {
        let style = if done { self.look.done } else { Style::new() };
        self.prose(if done { "[x] " } else { "[ ] " }, style);
    }

    pub(super) fn start_span(&mut self, mark: &'static str, style: Style) {
        self.prose(self.look.mark(mark), Style::new());
        self.push_style(style);
    }

    pub(super) fn end_span(&mut self, mark: &'static str) {
        self.styles.pop();
        self.prose(self.look.mark(mark), Style::new());
    }

    pub(super) fn start_link(&mut self, address: &str) {
        self.links.push(Link {
            address: self.hazards.remove(address).into_owned(),
            start: self.inline.text().len(),
        });
        self.push_style(self.look.link);
    }

    /// Ends a link with its address, so that a text cannot pretend to lead elsewhere. Where the text
    /// is the address, once is enough.
    pub(super) fn end_link(&mut self) {
        self.styles.pop();
        let Some(link) = self.links.pop() else { return };
        let shown = self.inline.text().get(link.start..).unwrap_or_default();
        let told = link.address.is_empty() || is_address(shown, &link.address);
        if !told {
            let space = if shown.is_empty() || shown.ends_with(' ') { "" } else { " " };
            let style = inside(self.style(), self.look.faint);
            self.inline.push_exact(&format!("{space}({})", link.address), style);
        }
    }

    pub(super) fn push_style(&mut self, style: Style) {
        self.styles.push(inside(self.style(), style));
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }
}

fn is_address(shown: &str, address: &str) -> bool {
    let address = address.strip_prefix("mailto:").unwrap_or(address);
    shown == address || Some(shown) == address.strip_suffix('/')
}
