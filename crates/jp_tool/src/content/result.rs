//! A whole answer made of blocks: `{"content":[…],"isError":false,"_meta":{…}}`.
//!
//! Like an outcome it has to be told from text that is JSON by accident, so it has these three
//! fields and no others, and at least one of its blocks has to be understood: a page of records
//! that some service calls `content` is text. What is not foreseen belongs into `_meta`.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::{Blocks, ContentBlock};
use crate::object::Object;
use crate::{Status, ToolError, bounded, object};

/// What a tool answers when it answers with blocks.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Object<Wire>", into = "Wire")]
pub struct ToolResult {
    /// What the tool has to say; where it failed, what went wrong.
    pub content: Blocks,
    /// Whether the tool failed.
    pub is_error: bool,
    /// Whether the same call may succeed a moment later; only of interest where the tool failed.
    pub transient: bool,
    /// What led to the failure, from the outside in.
    pub trace: Vec<String>,
    /// Where a tool that stays alive stands; `None` means that it has stopped.
    pub status: Option<Status>,
}

impl ToolResult {
    /// Reads an answer; the error says why the text is none, for authors of tools.
    pub fn parse(text: &str) -> Result<Self, NotAToolResult> {
        object::parse(text).map_err(NotAToolResult)
    }

    /// A success with this content.
    pub fn new(content: impl Into<Blocks>) -> Self {
        let content = content.into();
        Self { content, is_error: false, transient: false, trace: Vec::new(), status: None }
    }
}

/// An error is a result whose only block is the message.
impl From<ToolError> for ToolResult {
    fn from(ToolError { message, trace, transient }: ToolError) -> Self {
        let content = vec![ContentBlock::text(message)];
        Self { is_error: true, trace, transient, ..Self::new(content) }
    }
}

/// A text that is no answer made of blocks.
#[derive(Debug, Error)]
#[error("not a result made of content blocks")]
pub struct NotAToolResult(#[source] serde_json::Error);

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    content: Blocks,
    #[serde(rename = "isError", default, skip_serializing_if = "is_false")]
    is_error: bool,
    #[serde(rename = "_meta", default, skip_serializing_if = "Meta::is_empty")]
    meta: Meta,
}

/// Our part of `_meta`; what others put there is theirs.
#[derive(Default, PartialEq, Serialize, Deserialize)]
struct Meta {
    #[serde(rename = "computer.jp/error", default, skip_serializing_if = "Option::is_none")]
    error: Option<ErrorMeta>,
    #[serde(rename = "computer.jp/status", default, skip_serializing_if = "Option::is_none")]
    status: Option<Status>,
}

#[derive(Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct ErrorMeta {
    transient: bool,
    #[serde(deserialize_with = "bounded::trace")]
    trace: Vec<String>,
}

impl Meta {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl TryFrom<Object<Wire>> for ToolResult {
    type Error = &'static str;

    fn try_from(Object(wire): Object<Wire>) -> Result<Self, Self::Error> {
        if wire.content.blocks.is_empty() && !wire.content.malformed.is_empty() {
            return Err("none of the blocks in `content` was understood");
        }
        let ErrorMeta { transient, trace } = wire.meta.error.unwrap_or_default();
        let Wire { content, is_error, .. } = wire;
        Ok(Self { content, is_error, transient, trace, status: wire.meta.status })
    }
}

impl From<ToolResult> for Wire {
    fn from(result: ToolResult) -> Self {
        let ToolResult { content, is_error, transient, trace, status } = result;
        let error = Some(ErrorMeta { transient, trace }).filter(|e| *e != ErrorMeta::default());
        Self { content, is_error, meta: Meta { error, status } }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}
