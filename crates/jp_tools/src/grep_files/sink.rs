//! What is taken down while one file is searched.
//!
//! Lines that could be in the answer are kept, cut to a sensible length; others are only counted. A
//! file that turns out to be binary is as if it had not been searched, whatever came before.

use std::io;

use grep_matcher::Matcher;
use grep_regex::RegexMatcher;
use grep_searcher::{Searcher, Sink, SinkContext, SinkContextKind, SinkFinish, SinkMatch};

use super::hits::{Hit, Line, Role, Room};

/// The longest part of a line that is shown.
pub(super) const MAX_LINE: usize = 500;
/// How much of a long line is shown before the match.
const BEFORE: usize = 100;

pub(super) struct LineSink<'a> {
    matcher: &'a RegexMatcher,
    files_only: bool,
    room: Room,
    hit: Hit,
    pub(super) is_binary: bool,
}

impl<'a> LineSink<'a> {
    pub(super) fn new(matcher: &'a RegexMatcher, files_only: bool, room: Room) -> Self {
        Self { matcher, files_only, room, hit: Hit::default(), is_binary: false }
    }

    pub(super) fn into_hit(self) -> Hit {
        self.hit
    }

    /// Takes down a line without its end, if there is room for it.
    pub(super) fn line(&mut self, number: Option<u64>, role: Role, bytes: &[u8]) {
        let is_kept = match role {
            Role::Match => {
                self.hit.matches += 1;
                !self.files_only && self.has_room()
            }
            Role::Before => self.has_room(),
            // The lines after the last match still belong to it.
            Role::After => self.has_room() || self.hit.matches == self.hit.kept,
        };
        if is_kept {
            self.hit.kept += usize::from(role == Role::Match);
            let line = Line { number: number.unwrap_or_default(), role, text: self.text(bytes) };
            self.hit.bytes += line.weight();
            self.hit.lines.push(line);
        }
    }

    fn has_room(&self) -> bool {
        self.hit.kept < self.room.matches && self.hit.bytes < self.room.bytes
    }

    fn text(&self, line: &[u8]) -> String {
        if line.len() <= MAX_LINE {
            return String::from_utf8_lossy(line).into_owned();
        }
        let at = self.matcher.find(line).ok().flatten().map_or(0, |found| found.start());
        let start = if at + BEFORE < MAX_LINE { 0 } else { at - BEFORE };
        let end = line.len().min(start + MAX_LINE);
        let text = String::from_utf8_lossy(&line[start..end]);
        let text = text.trim_matches(char::REPLACEMENT_CHARACTER);
        let before = if start > 0 { "… " } else { "" };
        format!("{before}{text}… [line of {} bytes]", line.len())
    }
}

impl Sink for LineSink<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        self.line(found.line_number(), Role::Match, without_end(found.bytes()));
        // To know that a file is not binary, it has to be read to the end.
        Ok(true)
    }

    fn context(&mut self, _: &Searcher, context: &SinkContext<'_>) -> io::Result<bool> {
        let role = match context.kind() {
            SinkContextKind::Before => Role::Before,
            SinkContextKind::After | SinkContextKind::Other => Role::After,
        };
        self.line(context.line_number(), role, without_end(context.bytes()));
        Ok(true)
    }

    fn binary_data(&mut self, _: &Searcher, _: u64) -> io::Result<bool> {
        self.is_binary = true;
        Ok(false)
    }

    fn finish(&mut self, _: &Searcher, finish: &SinkFinish) -> io::Result<()> {
        self.is_binary |= finish.binary_byte_offset().is_some();
        Ok(())
    }
}

fn without_end(line: &[u8]) -> &[u8] {
    let line = line.strip_suffix(b"\n").unwrap_or(line);
    line.strip_suffix(b"\r").unwrap_or(line)
}
