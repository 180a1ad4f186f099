//! Dotted keys: `server.web.port`, `conversation.tools."my tool".run`. Used by `--cfg`, by
//! `config show`, and by every message that names a key.
//!
//! The form is TOML's, with one relief: a bare `*` needs no quotes, because people type these
//! keys in a shell where quotes are already scarce.

use std::ops::Range;

use thiserror::Error;
use toml::de::DeValue;

/// The deepest key, and the deepest nesting of a layer.
pub const MAX_DEPTH: usize = 64;

/// One part of a dotted key, and the bytes it was written in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Segment {
    pub(crate) name: String,
    pub(crate) span: Range<usize>,
}

/// One step into a tree: a key of a table, or an element of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Step {
    Key(String),
    Element(usize),
}

/// Why a text is not a dotted key.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct DottedError {
    pub(crate) message: &'static str,
    pub(crate) span: Range<usize>,
}

/// Splits a dotted key into its parts.
pub(crate) fn parse(text: &str) -> Result<Vec<Segment>, DottedError> {
    let mut segments = Vec::new();
    let mut start = 0;
    let dots = unquoted(text).filter(|(_, it)| *it == '.').map(|(at, _)| at);
    for end in dots.chain([text.len()]) {
        if segments.len() == MAX_DEPTH {
            return Err(DottedError { message: "the key has too many parts", span: start..end });
        }
        segments.push(segment(text, start..end)?);
        start = end + 1;
    }
    Ok(segments)
}

/// Joins the parts of a key, quoting where needed.
pub(crate) fn join<S: AsRef<str>>(segments: &[S]) -> String {
    let quoted: Vec<String> = segments.iter().map(|it| key(it.as_ref())).collect();
    quoted.join(".")
}

/// The way into a tree: a dotted key, with `[0]` for the first element of a list.
pub(crate) fn trail(steps: &[Step]) -> String {
    let mut text = String::new();
    for step in steps {
        match step {
            Step::Key(name) if text.is_empty() => text = key(name),
            Step::Key(name) => text.extend([".", &key(name)]),
            Step::Element(index) => text.extend(["[", &index.to_string(), "]"]),
        }
    }
    text
}

/// One part of a key as TOML wants it written.
pub(crate) fn key(name: &str) -> String {
    if !name.is_empty() && name.bytes().all(is_bare) { name.to_owned() } else { quote(name) }
}

/// A string as TOML wants it written, on one line. Everything that a terminal might act upon is
/// escaped, so the result is also safe to print.
pub(crate) fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for char in text.chars() {
        match char {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\t' => quoted.push_str("\\t"),
            '\r' => quoted.push_str("\\r"),
            it if is_unsafe(it) => quoted.push_str(&escape(it)),
            it => quoted.push(it),
        }
    }
    quoted.push('"');
    quoted
}

/// The same text with everything escaped that a terminal might act upon.
pub(crate) fn printable(text: &str) -> String {
    let escape = |it| {
        if is_unsafe(it) { escape(it) } else { String::from(it) }
    };
    text.chars().map(escape).collect()
}

/// The characters outside of quotes, with their positions. The quotes are not among them.
pub(crate) fn unquoted(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut open = None;
    let mut escaped = false;
    text.char_indices().filter(move |(_, char)| match (open, *char) {
        (None, '"' | '\'') => {
            open = Some(*char);
            false
        }
        (None, _) => true,
        (Some('"'), '\\') if !escaped => {
            escaped = true;
            false
        }
        (Some(quote), it) => {
            if it == quote && !escaped {
                open = None;
            }
            escaped = false;
            false
        }
    })
}

fn segment(text: &str, span: Range<usize>) -> Result<Segment, DottedError> {
    let raw = &text[span.clone()];
    let trimmed = raw.trim_matches([' ', '\t']);
    // The span of the error and of the segment leave the blanks around it out.
    let start = span.start + (raw.len() - raw.trim_start_matches([' ', '\t']).len());
    let span = start..start + trimmed.len();
    let error = |message| DottedError { message, span: span.clone() };

    let name = if trimmed.is_empty() {
        return Err(error("a part of the key is empty"));
    } else if trimmed.starts_with(['"', '\'']) {
        unquote(trimmed).ok_or_else(|| error("the quoted part of the key is not a TOML string"))?
    } else if trimmed == "*" || trimmed.bytes().all(is_bare) {
        trimmed.to_owned()
    } else {
        return Err(error(
            "a part of the key needs quotes: only letters, digits, `_` and `-` go without",
        ));
    };
    Ok(Segment { name, span })
}

fn unquote(quoted: &str) -> Option<String> {
    // A key is one line, and TOML's long strings are no keys.
    let long = ["\"\"\"", "'''"].iter().any(|it| quoted.len() > 2 && quoted.starts_with(it));
    if long || quoted.contains(['\n', '\r']) {
        return None;
    }
    match DeValue::parse(quoted).ok()?.into_inner() {
        DeValue::String(name) => Some(name.into_owned()),
        _ => None,
    }
}

fn is_bare(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// Control characters of both sets, the marks that reorder text, and those that hide in it.
fn is_unsafe(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{200B}'..='\u{200F}' | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

fn escape(char: char) -> String {
    format!("\\u{:04X}", u32::from(char))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn names(text: &str) -> Result<Vec<String>, String> {
        match parse(text) {
            Ok(segments) => Ok(segments.into_iter().map(|it| it.name).collect()),
            Err(error) => Err(format!("{}: {error}", error.span.start)),
        }
    }

    #[test]
    fn keys_are_split_at_unquoted_dots() {
        let check = |text: &str, wanted: &[&str]| {
            assert_eq!(names(text).unwrap(), wanted, "{text}");
        };
        check("a", &["a"]);
        check("a.b-c.d_1", &["a", "b-c", "d_1"]);
        check(r#"a.b."quoted.key".c"#, &["a", "b", "quoted.key", "c"]);
        check(r#"a."\"x\".y".'\'.z"#, &["a", "\"x\".y", "\\", "z"]);
        check(" a . b ", &["a", "b"]);
        check("conversation.tools.*.run", &["conversation", "tools", "*", "run"]);
        check(r#"a."".b"#, &["a", "", "b"]);
        check("007", &["007"]);
    }

    #[test]
    fn what_is_no_key_is_refused_with_its_place() {
        let check = |text: &str, wanted: &str| assert_eq!(names(text).unwrap_err(), wanted);
        check("", "0: a part of the key is empty");
        check("a..b", "2: a part of the key is empty");
        check("a.", "2: a part of the key is empty");
        check(
            "a.b c",
            "2: a part of the key needs quotes: only letters, digits, `_` and `-` go without",
        );
        check("a.\"b", "2: the quoted part of the key is not a TOML string");
        check("a.\"b\"c", "2: the quoted part of the key is not a TOML string");
        check("a.\"\"\"b\"\"\"", "2: the quoted part of the key is not a TOML string");
        check(&["a"; 65].join("."), "128: the key has too many parts");
    }

    #[test]
    fn nothing_a_terminal_acts_upon_survives_quoting() {
        assert_eq!(
            quote("a\u{1b}[31m\u{9b}1m\u{202e}\n\"\\"),
            r#""a\u001B[31m\u009B1m\u202E\n\"\\""#
        );
        assert_eq!(printable("--cfg a=\u{1b}[2J\n"), "--cfg a=\\u001B[2J\\u000A");
    }

    proptest! {
        #[test]
        fn any_names_survive_joining_and_splitting(
            segments in prop::collection::vec(any::<String>(), 1..6)
        ) {
            prop_assert_eq!(names(&join(&segments)).unwrap(), segments);
        }
    }
}
