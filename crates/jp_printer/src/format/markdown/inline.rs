//! A run of text with styles, as it is gathered from the parser and before it is cut into lines.

use std::{fmt::Write as _, ops::Range};

use anstyle::Style;

/// Text in one piece, and the styles of its stretches. A newline in it is a break the author asked
/// for; it holds no tabs.
#[derive(Debug, Default)]
pub(super) struct Inline {
    text: String,
    runs: Vec<Run>,
}

/// A stretch of one style, from the end of the one before to `end`.
#[derive(Debug)]
struct Run {
    end: usize,
    style: Style,
}

impl Inline {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim_matches([' ', '\n']).is_empty()
    }

    /// Appends prose, in which any stretch of white space is one space.
    pub(super) fn push_prose(&mut self, text: &str, style: Style) {
        for piece in text.split_inclusive(is_space) {
            let word = piece.trim_end_matches(is_space);
            self.text.push_str(word);
            let at_start = self.text.is_empty() || self.text.ends_with([' ', '\n']);
            if word.len() < piece.len() && !at_start {
                self.text.push(' ');
            }
        }
        self.seal(style);
    }

    /// Appends text in which every space counts, such as a piece of code.
    pub(super) fn push_exact(&mut self, text: &str, style: Style) {
        for (at, piece) in text.split(is_space).enumerate() {
            if at > 0 {
                self.text.push(' ');
            }
            self.text.push_str(piece);
        }
        self.seal(style);
    }

    pub(super) fn push_break(&mut self) {
        self.text.push('\n');
        self.seal(Style::new());
    }

    pub(super) fn append(&mut self, other: &Self) {
        let offset = self.text.len();
        self.text.push_str(&other.text);
        self.runs
            .extend(other.runs.iter().map(|run| Run { end: run.end + offset, style: run.style }));
    }

    /// Writes a part of the text with its styles, which are closed at the end of it.
    pub(super) fn paint(&self, part: Range<usize>, out: &mut String) {
        let mut current = Style::new();
        let mut at = part.start;
        let first = self.runs.partition_point(|run| run.end <= part.start);
        for run in &self.runs[first..] {
            if at >= part.end {
                break;
            }
            let end = run.end.min(part.end);
            if run.style != current {
                // Writing to a string cannot fail.
                let _ = write!(out, "{}{}", current.render_reset(), run.style.render());
                current = run.style;
            }
            out.push_str(&self.text[at..end]);
            at = end;
        }
        let _ = write!(out, "{}", current.render_reset());
    }

    fn seal(&mut self, style: Style) {
        let end = self.text.len();
        match self.runs.last_mut() {
            Some(last) if last.end == end => {}
            Some(last) if last.style == style => last.end = end,
            None if end == 0 => {}
            _ => self.runs.push(Run { end, style }),
        }
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\r')
}
