//! `metadata.json`: the title and times of a conversation.
//!
//! Fields that we do not know are kept when the file is written again: a newer version may have put
//! them there.

use jiff::Timestamp;
use jp_conversation::parse_timestamp;
use serde_json::{Map, Value};

use super::StoreError;

/// What a conversation says about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Metadata {
    pub title: Option<String>,
    /// When somebody last turned to it. Events may be later.
    pub last_activated_at: Option<Timestamp>,
    unknown: Map<String, Value>,
}

/// A file beyond this is not metadata.
pub(super) const LIMIT: u64 = 1 << 20;
/// The longest title, in bytes. A listing has the titles of all conversations, and several forms of it are in
/// memory at the same time.
pub(super) const MAX_TITLE: usize = 4 << 10;
/// What stands for the rest of a title.
const REST: char = '…';

/// A title as listings have it. Other versions have written longer ones than we do.
pub(super) fn short(mut title: String) -> String {
    if title.len() > MAX_TITLE {
        title.truncate(title.floor_char_boundary(MAX_TITLE - REST.len_utf8()));
        title.push(REST);
        title.shrink_to_fit();
    }
    title
}

impl Metadata {
    pub(super) fn new(title: Option<&str>, now: Timestamp) -> Result<Self, StoreError> {
        let mut metadata = Self { last_activated_at: Some(now), ..Self::default() };
        metadata.set_title(title)?;
        Ok(metadata)
    }

    pub(super) fn set_title(&mut self, title: Option<&str>) -> Result<(), StoreError> {
        match title {
            Some(title) if title.len() > MAX_TITLE => Err(StoreError::LongTitle(title.len())),
            _ => {
                self.title = title.map(ToOwned::to_owned);
                Ok(())
            }
        }
    }

    pub(super) fn from_json(bytes: &[u8]) -> Result<Self, String> {
        let mut unknown: Map<String, Value> =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let title = match unknown.shift_remove("title") {
            None | Some(Value::Null) => None,
            Some(Value::String(title)) => Some(title),
            Some(_) => return Err("`title` is not a string".to_owned()),
        };
        let last_activated_at = match unknown.shift_remove("last_activated_at") {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(parse_timestamp(&text).map_err(|e| e.to_string())?),
            Some(_) => return Err("`last_activated_at` is not a string".to_owned()),
        };
        Ok(Self { title, last_activated_at, unknown })
    }

    pub(super) fn to_json(&self) -> String {
        let mut object = Map::new();
        if let Some(title) = &self.title {
            object.insert("title".to_owned(), title.clone().into());
        }
        if let Some(at) = self.last_activated_at {
            object.insert("last_activated_at".to_owned(), at.to_string().into());
        }
        object.extend(self.unknown.clone());
        format!("{:#}\n", Value::Object(object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_survive() {
        let text =
            r#"{"title": "A", "pinned": true, "last_activated_at": "2026-03-18 13:19:13.281973"}"#;
        let mut metadata = Metadata::from_json(text.as_bytes()).unwrap();
        metadata.title = Some("B".to_owned());
        let written = metadata.to_json();
        assert!(written.contains(r#""pinned": true"#), "{written}");
        assert!(
            written.contains(r#""last_activated_at": "2026-03-18T13:19:13.281973Z""#),
            "{written}"
        );
        assert_eq!(Metadata::from_json(written.as_bytes()).unwrap(), metadata);
    }

    #[test]
    fn a_long_title_is_cut_between_two_characters() {
        for (title, cut) in [
            ("x".repeat(MAX_TITLE), "x".repeat(MAX_TITLE)),
            ("x".repeat(MAX_TITLE + 1), "x".repeat(MAX_TITLE - 3) + "…"),
            ("é".repeat(MAX_TITLE), "é".repeat((MAX_TITLE - 3) / 2) + "…"),
        ] {
            assert_eq!(short(title.clone()), cut);
            // Cut again, it is the same.
            assert_eq!(short(cut.clone()), cut);
            let text = serde_json::json!({ "title": title }).to_string();
            assert_eq!(Metadata::from_json(text.as_bytes()).unwrap().title, Some(title));
        }
    }

    #[test]
    fn what_is_damaged_says_so() {
        for (text, reason) in [
            ("", "EOF"),
            ("{\"title\": 5}", "`title` is not a string"),
            ("{\"last_activated_at\": \"soon\"}", "not a timestamp"),
            ("[]", "invalid type"),
        ] {
            let error = Metadata::from_json(text.as_bytes()).unwrap_err();
            assert!(error.contains(reason), "{text}: {error}");
        }
        assert_eq!(Metadata::from_json(b"{}").unwrap(), Metadata::default());
    }
}
