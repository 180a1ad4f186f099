//! One replacement in a text: finding, choosing, replacing. Nothing here knows of files.
//!
//! The danger is size: a pattern with thousands of matches and a replacement of megabytes make a
//! result that no memory holds, so matches and results are bounded.

use std::{borrow::Cow, fmt::Write, ops::Range};

use regex::{Regex, RegexBuilder};

use crate::text::{beginning, cut_line};

/// The longest pattern. Compiling takes many times its length.
const MAX_PATTERN: usize = 64 << 10;
const MAX_MATCHES: usize = 100_000;
/// The largest result.
const MAX_RESULT: usize = 32 << 20;
/// How many places are offered one by one.
const MAX_OPTIONS: usize = 20;
const MAX_LINE: usize = 200;

/// Why an edit cannot be made.
#[derive(Debug, thiserror::Error)]
pub(super) enum EditError {
    #[error("`old` is empty")]
    Empty,
    #[error("the regular expression is longer than {MAX_PATTERN} bytes")]
    LongPattern,
    #[error("{0}")]
    Regex(String),
    #[error("`old` does not occur{0}")]
    NotFound(String),
    #[error("`old` occurs more than {MAX_MATCHES} times")]
    TooMany,
    #[error("the result would be larger than {MAX_RESULT} bytes")]
    TooLarge,
}

/// What is looked for.
pub(super) enum Pattern<'a> {
    Exact(&'a str),
    Regex(Box<Regex>),
}

/// A place where it was found.
pub(super) type Found = Range<usize>;

/// Which of the places are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    All,
    /// The one with this index.
    One(usize),
}

impl<'a> Pattern<'a> {
    pub(super) fn new(old: &'a str, is_regex: bool) -> Result<Self, EditError> {
        if old.is_empty() {
            return Err(EditError::Empty);
        }
        if !is_regex {
            return Ok(Self::Exact(old));
        }
        if old.len() > MAX_PATTERN {
            return Err(EditError::LongPattern);
        }
        let regex = RegexBuilder::new(old).multi_line(true).build();
        let regex = regex
            .map_err(|error| EditError::Regex(beginning(&error.to_string(), 2_000).to_owned()))?;
        Ok(Self::Regex(Box::new(regex)))
    }

    /// All places, in order and apart from each other; at least one.
    pub(super) fn find(&self, text: &str) -> Result<Vec<Found>, EditError> {
        let found: Vec<Found> = match self {
            Self::Exact(old) => {
                let old = exact(old, text);
                let places = text.match_indices(&*old).take(MAX_MATCHES + 1);
                places.map(|(start, part)| start..start + part.len()).collect()
            }
            Self::Regex(regex) => {
                regex.find_iter(text).take(MAX_MATCHES + 1).map(|found| found.range()).collect()
            }
        };
        match found.len() {
            0 => Err(EditError::NotFound(self.hint(text))),
            number if number > MAX_MATCHES => Err(EditError::TooMany),
            _ => Ok(found),
        }
    }

    /// The text with the chosen places replaced, and how many they are.
    pub(super) fn replace(
        &self,
        text: &str,
        places: &[Found],
        new: &str,
        which: Which,
    ) -> Result<(String, usize), EditError> {
        let chosen: &[Found] = match which {
            Which::All => places,
            Which::One(index) => places.get(index..=index).unwrap_or_default(),
        };
        let (mut out, mut end) = (String::with_capacity(text.len()), 0);
        for place in chosen {
            out.push_str(&text[end..place.start]);
            match self {
                Self::Exact(_) => out.push_str(new),
                Self::Regex(regex) => {
                    // Looked for again at this very place, this time with its groups.
                    if let Some(groups) = regex.captures_at(text, place.start) {
                        groups.expand(new, &mut out);
                    }
                }
            }
            end = place.end;
            if out.len() > MAX_RESULT {
                return Err(EditError::TooLarge);
            }
        }
        out.push_str(&text[end..]);
        if out.len() > MAX_RESULT {
            return Err(EditError::TooLarge);
        }
        Ok((out, chosen.len()))
    }

    /// What comes near, so that the next try can be better.
    fn hint(&self, text: &str) -> String {
        let Self::Exact(old) = self else {
            return String::new();
        };
        let wanted: Vec<&str> =
            old.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        let Some(first) = wanted.first() else {
            return String::new();
        };
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let near = lines.iter().position(|line| line == first);
        match near {
            Some(at)
                if wanted.len() == 1
                    || lines[at..].iter().any(|line| Some(line) == wanted.last()) =>
            {
                format!(" exactly; line {} differs only in white space", at + 1)
            }
            Some(at) => format!("; its first line is line {}, but what follows differs", at + 1),
            None => String::new(),
        }
    }
}

/// Where lines are CR LF in a text that is edited with plain newlines, so are those that are looked
/// for.
fn exact<'a>(old: &'a str, text: &str) -> Cow<'a, str> {
    if old.contains("\r\n") && !text.contains("\r\n") {
        return old.replace("\r\n", "\n").into();
    }
    old.into()
}

/// The choice between several places.
pub(super) struct Choice {
    pub(super) options: Vec<String>,
    pub(super) explanation: String,
}

const ALL: &str = "all";
const NONE: &str = "none";

impl Choice {
    pub(super) fn new(text: &str, places: &[Found]) -> Self {
        let (mut options, mut explanation) = (vec![ALL.to_owned()], String::new());
        let (mut line, mut at) = (1, 0);
        for (index, place) in places.iter().take(MAX_OPTIONS).enumerate() {
            line += memchr::memchr_iter(b'\n', &text.as_bytes()[at..place.start]).count();
            at = place.start;
            let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
            let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline);
            let shown = cut_line(text[start..end].trim(), MAX_LINE);
            let number = index + 1;
            let _ = writeln!(explanation, "{number}: line {line}: {shown}");
            options.push(number.to_string());
        }
        if places.len() > MAX_OPTIONS {
            let _ = writeln!(explanation, "… and {} more", places.len() - MAX_OPTIONS);
        }
        options.push(NONE.to_owned());
        Self { options, explanation }
    }
}

impl Which {
    /// What an answer means; `None`: none of them.
    pub(super) fn parse(answer: &str, places: usize) -> Option<Self> {
        if answer == ALL {
            return Some(Self::All);
        }
        let number: usize = answer.parse().ok()?;
        (1..=places).contains(&number).then(|| Self::One(number - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(text: &str, old: &str, new: &str, regex: bool, which: Which) -> Result<String, String> {
        let pattern = Pattern::new(old, regex).map_err(|error| error.to_string())?;
        let places = pattern.find(text).map_err(|error| error.to_string())?;
        let replaced = pattern.replace(text, &places, new, which);
        replaced.map(|(text, _)| text).map_err(|error| error.to_string())
    }

    #[test]
    fn replacements() {
        for (text, old, new, regex, which, expected) in [
            ("a b a", "a", "c", false, Which::All, "c b c"),
            ("a b a", "a", "c", false, Which::One(1), "a b c"),
            ("a.c abc", "a.c", "x", false, Which::All, "x abc"),
            ("a.c abc", "a.c", "x", true, Which::All, "x x"),
            ("$1", "$1", "$2", false, Which::All, "$2"),
            ("ab\nab\n", "^(a)(b)$", "$2$1$$", true, Which::One(1), "ab\nba$\n"),
            ("one two", r"(?<x>\w+) (?<y>\w+)", "${y}_${x}", true, Which::All, "two_one"),
            ("xaab", r"\ba+|a+b", "-", true, Which::All, "x-"),
            ("a\nb\n", "a\nb\n", "", false, Which::All, ""),
            ("aaa", "aa", "b", false, Which::All, "ba"),
            ("ab", "x*", "-", true, Which::All, "-a-b-"),
        ] {
            assert_eq!(edit(text, old, new, regex, which).as_deref(), Ok(expected), "{text} {old}");
        }
    }

    #[test]
    fn what_cannot_be_done() {
        let big = "a".repeat(2_000);
        let text = "a".repeat(20_000);
        for (text, old, new, regex, expected) in [
            ("a", "", "b", false, "`old` is empty"),
            ("a", "b", "c", false, "`old` does not occur"),
            ("  fn x() {\n", "\tfn x() {\n", "c", false, "line 1 differs only in white space"),
            ("fn x() {\n a\n}", "fn x() {\n b", "c", false, "its first line is line 1"),
            ("a", "(", "c", true, "unclosed group"),
            ("a", "(a{1000}){1000}", "c", true, "size limit"),
            (&text, "a", &big, false, "larger than"),
            (&text, "(a)", &big, true, "larger than"),
        ] {
            let error = edit(text, old, new, regex, Which::All).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
        let many = "a".repeat(MAX_MATCHES + 1);
        assert!(edit(&many, "a", "b", false, Which::All).unwrap_err().contains("more than"));
    }

    #[test]
    fn a_choice_shows_the_lines() {
        let places = Pattern::Exact("x").find("x = 1\n\n  y(x)\n").unwrap();
        let choice = Choice::new("x = 1\n\n  y(x)\n", &places);
        assert_eq!(choice.options, ["all", "1", "2", "none"]);
        assert_eq!(choice.explanation, "1: line 1: x = 1\n2: line 3: y(x)\n");
        assert_eq!(Which::parse("2", 2), Some(Which::One(1)));
        assert_eq!(Which::parse("all", 2), Some(Which::All));
        for answer in ["none", "0", "3", "-1", ""] {
            assert_eq!(Which::parse(answer, 2), None);
        }
    }
}
