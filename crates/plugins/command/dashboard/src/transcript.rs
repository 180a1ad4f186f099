//! A conversation as blocks of text: one for each event, whatever it is.
//!
//! A conversation can be larger than anything that is worth keeping in memory or can be scrolled through, so
//! the end of it is kept: the last 2 MiB of text, and 16 KiB of each event. What is left out is said where it
//! would be.

use std::collections::{HashMap, VecDeque};

use jiff::Timestamp;
use jp_plugin_sdk::{
    json,
    transcript::{Event, Kind},
    words::{one_line, shorten},
};
use serde_json::{Map, Value, value::RawValue};

use crate::{text::clean, when};

/// How much text of one event is kept, in bytes.
const OF_ONE: usize = 16 << 10;

/// How much text is kept in all, in bytes.
const OF_ALL: usize = 2 << 20;

/// How much of a time is kept that is none, in characters.
const STAMP: usize = 64;

/// What an event without any text counts, so that their number is bounded too.
const OVERHEAD: usize = 64;

/// The end of a conversation, all of most.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Transcript {
    pub(crate) blocks: VecDeque<Block>,
    /// How many events came before.
    pub(crate) earlier: usize,
}

/// One event.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(crate) role: Role,
    /// What stands before or above the text.
    pub(crate) head: String,
    pub(crate) body: String,
    pub(crate) time: Option<String>,
}

/// What an event is to the reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    Turn,
    User,
    Assistant,
    Reasoning,
    Call,
    Result,
    Failed,
    Question,
    Answer,
    Settings,
    Unknown,
}

impl Transcript {
    /// Reads the events of a conversation.
    pub(crate) fn read(events: &[Box<RawValue>]) -> Self {
        let mut transcript = Self::default();
        let (mut turn, mut size) = (0, 0);
        // The names of tools by the ids of their calls: an answer has only the id.
        let mut tools = HashMap::new();
        for (position, event) in events.iter().enumerate() {
            let event = Event::parse(position, event);
            match &event.kind {
                Kind::TurnStart => turn += 1,
                Kind::ToolCallRequest { id, name, .. } => {
                    tools.insert(id.clone(), name.clone());
                }
                _ => {}
            }
            let block = block(event, turn, &tools);
            size += block.size();
            transcript.blocks.push_back(block);
            while size > OF_ALL
                && let Some(first) = transcript.blocks.pop_front()
            {
                size -= first.size();
                transcript.earlier += 1;
            }
        }
        transcript
    }
}

impl Block {
    fn size(&self) -> usize {
        let time = self.time.as_ref().map_or(0, String::len);
        OVERHEAD + self.head.len() + self.body.len() + time
    }
}

fn block(event: Event, turn: usize, tools: &HashMap<String, String>) -> Block {
    let time = event.timestamp.map(|time| match time.parse::<Timestamp>() {
        Ok(time) => when::moment(time),
        Err(_) => clean(&shorten(&time, STAMP)),
    });
    let (role, head, body) = match event.kind {
        Kind::TurnStart => (Role::Turn, format!("Turn {turn}"), String::new()),
        Kind::ChatRequest { content, author, schema } => {
            let author = author.unwrap_or_else(|| "You".to_owned());
            let form = schema.map(|schema| format!("\n\nto be answered as: {schema}"));
            (Role::User, author, content + &form.unwrap_or_default())
        }
        Kind::Message(text) => (Role::Assistant, String::new(), text),
        Kind::Data(data) => {
            return Block { role: Role::Assistant, head: String::new(), body: start(&data), time };
        }
        Kind::Reasoning(text) => (Role::Reasoning, "thought".to_owned(), text),
        Kind::ToolCallRequest { name, arguments, .. } => (Role::Call, name, listed(&arguments)),
        Kind::ToolCallResponse { id, content, is_error } => {
            let role = if is_error { Role::Failed } else { Role::Result };
            (role, tools.get(&id).cloned().unwrap_or(id), content)
        }
        Kind::InquiryRequest { source, question, .. } => {
            let text = question.get("text").and_then(Value::as_str).map(str::to_owned);
            (Role::Question, plain(&source), text.unwrap_or_else(|| plain(&question)))
        }
        Kind::InquiryResponse { answer, .. } => (Role::Answer, "answer".to_owned(), plain(&answer)),
        Kind::ConfigDelta { delta } => (Role::Settings, "settings".to_owned(), plain(&delta)),
        Kind::Unknown { name, fields } => {
            let name = if name.is_empty() { "event without a type".to_owned() } else { name };
            (Role::Unknown, name, plain(&Value::Object(fields)))
        }
        Kind::TooLarge { name, bytes } => {
            let name = if name.is_empty() { "event without a type".to_owned() } else { name };
            let why = format!("{} KiB, with too many values to be shown", bytes >> 10);
            (Role::Unknown, name, why)
        }
    };
    Block { role, head: one_line(&clean(cut(&head).0)), body: bounded(&body), time }
}

/// The text as it can be shown, with its end cut off if it is long.
fn bounded(text: &str) -> String {
    let (kept, left) = cut(text.trim_end());
    let more =
        if left > 0 { format!("\n… {} KiB more", left.div_ceil(1024)) } else { String::new() };
    clean(kept) + &more
}

/// The beginning of a text, and how many bytes are left.
fn cut(text: &str) -> (&str, usize) {
    let end = text.floor_char_boundary(OF_ONE);
    (&text[..end], text.len() - end)
}

/// Arguments of a tool: a line each, texts of several lines below their name.
fn listed(arguments: &Map<String, Value>) -> String {
    let line = |(name, value): (&String, &Value)| match value {
        Value::String(text) if text.contains('\n') => format!("{name}:\n{}", text.trim_end()),
        value => format!("{name}: {}", plain(value)),
    };
    arguments.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// A text as it is, and every other value as JSON on one line.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// The beginning of a value in lines. It can be a hundred times as long as it is stored, and so it is
/// never written whole.
fn start(value: &Value) -> String {
    let json::Start { text, is_all } = json::start(value, OF_ONE);
    clean(&text) + if is_all { "" } else { "\n… more" }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(events: &[Value]) -> Transcript {
        let raw = |event: &Value| RawValue::from_string(event.to_string()).unwrap();
        Transcript::read(&events.iter().map(raw).collect::<Vec<_>>())
    }

    #[test]
    fn a_result_names_its_tool() {
        let call =
            json!({ "type": "tool_call_request", "id": "1", "name": "grep", "arguments": {} });
        let result =
            json!({ "type": "tool_call_response", "id": "1", "content": "x", "is_error": true });
        let stray = json!({ "type": "tool_call_response", "id": "9", "content": "x" });
        let transcript = read(&[call, result, stray]);
        let heads: Vec<_> =
            transcript.blocks.iter().map(|it| (it.role, it.head.as_str())).collect();
        assert_eq!(heads, [(Role::Call, "grep"), (Role::Failed, "grep"), (Role::Result, "9")]);
    }

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let text = "ü".repeat(OF_ONE);
        let transcript = read(&[json!({ "type": "chat_request", "content": text })]);
        let body = &transcript.blocks[0].body;
        assert!(body.ends_with("ü\n… 16 KiB more") && body.len() < OF_ONE + 32, "{}", body.len());
    }

    #[test]
    fn a_deep_value_is_cut_before_it_is_written() {
        let deep = (0..100).fold(json!(vec![1; 50_000]), |inner, _| json!([inner]));
        let shown = read(&[json!({ "type": "chat_response", "data": deep })]);
        let body = &shown.blocks[0].body;
        assert!(body.starts_with("[\n  [\n") && body.ends_with("\n… more"), "{}", body.len());
        assert!(body.len() < OF_ONE + 32 && body.capacity() < 4 * OF_ONE, "{}", body.capacity());
        let small = read(&[json!({ "type": "chat_response", "data": [1] })]);
        assert_eq!(small.blocks[0].body, "[\n  1\n]");
    }

    #[test]
    fn a_time_that_is_none_is_cut_and_counts() {
        let said =
            json!({ "type": "chat_response", "message": "", "timestamp": "x".repeat(1 << 20) });
        let block = read(&[said]).blocks.pop_front().unwrap();
        let time = block.time.clone().unwrap();
        assert_eq!(time.chars().count(), STAMP + 1);
        assert_eq!(block.size(), OVERHEAD + time.len());
    }

    #[test]
    fn what_has_too_many_values_is_told() {
        let large = json!({ "type": "hologram", "beam": vec![1; 300_000] });
        let block = read(&[large]).blocks.pop_front().unwrap();
        assert_eq!((block.role, block.head.as_str()), (Role::Unknown, "hologram"));
        assert_eq!(block.body, "585 KiB, with too many values to be shown");
    }

    #[test]
    fn the_end_of_a_long_conversation_is_kept() {
        let text = "x".repeat(OF_ONE);
        let events: Vec<_> = (0..200)
            .flat_map(|_| {
                [
                    json!({ "type": "turn_start" }),
                    json!({ "type": "chat_request", "content": text }),
                ]
            })
            .collect();
        let transcript = read(&events);
        assert_eq!(transcript.earlier + transcript.blocks.len(), 400);
        assert!(transcript.earlier > 100 && transcript.blocks.len() > 200);
        // The turns are counted from the beginning of all.
        let last = transcript.blocks.iter().rfind(|block| block.role == Role::Turn).unwrap();
        assert_eq!(last.head, "Turn 200");
    }

    #[test]
    fn very_many_small_events_are_bounded_too() {
        let events = vec![json!({ "type": "turn_start" }); 50_000];
        assert!(read(&events).blocks.len() < OF_ALL / OVERHEAD);
    }
}
