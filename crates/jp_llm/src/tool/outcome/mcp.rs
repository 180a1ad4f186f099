//! What a tool of an MCP server said.
//!
//! A server answers with blocks. One that knows jp may answer with an [`Outcome`] instead, the envelope of
//! local tools, as the text of one block; that is told apart by its shape alone, so that nobody has to
//! configure it:
//!
//! - exactly one block, which is text, and the text is an envelope with no field too many: the envelope's
//!   meaning, through the same mapping as that of a local tool;
//! - anything else: what the server says, block by block.
//!
//! The guard is there for what only looks like an envelope: a list of resources of which one holds such
//! JSON, or a text beside a picture. Where the flag of the protocol and the envelope contradict each other,
//! the flag wins if the envelope claims a success: believing the worse of the two costs a repetition at
//! most.

use jp_mcp::CallResult;
use jp_tool::{Blocks, ContentBlock, Outcome, ToolError};
use serde_json::Value;

use super::ExecutionOutcome;
use crate::tool::{outcome::Failure, render};

/// Where a server of ours says more about a failure than MCP has words for.
const ERROR: &str = "computer.jp/error";

/// What a server said, and what is odd about how it said it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heard {
    pub(crate) outcome: ExecutionOutcome,
    pub(crate) warnings: Vec<String>,
}

/// What a result means.
pub(crate) fn of_server(result: CallResult) -> Heard {
    let envelope = single_text(&result.content).and_then(|text| Outcome::parse(text).ok());
    match envelope {
        Some(Outcome::Success { .. }) if result.is_error => {
            let warning = "the server marks the result as an error, and its text says success; it \
                           counts as an error";
            tracing::warn!("{warning}");
            Heard { warnings: vec![warning.to_owned()], ..native(result) }
        }
        Some(envelope) => Heard { outcome: envelope.into(), warnings: Vec::new() },
        None if result.is_marked_envelope() => {
            let warning = "the server marks the result as an outcome of jp, and it is none; it is \
                           taken as it is";
            tracing::warn!("{warning}");
            Heard { warnings: vec![warning.to_owned()], ..native(result) }
        }
        None => native(result),
    }
}

/// The text of content that is one text and nothing else.
fn single_text(content: &Blocks) -> Option<&str> {
    match (content.blocks.as_slice(), content.malformed.as_slice()) {
        ([ContentBlock::Text { text, .. }], []) => Some(text),
        _ => None,
    }
}

/// What the blocks say.
fn native(result: CallResult) -> Heard {
    let CallResult { content: Blocks { mut blocks, malformed }, structured, is_error, meta } =
        result;
    // What is written for people and models comes first; what is for programs only stands in for it.
    if let Some(structured) = structured.filter(|_| !blocks.iter().any(is_usable)) {
        blocks.push(json_block(&structured));
    }
    for block in &malformed {
        tracing::warn!("{block}");
        let place = block.index + 1;
        blocks.push(ContentBlock::text(format!(
            "[block {place} of the answer could not be delivered: {}]",
            one_line(&block.reason)
        )));
    }
    let content = Blocks { blocks, malformed };
    let outcome = if is_error {
        let said = meta.get(ERROR);
        let message = Some(render::to_text(&content)).filter(|text| !text.trim().is_empty());
        let message = message.unwrap_or_else(|| "the tool failed and said nothing".to_owned());
        let error = ToolError { message, trace: trace(said), transient: is_transient(said) };
        ExecutionOutcome::Completed(Err(Failure::from(error)))
    } else {
        ExecutionOutcome::Completed(Ok(content))
    };
    Heard { outcome, warnings: Vec::new() }
}

fn is_usable(block: &ContentBlock) -> bool {
    !matches!(block, ContentBlock::Text { text, .. } if text.trim().is_empty())
}

fn json_block(value: &Value) -> ContentBlock {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    let mime_type = Some("application/json".to_owned());
    ContentBlock::Text { text, mime_type, annotations: None }
}

fn is_transient(said: Option<&Value>) -> bool {
    said.and_then(|said| said.get("transient")?.as_bool()).unwrap_or(false)
}

fn trace(said: Option<&Value>) -> Vec<String> {
    let trace = said.and_then(|said| said.get("trace")?.as_array());
    let texts = trace.into_iter().flatten().filter_map(Value::as_str);
    texts.map(ToOwned::to_owned).collect()
}

fn one_line(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    crate::tool::arguments::cut(&line, 200)
}

#[cfg(test)]
mod tests;
