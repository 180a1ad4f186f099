//! Tags of what a client has seen, and the conditions it makes with them.
//!
//! All tags are strong: two answers of one address with one tag are the same, byte by byte. So one is made
//! of everything that can change an answer. A conversation and the pages of its events change together and
//! share a tag, so that it can also guard an append.

use std::io;

use axum::http::{HeaderMap, HeaderValue, header};
use serde::Serialize;
use sha2::{Digest as _, Sha256};

/// A tag as it stands in a header, quotes included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tag(String);

impl Tag {
    /// The tag of something that is made of these parts.
    pub(crate) fn of<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut sum = Sha256::new();
        for part in parts {
            // With their lengths, so that `ab` and `c` is not `a` and `bc`.
            sum.update((part.len() as u64).to_le_bytes());
            sum.update(part);
        }
        let digits: String =
            sum.finalize()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
        Self(format!("\"{digits}\""))
    }

    /// The tag of something that is answered as it is.
    pub(crate) fn of_json(value: &impl Serialize) -> Self {
        let mut sum = Writer(Sha256::new());
        // What is answered consists of texts and numbers, which have a JSON form.
        let _ = serde_json::to_writer(&mut sum, value);
        Self::of([sum.0.finalize().as_slice()])
    }

    pub(crate) fn header(&self) -> Option<HeaderValue> {
        HeaderValue::from_str(&self.0).ok()
    }
}

/// A sum of what is written to it.
struct Writer(Sha256);

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Whether the client has what carries this tag (`If-None-Match`).
pub(crate) fn is_known(headers: &HeaderMap, tag: &Tag) -> bool {
    // Whether the client calls the tag weak does not matter here.
    tags(headers, header::IF_NONE_MATCH)
        .any(|given| given == "*" || given.strip_prefix("W/").unwrap_or(given) == tag.0)
}

/// What a client wants something to be before it is changed (`If-Match`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Expected(Option<Vec<String>>);

impl Expected {
    pub(crate) fn of(headers: &HeaderMap) -> Self {
        let is_there = headers.contains_key(header::IF_MATCH);
        let tags = || tags(headers, header::IF_MATCH).map(str::to_owned).collect();
        Self(is_there.then(tags))
    }

    /// Whether it is so. A tag that the client calls weak never is.
    pub(crate) fn holds(&self, tag: &Tag) -> bool {
        let Some(tags) = &self.0 else { return true };
        tags.iter().any(|given| given == "*" || *given == tag.0)
    }
}

/// The tags of a header. Ours have no commas, so it does not matter that those of others may.
fn tags(headers: &HeaderMap, name: header::HeaderName) -> impl Iterator<Item = &str> {
    let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',').map(str::trim))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &header::HeaderName, values: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(name.clone(), value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn a_tag_depends_on_every_part() {
        let tag = |parts: &[&'static str]| Tag::of(parts.iter().map(|part| part.as_bytes()));
        assert_eq!(tag(&["a", "b"]), tag(&["a", "b"]));
        assert_ne!(tag(&["a", "b"]), tag(&["ab"]));
        assert_ne!(tag(&["ab", "c"]), tag(&["a", "bc"]));
    }

    #[test]
    fn what_a_client_knows() {
        let tag = Tag("\"1\"".to_owned());
        let check = |values: &[&str], want| {
            let headers = headers(&header::IF_NONE_MATCH, values);
            assert_eq!(is_known(&headers, &tag), want, "{values:?}");
        };
        check(&[], false);
        check(&["\"1\""], true);
        check(&["W/\"1\""], true);
        check(&["\"0\", \"1\""], true);
        check(&["\"0\"", "\"1\""], true);
        check(&["*"], true);
        check(&["\"0\"", "1"], false);
    }

    #[test]
    fn what_a_client_expects() {
        let tag = Tag("\"1\"".to_owned());
        let check = |values: &[&str], want| {
            let expected = Expected::of(&headers(&header::IF_MATCH, values));
            assert_eq!(expected.holds(&tag), want, "{values:?}");
        };
        check(&[], true);
        check(&["*"], true);
        check(&["\"0\",\"1\""], true);
        check(&["W/\"1\""], false);
        check(&["\"0\""], false);
        check(&[""], false);
    }
}
