//! The rules for events that come from outside: a batch is taken whole or not at all.
//!
//! A plugin may write anything. What it writes is read back by everybody else, so a batch is checked
//! against the conversation before a byte is stored: every field present and of the right type,
//! every answer with its question before it, every request inside a turn. A refusal names the
//! position of the event and says what is wrong with it.

use std::{
    collections::HashSet,
    hash::{BuildHasher as _, RandomState},
};

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::{
    event::{Event, EventKind},
    stored::{self, Head},
    stream::{Batched, Stream},
    timestamp::parse_timestamp,
};

/// What the rules need to know of a conversation so far.
#[derive(Debug, Clone, Default)]
pub struct Validator {
    tool_calls: Ids,
    inquiries: Ids,
    /// A turn is active from its `turn_start` until a `chat_request` has followed.
    turn_active: bool,
}

/// A batch that follows the rules, ready to be stored.
#[derive(Debug)]
pub struct Accepted {
    /// The bytes to append: all of them, in one go.
    pub bytes: Vec<u8>,
    /// How many events were pushed; an injected `turn_start` is not among them.
    pub count: usize,
}

/// The batch breaks a rule; nothing of it may be stored.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason} (event at index {index})")]
pub struct Rejection {
    pub index: usize,
    pub reason: String,
}

impl Validator {
    /// Takes note of an event that is already part of the conversation.
    pub fn observe(&mut self, event: &Event) {
        match &event.kind {
            EventKind::TurnStart => self.turn_active = true,
            EventKind::ChatRequest(_) => self.turn_active = false,
            EventKind::ToolCallRequest { id, .. } => self.tool_calls.insert(id),
            EventKind::InquiryRequest { id, .. } => self.inquiries.insert(id),
            _ => {}
        }
    }

    /// The same for one of which no more than its head was read.
    pub fn observe_head(&mut self, head: &Head<'_>) {
        let id = head.id.as_deref().unwrap_or_default();
        match &*head.kind {
            "turn_start" => self.turn_active = true,
            "chat_request" => self.turn_active = false,
            "tool_call_request" => self.tool_calls.insert(id),
            "inquiry_request" => self.inquiries.insert(id),
            _ => {}
        }
    }

    /// Judges a batch in its plain form. Events without a `timestamp` get `now`.
    ///
    /// The validator itself changes only when the batch is accepted.
    pub fn accept(&mut self, events: &[Value], now: Timestamp) -> Result<Accepted, Rejection> {
        let mut batch_state = Batch { turn_active: self.turn_active, ..Batch::default() };
        let mut offset = 0;
        // Each is written as soon as it is judged: a second copy of a large batch would be large too.
        let mut lines = Batched::default();
        for (index, event) in events.iter().enumerate() {
            let reject = |reason| Rejection { index, reason };
            let mut object = well_formed(event).map_err(reject)?;
            if index == 0 && is(&object, "chat_request") && !self.turn_active {
                batch_state.turn_active = true;
                let mut turn = stored::to_object(&Event::new(now, EventKind::TurnStart));
                stored::encode(&mut turn);
                lines.add(&turn);
                offset = 1;
            }
            stamp(&mut object, now).map_err(reject)?;
            self.follow(&object, &mut batch_state).map_err(reject)?;
            stored::encode(&mut object);
            lines.add(&object);
        }
        let lines = Stream::from_lines(lines.finish());
        // What is stored has to be readable by everybody, fields that a type does not use included.
        for (index, line) in lines.raw().enumerate() {
            let index = index.saturating_sub(offset);
            stored::head(line).map_err(|error| Rejection { index, reason: said(&error) })?;
        }
        let bytes = lines.into_lines();
        batch_state.tool_calls.iter().for_each(|id| self.tool_calls.insert(id));
        batch_state.inquiries.iter().for_each(|id| self.inquiries.insert(id));
        self.turn_active = batch_state.turn_active;
        Ok(Accepted { bytes, count: events.len() })
    }

    /// The rules that look at what came before, then takes note of the event itself.
    fn follow(&self, event: &Map<String, Value>, batch: &mut Batch) -> Result<(), String> {
        let id = event.get("id").and_then(Value::as_str).unwrap_or_default();
        match event.get("type").and_then(Value::as_str) {
            Some("turn_start") => batch.turn_active = true,
            Some("chat_request") if !batch.turn_active => {
                return Err("ChatRequest is not preceded by a TurnStart".to_owned());
            }
            Some("chat_request") => batch.turn_active = false,
            Some("tool_call_request") => drop(batch.tool_calls.insert(id.to_owned())),
            Some("inquiry_request") => drop(batch.inquiries.insert(id.to_owned())),
            Some("tool_call_response")
                if !self.tool_calls.contains(id) && !batch.tool_calls.contains(id) =>
            {
                let id = shorten(id);
                return Err(format!("ToolCallResponse references unknown request ID `{id}`"));
            }
            Some("inquiry_response")
                if !self.inquiries.contains(id) && !batch.inquiries.contains(id) =>
            {
                let id = shorten(id);
                return Err(format!("InquiryResponse references unknown request ID `{id}`"));
            }
            _ => {}
        }
        Ok(())
    }
}

/// The ids that were seen. Those of a long conversation are many and can be long, so they are kept as numbers that
/// nobody outside can work out: that two of them have the same is as good as impossible.
#[derive(Debug, Clone, Default)]
struct Ids {
    seen: HashSet<u64>,
    key: RandomState,
}

impl Ids {
    fn insert(&mut self, id: &str) {
        self.seen.insert(self.key.hash_one(id));
    }

    fn contains(&self, id: &str) -> bool {
        self.seen.contains(&self.key.hash_one(id))
    }
}

/// What a batch adds to the conversation, if it is accepted.
#[derive(Default)]
struct Batch {
    tool_calls: HashSet<String>,
    inquiries: HashSet<String>,
    turn_active: bool,
}

/// What a field has to be.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Flag,
    Object,
    Any,
}

impl Shape {
    fn fits(self, value: &Value) -> bool {
        match self {
            Self::Text => value.is_string(),
            Self::Flag => value.is_boolean(),
            Self::Object => value.is_object(),
            Self::Any => true,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Text => "a string",
            Self::Flag => "a boolean",
            Self::Object => "an object",
            Self::Any => "a value",
        }
    }
}

/// The fields of each type that may be pushed: name, shape, required.
type Field = (&'static str, Shape, bool);

fn fields(kind: &str) -> Option<&'static [Field]> {
    use Shape::{Any, Flag, Object, Text};
    Some(match kind {
        "turn_start" => &[],
        "chat_request" => {
            &[("content", Text, true), ("schema", Object, false), ("author", Text, false)]
        }
        "chat_response" => {
            &[("message", Text, false), ("reasoning", Text, false), ("data", Any, false)]
        }
        "tool_call_request" => {
            &[("id", Text, true), ("name", Text, true), ("arguments", Object, true)]
        }
        "tool_call_response" => {
            &[("id", Text, true), ("content", Text, true), ("is_error", Flag, true)]
        }
        "inquiry_request" => {
            &[("id", Text, true), ("source", Any, true), ("question", Object, true)]
        }
        "inquiry_response" => &[("id", Text, true), ("answer", Any, true)],
        _ => return None,
    })
}

/// The rules that look at one event alone.
fn well_formed(event: &Value) -> Result<Map<String, Value>, String> {
    let object = event.as_object().ok_or("an event must be an object")?;
    let kind = object
        .get("type")
        .ok_or("the event has no `type`")?
        .as_str()
        .ok_or("`type` must be a string")?;
    if kind == "config_delta" {
        return Err("`config_delta` events cannot be pushed".to_owned());
    }
    let fields = fields(kind).ok_or_else(|| format!("unknown event type `{}`", shorten(kind)))?;
    for &(name, shape, required) in fields.iter().chain(&[("metadata", Shape::Object, false)]) {
        match object.get(name) {
            None if required => return Err(format!("`{kind}` needs `{name}`")),
            Some(value) if !shape.fits(value) => {
                return Err(format!("`{name}` of `{kind}` must be {}", shape.name()));
            }
            _ => {}
        }
    }
    if kind == "chat_response" && fields.iter().filter(|f| object.contains_key(f.0)).count() != 1 {
        return Err("`chat_response` needs one of `message`, `reasoning` and `data`".to_owned());
    }
    Ok(object.clone())
}

/// Gives the event a timestamp if it has none; one that it has must be valid, and is kept.
fn stamp(event: &mut Map<String, Value>, now: Timestamp) -> Result<(), String> {
    match event.get("timestamp") {
        Some(Value::String(text)) => parse_timestamp(text).map(drop).map_err(|error| said(&error)),
        Some(_) => Err("`timestamp` must be a string".to_owned()),
        None => {
            event.shift_insert(0, "timestamp".to_owned(), now.to_string().into());
            Ok(())
        }
    }
}

fn is(event: &Map<String, Value>, kind: &str) -> bool {
    event.get("type").and_then(Value::as_str) == Some(kind)
}

/// What somebody wrote, in a length that is fit to be repeated.
fn shorten(text: &str) -> String {
    text.chars().take(60).collect()
}

/// An error in such a length: some quote what they are about.
fn said(error: &impl ToString) -> String {
    error.to_string().chars().take(300).collect()
}

#[cfg(test)]
mod tests;
