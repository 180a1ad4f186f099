//! A change set as text for a person: a summary, what deserves a second look, and unified diffs.
//!
//! Names, contents and link targets come from the tool. A file name with a line break could pretend
//! to be another file, and an escape sequence could hide a line, so control characters and those that
//! turn the direction of writing are shown by their number. What is printed is safe for a terminal;
//! it is not meant for `patch`. Length is bounded, and so is the time spent on a file.

use std::{fmt::Write, fs::File, io::Read, time::Duration};

use similar::{ChangeTag, TextDiff};

use crate::{Change, Changes, Judged, Kind, ModeChange, Node, Refused, ground::Ground};

/// The longest text, the largest file of which lines are shown, and the most lines of one file.
const MAX_TEXT: usize = 1 << 20;
const MAX_FILE: u64 = 512 << 10;
const MAX_LINES: usize = 2_000;
/// The longest part of a line.
const MAX_LINE: usize = 1_000;
/// After this the differences of a file are found by a coarser method.
const MAX_TIME: Duration = Duration::from_millis(300);

impl Changes {
    /// All changes as text.
    pub fn diff(&self) -> String {
        Text::new(&self.ground).of(&self.list, &[], &[])
    }
}

impl Judged {
    /// The allowed changes as text, the names of the refused ones with the reasons, and what is left
    /// out.
    pub fn diff(&self) -> String {
        Text::new(&self.ground).of(&self.allowed, &self.refused, &self.left_out)
    }

    /// One of the changes as text, with at most so many lines of its content.
    pub fn show(&self, change: &Change, lines: usize) -> Shown {
        let mut text = Text { most: lines, ..Text::new(&self.ground) };
        text.change(change);
        Shown { text: text.out, added: text.added, removed: text.removed }
    }
}

impl Change {
    /// The change in one line, without its content.
    pub fn headline(&self) -> String {
        headline(self)
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

struct Text<'a> {
    ground: &'a Ground,
    out: String,
    cut: bool,
    /// The most lines of one file.
    most: usize,
    added: usize,
    removed: usize,
}

impl<'a> Text<'a> {
    fn new(ground: &'a Ground) -> Self {
        let (added, removed) = (0, 0);
        Self { ground, out: String::new(), cut: false, most: MAX_LINES, added, removed }
    }

    fn of(mut self, changes: &[Change], refused: &[Refused], left_out: &[Change]) -> String {
        let noticed = changes.iter().filter_map(|change| Some((change, change.notice()?)));
        for (index, (change, why)) in noticed.enumerate() {
            if index == 0 {
                self.line("These files can make programs outside of the sandbox run something:");
            }
            self.line(&format!("  {}: {why}", visible(change.path.as_str())));
        }
        for (index, refused) in refused.iter().enumerate() {
            if index == 0 {
                self.line("Refused:");
            }
            let (path, reason) = (refused.path().as_str(), refused.reason.to_string());
            self.line(&format!("  {}: {}", visible(path), visible(&reason)));
        }
        for (index, change) in left_out.iter().enumerate() {
            if index == 0 {
                self.line("Left out, because only a program that runs has a use for it:");
            }
            self.line(&format!("  {}", visible(change.path.as_str())));
        }
        for change in changes {
            if self.cut {
                break;
            }
            self.change(change);
        }
        if self.cut {
            self.out.push_str("… there is more, which is not shown\n");
        }
        self.out
    }

    fn change(&mut self, change: &Change) {
        let headline = headline(change);
        self.line(&headline);
        if let Some(obstacle) = &change.obstacle {
            self.line(&format!("  cannot be made: {}", visible(&obstacle.to_string())));
            return;
        }
        let is_gone = matches!(change.kind, Kind::Deleted(Node::File));
        if !change.kind.has_content() && !is_gone {
            return;
        }
        let had_file = is_gone
            || matches!(
                &change.kind,
                Kind::Updated { .. } | Kind::Replaced { old: Node::File, .. }
            );
        let old_size = change.seen.map_or(0, |seen| seen.size);
        if change.size > MAX_FILE || (had_file && old_size > MAX_FILE) {
            self.line("  (too large to be shown)");
            return;
        }
        let old = if had_file { self.ground.old_file(change).ok() } else { None };
        let new = if is_gone { None } else { self.ground.new_file(change).ok() };
        match (content(old), content(new)) {
            (Content::Text(old), Content::Text(new)) => self.lines(&old, &new),
            _ => self.line("  (binary)"),
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

    fn line(&mut self, line: &str) {
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

enum Content {
    Text(String),
    Binary,
}

fn content(file: Option<File>) -> Content {
    let Some(file) = file else {
        return Content::Text(String::new());
    };
    let mut bytes = Vec::new();
    match file.take(MAX_FILE + 1).read_to_end(&mut bytes) {
        Ok(_) if bytes.contains(&0) => Content::Binary,
        Ok(_) => String::from_utf8(bytes).map_or(Content::Binary, Content::Text),
        Err(_) => Content::Binary,
    }
}

/// Text in which every character can be seen for what it is.
fn visible(text: &str) -> String {
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

#[cfg(test)]
mod tests;
