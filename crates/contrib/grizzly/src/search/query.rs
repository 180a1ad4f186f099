//! The words of a search, as a model writes them.
//!
//! There is no syntax that can be wrong: quotes keep words together, `-` and `NOT` exclude, `OR` stands
//! between alternatives, and everything else is text to find, whatever some other search would make of
//! it.

use std::fmt;

use memchr::memmem::Finder;
use thiserror::Error;

use crate::fold;

/// The longest query, in bytes.
const MAX_QUERY: usize = 1000;
/// How many terms a query may have; each costs a pass over every line.
const MAX_TERMS: usize = 32;

/// What a note has to contain.
#[derive(Debug, Clone, Default)]
pub struct Query {
    /// One of each of these.
    pub(super) wanted: Vec<Vec<Term>>,
    /// None of these.
    pub(super) unwanted: Vec<Term>,
}

/// Text to find, as it is compared.
#[derive(Clone)]
pub(super) struct Term {
    pub(super) text: String,
    pub(super) finder: Finder<'static>,
}

/// A query that is too much.
#[derive(Debug, Error)]
pub enum QueryError {
    /// Too many bytes.
    #[error("the query has {0} bytes; {MAX_QUERY} are the most")]
    TooLong(usize),
    /// Too many words.
    #[error("the query has more than {MAX_TERMS} words; use fewer")]
    TooManyTerms,
    /// It only says what is not wanted.
    #[error("the query only excludes; add a word to look for")]
    OnlyExcludes,
}

impl Query {
    /// Reads a query; an empty one finds every note.
    pub fn parse(text: &str) -> Result<Self, QueryError> {
        if text.len() > MAX_QUERY {
            return Err(QueryError::TooLong(text.len()));
        }
        let mut query = Self::default();
        let (mut is_alternative, mut is_excluded) = (false, false);
        for piece in pieces(text) {
            match piece {
                Piece::Word("OR") => is_alternative = true,
                Piece::Word("AND") => {}
                Piece::Word("NOT") => is_excluded = true,
                Piece::Word(word) => {
                    let bare = word.strip_prefix('-').filter(|bare| !bare.is_empty());
                    is_excluded |= bare.is_some();
                    query.add(bare.unwrap_or(word), is_excluded, is_alternative);
                    (is_alternative, is_excluded) = (false, false);
                }
                Piece::Phrase { text, is_negated } => {
                    query.add(text, is_negated || is_excluded, is_alternative);
                    (is_alternative, is_excluded) = (false, false);
                }
            }
        }
        query.check()
    }

    /// Whether it asks for nothing.
    pub fn is_empty(&self) -> bool {
        self.wanted.is_empty()
    }

    fn add(&mut self, text: &str, is_excluded: bool, is_alternative: bool) {
        let Some(term) = Term::new(text) else { return };
        match self.wanted.last_mut() {
            _ if is_excluded => self.unwanted.push(term),
            Some(alternatives) if is_alternative => alternatives.push(term),
            _ => self.wanted.push(vec![term]),
        }
    }

    fn check(self) -> Result<Self, QueryError> {
        let terms = self.wanted.iter().map(Vec::len).sum::<usize>() + self.unwanted.len();
        if terms > MAX_TERMS {
            return Err(QueryError::TooManyTerms);
        }
        if self.wanted.is_empty() && !self.unwanted.is_empty() {
            return Err(QueryError::OnlyExcludes);
        }
        Ok(self)
    }
}

impl Term {
    /// A star at the end means what is done anyway: parts of words are found.
    fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let stem = text.trim_end_matches('*');
        let mut folded = String::new();
        fold::for_search(if stem.is_empty() { text } else { stem }, &mut folded);
        let text = folded.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return None;
        }
        Some(Self { finder: Finder::new(text.as_bytes()).into_owned(), text })
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

enum Piece<'a> {
    Word(&'a str),
    Phrase { text: &'a str, is_negated: bool },
}

/// Words and phrases. A quote inside a word is part of the word; one that is not closed ends with the
/// text.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let is_negated = rest.starts_with("-\"");
        let quoted = rest.strip_prefix("-\"").or_else(|| rest.strip_prefix('"'));
        rest = if let Some(quoted) = quoted {
            let (text, after) = quoted.split_once('"').unwrap_or((quoted, ""));
            pieces.push(Piece::Phrase { text, is_negated });
            after
        } else {
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            pieces.push(Piece::Word(word));
            after
        }
        .trim_start();
    }
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `a|b` for alternatives, `-c` for what is not wanted.
    fn show(text: &str) -> String {
        let query = Query::parse(text).unwrap();
        let texts = |terms: &[Term]| terms.iter().map(|term| term.text.clone()).collect::<Vec<_>>();
        let wanted = query.wanted.iter().map(|terms| texts(terms).join("|"));
        let unwanted = texts(&query.unwanted).into_iter().map(|text| format!("-{text}"));
        wanted.chain(unwanted).collect::<Vec<_>>().join(" & ")
    }

    #[test]
    fn every_text_is_a_query() {
        for (text, want) in [
            ("", ""),
            ("  Red  Bicycle ", "red & bicycle"),
            ("\"red bicycle\" Café", "red bicycle & cafe"),
            ("red -blue -\"dark green\" NOT gray", "red & -blue & -dark green & -gray"),
            ("red OR blue bicycle", "red|blue & bicycle"),
            ("OR red AND", "red"),
            ("\"not closed", "not closed"),
            ("bicy* *", "bicy & *"),
            ("- a-b", "- & a-b"),
            ("title:x^2 NEAR(a b)", "title:x^2 & near(a & b)"),
            ("'; DROP TABLE ZSFNOTE; --", "'; & drop & table & zsfnote; & --"),
            ("(?:[", "(?:["),
            ("100% _x_ %", "100% & _x_ & %"),
        ] {
            assert_eq!(show(text), want, "{text}");
        }
    }

    #[test]
    fn too_much_is_refused() {
        for (text, want) in [
            ("a".repeat(1001), "1001 bytes"),
            ("a ".repeat(33), "more than 32 words"),
            ("-a".to_owned(), "only excludes"),
        ] {
            let error = Query::parse(&text).unwrap_err().to_string();
            assert!(error.contains(want), "{error}");
        }
    }

    proptest! {
        #[test]
        fn no_text_is_an_error_but_for_its_size(text in ".{0,60}") {
            match Query::parse(&text) {
                Ok(_) | Err(QueryError::OnlyExcludes | QueryError::TooManyTerms) => {}
                Err(error) => prop_assert!(false, "{error}"),
            }
        }
    }
}
