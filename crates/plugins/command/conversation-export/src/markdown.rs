//! Markdown: for people who read it as it is, and for programs that make something else of it.
//!
//! What was said stands as it was written, since that is Markdown already, but it must not reach beyond
//! its place: see [`contain`]. What tools were given and returned stands in fences that it cannot close.

mod contain;

use std::fmt::Write as _;

use jp_plugin_sdk::{
    json::pretty,
    transcript::{Event, Kind, Turn},
    words::{minute, one_line},
};
use serde::Serialize;

use self::contain::{contain, fence, inline, quote, span};
use crate::{conversation::Conversation, many::Entry};

/// A conversation.
pub(crate) fn document(conversation: &Conversation) -> String {
    let summary = &conversation.summary;
    let mut out = format!("# {}\n\n", inline(&conversation.heading()));
    let used = inline(&minute(&summary.last_activated_at));
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(out, "Conversation {} · last used {used} UTC", inline(&summary.id));
    for turn in &conversation.turns {
        write_turn(&mut out, turn);
    }
    out
}

/// The conversations of a directory.
pub(crate) fn index(entries: &[Entry]) -> String {
    let line = |entry: &Entry| {
        let time = minute(&entry.summary.last_activated_at);
        format!("- [{}]({}) · {} UTC\n", inline(&entry.heading), entry.file, inline(&time))
    };
    format!("# Conversations\n\n{}", entries.iter().map(line).collect::<String>())
}

fn write_turn(out: &mut String, turn: &Turn) {
    let title = match turn.number {
        0 => "Before the first turn".to_owned(),
        number => format!("Turn {number}"),
    };
    let time = turn.began().map(minute).map(|time| format!(" · {}", inline(&time)));
    let _ = write!(out, "\n## {title}{}\n", time.unwrap_or_default());
    let tools = turn.tools();
    for event in &turn.events {
        let tool = match &event.kind {
            Kind::ToolCallResponse { id, .. } => tools.get(id.as_str()).copied(),
            _ => None,
        };
        write_event(out, event, tool);
    }
}

fn write_event(out: &mut String, event: &Event, tool: Option<&str>) {
    let (head, body) = match &event.kind {
        // The heading of the turn says everything else.
        Kind::TurnStart => return out.push_str(&notes(event)),
        Kind::ChatRequest { content, author, schema } => {
            let who = author.as_deref().map_or_else(|| "User".to_owned(), inline);
            let schema = schema.as_ref().map(|schema| format!("\n\nSchema:\n\n{}", json(schema)));
            (format!("### {who}"), contain(content) + &schema.unwrap_or_default())
        }
        Kind::Message(text) => (format!("### Assistant{}", model(event)), contain(text)),
        Kind::Data(data) => (format!("### Assistant{}", model(event)), json(data)),
        Kind::Reasoning(text) => ("**Reasoning**".to_owned(), quote(&contain(text))),
        Kind::ToolCallRequest { name, arguments, .. } => {
            (format!("**Call of {}**", span(name)), json(arguments))
        }
        Kind::ToolCallResponse { id, content, is_error } => {
            let what = if *is_error { "Error" } else { "Result" };
            (format!("**{what} of {}**", span(tool.unwrap_or(id))), fence("", content))
        }
        Kind::InquiryRequest { source, question, .. } => {
            let who = source.as_str().map_or_else(|| source.to_string(), str::to_owned);
            (format!("**Question of {}**", span(&who)), json(question))
        }
        Kind::InquiryResponse { answer, .. } => ("**Answer**".to_owned(), json(answer)),
        Kind::ConfigDelta { delta } => ("**Settings changed**".to_owned(), json(delta)),
        Kind::Unknown { name, fields } => {
            let what = if event.kind.is_damaged() { "Damaged event" } else { "Unknown event" };
            let name = if name.is_empty() { String::new() } else { format!(" {}", span(name)) };
            (format!("**{what}{name}**"), json(fields))
        }
        Kind::TooLarge { name, bytes } => {
            let name = if name.is_empty() { String::new() } else { format!(" {}", span(name)) };
            let why = format!("It has {} KiB and too many values to be shown.", bytes >> 10);
            (format!("**Large event{name}**"), why)
        }
    };
    let _ = write!(out, "\n{head}\n\n{}\n{}", body.trim_end_matches('\n'), notes(event));
}

/// The metadata, but for the model where the head says it.
fn notes(event: &Event) -> String {
    let mut notes = event.metadata.clone().unwrap_or_default();
    if matches!(event.kind, Kind::Message(_) | Kind::Data(_)) && !model(event).is_empty() {
        notes.shift_remove("model");
    }
    if notes.is_empty() { String::new() } else { format!("\n**Metadata**\n\n{}\n", json(&notes)) }
}

/// Which model it was, where the event says so.
fn model(event: &Event) -> String {
    let model = event.metadata.as_ref().and_then(|metadata| metadata.get("model")?.as_str());
    model.map(|model| format!(" ({})", inline(&one_line(model)))).unwrap_or_default()
}

fn json(value: &impl Serialize) -> String {
    fence("json", &pretty(value))
}

#[cfg(test)]
mod tests;
