//! Blocks as lines of the screen.
//!
//! What was said is shown whole. Around it stands what led to it: thoughts, calls of tools and what came of
//! them, on a line or three each until somebody wants to see them whole.

use jp_plugin_sdk::words::one_line;
use ratatui::{
    style::Style,
    text::{Line, Span},
};

use crate::{
    text::{fit, wrap},
    theme::Theme,
    transcript::{Block, Role, Transcript},
};

/// How many lines of a result are shown at first.
const GLIMPSE: usize = 3;

/// One line of the screen.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Row {
    spans: Vec<(String, Style)>,
    /// The event it belongs to, counted from the beginning of the conversation.
    pub(super) block: usize,
    /// What the event is, on its first line.
    pub(super) role: Option<Role>,
}

impl Row {
    /// As it is drawn, with what was searched for marked.
    pub(super) fn line(&self, sought: &str, theme: Theme) -> Line<'_> {
        let mut spans = Vec::with_capacity(self.spans.len());
        for (text, style) in &self.spans {
            let mut rest = text.as_str();
            while let Some((start, end)) = position(rest, sought) {
                spans.push(Span::styled(&rest[..start], *style));
                spans.push(Span::styled(&rest[start..end], style.patch(theme.found)));
                rest = &rest[end..];
            }
            spans.push(Span::styled(rest, *style));
        }
        Line::from(spans)
    }

    pub(super) fn contains(&self, sought: &str) -> bool {
        self.spans.iter().any(|(text, _)| position(text, sought).is_some())
    }
}

/// Lays a conversation out.
pub(super) fn out(
    transcript: &Transcript,
    width: usize,
    is_expanded: bool,
    assistant: &str,
    theme: Theme,
) -> Vec<Row> {
    let mut page = Page { rows: Vec::new(), width, is_expanded, assistant, theme, block: 0 };
    if transcript.earlier > 0 {
        let text =
            format!("… {} earlier events; `jp conversation show` has all", transcript.earlier);
        page.row(vec![(fit(&text, width).into_owned(), theme.quiet)], None);
    }
    for (position, block) in transcript.blocks.iter().enumerate() {
        page.block = transcript.earlier + position;
        page.lay(block);
    }
    while page.rows.last().is_some_and(|row| row.spans.is_empty()) {
        page.rows.pop();
    }
    page.rows
}

struct Page<'a> {
    rows: Vec<Row>,
    width: usize,
    is_expanded: bool,
    assistant: &'a str,
    theme: Theme,
    block: usize,
}

impl Page<'_> {
    fn lay(&mut self, block: &Block) {
        let theme = self.theme;
        match block.role {
            Role::Turn => self.turn(block),
            Role::User => self.said(block, &block.head, theme.accent),
            Role::Assistant => self.said(block, self.assistant, theme.assistant),
            Role::Reasoning => self.aside(block, "~", theme.quiet, theme.quiet, 1),
            Role::Call => self.aside(block, "→", theme.tool, theme.quiet, 1),
            Role::Result => self.aside(block, "←", theme.tool, theme.quiet, GLIMPSE),
            Role::Failed => self.aside(block, "×", theme.error, theme.quiet, GLIMPSE),
            Role::Question => self.aside(block, "?", theme.accent, theme.text, GLIMPSE),
            Role::Answer => self.aside(block, "!", theme.accent, theme.text, GLIMPSE),
            Role::Settings => self.aside(block, "=", theme.quiet, theme.quiet, 1),
            Role::Unknown => self.aside(block, "·", theme.quiet, theme.quiet, 1),
        }
    }

    /// A line across, with the number of the turn and when it began.
    fn turn(&mut self, block: &Block) {
        self.blank();
        let time = block.time.as_deref().unwrap_or_default();
        let time = if time.is_empty() { String::new() } else { format!(" {time}") };
        let head = format!("── {} ", block.head);
        let used = head.chars().count() + time.chars().count();
        let line = "─".repeat(self.width.saturating_sub(used));
        self.row(
            vec![(fit(&format!("{head}{line}{time}"), self.width).into_owned(), self.theme.quiet)],
            Some(Role::Turn),
        );
        self.blank();
    }

    /// A name, and what its bearer said, whole. Code and headings stand out.
    fn said(&mut self, block: &Block, name: &str, style: Style) {
        self.blank();
        let name = fit(name, self.width).into_owned();
        self.row(vec![(name, style)], Some(block.role));
        let mut in_code = false;
        for line in block.body.lines() {
            let is_fence = line.trim_start().starts_with("```");
            let style = match () {
                () if in_code || is_fence => self.theme.code,
                () if line.starts_with('#') => self.theme.strong,
                () => self.theme.text,
            };
            in_code ^= is_fence;
            self.wrapped(line, 2, style);
        }
        self.blank();
    }

    /// A mark, a name, and the text beside it on one line; or the first lines below, or all of them.
    fn aside(&mut self, block: &Block, mark: &str, head: Style, body: Style, glimpse: usize) {
        let name = fit(&block.head, self.width.saturating_sub(4)).into_owned();
        let lead = (format!("  {mark} {name}"), head);
        let lines: Vec<_> = block.body.lines().collect();
        let is_short = lines.len() <= 1 || glimpse == 1;
        if lines.is_empty() || (is_short && !self.is_expanded) {
            let room = self.width.saturating_sub(lead.0.chars().count() + 2);
            let text = fit(&one_line(&block.body), room).into_owned();
            let spans =
                if text.is_empty() { vec![lead] } else { vec![lead, (format!("  {text}"), body)] };
            self.row(spans, Some(block.role));
        } else {
            self.row(vec![lead], Some(block.role));
            self.below(&lines, body, glimpse);
        }
        if self.is_expanded {
            self.blank();
        }
    }

    fn below(&mut self, lines: &[&str], style: Style, glimpse: usize) {
        if self.is_expanded {
            for line in lines {
                self.wrapped(line, 4, style);
            }
            return;
        }
        for line in lines.iter().take(glimpse) {
            let text = format!("    {}", fit(line, self.width.saturating_sub(4)));
            self.row(vec![(text, style)], None);
        }
        if lines.len() > glimpse {
            let left = lines.len() - glimpse;
            let text = format!(
                "    … {left} more {}, e shows all",
                if left == 1 { "line" } else { "lines" }
            );
            self.row(vec![(fit(&text, self.width).into_owned(), self.theme.quiet)], None);
        }
    }

    fn wrapped(&mut self, line: &str, indent: usize, style: Style) {
        for piece in wrap(line, self.width.saturating_sub(indent)) {
            self.row(vec![(format!("{:indent$}{piece}", ""), style)], None);
        }
    }

    /// A free line, unless there is one.
    fn blank(&mut self) {
        if self.rows.last().is_some_and(|row| !row.spans.is_empty()) {
            self.row(Vec::new(), None);
        }
    }

    fn row(&mut self, spans: Vec<(String, Style)>, role: Option<Role>) {
        self.rows.push(Row { spans, block: self.block, role });
    }
}

/// Where a text is in another, whatever the case of its letters: beginning and end.
fn position(text: &str, sought: &str) -> Option<(usize, usize)> {
    if sought.is_empty() {
        return None;
    }
    text.char_indices().find_map(|(start, _)| {
        let mut left = sought.chars().flat_map(char::to_lowercase);
        let mut wanted = left.next();
        for (at, letter) in text[start..].char_indices() {
            for small in letter.to_lowercase() {
                if wanted != Some(small) {
                    return None;
                }
                wanted = left.next();
            }
            if wanted.is_none() {
                return Some((start, start + at + letter.len_utf8()));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_are_found_in_any_case() {
        let check = |text: &str, sought: &str, want: Option<&str>| {
            let got = position(text, sought).map(|(start, end)| &text[start..end]);
            assert_eq!(got, want, "{sought:?} in {text:?}");
        };
        check("The Refactoring", "refac", Some("Refac"));
        check("ÜBER über", "über", Some("ÜBER"));
        check("aab", "AB", Some("ab"));
        check("İstanbul", "stan", Some("stan"));
        check("text", "", None);
        check("text", "texts", None);
    }
}
