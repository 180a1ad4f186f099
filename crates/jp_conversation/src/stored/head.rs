//! What is needed of a stored event to list a conversation and to judge what is pushed, without making the event.
//!
//! A tree of values takes up to a hundred times as much memory as the text, and a copy as much again, where all
//! that is wanted is the type, the time and an id. So everything is read past, and kept only if it is one of
//! these. Every line that [`from_slice`](super::from_slice) reads has a head, and no other has one.

use std::{borrow::Cow, fmt, marker::PhantomData};

use jiff::Timestamp;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, SeqAccess, Visitor},
};

use super::{EventError, Text, check_count, is_known, need};
use crate::timestamp::parse_timestamp;

/// The parts of an event by which it is found and counted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head<'a> {
    pub timestamp: Timestamp,
    pub kind: Cow<'a, str>,
    /// Of an event of a known type.
    pub id: Option<Cow<'a, str>>,
}

/// Reads the head of an event in its stored form, if all of it can be read.
pub fn head(line: &[u8]) -> Result<Head<'_>, EventError> {
    check_count(line)?;
    match serde_json::from_slice::<Fields<'_>>(line) {
        Ok(fields) if is_known(&fields.kind.0) => fields.into_head(),
        Ok(_) => unknown_head(line, None),
        Err(error) => unknown_head(line, Some(error)),
    }
}

/// The fields of all types, as [`Wire`](super::Wire) has them.
#[derive(Deserialize)]
#[expect(dead_code, reason = "that a field can be read is all that is asked of most")]
struct Fields<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    content: Option<IsText>,
    schema: Option<Seen>,
    author: Option<Seen>,
    message: Option<IsText>,
    reasoning: Option<IsText>,
    data: Option<Seen>,
    #[serde(borrow)]
    id: Option<Text<'a>>,
    name: Option<IsText>,
    arguments: Option<IsObject>,
    is_error: Option<bool>,
    source: Option<Seen>,
    question: Option<Seen>,
    answer: Option<Seen>,
    delta: Option<Seen>,
    metadata: Option<IsObject>,
}

impl<'a> Fields<'a> {
    fn into_head(self) -> Result<Head<'a>, EventError> {
        let text = self.timestamp.as_ref().ok_or(EventError::NoTimestamp)?;
        let timestamp = parse_timestamp(&text.0)?;
        self.check()?;
        Ok(Head { timestamp, kind: self.kind.0, id: self.id.map(|id| id.0) })
    }

    /// Whether all is there that an event of this type has.
    fn check(&self) -> Result<(), EventError> {
        let id = |kind| need(kind, "id", self.id.as_ref()).map(drop);
        match &*self.kind.0 {
            "chat_request" => need("chat_request", "content", self.content.as_ref()).map(drop),
            "chat_response" if self.message.is_none() && self.reasoning.is_none() => {
                let field = "message`, `reasoning` or `data";
                need("chat_response", field, self.data.as_ref()).map(drop)
            }
            "tool_call_request" => {
                id("tool_call_request")?;
                need("tool_call_request", "name", self.name.as_ref()).map(drop)
            }
            "tool_call_response" => {
                need("tool_call_response", "content", self.content.as_ref())?;
                id("tool_call_response")
            }
            "inquiry_request" => {
                id("inquiry_request")?;
                need("inquiry_request", "question", self.question.as_ref()).map(drop)
            }
            "inquiry_response" => id("inquiry_response"),
            _ => Ok(()),
        }
    }
}

/// The head of an event of a type we do not know, or why a known one does not parse.
fn unknown_head(line: &[u8], typed: Option<serde_json::Error>) -> Result<Head<'_>, EventError> {
    let Loose { kind, timestamp } = serde_json::from_slice(line)?;
    let kind = match (kind, typed) {
        (Some(kind), _) if !is_known(&kind) => kind,
        (_, Some(error)) => return Err(error.into()),
        (_, None) => return Err(EventError::NoTimestamp),
    };
    let timestamp = parse_timestamp(&timestamp.ok_or(EventError::NoTimestamp)?)?;
    Ok(Head { timestamp, kind, id: None })
}

/// An object that may have any fields. Of several with one name the last counts.
struct Loose<'a> {
    kind: Option<Cow<'a, str>>,
    timestamp: Option<Cow<'a, str>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Loose<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct LooseVisitor;

        impl<'de> Visitor<'de> for LooseVisitor {
            type Value = Loose<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a map")
            }

            fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Loose<'de>, M::Error> {
                let mut loose = Loose { kind: None, timestamp: None };
                while let Some(name) = map.next_key::<Name>()? {
                    match name {
                        Name::Kind => loose.kind = map.next_value::<MaybeText<'de>>()?.0,
                        Name::Timestamp => loose.timestamp = map.next_value::<MaybeText<'de>>()?.0,
                        Name::Other => {
                            let Seen = map.next_value()?;
                        }
                    }
                }
                Ok(loose)
            }
        }

        deserializer.deserialize_map(LooseVisitor)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier)]
enum Name {
    #[serde(rename = "type")]
    Kind,
    #[serde(rename = "timestamp")]
    Timestamp,
    #[serde(other)]
    Other,
}

/// A value that was read, of which nothing is kept.
struct Seen;

/// A text that was read.
struct IsText;

/// An object that was read.
struct IsObject;

/// The text, if the value is one.
struct MaybeText<'a>(Option<Cow<'a, str>>);

/// What is made of a value.
trait Made<'de> {
    fn of_text(text: &str) -> Self;
    fn of_borrowed(text: &'de str) -> Self;
    fn of_other() -> Self;
}

impl Made<'_> for Seen {
    fn of_text(_: &str) -> Self {
        Self
    }

    fn of_borrowed(_: &str) -> Self {
        Self
    }

    fn of_other() -> Self {
        Self
    }
}

impl<'de> Made<'de> for MaybeText<'de> {
    fn of_text(text: &str) -> Self {
        Self(Some(Cow::Owned(text.to_owned())))
    }

    fn of_borrowed(text: &'de str) -> Self {
        Self(Some(Cow::Borrowed(text)))
    }

    fn of_other() -> Self {
        Self(None)
    }
}

/// Reads past a value as a tree would be made of it, with the same errors: numbers that are too large, strings that
/// are no text, too many levels.
struct Past<T>(PhantomData<T>);

impl<'de, T: Made<'de>> Visitor<'de> for Past<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any valid JSON value")
    }

    fn visit_bool<E>(self, _: bool) -> Result<T, E> {
        Ok(T::of_other())
    }

    fn visit_i64<E>(self, _: i64) -> Result<T, E> {
        Ok(T::of_other())
    }

    fn visit_u64<E>(self, _: u64) -> Result<T, E> {
        Ok(T::of_other())
    }

    fn visit_f64<E>(self, _: f64) -> Result<T, E> {
        Ok(T::of_other())
    }

    fn visit_unit<E>(self) -> Result<T, E> {
        Ok(T::of_other())
    }

    fn visit_str<E>(self, text: &str) -> Result<T, E> {
        Ok(T::of_text(text))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<T, E> {
        Ok(T::of_borrowed(text))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut items: S) -> Result<T, S::Error> {
        while items.next_element::<Seen>()?.is_some() {}
        Ok(T::of_other())
    }

    fn visit_map<M: MapAccess<'de>>(self, mut fields: M) -> Result<T, M::Error> {
        while fields.next_entry::<IsText, Seen>()?.is_some() {}
        Ok(T::of_other())
    }
}

impl<'de> Deserialize<'de> for Seen {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Past(PhantomData))
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for MaybeText<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Past::<MaybeText<'de>>(PhantomData))
    }
}

impl<'de> Deserialize<'de> for IsText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl Visitor<'_> for TextVisitor {
            type Value = IsText;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_str<E>(self, _: &str) -> Result<IsText, E> {
                Ok(IsText)
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

impl<'de> Deserialize<'de> for IsObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Past::<Seen>(PhantomData)).map(|Seen| Self)
    }
}

#[cfg(test)]
mod tests {
    use proptest::{prelude::*, sample::select};

    use super::{super::from_slice, *};

    /// A head is there for the same lines as the event, and says the same.
    fn check(line: &str) {
        let (head, event) = (head(line.as_bytes()), from_slice(line.as_bytes()));
        let (head, event) = match (head, event) {
            (Ok(head), Ok(event)) => (head, event),
            (Err(_), Err(_)) => return,
            (head, event) => panic!("{line}: {head:?} and {event:?}"),
        };
        assert_eq!((head.timestamp, &*head.kind), (event.timestamp, event.kind.type_name()));
        let plain = super::super::to_object(&event);
        if is_known(&head.kind) && plain.contains_key("id") {
            assert_eq!(head.id.as_deref(), plain["id"].as_str(), "{line}");
        }
    }

    const NAMES: [&str; 19] = [
        "type",
        "timestamp",
        "content",
        "schema",
        "author",
        "message",
        "reasoning",
        "data",
        "id",
        "name",
        "arguments",
        "is_error",
        "source",
        "question",
        "answer",
        "delta",
        "metadata",
        "beam",
        "ty\\u0070e",
    ];

    const VALUES: [&str; 16] = [
        "1",
        "-0.5e3",
        "1e999",
        "null",
        "true",
        "\"text\"",
        "\"a\\n\\u00e9\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "[]",
        "[1,{\"a\":null}]",
        "{}",
        "{\"a\":\"\\ud83d\"}",
        "{\"a\":1e999}",
        "{\"a\":1,\"a\":\"aGk=\"}",
        "\"2026-03-18T13:19:13Z\"",
    ];

    proptest! {
        #[test]
        fn a_head_is_there_for_what_can_be_read(
            kind in select(&["turn_start", "chat_request", "chat_response", "tool_call_request",
                "tool_call_response", "inquiry_request", "inquiry_response", "config_delta", "hologram"][..]),
            usual in proptest::bool::weighted(0.8),
            fields in proptest::collection::vec((select(&NAMES[..]), select(&VALUES[..])), 0..5),
        ) {
            let mut all: Vec<String> =
                fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
            if usual {
                all.insert(0, format!("\"type\":\"{kind}\",\"timestamp\":\"2026-03-18T13:19:13Z\""));
                all.push("\"id\":\"i\",\"content\":\"c\",\"name\":\"n\"".to_owned());
            }
            check(&format!("{{{}}}", all.join(",")));
        }
    }

    #[test]
    fn levels_are_counted_as_for_the_event() {
        let start = r#"{"timestamp":"2026-03-18T13:19:13Z","type":"#;
        for depth in 120..=130 {
            let value = format!("{}{}", "[".repeat(depth), "]".repeat(depth));
            for (kind, field) in [("turn_start", "x"), ("config_delta", "delta"), ("hologram", "x")]
            {
                check(&format!("{start}\"{kind}\",\"{field}\":{value}}}"));
            }
        }
        for line in ["", "null", "[]", "{}", "{", "{\"type\":\"hologram\"}", "{} {}"] {
            check(line);
        }
    }
}
