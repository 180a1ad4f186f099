//! One conversation: a page of its turns, and what was added since.

use axum::{
    extract::{Path, Query, State, rejection::QueryRejection},
    response::{IntoResponse as _, Redirect, Response},
};
use jp_plugin_sdk::{transcript::Turn, words};
use maud::{Markup, PreEscaped, html};
use serde::Deserialize;
use transcript_html::{Budget, Links, Room};

use super::{EVENTS, Failed, Follow, Frame, HIGHLIGHT, document, worked};
use crate::{
    answers::Place,
    app::AppState,
    library::{Conversation, Opened, Page, Part},
    live,
};

/// How much of a request stands in the outline, in characters.
const OUTLINE: usize = 90;

/// Which part is wanted; without any, the last.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Wanted {
    /// A page, from 1.
    page: Option<usize>,
    /// The page with this turn.
    turn: Option<usize>,
    /// The page with this event.
    event: Option<usize>,
}

/// A page of a conversation.
pub(crate) async fn show(
    State(app): AppState,
    Path(name): Path<String>,
    place: Place,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response, Failed> {
    let Query(wanted) = wanted?;
    let summary = app.library.find(&name).await?;
    if summary.id != name {
        return Ok(Redirect::to(&format!("/c/{}{}", summary.id, wanted.query())).into_response());
    }
    let opened = app.library.open(summary).await?;
    let index = wanted.index(&opened.conversation)?;
    // Highlighting takes a while, in which others want their answers.
    place.work(move || page(&opened, index)).await
}

/// What stands in a conversation from a position on, for a page that is open.
pub(crate) async fn since(
    State(app): AppState,
    Path((id, position)): Path<(String, usize)>,
    place: Place,
) -> Result<Response, Failed> {
    let opened = app.library.open(app.library.find(&id).await?).await?;
    let made = place.work(move || {
        let next = opened.conversation.reach(position);
        let parts = opened.conversation.between(position, next);
        let body = html! {
            div data-next=(next) data-events=(opened.conversation.events())
                data-about=(about(&opened)) data-last=(opened.summary.last_activated_at)
            { (parts_markup(&parts, &opened.summary.id)) }
        };
        document(body.into_string())
    });
    made.await
}

impl Wanted {
    /// The page that is meant, from 0.
    fn index(&self, conversation: &Conversation) -> Result<usize, Failed> {
        let last = conversation.pages.len().saturating_sub(1);
        if let Some(number) = self.turn {
            let position = conversation.start_of(number);
            let position = position.ok_or_else(|| Failed::Missing(format!("turn {number}")))?;
            return Ok(conversation.page_of(position));
        }
        if let Some(position) = self.event {
            let found = conversation.stored(position);
            found.ok_or_else(|| Failed::Missing(format!("event {position}")))?;
            return Ok(conversation.page_of(position));
        }
        Ok(self.page.map_or(last, |page| page.saturating_sub(1).min(last)))
    }

    fn query(&self) -> String {
        let pairs = [("page", self.page), ("turn", self.turn), ("event", self.event)];
        let pairs =
            pairs.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?)));
        let pairs: Vec<String> = pairs.collect();
        if pairs.is_empty() { String::new() } else { format!("?{}", pairs.join("&")) }
    }
}

/// Addresses of this server.
#[derive(Debug)]
pub(crate) struct Addresses<'a> {
    pub(crate) id: &'a str,
}

impl Links for Addresses<'_> {
    fn turn(&self, number: usize) -> String {
        format!("/c/{}?turn={number}#turn-{number}", self.id)
    }

    fn event(&self, position: usize) -> String {
        format!("/c/{}?event={position}#e{position}", self.id)
    }

    fn whole(&self, position: usize) -> Option<String> {
        Some(format!("/c/{}/events/{position}", self.id))
    }
}

/// The title, or that there is none.
pub(super) fn title(opened: &Opened) -> String {
    super::title(&opened.summary).unwrap_or_else(|| "Untitled".to_owned())
}

fn page(opened: &Opened, index: usize) -> Response {
    let Opened { summary, conversation } = opened;
    let page = conversation.pages.get(index).copied().unwrap_or(Page { first: 0, end: 0 });
    let parts = conversation.parts_of(&page);
    let is_last = index + 1 >= conversation.pages.len();
    let pages = pager(&summary.id, index, conversation.pages.len());
    let main = html! {
        div.heading {
            h1 dir="auto" { (title(opened)) }
            p.about {
                span.numbers { (about(opened)) }
                time datetime=(summary.last_activated_at) title=(summary.last_activated_at) data-relative {
                    (summary.last_activated_at.get(..10).unwrap_or_default())
                }
                span.id { (summary.id) }
            }
        }
        div.columns {
            (outline(&parts))
            div.transcript {
                (pages)
                div id="events" data-next=(page.end) { (parts_markup(&parts, &summary.id)) }
                @if parts.is_empty() { div.message { p { "Nothing was said yet." } } }
                (pages)
            }
        }
        a.more href={ "/c/" (summary.id) "#end" } hidden { "New events ↓" }
        div id="end" {}
    };
    let since = is_last.then(|| format!("/c/{}/since/", summary.id));
    let listen = format!("/c/{}/live", summary.id);
    let live = Some(Follow { listen, seen: live::state_of(summary), since });
    let tab = format!("{} · jp", title(opened));
    let bar = html! { span.where dir="auto" { (title(opened)) } };
    Frame { title: &tab, kind: "reading", bar, live, main }.into_response()
}

fn about(opened: &Opened) -> String {
    let (turns, events) = (opened.conversation.turns(), opened.conversation.events());
    format!("{} · {}", words::count(turns, "turn"), words::count(events, "event"))
}

/// The turns of this page, by what was asked in them.
fn outline(parts: &[Part]) -> Markup {
    let request = |turn: &Turn| {
        let line = turn.request()?.lines().find(|line| !line.trim().is_empty())?;
        Some(line.chars().filter(|c| !"`*".contains(*c)).take(OUTLINE).collect::<String>())
    };
    html! {
        nav.outline aria-label="Turns on this page" {
            ol {
                @for turn in parts.iter().map(|part| &part.turn) {
                    li {
                        a href={ "#turn-" (turn.number) } {
                            span.number { (turn.number) }
                            span dir="auto" { (request(turn).unwrap_or_else(|| "…".to_owned())) }
                        }
                    }
                }
            }
        }
    }
}

fn pager(id: &str, index: usize, pages: usize) -> Markup {
    let to = |index: usize| format!("/c/{id}?page={}", index + 1);
    html! {
        @if pages > 1 {
            nav.pages aria-label="Pages" {
                span {
                    @if index > 0 {
                        a href=(to(0)) { "First" } " " a rel="prev" href=(to(index - 1)) { "← Earlier" }
                    }
                }
                span { "Page " (index + 1) " of " (pages) }
                span {
                    @if index + 1 < pages {
                        a rel="next" href=(to(index + 1)) { "Later →" } " " a href={ "/c/" (id) } { "Latest" }
                    }
                }
            }
        }
    }
}

fn parts_markup(parts: &[Part], id: &str) -> Markup {
    let (links, mut room) = (Addresses { id }, Room::new(EVENTS));
    let budget = Budget::new(HIGHLIGHT, &worked);
    let render = |part: &Part| {
        transcript_html::part(&part.turn, part.events(), &links, &mut room, &budget).into_string()
    };
    PreEscaped(parts.iter().map(render).collect())
}
