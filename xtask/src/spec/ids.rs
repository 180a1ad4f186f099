//! Ids of assertions, and how to find them in a text.
//!
//! In prose and tables an id is written `072-001`, a range of them
//! `072-001..=072-004` or `072-001 to 072-004`. In the name of a function, where a
//! hyphen cannot stand, it is `t072_001` or part of a longer name.

use std::fmt;
use std::ops::Range;

/// The id of one assertion: a document and a number of three digits.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id {
    pub(crate) document: String,
    pub(crate) number: u16,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{:03}", self.document, self.number)
    }
}

/// Every id of these documents in the text, with the place where it stands.
pub(crate) fn find(text: &str, documents: &[String]) -> Vec<(Id, usize)> {
    let words = words(text);
    let written = hyphenated(text, &words, documents);
    let mut found = in_names(text, &words, documents);
    found.extend(written.iter().map(|(id, span)| (id.clone(), span.start)));
    for pair in written.windows(2) {
        let [(first, before), (last, after)] = pair else {
            continue;
        };
        let between = text[before.end..after.start].trim_matches('`');
        if matches!(between, "..=" | " to ") && first.document == last.document {
            let inner = (first.number + 1)..last.number;
            let id = |number| Id { document: first.document.clone(), number };
            found.extend(inner.map(|number| (id(number), before.start)));
        }
    }
    found
}

/// Runs of letters, digits and underscores.
fn words(text: &str) -> Vec<Range<usize>> {
    let mut words = Vec::new();
    let mut start = None;
    let is_word = |byte: u8| byte == b'_' || byte.is_ascii_alphanumeric() || !byte.is_ascii();
    for (at, byte) in text.bytes().chain([b' ']).enumerate() {
        match start {
            None if is_word(byte) => start = Some(at),
            Some(begin) if !is_word(byte) => {
                words.push(begin..at);
                start = None;
            }
            _ => {}
        }
    }
    words
}

/// `072-001`: two words and a hyphen between them. A hyphen in front of them, or a
/// fourth digit, makes it a part of something else.
fn hyphenated(text: &str, words: &[Range<usize>], documents: &[String]) -> Vec<(Id, Range<usize>)> {
    let id = |pair: &[Range<usize>]| {
        let [left, right] = pair else { return None };
        let joined = &text[left.end..right.start] == "-" && !text[..left.start].ends_with('-');
        let document = documents.iter().find(|name| **name == text[left.clone()])?;
        let number = three_digits(&text[right.clone()]).filter(|_| joined)?;
        Some((Id { document: document.clone(), number }, left.start..right.end))
    };
    words.windows(2).filter_map(id).collect()
}

/// `t072_001_…`: parts of a name. A number such as `1_072_001` is no name.
fn in_names(text: &str, words: &[Range<usize>], documents: &[String]) -> Vec<(Id, usize)> {
    let mut found = Vec::new();
    for word in words {
        let name = &text[word.clone()];
        if name.starts_with(|c: char| c.is_ascii_digit()) {
            continue;
        }
        let parts: Vec<_> = name.split('_').collect();
        for pair in parts.windows(2) {
            let plain = pair[0].strip_prefix('t').unwrap_or(pair[0]);
            let document = documents.iter().find(|name| name.eq_ignore_ascii_case(plain));
            if let (Some(document), Some(number)) = (document, three_digits(pair[1])) {
                found.push((Id { document: document.clone(), number }, word.start));
            }
        }
    }
    found
}

fn three_digits(text: &str) -> Option<u16> {
    let digits = text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, want: &[&str]) {
        let documents = ["901".to_owned(), "X90".to_owned()];
        let mut found: Vec<_> =
            find(text, &documents).into_iter().map(|(id, _)| id.to_string()).collect();
        found.sort();
        assert_eq!(found, want, "{text}");
    }

    #[test]
    fn written_ids() {
        check("// 901-001 and X90-002.", &["901-001", "X90-002"]);
        check("(\"901-001\", 1), (\"901-002\", 2)", &["901-001", "901-002"]);
        check("901-001-rest", &["901-001"]);
        check("é901-001 902-001 x90-001 901-01 901-0011 2026-901-001 901 -001", &[]);
    }

    #[test]
    fn ranges() {
        let four = ["901-001", "901-002", "901-003", "901-004"];
        check("901-001..=901-004", &four);
        check("901-001 to 901-004", &four);
        check("`901-001` to `901-004`", &four);
        check("901-001..=X90-004", &["901-001", "X90-004"]);
        check("901-004..=901-001", &["901-001", "901-004"]);
        check("901-001, 901-004", &["901-001", "901-004"]);
    }

    #[test]
    fn names() {
        check("fn t901_001() {}", &["901-001"]);
        check("fn t901_001_and_x90_002_hold() {}", &["901-001", "X90-002"]);
        check("fn builtin_wins_901_001() {}", &["901-001"]);
        check("fn x90_001() {}", &["X90-001"]);
        check("let n = 1_901_001; let m = 901_001; fn t901_0011() {} fn z901_001() {}", &[]);
    }

    #[test]
    fn places() {
        let found = find("ab 901-001..=901-002", &["901".to_owned()]);
        assert_eq!(found.iter().map(|(_, at)| *at).collect::<Vec<_>>(), [3, 13]);
    }
}
