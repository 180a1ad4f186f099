//! `jp conversation show`: a conversation as somebody reads it.
//!
//! Every event becomes a piece of Markdown. What was said in it came from outside, so all of it is
//! printed as untrusted, and what a tool returned stands in a fence that it cannot close.

use std::{collections::HashMap, fmt::Write as _};

use jiff::tz::TimeZone;
use jp_conversation::{
    ChatRequest, ChatResponse, ConversationId, Event, EventError, EventKind, Stream,
};
use jp_printer::{Format, Print, fence, single_line, truncate_to_width};
use jp_workspace::{FsStore, Select, Store as _};
use serde_json::Value;

use super::find;
use crate::{
    args::ConversationShow,
    ctx::{Ctx, time_zone},
    error::{Error, Result},
    format::count,
};

/// How far other people's words stand from the margin.
const INDENT: usize = 2;
/// A result with more lines than this is shown in part; `--format json` has all of it.
const RESULT_LINES: usize = 40;
/// So is a line that is longer.
const RESULT_COLUMNS: usize = 1_000;

pub(crate) fn run(ctx: &Ctx, args: &ConversationShow) -> Result {
    let store = ctx.store()?;
    let id = find(store, &args.id)?;
    let stream =
        store.events(id, args.last.map_or(Select::All, |last| Select::Last(last.get())))?;
    let unreadable = if ctx.is_json() {
        json(ctx, &stream)?
    } else {
        heading(ctx, store, id)?;
        text(ctx, &stream)?
    };
    if unreadable == 0 {
        return Ok(());
    }
    let message = format!("{} of conversation {id} cannot be read", count(unreadable, "event"));
    Err(Error::failure(message).hint(format!("the events are in {}", store.path(id)?)))
}

/// The title. Metadata that cannot be read is no reason to keep the events back.
fn heading(ctx: &Ctx, store: &FsStore, id: ConversationId) -> Result {
    let title = match store.metadata(id) {
        Ok(metadata) => metadata.title,
        Err(error) => {
            let message = format!("warning: {error}\n");
            ctx.printer().print(Print::error(&message).untrusted())?;
            None
        }
    };
    let title = single_line(title.as_deref().unwrap_or("(untitled)")).into_owned();
    print(ctx, &format!("# {}\n\nConversation {id}\n", escape(&title)), 0)
}

/// Prints the events for a person, and says how many could not be read.
fn text(ctx: &Ctx, stream: &Stream) -> Result<i64> {
    let mut transcript = Transcript { zone: time_zone(), tools: HashMap::new() };
    let mut unreadable = 0;
    for event in stream.events() {
        match event {
            Ok(event) => {
                let Piece { head, body } = transcript.piece(event);
                ctx.printer().print(Print::content("\n"))?;
                print(ctx, &head, 0)?;
                print(ctx, &body, INDENT)?;
            }
            Err(error) => {
                unreadable += 1;
                warn(ctx, &error)?;
            }
        }
    }
    if stream.is_empty() {
        ctx.printer().print(Print::chrome("\nNothing was said yet.\n"))?;
    }
    Ok(unreadable)
}

/// Prints the events themselves, one a line, with the encoded strings decoded.
fn json(ctx: &Ctx, stream: &Stream) -> Result<i64> {
    let mut unreadable = 0;
    for object in stream.objects() {
        match object {
            Ok(object) => ctx.print_json(&Value::Object(object))?,
            Err(error) => {
                unreadable += 1;
                warn(ctx, &error)?;
            }
        }
    }
    Ok(unreadable)
}

fn print(ctx: &Ctx, markdown: &str, indent: usize) -> Result {
    if markdown.is_empty() {
        return Ok(());
    }
    let print = Print::content(markdown).format(Format::Markdown).untrusted();
    Ok(ctx.printer().print(print.indent(indent))?)
}

fn warn(ctx: &Ctx, error: &EventError) -> Result {
    let message = format!("warning: an event cannot be read: {error}\n");
    Ok(ctx.printer().print(Print::error(&message).untrusted())?)
}

/// An event in two parts: our words at the margin, and other people's words, indented, so that no
/// message can pass itself off as another event.
struct Piece {
    head: String,
    body: String,
}

impl Piece {
    fn new(head: impl Into<String>, body: impl Into<String>) -> Self {
        Self { head: head.into(), body: body.into() }
    }
}

/// What has to be known of the events before one to print it.
struct Transcript {
    zone: TimeZone,
    /// The names of the tools that were called, by the id of the call.
    tools: HashMap<String, String>,
}

impl Transcript {
    fn piece(&mut self, event: Event) -> Piece {
        let time = event.timestamp.to_zoned(self.zone.clone()).strftime("%Y-%m-%d %H:%M");
        match event.kind {
            EventKind::TurnStart => Piece::new("---\n", ""),
            EventKind::ChatRequest(ChatRequest { content, author, .. }) => {
                let author = author.as_ref().and_then(Value::as_str).unwrap_or("You");
                Piece::new(format!("**{}** · {time}\n", escape(&single_line(author))), content)
            }
            EventKind::ChatResponse(ChatResponse::Message(text)) => {
                Piece::new(format!("**Assistant** · {time}\n"), text)
            }
            EventKind::ChatResponse(ChatResponse::Reasoning(text)) => {
                Piece::new("*Reasoning*\n", text)
            }
            EventKind::ChatResponse(ChatResponse::Data(data)) => {
                Piece::new(format!("**Assistant** · {time}\n"), json_block(&data))
            }
            EventKind::ToolCallRequest { id, name, arguments } => {
                let head = format!("**Tool call** {}\n", code(&name));
                self.tools.insert(id, name);
                let is_empty = arguments.is_empty();
                let body = if is_empty { String::new() } else { json_block(&arguments.into()) };
                Piece::new(head, body)
            }
            EventKind::ToolCallResponse { id, content, is_error } => {
                let word = if is_error { "error" } else { "result" };
                let name = self.tools.get(&id).map(|name| format!(" {}", code(name)));
                let head = format!("**Tool {word}**{}\n", name.unwrap_or_default());
                Piece::new(head, result_block(&content))
            }
            EventKind::InquiryRequest { question, .. } => {
                let text = question.get("text").and_then(Value::as_str).unwrap_or("?");
                Piece::new("**Question**\n", escape(&single_line(text)))
            }
            EventKind::InquiryResponse { answer, .. } => {
                Piece::new("**Answer**\n", code(&answer.to_string()))
            }
            EventKind::ConfigDelta { delta } => {
                Piece::new("*Settings changed*\n", json_block(&delta))
            }
            EventKind::Unknown { kind, object } => {
                Piece::new(format!("*Unknown event* {}\n", code(&kind)), json_block(&object.into()))
            }
        }
    }
}

fn json_block(value: &Value) -> String {
    fence(&format!("{value:#}"), "json")
}

/// What a tool returned, in a fence that it cannot close, and not more of it than one wants to see.
fn result_block(content: &str) -> String {
    let lines = content.lines().count();
    let shown: Vec<_> = content
        .lines()
        .take(RESULT_LINES)
        .map(|line| truncate_to_width(line, RESULT_COLUMNS))
        .collect();
    let mut block = fence(&shown.join("\n"), "");
    if lines > RESULT_LINES {
        let left = i64::try_from(lines - RESULT_LINES).unwrap_or(i64::MAX);
        let _ = writeln!(block, "\n*{} more; `--format json` shows all*", count(left, "line"));
    }
    block
}

/// Text that is to be read as it is and not as Markdown.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// A short text as inline code, whatever backticks it holds.
fn code(text: &str) -> String {
    let text = single_line(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let ticks = "`".repeat(longest + 1);
    let pad = if longest > 0 { " " } else { "" };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}
