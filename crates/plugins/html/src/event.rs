//! One event as a block of a page. What was said stands open; what led to it can be opened.

use std::{collections::HashMap, fmt::Write as _};

use jp_plugin_sdk::transcript::{Event, Kind, Turn};
use maud::{Markup, html};
use serde_json::{Map, Value};

use crate::{
    code::code,
    links::{LONGEST, Links},
    markdown::markdown,
};

/// How much of the arguments of a call is said in one line, in characters.
const BRIEF: usize = 100;

/// An event. Its block has the id `e<position>`. The turn that it is of knows which tool a result is of.
pub fn event(event: &Event, turn: &Turn, links: &dyn Links) -> Markup {
    event_of(event, tool(event, &turn.tools()), links)
}

/// The name of the tool that an event is a result of, in the names by the ids of the calls.
pub(crate) fn tool<'n>(event: &Event, names: &HashMap<&str, &'n str>) -> Option<&'n str> {
    match &event.kind {
        Kind::ToolCallResponse { id, .. } => names.get(id.as_str()).copied(),
        _ => None,
    }
}

/// The same, with the name of the tool that a result is of.
pub(crate) fn event_of(event: &Event, tool: Option<&str>, links: &dyn Links) -> Markup {
    let block = Block { event, links };
    match &event.kind {
        Kind::TurnStart => block.note("start", "A turn begins"),
        Kind::ChatRequest { content, author, schema } => {
            let who = author.as_deref().unwrap_or("User");
            let schema = schema.as_ref().map(|schema| {
                folded("The answer is to follow a schema", &code(Some("json"), &pretty(schema)))
            });
            block.said("user", who, &html! { (markdown(content)) @if let Some(s) = schema { (s) } })
        }
        Kind::Message(text) => block.said("assistant", "Assistant", &markdown(text)),
        Kind::Data(data) => block.said("assistant data", "Assistant", &block.json(data)),
        Kind::Reasoning(text) => {
            block.details("reasoning", &html! { "Reasoning" }, &markdown(text))
        }
        Kind::ToolCallRequest { name, arguments, .. } => {
            let summary = html! { "Call " code { (name) } " " span.brief { (brief(arguments)) } };
            block.details("call", &summary, &block.arguments(arguments))
        }
        Kind::ToolCallResponse { id, content, is_error } => {
            let (class, word) =
                if *is_error { ("result error", "Error") } else { ("result", "Result") };
            let of = tool.unwrap_or(id);
            let size = html! { span.brief { (amount(content)) } };
            let summary = html! { (word) " of " code { (of) } " " (size) };
            block.details(class, &summary, &block.text(language(content), content))
        }
        Kind::InquiryRequest { source, question, .. } => {
            let who = source.as_str().map_or_else(|| source.to_string(), str::to_owned);
            let text = question.get("text").and_then(Value::as_str);
            let summary = html! {
                "Question of " code { (who) } @if let Some(text) = text { ": " span.asked { (text) } }
            };
            block.details("question", &summary, &block.json(question))
        }
        Kind::InquiryResponse { answer, .. } => {
            let summary = html! { "Answer: " code { (shorten(&answer.to_string())) } };
            block.details("answer", &summary, &block.json(answer))
        }
        Kind::ConfigDelta { delta } => {
            block.details("settings", &html! { "Settings changed" }, &block.json(delta))
        }
        Kind::Unknown { name, fields } => {
            let word = if event.kind.is_damaged() { "Damaged event" } else { "Unknown event" };
            let summary = html! { (word) @if !name.is_empty() { " " code { (name) } } };
            block.details("unknown", &summary, &block.json(fields))
        }
    }
}

/// What every block has: an id, a time, an address, notes.
struct Block<'a> {
    event: &'a Event,
    links: &'a dyn Links,
}

impl Block<'_> {
    fn said(&self, class: &str, who: &str, body: &Markup) -> Markup {
        html! {
            article.event.{ (class) } id=(self.id()) {
                header { span.who { (who) } (self.model()) (self.address()) (self.time()) }
                div.body dir="auto" { (body) }
                (self.notes())
            }
        }
    }

    fn details(&self, class: &str, summary: &Markup, body: &Markup) -> Markup {
        html! {
            details.event.{ (class) } id=(self.id()) {
                summary { span.what { (summary) } (self.time()) }
                div.body { (body) (self.notes()) p.end { (self.address()) } }
            }
        }
    }

    fn note(&self, class: &str, text: &str) -> Markup {
        html! {
            div.event.{ (class) } id=(self.id()) { (text) " " (self.time()) (self.notes()) }
        }
    }

    fn id(&self) -> String {
        format!("e{}", self.event.position)
    }

    fn time(&self) -> Markup {
        let stamp = self.event.timestamp.as_deref();
        html! { @if let Some(stamp) = stamp { (time(stamp, Precision::Time)) } }
    }

    fn address(&self) -> Markup {
        let position = self.event.position;
        let label = format!("Link to event {position}");
        html! { a.permalink href=(self.links.event(position)) aria-label=(label) { "#" } }
    }

    fn model(&self) -> Markup {
        let metadata = self.event.metadata.as_ref();
        let model = metadata.and_then(|metadata| metadata.get("model")?.as_str());
        html! { @if let Some(model) = model { span.model { (model) } } }
    }

    fn notes(&self) -> Markup {
        let metadata = self.event.metadata.as_ref().filter(|metadata| !metadata.is_empty());
        html! {
            @if let Some(metadata) = metadata { (folded("Notes", &self.json(metadata))) }
        }
    }

    fn json(&self, value: &impl serde::Serialize) -> Markup {
        self.text(Some("json"), &pretty(value))
    }

    /// Texts of several lines stand as they are, and everything else as JSON.
    fn arguments(&self, arguments: &Map<String, Value>) -> Markup {
        if arguments.is_empty() {
            return html! { p.none { "No arguments" } };
        }
        let is_long = |value: &Value| value.as_str().is_some_and(|text| text.contains('\n'));
        let short = arguments.iter().filter(|(_, value)| !is_long(value));
        let short: Map<_, _> = short.map(|(name, value)| (name.clone(), value.clone())).collect();
        let long = arguments.iter().filter(|(_, value)| is_long(value));
        html! {
            @if !short.is_empty() { (self.json(&short)) }
            @for (name, value) in long {
                p.argument { code { (name) } }
                (self.text(None, value.as_str().unwrap_or_default()))
            }
        }
    }

    /// A block of text, cut where it is long and all of it is to be had elsewhere.
    fn text(&self, language: Option<&str>, text: &str) -> Markup {
        let whole = (text.len() > LONGEST).then(|| self.links.whole(self.event.position)).flatten();
        let Some(whole) = whole else { return code(language, text) };
        let shown = &text[..text.floor_char_boundary(LONGEST)];
        html! {
            (code(language, shown))
            p.cut { "Cut after 64 KiB. " a href=(whole) { "Show all " (amount(text)) } }
        }
    }
}

/// How much of a time is said.
#[derive(Clone, Copy)]
pub(crate) enum Precision {
    Time,
    DateAndTime,
}

/// A time as it is stored; the element has all of it for whoever can show it in the zone of the reader.
pub(crate) fn time(stamp: &str, precision: Precision) -> Markup {
    let is_usual = stamp.is_ascii() && stamp.len() >= 19 && stamp.as_bytes()[10] == b'T';
    let shown = match precision {
        _ if !is_usual => stamp.to_owned(),
        Precision::Time => stamp[11..19].to_owned(),
        Precision::DateAndTime => format!("{} {}", &stamp[..10], &stamp[11..16]),
    };
    html! { time datetime=(stamp) title=(stamp) { (shown) } }
}

/// Something small that can be opened.
fn folded(summary: &str, body: &Markup) -> Markup {
    html! { details.notes { summary { (summary) } (body) } }
}

/// The arguments in one line.
fn brief(arguments: &Map<String, Value>) -> String {
    let mut line = String::new();
    for (name, value) in arguments {
        if line.len() > BRIEF {
            break;
        }
        let separator = if line.is_empty() { "" } else { ", " };
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        // Writing to a string cannot fail.
        let _ = write!(line, "{separator}{name}: {}", shorten(&value));
    }
    shorten(&line)
}

/// The first characters, in one line.
fn shorten(text: &str) -> String {
    let mut chars = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    let mut start: String = chars.by_ref().take(BRIEF).collect();
    if chars.next().is_some() {
        start.push('…');
    }
    start
}

/// How long a text is, as people say it.
fn amount(text: &str) -> String {
    const KIB: usize = 1 << 10;
    const MIB: usize = 1 << 20;
    match text.len() {
        0 => "empty".to_owned(),
        bytes if bytes >= 10 * MIB => format!("{} MiB", bytes / MIB),
        bytes if bytes >= 10 * KIB => format!("{} KiB", bytes / KIB),
        _ => match text.lines().count() {
            1 => "1 line".to_owned(),
            lines => format!("{lines} lines"),
        },
    }
}

/// The language of a result, where it can be seen at a glance.
fn language(text: &str) -> Option<&'static str> {
    let is_json = text.starts_with(['{', '['])
        && text.len() <= LONGEST
        && serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let is_diff =
        text.starts_with("diff --git ") || text.starts_with("--- ") && text.contains("\n+++ ");
    match () {
        () if is_json => Some("json"),
        () if is_diff => Some("diff"),
        () => None,
    }
}

fn pretty(value: &impl serde::Serialize) -> String {
    // What was read from JSON has a form in it.
    serde_json::to_string_pretty(value).unwrap_or_default()
}

#[cfg(test)]
mod tests;
