//! What can happen in a conversation.

use jiff::Timestamp;
use serde_json::{Map, Value};

/// One thing that happened, and when.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub timestamp: Timestamp,
    pub kind: EventKind,
    /// Notes that the event's author attached; empty for most events.
    pub metadata: Map<String, Value>,
}

impl Event {
    pub fn new(timestamp: Timestamp, kind: EventKind) -> Self {
        Self { timestamp, kind, metadata: Map::new() }
    }
}

/// The kinds of events. [`Unknown`](Self::Unknown) keeps what a newer version wrote, so that an
/// older one can show it and never loses it.
#[derive(Debug, Clone, PartialEq)]
pub enum EventKind {
    /// A new exchange begins; a [`ChatRequest`] follows.
    TurnStart,
    ChatRequest(ChatRequest),
    ChatResponse(ChatResponse),
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
    /// From here on the conversation uses other settings.
    ConfigDelta {
        delta: Value,
    },
    Unknown {
        kind: String,
        object: Map<String, Value>,
    },
}

impl EventKind {
    /// The value of the `type` field.
    pub fn type_name(&self) -> &str {
        match self {
            Self::TurnStart => "turn_start",
            Self::ChatRequest(_) => "chat_request",
            Self::ChatResponse(_) => "chat_response",
            Self::ToolCallRequest { .. } => "tool_call_request",
            Self::ToolCallResponse { .. } => "tool_call_response",
            Self::InquiryRequest { .. } => "inquiry_request",
            Self::InquiryResponse { .. } => "inquiry_response",
            Self::ConfigDelta { .. } => "config_delta",
            Self::Unknown { kind, .. } => kind,
        }
    }
}

/// What the user said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ChatRequest {
    pub content: String,
    /// A JSON Schema that the answer has to follow.
    pub schema: Option<Value>,
    pub author: Option<Value>,
}

impl ChatRequest {
    pub fn new(content: impl Into<String>) -> Self {
        Self { content: content.into(), ..Self::default() }
    }
}

/// What the assistant said: one of three things.
#[derive(Debug, Clone, PartialEq)]
pub enum ChatResponse {
    Message(String),
    Reasoning(String),
    /// An answer in the form that the request's schema asked for.
    Data(Value),
}
