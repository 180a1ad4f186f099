//! `jp conversation show`: a conversation as somebody reads it.
//!
//! Every event becomes a piece of Markdown. What was said in it came from outside, so all of it is
//! printed as untrusted, and what a tool returned stands in a fence that it cannot close.

use std::fmt::Write as _;

use jiff::{Timestamp, tz::TimeZone};
use jp_conversation::{ChatRequest, ChatResponse, Event, EventError, EventKind, Stream};
use jp_printer::{Format, Print, fence, single_line};
use jp_workspace::{Select, Store as _};
use serde_json::{Map, Value};

use super::find;
use crate::{
    args::ConversationShow,
    ctx::{Ctx, time_zone},
    error::{Error, Result},
    format::count,
};

/// A result longer than this is shown in part; `--format json` has all of it.
const RESULT_LINES: usize = 40;

pub(crate) fn run(ctx: &Ctx, args: &ConversationShow) -> Result {
    let store = ctx.store()?;
    let id = find(store, &args.id)?;
    let stream = store.events(id, args.last.map_or(Select::All, Select::Last))?;
    let unreadable = if ctx.is_json() {
        json(ctx, &stream)?
    } else {
        let title = store.metadata(id)?.title;
        let title = single_line(title.as_deref().unwrap_or("(untitled)")).into_owned();
        print(ctx, &format!("# {}\n\nConversation {id}\n", escape(&title)))?;
        text(ctx, &stream)?
    };
    if unreadable == 0 {
        return Ok(());
    }
    let message = format!("{} of conversation {id} cannot be read", count(unreadable, "event"));
    Err(Error::failure(message).hint(format!("the events are in {}", store.path(id)?)))
}

/// Prints the events for a person, and says how many could not be read.
fn text(ctx: &Ctx, stream: &Stream) -> Result<i64> {
    let zone = time_zone();
    let mut unreadable = 0;
    for (index, event) in stream.events().enumerate() {
        match event {
            Ok(event) => {
                ctx.printer().print(Print::content("\n"))?;
                print(ctx, &markdown(&event, &zone))?;
            }
            Err(error) => {
                unreadable += 1;
                warn(ctx, index, &error)?;
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
    for (index, object) in stream.objects().enumerate() {
        match object {
            Ok(object) => ctx.printer().data(&format!("{}\n", Value::Object(object)))?,
            Err(error) => {
                unreadable += 1;
                warn(ctx, index, &error)?;
            }
        }
    }
    Ok(unreadable)
}

fn print(ctx: &Ctx, markdown: &str) -> Result {
    Ok(ctx.printer().print(Print::content(markdown).format(Format::Markdown).untrusted())?)
}

fn warn(ctx: &Ctx, index: usize, error: &EventError) -> Result {
    let message = format!("warning: event {} cannot be read: {error}\n", index + 1);
    Ok(ctx.printer().print(Print::error(&message).untrusted())?)
}

fn markdown(event: &Event, zone: &TimeZone) -> String {
    let time = time(event.timestamp, zone);
    match &event.kind {
        EventKind::TurnStart => "---\n".to_owned(),
        EventKind::ChatRequest(ChatRequest { content, author, .. }) => {
            let author = author.as_ref().and_then(Value::as_str).unwrap_or("You");
            format!("**{}** · {time}\n\n{content}\n", escape(&single_line(author)))
        }
        EventKind::ChatResponse(ChatResponse::Message(text)) => {
            format!("**Assistant** · {time}\n\n{text}\n")
        }
        EventKind::ChatResponse(ChatResponse::Reasoning(text)) => {
            let quoted: String = text.lines().map(|line| format!("> {line}\n")).collect();
            format!("> *Reasoning*\n>\n{quoted}")
        }
        EventKind::ChatResponse(ChatResponse::Data(data)) => {
            format!("**Assistant** · {time}\n\n{}", fence(&format!("{data:#}"), "json"))
        }
        EventKind::ToolCallRequest { name, arguments, .. } => {
            format!("**Tool call** {}\n{}", code(name), arguments_block(arguments))
        }
        EventKind::ToolCallResponse { content, is_error, .. } => {
            let head = if *is_error { "**Tool error**" } else { "**Tool result**" };
            format!("{head}\n\n{}", result_block(content))
        }
        EventKind::InquiryRequest { question, .. } => {
            let text = question.get("text").and_then(Value::as_str).unwrap_or("?");
            format!("**Question** {}\n", escape(&single_line(text)))
        }
        EventKind::InquiryResponse { answer, .. } => {
            format!("**Answer** {}\n", code(&answer.to_string()))
        }
        EventKind::ConfigDelta { delta } => {
            format!("*Settings changed*\n\n{}", fence(&format!("{delta:#}"), "json"))
        }
        EventKind::Unknown { kind, object } => {
            let object = Value::Object(object.clone());
            format!("*Unknown event* {}\n\n{}", code(kind), fence(&format!("{object:#}"), "json"))
        }
    }
}

fn arguments_block(arguments: &Map<String, Value>) -> String {
    if arguments.is_empty() {
        return String::new();
    }
    let arguments = Value::Object(arguments.clone());
    format!("\n{}", fence(&format!("{arguments:#}"), "json"))
}

fn result_block(content: &str) -> String {
    let lines = content.lines().count();
    if lines <= RESULT_LINES {
        return fence(content, "");
    }
    let shown: Vec<&str> = content.lines().take(RESULT_LINES).collect();
    let mut block = fence(&shown.join("\n"), "");
    let left = i64::try_from(lines - RESULT_LINES).unwrap_or(i64::MAX);
    let _ = writeln!(block, "\n*{} more*", count(left, "line"));
    block
}

fn time(at: Timestamp, zone: &TimeZone) -> String {
    at.to_zoned(zone.clone()).strftime("%Y-%m-%d %H:%M").to_string()
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
