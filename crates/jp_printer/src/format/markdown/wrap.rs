//! Cuts text into lines of a width.
//!
//! A line is a range of the text, since the spaces between its words are those of the text. Lines
//! break at spaces, and between characters of scripts that are written without them. A word that is
//! wider than a line is cut between characters as people see them, except for addresses: cut in two
//! they can neither be clicked nor copied.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::text::is_plain_ascii;

/// A line: where it is in the text, and the columns it takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    pub(super) range: Range<usize>,
    pub(super) width: usize,
}

/// What becomes of an address that is wider than a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Addresses {
    /// It sticks out, and the terminal continues it.
    Whole,
    /// It is cut like any word, as in a table, where nothing may stick out.
    Cut,
}

/// The lines of the text; no line is empty except where the author broke two in a row.
pub(super) fn wrap(text: &str, width: usize, addresses: Addresses) -> Vec<Line> {
    let mut wrapper = Wrapper { text, width, addresses, lines: Vec::new(), current: None };
    let mut start = 0;
    for part in text.split('\n') {
        wrapper.part(start, part);
        start += part.len() + 1;
    }
    wrapper.lines
}

/// The columns of a text that holds no controls.
pub(super) fn width_of(text: &str) -> usize {
    if is_plain_ascii(text) { text.len() } else { text.width() }
}

struct Wrapper<'a> {
    text: &'a str,
    width: usize,
    addresses: Addresses,
    lines: Vec<Line>,
    /// The line being filled; `None` where the next word starts one.
    current: Option<Line>,
}

impl Wrapper<'_> {
    /// Wraps what stands between two breaks of the author.
    fn part(&mut self, start: usize, part: &str) {
        let before = self.lines.len();
        let mut at = start;
        for word in part.split(' ') {
            if !word.is_empty() {
                self.word(at..at + word.len());
            }
            at += word.len() + 1;
        }
        self.end_line();
        if self.lines.len() == before {
            self.lines.push(Line { range: start..start, width: 0 });
        }
    }

    fn word(&mut self, range: Range<usize>) {
        let word = &self.text[range.clone()];
        let width = width_of(word);
        let whole = self.addresses == Addresses::Whole && word.contains("://");
        if self.has_room(range.start, width) {
            self.extend(range, width);
        } else if whole {
            self.end_line();
            self.extend(range, width);
        } else {
            for segment in segments(word) {
                let at = range.start + segment.start..range.start + segment.end;
                self.segment(at);
            }
        }
    }

    fn segment(&mut self, range: Range<usize>) {
        let width = width_of(&self.text[range.clone()]);
        if !self.has_room(range.start, width) {
            self.end_line();
        }
        if width <= self.width {
            self.extend(range, width);
            return;
        }
        for (at, cluster) in self.text[range.clone()].grapheme_indices(true) {
            let start = range.start + at;
            let width = width_of(cluster);
            if !self.has_room(start, width) {
                self.end_line();
            }
            self.extend(start..start + cluster.len(), width);
        }
    }

    fn has_room(&self, start: usize, width: usize) -> bool {
        match &self.current {
            Some(line) => line.width + (start - line.range.end) + width <= self.width,
            None => width <= self.width,
        }
    }

    fn extend(&mut self, range: Range<usize>, width: usize) {
        match &mut self.current {
            Some(line) => {
                line.width += range.start - line.range.end + width;
                line.range.end = range.end;
            }
            None => self.current = Some(Line { range, width }),
        }
    }

    fn end_line(&mut self) {
        self.lines.extend(self.current.take());
    }
}

/// The parts of a word between which a line may break.
fn segments(word: &str) -> Vec<Range<usize>> {
    if word.is_ascii() {
        return std::iter::once(0..word.len()).collect();
    }
    let mut segments = Vec::new();
    let mut start = 0;
    let mut before = "";
    for (at, cluster) in word.grapheme_indices(true) {
        if at > 0 && may_break(before, cluster) {
            segments.push(start..at);
            start = at;
        }
        before = cluster;
    }
    segments.push(start..word.len());
    segments
}

/// Chinese, Japanese and Korean break anywhere, but do not start a line with a closing mark or end
/// it with an opening one.
fn may_break(before: &str, after: &str) -> bool {
    const CLOSING: &str =
        "、。，．・：；？！）］｝」』】〉》〕ーぁぃぅぇぉっゃゅょァィゥェォッャュョ々…%)]}.,:;?!";
    const OPENING: &str = "（［｛「『【〈《〔([{";
    let wide = before.width() > 1 || after.width() > 1;
    wide && !CLOSING.contains(after) && !OPENING.contains(before)
}
