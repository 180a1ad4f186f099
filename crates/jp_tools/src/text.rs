//! Words and lengths of what the tools answer.

use std::borrow::Cow;

/// `1 file`, `2 files`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// The beginning of a text, at most this many bytes and whole characters.
pub(crate) fn beginning(text: &str, max: usize) -> &str {
    &text[..text.floor_char_boundary(max)]
}

/// A line that is not longer than `max` bytes, with a note about what is missing.
pub(crate) fn cut_line(line: &str, max: usize) -> Cow<'_, str> {
    if line.len() <= max {
        return Cow::Borrowed(line);
    }
    let shown = beginning(line, max);
    Cow::Owned(format!("{shown}… [{} bytes more]", line.len() - shown.len()))
}

/// A file name or a path as part of a line: control characters are shown by their number, so that a
/// name cannot look like several lines.
pub(crate) fn name(path: &str) -> Cow<'_, str> {
    if !path.contains(char::is_control) {
        return Cow::Borrowed(path);
    }
    let visible = |c: char| {
        if c.is_control() { c.escape_default().to_string() } else { c.to_string() }
    };
    Cow::Owned(path.chars().map(visible).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_between_characters() {
        assert_eq!(cut_line("äöü", 6), "äöü");
        assert_eq!(cut_line("äöü", 5), "äö… [2 bytes more]");
        assert_eq!(cut_line("äöü", 1), "… [6 bytes more]");
    }

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(name("src/a.rs"), "src/a.rs");
        assert_eq!(name("a\nb\u{1b}[1m"), "a\\nb\\u{1b}[1m");
    }
}
