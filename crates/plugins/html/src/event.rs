//! One event as a block of a page. What was said stands open; what led to it can be opened.

use std::{borrow::Cow, cell::Cell, collections::HashMap, fmt::Write as _};

use jp_plugin_sdk::{
    json,
    transcript::{Event, Kind, Turn},
    words,
};
use maud::{Markup, html};
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::{
    budget::Budget,
    code::code,
    links::{LONGEST, LONGEST_WORDS, Links, Room},
    markdown::markdown,
};

/// How much of the arguments of a call is said in one line, in characters.
const BRIEF: usize = 100;
/// How much of a name is shown if all of it can be seen elsewhere, in characters.
const NAME: usize = 200;
/// How many texts of a call are shown if all of them can be seen elsewhere.
const TEXTS: usize = 50;
/// The longest time there is; what is longer is none.
const STAMP: usize = 64;

/// An event. Its block has the id `e<position>`. The turn that it is of knows which tool a result is of.
pub fn event(event: &Event, turn: &Turn, links: &dyn Links, budget: &Budget<'_>) -> Markup {
    event_of(event, tool(event, &turn.tools()), links, budget)
}

/// The name of the tool that an event is a result of, in the names by the ids of the calls.
pub(crate) fn tool<'n>(event: &Event, names: &HashMap<&str, &'n str>) -> Option<&'n str> {
    match &event.kind {
        Kind::ToolCallResponse { id, .. } => names.get(id.as_str()).copied(),
        _ => None,
    }
}

/// The same if there is room for it, and else a line that leads to it.
pub(crate) fn event_within(
    event: &Event,
    tool: Option<&str>,
    links: &dyn Links,
    room: &mut Room,
    budget: &Budget<'_>,
) -> Markup {
    let mut markup = event_of(event, tool, links, budget);
    if !room.fits(markup.0.len())
        && let Some(whole) = links.whole(event.position)
    {
        markup = html! {
            div.event.unknown id={ "e" (event.position) } {
                p.cut { "There is no room for event " (event.position) " here. " a href=(whole) { "Show it" } }
            }
        };
    }
    room.take(markup.0.len());
    markup
}

/// An event, with the name of the tool that a result is of.
fn event_of(event: &Event, tool: Option<&str>, links: &dyn Links, budget: &Budget<'_>) -> Markup {
    let block = Block::new(event, links, budget);
    match &event.kind {
        Kind::TurnStart => block.note("start", "A turn begins"),
        Kind::ChatRequest { content, author, schema } => {
            let who = author.as_deref().unwrap_or("User");
            let schema = schema
                .as_ref()
                .map(|schema| folded("The answer is to follow a schema", &block.json(schema)));
            block.said(
                "user",
                who,
                &html! { (block.words(content)) @if let Some(s) = schema { (s) } },
            )
        }
        Kind::Message(text) => block.said("assistant", "Assistant", &block.words(text)),
        Kind::Data(data) => block.said("assistant data", "Assistant", &block.json(data)),
        Kind::Reasoning(text) => {
            block.details("reasoning", &html! { "Reasoning" }, &block.words(text))
        }
        Kind::ToolCallRequest { name, arguments, .. } => {
            let brief = brief(arguments);
            let summary = html! { "Call " code { (block.name(name)) } " " span.brief { (brief) } };
            block.details("call", &summary, &block.arguments(arguments))
        }
        Kind::ToolCallResponse { id, content, is_error } => {
            let (class, word) =
                if *is_error { ("result error", "Error") } else { ("result", "Result") };
            let of = block.name(tool.unwrap_or(id));
            let size = html! { span.brief { (amount(content)) } };
            let summary = html! { (word) " of " code { (of) } " " (size) };
            block.details(class, &summary, &block.text(language(content), content))
        }
        Kind::InquiryRequest { source, question, .. } => {
            let who = source.as_str().map_or_else(|| source.to_string(), str::to_owned);
            let text = question.get("text").and_then(Value::as_str);
            let summary = html! {
                "Question of " code { (block.name(&who)) }
                @if let Some(text) = text { ": " span.asked { (block.name(text)) } }
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
            let summary = html! { (word) @if !name.is_empty() { " " code { (block.name(name)) } } };
            block.details("unknown", &summary, &block.json(fields))
        }
        Kind::TooLarge { name, bytes } => {
            let summary =
                html! { "Large event" @if !name.is_empty() { " " code { (block.name(name)) } } };
            block.details("unknown", &summary, &block.too_large(*bytes))
        }
    }
}

/// What every block has: an id, a time, an address, notes.
struct Block<'a> {
    event: &'a Event,
    links: &'a dyn Links,
    budget: &'a Budget<'a>,
    /// Where all of it can be seen; then it is cut here.
    whole: Option<String>,
    /// How many bytes of text may still be shown if it is cut: two texts of the longest kind in all.
    left: Cell<usize>,
}

impl<'a> Block<'a> {
    fn new(event: &'a Event, links: &'a dyn Links, budget: &'a Budget<'a>) -> Self {
        let whole = links.whole(event.position);
        Self { event, links, budget, whole, left: Cell::new(2 * LONGEST) }
    }

    fn said(&self, class: &str, who: &str, body: &Markup) -> Markup {
        html! {
            article.event.{ (class) } id=(self.id()) {
                header { span.who { (self.name(who)) } (self.model()) (self.address()) (self.time()) }
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
        html! { @if let Some(model) = model { span.model { (self.name(model)) } } }
    }

    fn notes(&self) -> Markup {
        let metadata = self.event.metadata.as_ref().filter(|metadata| !metadata.is_empty());
        html! {
            @if let Some(metadata) = metadata { (folded("Notes", &self.json(metadata))) }
        }
    }

    /// What somebody is called, cut where all of it is to be had elsewhere.
    fn name<'t>(&self, text: &'t str) -> Cow<'t, str> {
        match &self.whole {
            Some(_) if text.len() > NAME => Cow::Owned(words::shorten(text, NAME)),
            _ => Cow::Borrowed(text),
        }
    }

    /// What was said, which is Markdown.
    fn words(&self, text: &str) -> Markup {
        let Some(whole) = self.whole.as_ref().filter(|_| text.len() > LONGEST_WORDS) else {
            return markdown(text, self.budget);
        };
        let shown = &text[..text.floor_char_boundary(LONGEST_WORDS)];
        // In front, because behind it could be within a block that was cut open.
        html! { (cut(shown.len(), whole, &amount(text))) (markdown(shown, self.budget)) }
    }

    fn json(&self, value: &impl Serialize) -> Markup {
        let Some(whole) = &self.whole else { return self.code(Some("json"), &json::pretty(value)) };
        let start = json::start(value, self.left.get().min(LONGEST));
        self.left.set(self.left.get() - start.text.len());
        html! {
            (self.code(Some("json"), &start.text))
            @if !start.is_all { (cut(start.text.len(), whole, "of it")) }
        }
    }

    /// Says why nothing of it is shown.
    fn too_large(&self, bytes: usize) -> Markup {
        html! {
            p.none { "It has " (size(bytes)) " and too many values to be shown." }
            @if let Some(whole) = &self.whole { p.cut { a href=(whole) { "Show where it is" } } }
        }
    }

    fn code(&self, language: Option<&str>, text: &str) -> Markup {
        code(language, text, self.budget)
    }

    /// Texts of several lines stand as they are, and everything else as JSON.
    fn arguments(&self, arguments: &Map<String, Value>) -> Markup {
        if arguments.is_empty() {
            return html! { p.none { "No arguments" } };
        }
        let long: Vec<_> = arguments.iter().filter(|(_, value)| is_long(value)).collect();
        let most = if self.whole.is_some() { TEXTS } else { usize::MAX };
        html! {
            @if long.len() < arguments.len() { (self.json(&Short(arguments))) }
            @for (name, value) in long.iter().take(most) {
                p.argument { code { (self.name(name)) } }
                (self.text(None, value.as_str().unwrap_or_default()))
            }
            @if let Some(whole) = self.whole.as_ref().filter(|_| long.len() > most) {
                p.cut { a href=(whole) { "Show all " (words::count(arguments.len(), "argument")) } }
            }
        }
    }

    /// A block of text, cut where it is long and all of it is to be had elsewhere.
    fn text(&self, language: Option<&str>, text: &str) -> Markup {
        let Some(whole) = &self.whole else { return self.code(language, text) };
        let shown = &text[..text.floor_char_boundary(self.left.get().min(LONGEST))];
        self.left.set(self.left.get() - shown.len());
        html! {
            (self.code(language, shown))
            @if shown.len() < text.len() { (cut(shown.len(), whole, &amount(text))) }
        }
    }
}

/// The arguments that are not shown as texts.
struct Short<'a>(&'a Map<String, Value>);

impl Serialize for Short<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().filter(|(_, value)| !is_long(value)))
    }
}

fn is_long(value: &Value) -> bool {
    value.as_str().is_some_and(|text| text.contains('\n'))
}

/// Says that something was cut, and where all of it is.
fn cut(after: usize, whole: &str, all: &str) -> Markup {
    html! { p.cut { "Cut after " (size(after)) ". " a href=(whole) { "Show all " (all) } } }
}

/// How much of a time is said.
#[derive(Clone, Copy)]
pub(crate) enum Precision {
    Time,
    DateAndTime,
}

/// A time as it is stored; the element has all of it for whoever can show it in the zone of the reader.
pub(crate) fn time(stamp: &str, precision: Precision) -> Markup {
    if stamp.len() > STAMP {
        return html! { time { (words::shorten(stamp, STAMP)) } };
    }
    let shown = match precision {
        Precision::Time => words::time_of_day(stamp),
        Precision::DateAndTime => words::minute(stamp),
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
    let start = words::shorten(text, BRIEF);
    start.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// How long a text is, as people say it.
fn amount(text: &str) -> String {
    match text.len() {
        0 => "empty".to_owned(),
        bytes @ ..SMALL => match text.lines().count() {
            1 if bytes > 1 << 10 => size(bytes),
            lines => words::count(lines, "line"),
        },
        bytes => size(bytes),
    }
}

/// What is shorter is counted in lines, in bytes.
const SMALL: usize = 10 << 10;

/// A number of bytes, as people say it.
fn size(bytes: usize) -> String {
    match bytes {
        ..1024 => words::count(bytes, "byte"),
        1024..0xA0_0000 => format!("{} KiB", bytes >> 10),
        _ => format!("{} MiB", bytes >> 20),
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

#[cfg(test)]
mod tests;
