//! The form of an event on disk: one JSON object, with some strings in base64.
//!
//! Tool arguments, tool results and metadata are base64 so that a text search in the workspace does
//! not hit transcripts of earlier searches. [`encode`] and [`decode`] change exactly those strings
//! of an object and leave every other field, known or not, as it is; [`to_object`] and [`from_slice`]
//! convert to and from the typed [`Event`].
//!
//! `from_slice` is the hot path when a long conversation is opened: it reads a line into one flat
//! struct instead of a tagged enum, because serde buffers a tagged enum as a tree first.

mod encoded;
mod head;
mod plain;

use std::{borrow::Cow, fmt};

use base64_simd::STANDARD as BASE64;
use jp_json::has_more_values;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Visitor, ser::SerializeMap};
use serde_json::{Map, Value};

use crate::{
    event::{ChatRequest, ChatResponse, Event, EventKind},
    timestamp::{InvalidTimestamp, parse_timestamp},
};

pub use self::{
    head::{Head, head},
    plain::{STEP, Sink, write_plain},
};

/// So deep are events nested that others get to read: two levels less than most readers of JSON take, for the
/// message that is around them. It is also what a plugin can push.
pub const MOST_NESTED: usize = 125;

/// So many values an event may have to be read. As values they would take a hundred times as much memory as on
/// the disk.
pub const MOST_VALUES: usize = 1_000_000;

/// Why a stored event could not be read.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    #[error("not a JSON object that describes an event: {0}")]
    Json(#[from] serde_json::Error),
    #[error("event without a `timestamp`")]
    NoTimestamp,
    #[error(transparent)]
    Timestamp(#[from] InvalidTimestamp),
    #[error("nested more than {MOST_NESTED} levels deep")]
    Nested,
    #[error("more than {MOST_VALUES} values")]
    TooMany,
    #[error("`{kind}` event without `{field}`")]
    Missing { kind: &'static str, field: &'static str },
}

/// Turns the plain form of an event into the stored form, in place.
pub fn encode(event: &mut Map<String, Value>) {
    for_each_encoded_field(event, &encode_value);
}

/// Turns the stored form of an event into the plain form, in place.
///
/// A string that is not base64 of UTF-8 text is left alone: somebody wrote it by hand, and showing
/// it is more useful than refusing the event.
pub fn decode(event: &mut Map<String, Value>) {
    for_each_encoded_field(event, &decode_value);
}

/// The plain form of an event, with the fields in the order in which people read them.
pub fn to_object(event: &Event) -> Map<String, Value> {
    match serde_json::to_value(Written { event, form: Form::Plain }) {
        Ok(Value::Object(object)) => object,
        // `Written` serialises as a map with string keys, which always has a JSON form.
        _ => Map::new(),
    }
}

/// Writes the stored form of an event: a JSON object without a line break, ready to be a line of a
/// file.
pub(crate) fn write_line(event: &Event, bytes: &mut Vec<u8>) {
    // The same: neither the map nor a vector can fail.
    let _ = serde_json::to_writer(bytes, &Written { event, form: Form::Stored });
}

/// Reads the stored form of one event.
pub fn from_slice(line: &[u8]) -> Result<Event, EventError> {
    check_count(line)?;
    match serde_json::from_slice::<Wire>(line) {
        Ok(wire) if is_known(&wire.kind.0) => wire.into_event(),
        // Not a type we know, or fields that do not fit: an unknown type may use any field as it
        // likes, a known one may not.
        Ok(_) => unknown_event(line, None),
        Err(error) => unknown_event(line, Some(error)),
    }
}

/// Reads the stored form of one event as an object, with its encoded strings decoded.
pub(crate) fn object_from_slice(line: &[u8]) -> Result<Map<String, Value>, EventError> {
    check_count(line)?;
    let mut object = serde_json::from_slice(line)?;
    decode(&mut object);
    Ok(object)
}

fn check_count(line: &[u8]) -> Result<(), EventError> {
    if has_more_values(line, MOST_VALUES) {
        return Err(EventError::TooMany);
    }
    Ok(())
}

/// The fields of all event types together.
#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(rename = "type", borrow)]
    kind: Text<'a>,
    #[serde(borrow)]
    timestamp: Option<Text<'a>>,
    #[serde(borrow)]
    content: Option<Text<'a>>,
    schema: Option<Value>,
    author: Option<Value>,
    message: Option<String>,
    reasoning: Option<String>,
    data: Option<Value>,
    id: Option<String>,
    name: Option<String>,
    arguments: Option<Map<String, Value>>,
    is_error: Option<bool>,
    source: Option<Value>,
    question: Option<Value>,
    answer: Option<Value>,
    delta: Option<Value>,
    metadata: Option<Map<String, Value>>,
}

/// A string that is borrowed from the line if it has no escapes. Serde does that for a plain `Cow`
/// but not for an optional one, and the long strings here are decoded right away.
struct Text<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct TextVisitor;

        impl<'de> Visitor<'de> for TextVisitor {
            type Value = Text<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }

            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }

            fn visit_str<E>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }

        deserializer.deserialize_str(TextVisitor)
    }
}

impl Wire<'_> {
    fn into_event(mut self) -> Result<Event, EventError> {
        let timestamp = parse_timestamp(&self.timestamp.take().ok_or(EventError::NoTimestamp)?.0)?;
        let mut metadata = self.metadata.take().unwrap_or_default();
        metadata.values_mut().for_each(decode_value);
        Ok(Event { timestamp, kind: self.into_kind()?, metadata })
    }

    fn into_kind(self) -> Result<EventKind, EventError> {
        Ok(match self.kind.0.as_ref() {
            "turn_start" => EventKind::TurnStart,
            "chat_request" => EventKind::ChatRequest(ChatRequest {
                content: need("chat_request", "content", self.content)?.0.into_owned(),
                schema: self.schema,
                author: self.author,
            }),
            "chat_response" => EventKind::ChatResponse(match (self.message, self.reasoning) {
                (Some(message), _) => ChatResponse::Message(message),
                (None, Some(reasoning)) => ChatResponse::Reasoning(reasoning),
                (None, None) => ChatResponse::Data(need(
                    "chat_response",
                    "message`, `reasoning` or `data",
                    self.data,
                )?),
            }),
            "tool_call_request" => {
                let mut arguments = self.arguments.unwrap_or_default();
                arguments.values_mut().for_each(decode_value);
                EventKind::ToolCallRequest {
                    id: need("tool_call_request", "id", self.id)?,
                    name: need("tool_call_request", "name", self.name)?,
                    arguments,
                }
            }
            "tool_call_response" => {
                let content = need("tool_call_response", "content", self.content)?.0;
                EventKind::ToolCallResponse {
                    id: need("tool_call_response", "id", self.id)?,
                    content: decode_text(&content).unwrap_or_else(|| content.into_owned()),
                    is_error: self.is_error.unwrap_or(false),
                }
            }
            "inquiry_request" => EventKind::InquiryRequest {
                id: need("inquiry_request", "id", self.id)?,
                source: self.source.unwrap_or(Value::Null),
                question: need("inquiry_request", "question", self.question)?,
            },
            "inquiry_response" => EventKind::InquiryResponse {
                id: need("inquiry_response", "id", self.id)?,
                answer: self.answer.unwrap_or(Value::Null),
            },
            _ => EventKind::ConfigDelta { delta: self.delta.unwrap_or(Value::Null) },
        })
    }
}

const KNOWN_TYPES: [&str; 8] = [
    "turn_start",
    "chat_request",
    "chat_response",
    "tool_call_request",
    "tool_call_response",
    "inquiry_request",
    "inquiry_response",
    "config_delta",
];

fn is_known(kind: &str) -> bool {
    KNOWN_TYPES.contains(&kind)
}

/// Reads an event of a type we do not know, or explains why a known one does not parse.
fn unknown_event(line: &[u8], typed: Option<serde_json::Error>) -> Result<Event, EventError> {
    let mut object: Map<String, Value> = serde_json::from_slice(line)?;
    let kind = object.get("type").and_then(Value::as_str).map(ToOwned::to_owned);
    let kind = match (kind, typed) {
        (Some(kind), _) if !is_known(&kind) => kind,
        (_, Some(error)) => return Err(error.into()),
        (_, None) => return Err(EventError::NoTimestamp),
    };
    let timestamp = match object.shift_remove("timestamp") {
        Some(Value::String(text)) => parse_timestamp(&text)?,
        _ => return Err(EventError::NoTimestamp),
    };
    let metadata = match object.shift_remove("metadata") {
        Some(Value::Object(mut metadata)) => {
            metadata.values_mut().for_each(decode_value);
            metadata
        }
        Some(other) => {
            object.insert("metadata".into(), other);
            Map::new()
        }
        None => Map::new(),
    };
    Ok(Event { timestamp, kind: EventKind::Unknown { kind, object }, metadata })
}

/// Which of the two forms is written.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Plain,
    Stored,
}

/// An event on its way out. Writing it field by field costs no intermediate tree, which is most of
/// what an append would cost otherwise.
struct Written<'a> {
    event: &'a Event,
    form: Form,
}

impl Serialize for Written<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Event { timestamp, kind, metadata } = self.event;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("timestamp", timestamp)?;
        if !matches!(kind, EventKind::Unknown { .. }) {
            map.serialize_entry("type", kind.type_name())?;
        }
        self.fields(&mut map)?;
        if !metadata.is_empty() {
            map.serialize_entry("metadata", &Strings { fields: metadata, form: self.form })?;
        }
        map.end()
    }
}

impl Written<'_> {
    fn fields<M: SerializeMap>(&self, map: &mut M) -> Result<(), M::Error> {
        match &self.event.kind {
            EventKind::TurnStart => Ok(()),
            EventKind::ChatRequest(ChatRequest { content, schema, author }) => {
                map.serialize_entry("content", content)?;
                optional(map, "schema", schema.as_ref())?;
                optional(map, "author", author.as_ref())
            }
            EventKind::ChatResponse(ChatResponse::Message(text)) => {
                map.serialize_entry("message", text)
            }
            EventKind::ChatResponse(ChatResponse::Reasoning(text)) => {
                map.serialize_entry("reasoning", text)
            }
            EventKind::ChatResponse(ChatResponse::Data(data)) => map.serialize_entry("data", data),
            EventKind::ToolCallRequest { id, name, arguments } => {
                map.serialize_entry("id", id)?;
                map.serialize_entry("name", name)?;
                map.serialize_entry("arguments", &Strings { fields: arguments, form: self.form })
            }
            EventKind::ToolCallResponse { id, content, is_error } => {
                map.serialize_entry("id", id)?;
                match self.form {
                    Form::Plain => map.serialize_entry("content", content)?,
                    Form::Stored => map.serialize_entry("content", &encode_text(content))?,
                }
                map.serialize_entry("is_error", is_error)
            }
            EventKind::InquiryRequest { id, source, question } => {
                map.serialize_entry("id", id)?;
                map.serialize_entry("source", source)?;
                map.serialize_entry("question", question)
            }
            EventKind::InquiryResponse { id, answer } => {
                map.serialize_entry("id", id)?;
                map.serialize_entry("answer", answer)
            }
            EventKind::ConfigDelta { delta } => map.serialize_entry("delta", delta),
            EventKind::Unknown { object, .. } => {
                object.iter().try_for_each(|(field, value)| map.serialize_entry(field, value))
            }
        }
    }
}

fn optional<M: SerializeMap>(
    map: &mut M,
    field: &str,
    value: Option<&Value>,
) -> Result<(), M::Error> {
    value.map_or(Ok(()), |value| map.serialize_entry(field, value))
}

/// A table whose strings are base64 in the stored form.
struct Strings<'a> {
    fields: &'a Map<String, Value>,
    form: Form,
}

impl Serialize for Strings<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.form == Form::Plain || self.fields.is_empty() {
            return self.fields.serialize(serializer);
        }
        let mut fields = self.fields.clone();
        fields.values_mut().for_each(encode_value);
        fields.serialize(serializer)
    }
}

fn for_each_encoded_field(event: &mut Map<String, Value>, change: &dyn Fn(&mut Value)) {
    let kind = event.get("type").and_then(Value::as_str);
    for field in encoded_fields(kind).into_iter().flatten() {
        if let Some(value) = event.get_mut(field) {
            change(value);
        }
    }
}

/// The one list of which fields of an event have strings that are base64 in storage.
fn encoded_fields(kind: Option<&str>) -> [Option<&'static str>; 2] {
    let field = match kind {
        Some("tool_call_request") => Some("arguments"),
        Some("tool_call_response") => Some("content"),
        _ => None,
    };
    [field, Some("metadata")]
}

fn encode_value(value: &mut Value) {
    for_each_string(value, &|text| *text = encode_text(text));
}

fn decode_value(value: &mut Value) {
    for_each_string(value, &|text| {
        if let Some(plain) = decode_text(text) {
            *text = plain;
        }
    });
}

/// Values come from `serde_json`, which refuses anything nested deeper than 128 levels.
fn for_each_string(value: &mut Value, change: &dyn Fn(&mut String)) {
    match value {
        Value::String(text) => change(text),
        Value::Array(items) => items.iter_mut().for_each(|item| for_each_string(item, change)),
        Value::Object(fields) => fields.values_mut().for_each(|item| for_each_string(item, change)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn encode_text(text: &str) -> String {
    BASE64.encode_to_string(text.as_bytes())
}

fn decode_text(text: &str) -> Option<String> {
    String::from_utf8(BASE64.decode_to_vec(text).ok()?).ok()
}

fn need<T>(kind: &'static str, field: &'static str, value: Option<T>) -> Result<T, EventError> {
    value.ok_or(EventError::Missing { kind, field })
}

#[cfg(test)]
mod tests;
