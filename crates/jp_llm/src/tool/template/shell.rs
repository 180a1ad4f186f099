//! Handing values to a shell so that it cannot take them for anything else.
//!
//! Quoting a value for a shell is easy to get wrong, because what is right depends on where the
//! value stands. So a value never becomes part of the text that the shell parses: it is given to the
//! shell as a parameter (`sh -c TEXT sh VALUE…`), and in the text stands a reference to it. What a
//! shell gets out of a parameter it does not parse again. How the reference is written depends on
//! the quotes around it:
//!
//! | around it | written |
//! |---|---|
//! | nothing, or `$(…)` | `"${1}"` |
//! | double quotes | `${1}` |
//! | single quotes | `'"${1}"'` |
//!
//! Not to see the quotes right would not let a value in, it would let the shell split a value into
//! words or take its `*` for a pattern. Where quotes are hard to follow, or where a parameter would
//! mean something else, a placeholder is therefore refused instead of guessed at, and so it is beside
//! another shell that would parse it again ([`interpreters`](super::interpreters)). An author who writes a
//! value into a program of another language (`awk`, `sed`, `python -c`) gives it up.

mod reader;

use std::fmt;

use self::reader::Reader;
use super::words;

/// Why a value cannot be handed over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellProblem {
    /// The text ends inside quotes or parentheses.
    Unclosed,
    /// A character before the placeholder changes what the reference means.
    After(char),
    /// The placeholder is inside something that is read by other rules.
    Inside(&'static str),
    /// Something in the text is read differently by different shells, or is hard to follow.
    Beside(&'static str),
    /// Something in the text gives the parameters another meaning.
    Hides(&'static str),
    /// A block captures text, and the reference in it would become a value.
    Captures,
}

impl fmt::Display for ShellProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unclosed => f.write_str("quotes or parentheses are not closed"),
            Self::After(c) => write!(f, "`{c}` stands right before a placeholder"),
            Self::Inside(what) => write!(f, "a placeholder stands inside {what}"),
            Self::Beside(what) => write!(f, "placeholders cannot be used together with {what}"),
            Self::Hides(what) => {
                write!(f, "placeholders cannot be used together with {what}, which hides their values")
            }
            Self::Captures => f.write_str(
                "a `set` or `filter` block captures text; write `{% set name = … %}` or `{{ … | … }}`",
            ),
        }
    }
}

/// Finds what is wrong with a template before there is a call.
pub(super) fn check(template: &str) -> Result<(), ShellProblem> {
    let mut text = String::new();
    let mut has_blocks = false;
    let mut rest = template;
    while let Some(c) = rest.chars().next() {
        let length = words::placeholder(rest).unwrap_or(c.len_utf8());
        let (piece, after) = rest.split_at(length);
        rest = after;
        if piece.starts_with("{%") {
            has_blocks = true;
            check_block(piece)?;
        } else if piece.starts_with("{{") {
            text.push_str("\u{0}1\u{0}");
        } else if !piece.starts_with("{#") {
            text.push_str(piece);
        }
    }
    // With blocks the text depends on the call; it is looked at when it is there.
    if has_blocks { Ok(()) } else { place(&text).map(drop) }
}

/// Replaces the marks in a text by references to the parameters of the shell.
pub(super) fn place(marked: &str) -> Result<String, ShellProblem> {
    let mut reader = Reader::default();
    let mut text = String::with_capacity(marked.len() + 16);
    // Marks are `NUL number NUL`, so every second piece is a number.
    for (index, piece) in marked.split('\0').enumerate() {
        if index % 2 == 0 {
            piece.chars().try_for_each(|c| reader.step(c))?;
            text.push_str(piece);
        } else {
            text.push_str(&reader.reference(piece)?);
        }
    }
    reader.finish()?;
    Ok(text)
}

/// `{% filter … %}` and `{% set name %}` give their text to the template as a value.
fn check_block(block: &str) -> Result<(), ShellProblem> {
    let inner = block.trim_start_matches(['{', '%', '-', '+']).trim_start();
    let word: String = inner.chars().take_while(char::is_ascii_alphabetic).collect();
    match word.as_str() {
        "filter" => Err(ShellProblem::Captures),
        "set" if !inner.contains('=') => Err(ShellProblem::Captures),
        _ => Ok(()),
    }
}
