//! One event, whole: what was too long for the page of its conversation.

use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse as _, Response},
};
use jp_plugin_sdk::transcript::{Event, Kind, Turn};
use maud::{Markup, PreEscaped, html};
use tokio::task::spawn_blocking;
use transcript_html::Links;

use super::{
    Failed, Frame,
    conversation::{Addresses, title},
};
use crate::{app::AppState, library::Opened};

/// What is longer is only to be had as text, in bytes.
const LONGEST: usize = 1 << 20;

/// An event on a page of its own.
pub(crate) async fn show(
    State(app): AppState,
    Path((id, position)): Path<(String, usize)>,
) -> Result<Response, Failed> {
    let opened = app.library.open(app.library.find(&id).await?).await?;
    let made = spawn_blocking(move || page(&opened, position));
    made.await.map_err(|_| Failed::Broken)?
}

/// What is in an event, as text.
pub(crate) async fn raw(
    State(app): AppState,
    Path((id, position)): Path<(String, usize)>,
) -> Result<Response, Failed> {
    let opened = app.library.open(app.library.find(&id).await?).await?;
    let (_, event) = find(&opened, position)?;
    Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text(event)).into_response())
}

/// Nothing is cut here.
struct InFull<'a>(Addresses<'a>);

impl Links for InFull<'_> {
    fn turn(&self, number: usize) -> String {
        self.0.turn(number)
    }

    fn event(&self, position: usize) -> String {
        self.0.event(position)
    }
}

fn page(opened: &Opened, position: usize) -> Result<Response, Failed> {
    let (turn, event) = find(opened, position)?;
    let id = &opened.summary.id;
    let links = InFull(Addresses { id });
    let raw = format!("/c/{id}/events/{position}/raw");
    let size = text(event).len();
    let main = html! {
        div.heading {
            h1 { "Event " (position) }
            p.about {
                a href=(links.event(position)) { "In " (title(opened)) }
                a href=(raw) { "As text" }
            }
        }
        div.transcript {
            @if size <= LONGEST { (open(&transcript_html::event(event, turn, &links))) }
            @else { div.message { p { "It has " (size >> 20) " MiB, too much for a page." } p { a href=(raw) { "Open as text" } } } }
        }
    };
    let tab = format!("Event {position} · {}", title(opened));
    let bar = html! { span.where dir="auto" { (title(opened)) } };
    Ok(Frame { title: &tab, kind: "reading whole", bar, live: None, main }.into_response())
}

/// The event, and the turn that it is of.
fn find(opened: &Opened, position: usize) -> Result<(&Turn, &Event), Failed> {
    let found = opened.conversation.event(position);
    found.ok_or_else(|| Failed::Missing(format!("event {position}")))
}

/// The same with its first details open: whoever comes here wants to see them.
fn open(markup: &Markup) -> Markup {
    PreEscaped(match markup.0.strip_prefix("<details ") {
        Some(rest) => format!("<details open {rest}"),
        None => markup.0.clone(),
    })
}

/// What a person would want to copy.
fn text(event: &Event) -> String {
    match &event.kind {
        Kind::TurnStart => String::new(),
        Kind::ChatRequest { content: text, .. }
        | Kind::Message(text)
        | Kind::Reasoning(text)
        | Kind::ToolCallResponse { content: text, .. } => text.clone(),
        Kind::ToolCallRequest { arguments: fields, .. } | Kind::Unknown { fields, .. } => {
            pretty(fields)
        }
        Kind::Data(value)
        | Kind::InquiryRequest { question: value, .. }
        | Kind::InquiryResponse { answer: value, .. }
        | Kind::ConfigDelta { delta: value } => pretty(value),
    }
}

/// What was read from JSON has a form in it.
fn pretty(value: &impl serde::Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}
