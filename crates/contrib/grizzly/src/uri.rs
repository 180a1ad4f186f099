//! The addresses of notes and tags, which are those of Bear itself.
//!
//! `bear://x-callback-url/open-note?id=ID` opens the note in Bear when a person follows it, and is the
//! resource that a client reads. A part of a note is the same address with lines in the fragment,
//! `#L3-L7`. Links in notes come in the same form, so one reader serves both.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use crate::lines::Lines;

/// What every address begins with; names in addresses are compared without case.
const PREFIX: &str = "bear://x-callback-url/";
/// What is not written as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// What an address leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    /// A note by its identifier, or some of its lines.
    Note {
        /// The identifier.
        id: String,
        /// Which lines.
        lines: Option<Lines>,
    },
    /// A note by its title; only in links.
    Title(String),
    /// All notes with a tag.
    Tag(String),
}

impl Address {
    /// Reads an address; `None` if it leads to nothing that is known here.
    pub fn parse(uri: &str) -> Option<Self> {
        let start = uri.get(..PREFIX.len())?;
        let rest = uri.get(PREFIX.len()..)?;
        if !start.eq_ignore_ascii_case(PREFIX) {
            return None;
        }
        let (rest, fragment) = rest.split_once('#').map_or((rest, None), |(a, b)| (a, Some(b)));
        let (action, query) = rest.split_once('?')?;
        let value = |key: &str| query.split('&').find_map(|pair| decode(pair, key));
        match action.trim_end_matches('/').to_ascii_lowercase().as_str() {
            "open-note" => {
                let lines = match fragment {
                    Some(fragment) if fragment.starts_with('L') => Some(Lines::parse(fragment)?),
                    _ => None,
                };
                let note = value("id").map(|id| Self::Note { id, lines });
                note.or_else(|| value("title").map(Self::Title))
            }
            "open-tag" => value("name").map(Self::Tag),
            _ => None,
        }
    }

    /// The address as it is written.
    pub fn to_uri(&self) -> String {
        match self {
            Self::Note { id, lines } => {
                let lines = lines.map(|lines| format!("#{lines}")).unwrap_or_default();
                format!("{PREFIX}open-note?id={}{lines}", encode(id))
            }
            Self::Title(title) => format!("{PREFIX}open-note?title={}", encode(title)),
            Self::Tag(name) => format!("{PREFIX}open-tag?name={}", encode(name)),
        }
    }

    /// The address of a whole note.
    pub fn of_note(id: &str) -> Self {
        Self::Note { id: id.to_owned(), lines: None }
    }
}

fn encode(text: &str) -> String {
    utf8_percent_encode(text, ENCODED).to_string()
}

/// The value of `key=value`, if it is this key and not empty.
fn decode(pair: &str, key: &str) -> Option<String> {
    let (name, value) = pair.split_once('=')?;
    if !name.eq_ignore_ascii_case(key) || value.is_empty() {
        return None;
    }
    // Some programs write a space as a plus; one that is meant is always encoded.
    let value = value.replace('+', " ");
    Some(percent_decode_str(&value).decode_utf8_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_of_bear_are_read() {
        let note = |id: &str| Some(Address::of_note(id));
        let lines = |first, last| Some(Lines { first, last });
        for (uri, want) in [
            ("bear://x-callback-url/open-note?id=7E4B-1", note("7E4B-1")),
            ("BEAR://X-Callback-URL/Open-Note/?show_window=yes&ID=a", note("a")),
            (
                "bear://x-callback-url/open-note?id=a#L3-L7",
                Some(Address::Note { id: "a".into(), lines: lines(3, Some(7)) }),
            ),
            ("bear://x-callback-url/open-note?id=a#L0", None),
            ("bear://x-callback-url/open-note?id=a&header=x#part", note("a")),
            (
                "bear://x-callback-url/open-note?title=Two%20words+more%2B",
                Some(Address::Title("Two words more+".into())),
            ),
            ("bear://x-callback-url/open-tag?name=a%2Fb", Some(Address::Tag("a/b".into()))),
            ("bear://x-callback-url/open-note?id=", None),
            ("bear://x-callback-url/open-note", None),
            ("bear://x-callback-url/create?title=x", None),
            ("https://x-callback-url/open-note?id=a", None),
            ("bear", None),
            ("é".repeat(20).as_str(), None),
        ] {
            assert_eq!(Address::parse(uri), want, "{uri}");
        }
    }

    proptest! {
        #[test]
        fn addresses_survive(text in ".{1,40}", first in 1_usize..99, more in 0_usize..99) {
            let lines = Some(Lines { first, last: Some(first + more) });
            for address in [
                Address::Note { id: text.clone(), lines },
                Address::Title(text.clone()),
                Address::Tag(text),
            ] {
                prop_assert_eq!(Address::parse(&address.to_uri()), Some(address));
            }
        }

        #[test]
        fn any_text_can_be_asked(text: String, tail: String) {
            Address::parse(&text);
            Address::parse(&format!("{PREFIX}{tail}"));
        }
    }
}
