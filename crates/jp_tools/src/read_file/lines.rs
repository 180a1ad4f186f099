//! Some lines of a stream, and how many there are.

use std::{
    fmt::Write,
    io::{self, BufRead, BufReader, Read},
};

use jp_tool::ToolError;

use crate::text::count;

/// How much is shown at once.
const MAX_LINES: u64 = 2_000;
const MAX_BYTES: usize = 128 << 10;
/// The longest part of a line.
const MAX_LINE: usize = 4 << 10;
/// How far a file is read to find a line and to count the others.
const MAX_SCAN: u64 = 1 << 30;

/// Lines, counted from 1.
#[derive(Debug, Clone, Copy)]
pub(super) struct Range {
    first: u64,
    last: Option<u64>,
}

impl Range {
    pub(super) fn new(first: Option<u64>, last: Option<u64>) -> Result<Self, ToolError> {
        let range = Self { first: first.unwrap_or(1), last };
        if range.first == 0 || last == Some(0) {
            return Err(ToolError::new("`start_line` and `end_line` count from 1"));
        }
        if last.is_some_and(|last| last < range.first) {
            return Err(ToolError::new("`end_line` is before `start_line`"));
        }
        Ok(range)
    }

    fn contains(&self, line: u64) -> bool {
        line >= self.first && self.last.is_none_or(|last| line <= last)
    }

    fn is_whole(&self) -> bool {
        self.first == 1 && self.last.is_none()
    }
}

/// What was read.
#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a fact about the file, and all can hold"
)]
pub(super) struct Excerpt {
    text: String,
    /// The last line that is shown.
    last: u64,
    /// How many lines the file has, as far as it was read.
    lines: u64,
    /// Whether lines of the range are missing.
    is_cut: bool,
    cut_lines: usize,
    crlf: u64,
    bare: u64,
    has_bom: bool,
    is_lossy: bool,
    ends_without_newline: bool,
    /// Whether the file goes on behind what was read.
    goes_on: bool,
}

impl Excerpt {
    pub(super) fn read(file: impl Read, range: Range, numbered: bool) -> io::Result<Self> {
        let mut reader = BufReader::with_capacity(64 << 10, file.take(MAX_SCAN));
        let mut excerpt = Self::default();
        while excerpt.line(&mut reader, range, numbered)? {}
        excerpt.goes_on = reader.get_ref().limit() == 0;
        Ok(excerpt)
    }

    /// The text, then what there is to know about it.
    pub(super) fn answer(mut self, range: Range) -> Result<String, ToolError> {
        if self.lines == 0 {
            return Ok("[the file is empty]".to_owned());
        }
        if range.first > self.lines {
            let has = count(usize::try_from(self.lines).unwrap_or(usize::MAX), "line", "lines");
            let at_least = if self.goes_on { "at least " } else { "" };
            let first = range.first;
            return Err(ToolError::new(format!(
                "`start_line` is {first}, and the file has {at_least}{has}"
            )));
        }
        let mut notes = Vec::new();
        if self.is_cut || !range.is_whole() {
            let more = if self.goes_on { "more than " } else { "" };
            let mut note =
                format!("lines {} to {} of {more}{}", range.first, self.last, self.lines);
            if self.is_cut {
                let _ = write!(note, "; go on with start_line {}", self.last + 1);
            }
            notes.push(note);
        }
        if self.cut_lines > 0 {
            let lines = count(self.cut_lines, "line was", "lines were");
            notes.push(format!("{lines} cut after {MAX_LINE} bytes"));
        }
        notes.extend(self.peculiarities().into_iter().map(ToOwned::to_owned));
        if !notes.is_empty() {
            let _ = write!(self.text, "\n[{}]", notes.join("; "));
        }
        Ok(self.text)
    }

    /// What cannot be seen in the text and matters to whoever changes it.
    fn peculiarities(&self) -> Vec<&'static str> {
        let ends = match (self.crlf, self.bare) {
            (0, _) => None,
            (_, 0) => Some("lines end with CR LF"),
            _ => Some("some lines end with CR LF, some with LF"),
        };
        let is_at_end = self.last == self.lines && !self.goes_on;
        [
            ends,
            self.has_bom.then_some("begins with a byte order mark"),
            self.is_lossy.then_some("not UTF-8: what could not be read is shown as \u{fffd}"),
            (self.ends_without_newline && is_at_end).then_some("no newline at the end"),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// Reads one line; says whether there was one.
    fn line(
        &mut self,
        reader: &mut impl BufRead,
        range: Range,
        numbered: bool,
    ) -> io::Result<bool> {
        let wanted = range.contains(self.lines + 1) && !self.is_cut;
        let keep = if wanted { MAX_LINE } else { 0 };
        let Some(line) = RawLine::read(reader, keep)? else {
            return Ok(false);
        };
        self.lines += 1;
        self.ends_without_newline = !line.has_newline;
        self.crlf += u64::from(line.has_newline && line.has_return);
        self.bare += u64::from(line.has_newline && !line.has_return);
        if !wanted {
            return Ok(true);
        }
        let shown = self.lines - range.first;
        if shown >= MAX_LINES || self.text.len() >= MAX_BYTES {
            self.is_cut = true;
            return Ok(true);
        }
        self.push(&line, numbered);
        Ok(true)
    }

    fn push(&mut self, line: &RawLine, numbered: bool) {
        let mut bytes = line.start.as_slice();
        if self.lines == 1
            && let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf")
        {
            self.has_bom = true;
            bytes = rest;
        }
        if numbered {
            let _ = write!(self.text, "{}\t", self.lines);
        }
        let is_cut = line.len > line.start.len();
        // A character that was cut in two is not an error of the file.
        let valid = match std::str::from_utf8(bytes) {
            Err(error) if is_cut && error.error_len().is_none() => &bytes[..error.valid_up_to()],
            _ => bytes,
        };
        let text = String::from_utf8_lossy(valid);
        self.is_lossy |= std::str::from_utf8(valid).is_err();
        self.text.push_str(&text);
        if is_cut {
            self.cut_lines += 1;
            let _ = write!(self.text, "… [line of {} bytes]", line.len);
        }
        if line.has_newline {
            self.text.push('\n');
        }
        self.last = self.lines;
    }
}

/// A line as it is in the file, without its end.
struct RawLine {
    /// Its first bytes.
    start: Vec<u8>,
    len: usize,
    has_newline: bool,
    has_return: bool,
}

impl RawLine {
    /// The next line, of which `keep` bytes are kept.
    fn read(reader: &mut impl BufRead, keep: usize) -> io::Result<Option<Self>> {
        let mut line = Self { start: Vec::new(), len: 0, has_newline: false, has_return: false };
        let mut is_any = false;
        while !line.has_newline {
            let buffer = reader.fill_buf()?;
            if buffer.is_empty() {
                break;
            }
            is_any = true;
            let end = memchr::memchr(b'\n', buffer);
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let room = keep.saturating_sub(line.start.len()).min(part.len());
            line.start.extend_from_slice(&part[..room]);
            line.len += part.len();
            if let Some(last) = part.last() {
                line.has_return = *last == b'\r';
            }
            line.has_newline = end.is_some();
            let used = part.len() + usize::from(end.is_some());
            reader.consume(used);
        }
        if line.has_newline && line.has_return {
            line.len -= 1;
            line.start.truncate(line.len);
        }
        Ok(is_any.then_some(line))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8], first: Option<u64>, last: Option<u64>, numbered: bool) -> String {
        let range = Range::new(first, last).unwrap();
        let mut reader = BufReader::with_capacity(3, text);
        let mut excerpt = Excerpt::default();
        while excerpt.line(&mut reader, range, numbered).unwrap() {}
        excerpt.answer(range).unwrap_or_else(|error| error.message)
    }

    #[test]
    fn lines_and_what_is_peculiar_about_them() {
        for (text, expected) in [
            (b"".as_slice(), "[the file is empty]"),
            (b"a\n", "a\n"),
            (b"a\nb", "a\nb\n[no newline at the end]"),
            (b"a\r\nb\r\n", "a\nb\n\n[lines end with CR LF]"),
            (b"a\r\nb\n", "a\nb\n\n[some lines end with CR LF, some with LF]"),
            (b"\xef\xbb\xbfa\n", "a\n\n[begins with a byte order mark]"),
            (
                b"caf\xe9\n",
                "caf\u{fffd}\n\n[not UTF-8: what could not be read is shown as \u{fffd}]",
            ),
            (b"a\rb\n", "a\rb\n"),
            (b"\n", "\n"),
        ] {
            assert_eq!(read(text, None, None, false), expected, "{text:?}");
        }
    }

    #[test]
    fn some_lines() {
        let text = b"1\n22\n333\n4444\n";
        assert_eq!(read(text, Some(2), Some(3), false), "22\n333\n\n[lines 2 to 3 of 4]");
        assert_eq!(read(text, Some(4), None, true), "4\t4444\n\n[lines 4 to 4 of 4]");
        assert_eq!(read(text, Some(3), Some(99), false), "333\n4444\n\n[lines 3 to 4 of 4]");
        assert_eq!(read(text, Some(5), None, false), "`start_line` is 5, and the file has 4 lines");
        assert!(Range::new(Some(0), None).is_err());
        assert!(Range::new(Some(3), Some(2)).is_err());
    }

    #[test]
    fn what_is_long_is_cut_and_said() {
        let many = "x\n".repeat(5_000);
        let answer = read(many.as_bytes(), None, None, false);
        assert!(answer.ends_with("[lines 1 to 2000 of 5000; go on with start_line 2001]"));
        let long = format!("{}\nb\n", "ä".repeat(1_000_000));
        let answer = read(long.as_bytes(), None, None, false);
        assert!(answer.contains("… [line of 2000000 bytes]\nb\n"), "{}", answer.len());
        assert!(answer.ends_with("[1 line was cut after 4096 bytes]"), "{}", &answer[4_000..]);
    }
}
