//! One event, whole: what was too long for the page of its conversation.

use axum::{
    extract::{Path, State},
    http::header,
    response::{IntoResponse as _, Response},
};
use jp_plugin_sdk::{
    json::pretty,
    transcript::{Event, Kind},
};
use maud::{Markup, PreEscaped, html};
use transcript_html::{Budget, Links};

use super::{
    EVENTS, Failed, Frame, HIGHLIGHT,
    conversation::{Addresses, title},
    worked,
};
use crate::{
    answers::Place,
    app::AppState,
    library::{Opened, Part},
};

/// What is longer is only to be had as text, in bytes.
const LONGEST: usize = 1 << 20;

/// An event on a page of its own.
pub(crate) async fn show(
    State(app): AppState,
    Path((id, position)): Path<(String, usize)>,
    place: Place,
) -> Result<Response, Failed> {
    let opened = app.library.open(app.library.find(&id).await?).await?;
    place.work(move || page(&opened, position)).await?
}

/// What is in an event, as text.
pub(crate) async fn raw(
    State(app): AppState,
    Path((id, position)): Path<(String, usize)>,
    place: Place,
) -> Result<Response, Failed> {
    let opened = app.library.open(app.library.find(&id).await?).await?;
    let made = place.work(move || {
        let part = find(&opened, position)?;
        let stored = opened.conversation.stored(position).unwrap_or_default();
        let text = part.events().map(|event| text(event, stored)).collect::<String>();
        Ok(([(header::CONTENT_TYPE, "text/plain; charset=utf-8")], text).into_response())
    });
    made.await?
}

/// All of an event, as it is stored.
pub(crate) async fn json(
    State(app): AppState,
    Path((id, position)): Path<(String, usize)>,
) -> Result<Response, Failed> {
    let opened = app.library.open(app.library.find(&id).await?).await?;
    let stored = opened.conversation.stored(position).ok_or_else(|| missing(position))?.to_owned();
    Ok(([(header::CONTENT_TYPE, "application/json")], stored).into_response())
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
    let id = &opened.summary.id;
    let links = InFull(Addresses { id });
    let stored = opened.conversation.stored(position).ok_or_else(|| missing(position))?;
    let shown = if stored.len() <= LONGEST { markup(opened, position, &links) } else { None };
    let here = format!("/c/{id}/events/{position}");
    let main = html! {
        div.heading {
            h1 { "Event " (position) }
            p.about {
                a href=(links.event(position)) { "In " (title(opened)) }
                a href={ (here) "/raw" } { "As text" }
                a href={ (here) "/json" } { "As it is stored" }
            }
        }
        div.transcript {
            @if let Some(markup) = shown { (markup) }
            @else {
                div.message {
                    p { "It has " (stored.len() >> 10) " KiB, too much for a page." }
                    p { a href={ (here) "/raw" } { "Open as text" } }
                    p { a href={ (here) "/json" } { "Open all of it as it is stored" } }
                }
            }
        }
    };
    let tab = format!("Event {position} · {}", title(opened));
    let bar = html! { span.where dir="auto" { (title(opened)) } };
    Ok(Frame { title: &tab, kind: "reading whole", bar, live: None, main }.into_response())
}

/// The event as HTML, if there is room for it.
fn markup(opened: &Opened, position: usize, links: &dyn Links) -> Option<Markup> {
    let part = opened.conversation.event(position)?;
    let event = part.events().next()?;
    let budget = Budget::new(HIGHLIGHT, &worked);
    let markup = open(&transcript_html::event(event, &part.turn, links, &budget));
    Some(markup).filter(|it| it.0.len() <= EVENTS)
}

/// The event, and what it refers to.
fn find(opened: &Opened, position: usize) -> Result<Part, Failed> {
    opened.conversation.event(position).ok_or_else(|| missing(position))
}

fn missing(position: usize) -> Failed {
    Failed::Missing(format!("event {position}"))
}

/// The same with its first details open: whoever comes here wants to see them.
fn open(markup: &Markup) -> Markup {
    PreEscaped(match markup.0.strip_prefix("<details ") {
        Some(rest) => format!("<details open {rest}"),
        None => markup.0.clone(),
    })
}

/// What a person would want to copy; what has too many values for that is as it is stored.
fn text(event: &Event, stored: &str) -> String {
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
        Kind::TooLarge { .. } => stored.to_owned(),
    }
}
