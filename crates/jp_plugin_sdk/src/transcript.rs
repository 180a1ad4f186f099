//! What happened in a conversation, as types: events, and the turns they make.
//!
//! [`Session::read_raw_events`](crate::Session::read_raw_events) gives every event as it is stored, and
//! that may have been written by a newer version, by an older one, or by hand. So reading never fails:
//! what has an unknown type, lacks a field or has one of the wrong kind is [`Kind::Unknown`] with
//! everything that was in it. Whoever shows a conversation can show all of it.
//!
//! The danger is that values take up to a hundred times as much memory as their text. So an event with
//! more than [`MOST_VALUES`] of them does not become values: it is [`Kind::TooLarge`], and its text is
//! still there for whoever passes it on.
//!
//! ```
//! use jp_plugin_sdk::transcript::{Event, Kind, turns};
//! use serde_json::json;
//!
//! let events = [json!({ "type": "turn_start" }), json!({ "type": "chat_request", "content": "Hi" })];
//! let turns = turns(events.into_iter().enumerate().map(|(n, event)| Event::from_value(n, event)));
//! assert_eq!(turns[0].number, 1);
//! assert!(matches!(&turns[0].events[1].kind, Kind::ChatRequest { content, .. } if content == "Hi"));
//! ```

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Map, Value, value::RawValue};

use crate::json;

/// The most values that an event is read with.
pub const MOST_VALUES: usize = 200_000;
/// The most that the events of a conversation are read with together; see [`events`].
pub const MOST_VALUES_OF_ALL: usize = 2_000_000;

/// One thing that happened.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// When, as it is stored: RFC 3339, unless somebody else wrote it.
    pub timestamp: Option<String>,
    pub kind: Kind,
    /// Notes of its author.
    pub metadata: Option<Map<String, Value>>,
    /// Its place in the conversation, from 0.
    pub position: usize,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub enum Kind {
    /// A new exchange begins.
    TurnStart,
    /// What the user said.
    ChatRequest {
        content: String,
        author: Option<String>,
        schema: Option<Value>,
    },
    /// What the assistant said.
    Message(String),
    /// What it thought before.
    Reasoning(String),
    /// What it said in the form that a schema asked for.
    Data(Value),
    ToolCallRequest {
        id: String,
        name: String,
        arguments: Map<String, Value>,
    },
    ToolCallResponse {
        id: String,
        content: String,
        is_error: bool,
    },
    /// A tool asks something before it can go on.
    InquiryRequest {
        id: String,
        source: Value,
        question: Value,
    },
    InquiryResponse {
        id: String,
        answer: Value,
    },
    /// From here on the conversation has other settings.
    ConfigDelta {
        delta: Value,
    },
    /// Of another type, or not as its type asks for. `name` is empty where there is no type at all.
    Unknown {
        name: String,
        fields: Map<String, Value>,
    },
    /// Of more values than anybody should hold in memory, so none of them was made. `name` is the type,
    /// empty where there is none, and `bytes` the length of its text. It begins no turn.
    TooLarge {
        name: String,
        bytes: usize,
    },
}

/// One exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    /// From 1. What stands before the first `turn_start` is turn 0, which is there only if something does.
    pub number: usize,
    /// All of its events, the `turn_start` included.
    pub events: Vec<Event>,
}

impl Event {
    /// Reads an event as [`read_raw_events`](crate::Session::read_raw_events) gives it.
    pub fn parse(position: usize, text: &RawValue) -> Self {
        // A value has one byte at least, and so most events need not be counted.
        let is_small = text.get().len() <= MOST_VALUES;
        if is_small || json::values_in(text.get().as_bytes()) <= MOST_VALUES {
            Self::read(position, text.get())
        } else {
            Self::too_large(position, text.get())
        }
    }

    fn read(position: usize, text: &str) -> Self {
        // What is a `RawValue` is JSON; only numbers beyond all bounds, and what is nested too deep, cannot be read.
        let value = serde_json::from_str(text);
        Self::from_value(position, value.unwrap_or_else(|_| Value::from(text)))
    }

    /// What can be said about an event without making its values.
    fn too_large(position: usize, text: &str) -> Self {
        #[derive(Deserialize)]
        struct Typed {
            #[serde(rename = "type")]
            name: String,
        }
        #[derive(Deserialize)]
        struct Timed {
            timestamp: String,
        }
        let typed = serde_json::from_str::<Typed>(text);
        let name = typed.map(|typed| typed.name).unwrap_or_default();
        let timestamp = serde_json::from_str::<Timed>(text).map(|timed| timed.timestamp).ok();
        let kind = Kind::TooLarge { name, bytes: text.len() };
        Self { timestamp, kind, metadata: None, position }
    }

    /// Reads an event as [`read_events`](crate::Session::read_events) gives it.
    pub fn from_value(position: usize, value: Value) -> Self {
        let mut fields = match value {
            Value::Object(fields) => fields,
            other => Map::from_iter([("value".to_owned(), other)]),
        };
        let timestamp = take_text(&mut fields, "timestamp");
        let metadata = take_object(&mut fields, "metadata");
        let name = take_text(&mut fields, "type").unwrap_or_default();
        let kind = match known(&name, &fields) {
            Some(build) => build(fields),
            None => Kind::Unknown { name, fields },
        };
        Self { timestamp, kind, metadata, position }
    }
}

impl Kind {
    /// The `type` of the event as it is stored.
    pub fn type_name(&self) -> &str {
        match self {
            Self::TurnStart => "turn_start",
            Self::ChatRequest { .. } => "chat_request",
            Self::Message(_) | Self::Reasoning(_) | Self::Data(_) => "chat_response",
            Self::ToolCallRequest { .. } => "tool_call_request",
            Self::ToolCallResponse { .. } => "tool_call_response",
            Self::InquiryRequest { .. } => "inquiry_request",
            Self::InquiryResponse { .. } => "inquiry_response",
            Self::ConfigDelta { .. } => "config_delta",
            Self::Unknown { name, .. } | Self::TooLarge { name, .. } => name,
        }
    }

    /// Whether it has a type that there is, and not what the type asks for.
    pub fn is_damaged(&self) -> bool {
        matches!(self, Self::Unknown { name, .. } if TYPES.contains(&name.as_str()))
    }
}

/// The types that there are.
const TYPES: [&str; 8] = [
    "turn_start",
    "chat_request",
    "chat_response",
    "tool_call_request",
    "tool_call_response",
    "inquiry_request",
    "inquiry_response",
    "config_delta",
];

impl Turn {
    /// When it began, as its first event says.
    pub fn began(&self) -> Option<&str> {
        self.events.iter().find_map(|event| event.timestamp.as_deref())
    }

    /// What the user wanted, in the user's words.
    pub fn request(&self) -> Option<&str> {
        self.events.iter().find_map(|event| match &event.kind {
            Kind::ChatRequest { content, .. } => Some(content.as_str()),
            _ => None,
        })
    }

    /// The names of the tools that were called, by the id of the call.
    pub fn tools(&self) -> HashMap<&str, &str> {
        let calls = self.events.iter().filter_map(|event| match &event.kind {
            Kind::ToolCallRequest { id, name, .. } => Some((id.as_str(), name.as_str())),
            _ => None,
        });
        calls.collect()
    }
}

/// All events of a conversation, for whoever holds them together: those that do not fit into
/// [`MOST_VALUES_OF_ALL`] values are [`Kind::TooLarge`], too.
pub fn events(texts: &[Box<RawValue>]) -> impl Iterator<Item = Event> {
    let mut left = MOST_VALUES_OF_ALL;
    texts.iter().enumerate().map(move |(position, text)| {
        let text = text.get();
        let count = json::values_in(text.as_bytes());
        if count > left.min(MOST_VALUES) {
            return Event::too_large(position, text);
        }
        left -= count;
        Event::read(position, text)
    })
}

/// The turns of a conversation. A `turn_start` begins one.
pub fn turns(events: impl IntoIterator<Item = Event>) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    for event in events {
        let begins = event.kind == Kind::TurnStart;
        match turns.last_mut() {
            Some(turn) if !begins => turn.events.push(event),
            last => {
                let number = last.map_or(usize::from(begins), |turn| turn.number + 1);
                turns.push(Turn { number, events: vec![event] });
            }
        }
    }
    turns
}

type Build = fn(Map<String, Value>) -> Kind;

/// How to make a kind of these fields; none if they are not what the type asks for. Looking comes before
/// taking, so that an event that does not fit keeps all it has.
fn known(name: &str, fields: &Map<String, Value>) -> Option<Build> {
    let is = |field: &str, kind: fn(&Value) -> bool| fields.get(field).is_some_and(kind);
    let may_be = |field: &str, kind: fn(&Value) -> bool| fields.get(field).is_none_or(kind);
    let has = |field: &str| fields.contains_key(field);
    let (fits, build): (bool, Build) = match name {
        "turn_start" => (true, |_| Kind::TurnStart),
        "chat_request" => (is("content", Value::is_string), chat_request),
        "chat_response" if has("message") => (is("message", Value::is_string), |mut fields| {
            Kind::Message(text(&mut fields, "message"))
        }),
        "chat_response" if has("reasoning") => (is("reasoning", Value::is_string), |mut fields| {
            Kind::Reasoning(text(&mut fields, "reasoning"))
        }),
        "chat_response" => (has("data"), |mut fields| Kind::Data(value(&mut fields, "data"))),
        "tool_call_request" => (
            is("id", Value::is_string)
                && is("name", Value::is_string)
                && may_be("arguments", Value::is_object),
            tool_call_request,
        ),
        "tool_call_response" => (
            is("id", Value::is_string)
                && is("content", Value::is_string)
                && may_be("is_error", Value::is_boolean),
            tool_call_response,
        ),
        "inquiry_request" => (is("id", Value::is_string) && has("question"), |mut fields| {
            let id = text(&mut fields, "id");
            let source = value(&mut fields, "source");
            Kind::InquiryRequest { id, source, question: value(&mut fields, "question") }
        }),
        "inquiry_response" => (is("id", Value::is_string), |mut fields| {
            let id = text(&mut fields, "id");
            Kind::InquiryResponse { id, answer: value(&mut fields, "answer") }
        }),
        "config_delta" => {
            (true, |mut fields| Kind::ConfigDelta { delta: value(&mut fields, "delta") })
        }
        _ => return None,
    };
    fits.then_some(build)
}

fn chat_request(mut fields: Map<String, Value>) -> Kind {
    let author = fields.shift_remove("author").and_then(|author| match author {
        Value::Null => None,
        Value::String(name) => Some(name),
        Value::Object(mut person) => Some(
            take_text(&mut person, "name").unwrap_or_else(|| Value::Object(person).to_string()),
        ),
        other => Some(other.to_string()),
    });
    let schema = fields.shift_remove("schema").filter(|schema| !schema.is_null());
    Kind::ChatRequest { content: text(&mut fields, "content"), author, schema }
}

fn tool_call_request(mut fields: Map<String, Value>) -> Kind {
    Kind::ToolCallRequest {
        id: text(&mut fields, "id"),
        name: text(&mut fields, "name"),
        arguments: take_object(&mut fields, "arguments").unwrap_or_default(),
    }
}

fn tool_call_response(mut fields: Map<String, Value>) -> Kind {
    Kind::ToolCallResponse {
        id: text(&mut fields, "id"),
        content: text(&mut fields, "content"),
        is_error: value(&mut fields, "is_error") == Value::Bool(true),
    }
}

fn text(fields: &mut Map<String, Value>, name: &str) -> String {
    take_text(fields, name).unwrap_or_default()
}

fn value(fields: &mut Map<String, Value>, name: &str) -> Value {
    fields.shift_remove(name).unwrap_or_default()
}

/// The field, if it is a text; one of another kind stays where it is.
fn take_text(fields: &mut Map<String, Value>, name: &str) -> Option<String> {
    match fields.get_mut(name)? {
        Value::String(text) => {
            let text = std::mem::take(text);
            fields.shift_remove(name);
            Some(text)
        }
        _ => None,
    }
}

/// The field, if it is an object; one of another kind stays where it is.
fn take_object(fields: &mut Map<String, Value>, name: &str) -> Option<Map<String, Value>> {
    match fields.get_mut(name)? {
        Value::Object(object) => {
            let object = std::mem::take(object);
            fields.shift_remove(name);
            Some(object)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests;
