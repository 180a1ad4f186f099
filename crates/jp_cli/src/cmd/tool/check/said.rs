//! What a program said on its stdout, told apart as the host does it, with one difference: what the host
//! has to take for plain text although it nearly is a message is told from plain text here.

#[cfg(test)]
mod tests;

use jp_llm::tool::Asked;
use jp_tool::{ContentBlock, Outcome, ToolError, ToolResult, ToolState};
use serde_json::Value;

/// What a program said.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    Success(String),
    /// A success made of blocks.
    Blocks(ToolResult),
    Error(ToolError),
    Question(Box<Asked>),
    /// Where a tool that stays alive stands.
    State(Box<ToolState>),
    Text(String),
    Nothing,
    /// Nobody can say for sure.
    Unclear {
        reason: String,
    },
}

/// How a program speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Manner {
    /// It answers once.
    Once,
    /// It tells where it stands.
    States,
}

/// The words by which an outcome is known.
const TYPES: [&str; 3] = ["success", "error", "needs_input"];

impl Said {
    pub(super) fn read(stdout: &[u8], manner: Manner) -> Self {
        let text = match std::str::from_utf8(stdout) {
            Ok(text) => text.trim(),
            Err(error) => {
                let at = error.valid_up_to();
                return unclear(format!("its output is not UTF-8, from byte {at} on"));
            }
        };
        if text.is_empty() {
            return Self::Nothing;
        }
        if let Some(said) = Self::message(text, manner) {
            return said;
        }
        match not_a_message(text, manner) {
            Some(reason) => unclear(reason),
            None => Self::Text(text.to_owned()),
        }
    }

    fn message(text: &str, manner: Manner) -> Option<Self> {
        if !text.starts_with('{') {
            return None;
        }
        if let Ok(outcome) = Outcome::parse(text) {
            return Some(match outcome {
                Outcome::Success { content } => Self::Success(content),
                Outcome::Error(error) => Self::Error(error),
                Outcome::NeedsInput { question } => Self::Question(Box::new(question.into())),
            });
        }
        if manner == Manner::States {
            return ToolState::parse(text).ok().map(|state| Self::State(Box::new(state)));
        }
        ToolResult::parse(text).ok().map(of_blocks)
    }

    /// What went wrong, where something did.
    pub(super) fn error(&self) -> Option<&str> {
        match self {
            Self::Error(error) => Some(&error.message),
            _ => None,
        }
    }
}

fn unclear(reason: impl Into<String>) -> Said {
    Said::Unclear { reason: reason.into() }
}

/// What blocks say: that something is asked, that something failed, or what came of it.
pub(super) fn of_blocks(result: ToolResult) -> Said {
    let question = result.content.blocks.iter().find_map(|block| match block {
        ContentBlock::Question { question } => Some(question.clone()),
        _ => None,
    });
    if let Some(question) = question {
        let jp_tool::Inquiry { id, text, schema, default } = question;
        let preamble = jp_tool::Blocks::default();
        return Said::Question(Box::new(Asked { id, text, preamble, schema, default }));
    }
    if result.is_error {
        let message = jp_llm::tool::render::to_text(&result.content);
        let (trace, transient) = (result.trace, result.transient);
        return Said::Error(ToolError { message, trace, transient });
    }
    Said::Blocks(result)
}

/// Why a text that looks like a message is none.
fn not_a_message(text: &str, manner: Manner) -> Option<String> {
    if let Ok(Value::Object(object)) = serde_json::from_str(text) {
        let kind = object.get("type").and_then(Value::as_str).unwrap_or_default();
        if TYPES.contains(&kind) {
            let why = Outcome::parse(text).err().map(|error| cause(&error)).unwrap_or_default();
            let means = match kind {
                "success" => "jp takes all of it for plain text",
                "error" => "jp takes it for plain text, and so for a success",
                _ => "jp takes it for plain text, and nobody is asked",
            };
            return Some(format!("nearly an outcome, but {why}; {means}"));
        }
        if object.get("content").is_some_and(looks_like_blocks) {
            let why = ToolResult::parse(text).err().map(|error| cause(&error)).unwrap_or_default();
            return Some(format!(
                "nearly a result made of blocks, but {why}; jp takes all of it for plain text"
            ));
        }
    }
    if let Err(error) = serde_json::from_str::<Value>(text)
        && begins_like_a_message(text)
    {
        return Some(format!(
            "it begins like an outcome but is not JSON ({error}); jp takes it for plain text"
        ));
    }
    if manner == Manner::States {
        let why = ToolState::parse(text).err().map(|error| cause(&error)).unwrap_or_default();
        return Some(format!("not the state of a tool that stays alive: {why}"));
    }
    beside(text)
}

/// A message with something else before or after it, such as a line that was printed to find a mistake.
fn beside(text: &str) -> Option<String> {
    let is_message = |line: &&str| Said::message(line.trim(), Manner::Once).is_some();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    // Output can be long, and what somebody prints beside a message is mostly short.
    let looked_at = lines.iter().take(50).chain(lines.iter().rev().take(50));
    let found = looked_at.copied().find(is_message);
    found.map(|_| {
        let more = lines.len() - 1;
        format!(
            "an outcome with {more} more {} beside it, so jp takes all of it for plain text; what is \
             for people goes to stderr",
            if more == 1 { "line" } else { "lines" }
        )
    })
}

fn begins_like_a_message(text: &str) -> bool {
    let start: String = text.chars().take(80).filter(|letter| !letter.is_whitespace()).collect();
    TYPES.iter().any(|kind| start.starts_with(&format!("{{\"type\":\"{kind}\"")))
}

fn looks_like_blocks(content: &Value) -> bool {
    let is_block = |block: &Value| block.get("type").is_some_and(Value::is_string);
    content.as_array().is_some_and(|blocks| !blocks.is_empty() && blocks.iter().all(is_block))
}

/// What the reader of a message did not like, without the place, which is that of one line.
pub(super) fn cause(error: &dyn std::error::Error) -> String {
    let text = error.source().map_or_else(|| error.to_string(), ToString::to_string);
    match text.rsplit_once(" at line 1 column ") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}
