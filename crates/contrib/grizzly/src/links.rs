//! Links between notes: `[[Title]]`, and addresses of Bear.
//!
//! A wiki link can name a heading after a slash and another text after a bar. A slash can also be part of
//! a title, so whoever compares titles tries the whole first. What is in code is text, not a link.

use std::{
    collections::{BTreeMap, HashSet},
    ops::Range,
};

use memchr::memmem;

use crate::{
    fold,
    library::{Body, Head, Library, LibraryError},
    uri::Address,
};

/// The longest link that is one, in bytes.
const MAX_LINK: usize = 4096;
/// How many lines are told of one note.
const MAX_LINES: usize = 20;
/// Where an address begins, whatever comes before it.
const ADDRESS: &str = "bear://";

/// A note that links to another, and the lines where it does.
#[derive(Debug, Clone)]
pub struct Backlink {
    /// The note with the link.
    pub head: Head,
    /// The numbers, from one, and texts of the lines; the first ones if there are many.
    pub lines: Vec<(usize, String)>,
}

/// The notes that link to this one, those that were changed last first. Notes in the trash are left out,
/// and so is the note itself.
pub fn backlinks(library: &Library, target: &Head) -> Result<Vec<Backlink>, LibraryError> {
    let wanted = Wanted { id: target.id.to_lowercase(), title: fold::for_names(&target.title) };
    let mut found = Vec::new();
    library.notes(|head, body| {
        if library.budget().is_spent() {
            return Err(library.out_of_time());
        }
        if let Body::Text(text) = body
            && head.row != target.row
            && !head.is_trashed
        {
            let lines = wanted.lines(text);
            if !lines.is_empty() {
                found.push(Backlink { head, lines });
            }
        }
        Ok(())
    })?;
    found.sort_by_key(|link: &Backlink| std::cmp::Reverse(link.head.modified));
    Ok(found)
}

/// What a link has to lead to.
struct Wanted {
    id: String,
    title: String,
}

impl Wanted {
    fn lines(&self, text: &str) -> Vec<(usize, String)> {
        let mut lines = BTreeMap::new();
        for Link { line, number, target } in links(text) {
            if lines.len() < MAX_LINES && self.is_met_by(&target) {
                lines.entry(number).or_insert_with(|| line.chars().take(300).collect());
            }
        }
        lines.into_iter().collect()
    }

    fn is_met_by(&self, target: &Target<'_>) -> bool {
        match target {
            Target::Wiki(inner) => titles(inner).contains(&self.title),
            Target::Address(uri) => match Address::parse(uri) {
                Some(Address::Note { id, .. }) => id.to_lowercase() == self.id,
                Some(Address::Title(title)) => fold::for_names(&title) == self.title,
                Some(Address::Tag(_)) | None => false,
            },
        }
    }
}

/// A link as it stands in a text.
#[derive(Debug, PartialEq, Eq)]
struct Link<'a> {
    /// The line it is in.
    line: &'a str,
    /// The number of that line, from one.
    number: usize,
    target: Target<'a>,
}

#[derive(Debug, PartialEq, Eq)]
enum Target<'a> {
    /// What is between `[[` and `]]`.
    Wiki(&'a str),
    Address(&'a str),
}

/// All links of a text.
fn links(text: &str) -> Vec<Link<'_>> {
    // Most notes have none, and this is quick to see.
    let bytes = text.as_bytes();
    if memmem::find(bytes, b"[[").is_none() && find_address(text).is_none() {
        return Vec::new();
    }
    let mut links = Vec::new();
    let mut fence: Option<&str> = None;
    for (number, line) in text.lines().enumerate() {
        let start = line.trim_start();
        match fence {
            Some(mark) if start.starts_with(mark) => fence = None,
            Some(_) => {}
            None => {
                fence = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
                if fence.is_none() {
                    of_line(line, number + 1, &mut links);
                }
            }
        }
    }
    links
}

fn of_line<'a>(line: &'a str, number: usize, links: &mut Vec<Link<'a>>) {
    let code = code_spans(line);
    let mut add = |at: usize, target| {
        // They are in order, and there may be as many as there are links.
        let next = code.partition_point(|span| span.end <= at);
        if !code.get(next).is_some_and(|span| span.contains(&at)) {
            links.push(Link { line, number, target });
        }
    };
    let mut from = 0;
    while let Some(open) = line[from..].find("[[").map(|open| from + open) {
        let Some(close) = line[open..].find("]]").map(|close| open + close) else { break };
        // Of `[[[[x]]` the inner one counts.
        let open = line[..close].rfind("[[").unwrap_or(open);
        let inner = &line[open + 2..close];
        if inner.len() <= MAX_LINK {
            add(open, Target::Wiki(inner));
        }
        from = close + 2;
    }
    let mut from = 0;
    while let Some(start) = find_address(&line[from..]).map(|start| from + start) {
        let is_end =
            |char: char| char.is_whitespace() || matches!(char, ')' | '>' | '"' | ']' | '`');
        let end = line[start..].find(is_end).map_or(line.len(), |end| start + end);
        if end - start <= MAX_LINK {
            add(start, Target::Address(&line[start..end]));
        }
        from = end.max(start + ADDRESS.len());
    }
}

/// The scheme of an address is written in any case.
fn find_address(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    memmem::find_iter(bytes, b"://").find_map(|at| {
        let start = at.checked_sub(4)?;
        bytes[start..at].eq_ignore_ascii_case(b"bear").then_some(start)
    })
}

/// The parts of a line between backticks.
fn code_spans(line: &str) -> Vec<Range<usize>> {
    let mut spans = Vec::new();
    let mut ticks = memchr::memchr_iter(b'`', line.as_bytes());
    while let (Some(open), Some(close)) = (ticks.next(), ticks.next()) {
        spans.push(open..close);
    }
    spans
}

/// The titles that a wiki link may mean: the whole, without the text after a bar, and without the heading
/// after each slash. A backslash keeps a slash or a bar from meaning anything.
fn titles(inner: &str) -> HashSet<String> {
    let mut ends = vec![inner.len()];
    let mut is_escaped = false;
    for (at, char) in inner.char_indices() {
        if !is_escaped && matches!(char, '/' | '|') {
            ends.push(at);
        }
        is_escaped = char == '\\' && !is_escaped;
    }
    ends.truncate(16);
    let plain = |end: usize| inner[..end].replace("\\/", "/").replace("\\|", "|");
    let titles = ends.into_iter().map(|end| fold::for_names(&plain(end)));
    titles.filter(|title| !title.is_empty()).collect()
}

#[cfg(test)]
mod tests;
