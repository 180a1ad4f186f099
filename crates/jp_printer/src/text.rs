//! Small tools for text on a terminal, for the printer and for the program around it.

use std::borrow::Cow;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::sanitize::{Styles, sanitize};

/// The columns a line of text takes. Styles take none, a tab counts as one.
pub fn display_width(text: &str) -> usize {
    if is_plain_ascii(text) {
        return text.len();
    }
    sanitize(text, Styles::Strip).width()
}

/// The text cut to `columns`, with `…` in the last column where something was cut off.
///
/// It cuts between characters as people see them, so an emoji with its modifiers or a letter with
/// its accents stays whole. Styles and other controls are removed, because a cut might leave one
/// open.
pub fn truncate_to_width(text: &str, columns: usize) -> Cow<'_, str> {
    let text = sanitize(text, Styles::Strip);
    if text.width() <= columns {
        return text;
    }
    let Some(room) = columns.checked_sub(1) else {
        return Cow::Borrowed("");
    };
    let mut out = String::new();
    let mut used = 0;
    for cluster in text.graphemes(true) {
        used += cluster.width();
        if used > room {
            break;
        }
        out.push_str(cluster);
    }
    out.truncate(out.trim_end().len());
    out.push('…');
    Cow::Owned(out)
}

/// The text on one line: newlines and tabs become spaces, controls and styles go.
///
/// For what others wrote and we show inside a line of ours, such as a title in a table.
pub fn single_line(text: &str) -> Cow<'_, str> {
    let text = sanitize(text, Styles::Strip);
    if text.contains(['\n', '\t']) { Cow::Owned(text.replace(['\n', '\t'], " ")) } else { text }
}

/// The text as a fenced block of Markdown that it cannot break out of: the fence is longer than any
/// run of backticks inside.
pub fn fence(text: &str, lang: &str) -> String {
    let fence = "`".repeat(longest_backtick_run(text).saturating_add(1).max(3));
    // A backtick or a line end would end the first line of the block before its time.
    let lang: String = lang.chars().filter(|c| *c != '`' && !c.is_control()).collect();
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{}\n{text}{end}{fence}\n", lang.trim())
}

/// A value as one line of JSON that is safe to look at: what a terminal would act on is written as
/// an escape, which is the same text to whoever parses it.
pub fn json_line(value: &serde_json::Value) -> String {
    let text = value.to_string();
    let is_hazard = |c: char| matches!(c, '\u{7f}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    if !text.contains(is_hazard) {
        return text + "\n";
    }
    let escape = |c: char| {
        if is_hazard(c) { format!("\\u{:04x}", u32::from(c)) } else { c.to_string() }
    };
    text.chars().map(escape).chain(["\n".to_owned()]).collect()
}

/// Whether every byte is a column wide.
pub(crate) fn is_plain_ascii(text: &str) -> bool {
    text.bytes().all(|b| matches!(b, b' '..=b'~'))
}

pub(crate) fn longest_backtick_run(text: &str) -> usize {
    text.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn width_counts_columns() {
        for (text, columns) in [
            ("", 0),
            ("plain", 5),
            ("漢字", 4),
            ("a\tb", 3),
            ("e\u{301}", 1),
            ("👩‍👩‍👧", 2),
            ("\x1b[1;31mred\x1b[0m", 3),
        ] {
            assert_eq!(display_width(text), columns, "{text:?}");
        }
    }

    #[test]
    fn truncation_keeps_characters_whole() {
        for (text, columns, expected) in [
            ("plain", 5, "plain"),
            ("plain", 4, "pla…"),
            ("plain", 1, "…"),
            ("plain", 0, ""),
            ("two words", 5, "two…"),
            ("漢字漢字", 5, "漢字…"),
            ("漢字漢字", 4, "漢…"),
            ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"),
            ("👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"),
            ("\x1b[31mred and more", 4, "red…"),
        ] {
            assert_eq!(truncate_to_width(text, columns), expected, "{text:?} at {columns}");
            assert!(display_width(&truncate_to_width(text, columns)) <= columns);
        }
    }

    /// 072-251: what a plugin says about itself is shown in our lines, and cleaned for them.
    #[test]
    fn one_line_stays_one_line() {
        for (text, expected) in [
            ("title", "title"),
            ("two\nlines\tand\r\na tab", "two lines and a tab"),
            ("\x1b]0;x\x07title\u{202e}", "title"),
        ] {
            assert_eq!(single_line(text), expected);
        }
    }

    #[test]
    fn a_line_of_json_is_safe_to_look_at_and_says_the_same() {
        let value = serde_json::json!({"title": "a\u{1b}[2J\u{9b}b\u{202e}c\u{7f}é"});
        let line = json_line(&value);
        let is_plain = |c: char| c == '\n' || c == 'é' || (' '..='~').contains(&c);
        assert!(line.chars().all(is_plain), "{line:?}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&line).unwrap(), value);
    }

    #[test]
    fn a_fence_is_longer_than_what_it_holds() {
        for (text, lang, expected) in [
            ("x", "rust", "```rust\nx\n```\n"),
            ("x\n", "", "```\nx\n```\n"),
            ("", "", "```\n```\n"),
            ("a ``` b", "md", "````md\na ``` b\n````\n"),
            ("`````", "", "``````\n`````\n``````\n"),
            ("x", "ru`st\n# no", "```rust# no\nx\n```\n"),
        ] {
            assert_eq!(fence(text, lang), expected);
        }
    }
}
