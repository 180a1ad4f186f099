//! A change as text for a person: a headline, and the lines that differ.
//!
//! Names, contents and link targets come from the tool. A file name with a line break could pretend
//! to be another file, and an escape sequence could hide a line, so control characters and those that
//! turn the direction of writing are shown by their number. What is printed is safe for a terminal;
//! it is not meant for `patch`. Length is bounded, and so is the time spent on a file.

use std::{fmt::Write, time::Duration};

use similar::{ChangeTag, TextDiff};

use crate::{Change, Kind, ModeChange, Node};

/// The longest text, and the most lines of one file.
pub(crate) const MAX_TEXT: usize = 1 << 20;
const MAX_LINES: usize = 2_000;
/// The longest part of a line.
pub(crate) const MAX_LINE: usize = 1_000;
/// After this the differences of a file are found by a coarser method.
const MAX_TIME: Duration = Duration::from_millis(300);

impl Change {
    /// The largest file of which lines are shown. Nobody needs to read more to show a change.
    pub const MAX_SHOWN: u64 = 512 << 10;

    /// The change in one line, without its content.
    pub fn headline(&self) -> String {
        headline(self)
    }

    /// The change as text with at most so many lines of its content, which the caller has: what was
    /// there and what is, as far as a file was or is. Content above [`Change::MAX_SHOWN`] is not shown.
    pub fn show(&self, old: Option<&[u8]>, new: Option<&[u8]>, lines: usize) -> Shown {
        let mut text = Text { most: lines, ..Text::default() };
        text.change(self, || Contents::of(old, new));
        Shown { text: text.out, added: text.added, removed: text.removed }
    }
}

/// One change as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// The headline and the lines that differ.
    pub text: String,
    /// How many lines come, shown or not. None of what is binary or too large.
    pub added: usize,
    /// How many lines go.
    pub removed: usize,
}

/// What was in a file and what is.
pub(crate) enum Contents {
    Text { old: String, new: String },
    Binary,
    TooLarge,
}

impl Contents {
    pub(crate) fn of(old: Option<&[u8]>, new: Option<&[u8]>) -> Self {
        let (old, new) = (old.unwrap_or_default(), new.unwrap_or_default());
        let is_large =
            |bytes: &[u8]| u64::try_from(bytes.len()).unwrap_or(u64::MAX) > Change::MAX_SHOWN;
        if is_large(old) || is_large(new) {
            return Self::TooLarge;
        }
        match (text_of(old), text_of(new)) {
            (Some(old), Some(new)) => Self::Text { old, new },
            _ => Self::Binary,
        }
    }
}

fn text_of(bytes: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(bytes).ok()?;
    (!bytes.contains(&0)).then(|| text.to_owned())
}

pub(crate) struct Text {
    pub(crate) out: String,
    pub(crate) cut: bool,
    /// The most lines of one file.
    pub(crate) most: usize,
    pub(crate) added: usize,
    pub(crate) removed: usize,
}

impl Default for Text {
    fn default() -> Self {
        Self { out: String::new(), cut: false, most: MAX_LINES, added: 0, removed: 0 }
    }
}

impl Text {
    /// A change. Its contents are only asked for if there is something of them to show.
    pub(crate) fn change(&mut self, change: &Change, contents: impl FnOnce() -> Contents) {
        let headline = headline(change);
        self.line(&headline);
        if let Some(obstacle) = &change.obstacle {
            self.line(&format!("  cannot be made: {}", visible(&obstacle.to_string())));
            return;
        }
        if !change.kind.has_content() && !matches!(change.kind, Kind::Deleted(Node::File)) {
            return;
        }
        match contents() {
            Contents::Text { old, new } => self.lines(&old, &new),
            Contents::Binary => self.line("  (binary)"),
            Contents::TooLarge => self.line("  (too large to be shown)"),
        }
    }

    fn lines(&mut self, old: &str, new: &str) {
        let diff = TextDiff::configure().timeout(MAX_TIME).diff_lines(old, new);
        let count = |tag| diff.iter_all_changes().filter(|change| change.tag() == tag).count();
        (self.added, self.removed) = (count(ChangeTag::Insert), count(ChangeTag::Delete));
        let mut shown = 0;
        for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
            if self.most > shown {
                self.line(&hunk.header().to_string());
            }
            for change in hunk.iter_changes() {
                shown += 1;
                if self.cut || shown > self.most {
                    continue;
                }
                let line = change.value();
                let text = line.strip_suffix('\n').unwrap_or(line);
                self.line(&format!("{}{}", change.tag(), visible(text)));
                if !line.ends_with(['\n', '\r']) {
                    self.line("\\ no newline at the end of the file");
                }
            }
        }
        if let Some(more) = shown.checked_sub(self.most).filter(|more| *more > 0) {
            let lines = if more == 1 { "line is" } else { "lines are" };
            self.line(&format!("  ({more} more {lines} not shown)"));
        }
    }

    pub(crate) fn line(&mut self, line: &str) {
        if self.out.len() + line.len() > MAX_TEXT {
            self.cut = true;
            return;
        }
        self.out.push_str(line);
        self.out.push('\n');
    }
}

fn headline(change: &Change) -> String {
    let path = visible(change.path.as_str());
    let mode = change.mode.map(|mode| format!(", mode {mode:03o}")).unwrap_or_default();
    let size = change.size;
    match &change.kind {
        Kind::Created(node) => match node {
            Node::File => format!("+ {path}: new file, {size} bytes{mode}"),
            other => format!("+ {path}: new {}", noun(other)),
        },
        Kind::Updated { content, mode } => {
            let size = if *content { format!(", {size} bytes") } else { String::new() };
            let mode = mode.map(|ModeChange { from, to }| format!(", mode {from:03o} to {to:03o}"));
            format!("~ {path}: changed{size}{}", mode.unwrap_or_default())
        }
        Kind::Retargeted { old, new } => {
            format!("~ {path}: link to {} instead of {}", visible(new), visible(old))
        }
        Kind::Deleted(Node::File) => format!("- {path}: file removed, {size} bytes"),
        Kind::Deleted(node) => format!("- {path}: {} removed", noun(node)),
        Kind::Replaced { old, new } => format!("! {path}: {} instead of {}", noun(new), noun(old)),
    }
}

fn noun(node: &Node) -> String {
    match node {
        Node::File => "file".to_owned(),
        Node::Directory => "directory".to_owned(),
        Node::Link { target } => format!("link to {}", visible(target)),
        Node::Special => "special file".to_owned(),
    }
}

/// Text in which every character can be seen for what it is.
pub(crate) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if out.len() > MAX_LINE {
            out.push('…');
            break;
        }
        if c != '\t' && (c.is_control() || is_invisible(c)) {
            let _infallible = write!(out, "\\u{{{:x}}}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

/// Characters that change how their neighbours look.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}
