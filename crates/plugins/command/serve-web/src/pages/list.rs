//! All conversations: searched, filtered, in pages.

use axum::{
    extract::{Query, State, rejection::QueryRejection},
    response::{IntoResponse as _, Response},
};
use jiff::{Timestamp, tz::TimeZone};
use jp_plugin_sdk::{Summary, words};
use maud::{Markup, html};

use super::{Failed, Follow, Frame, title};
use crate::{
    answers::Place as AnswerPlace,
    app::{App, AppState},
    live,
    search::{
        Age, Place, Titled, Wanted,
        content::{self, Found, Hit},
    },
    when,
};

/// How many conversations stand on a page.
const PAGE: usize = 50;

/// The list.
pub(crate) async fn show(
    State(app): AppState,
    place: AnswerPlace,
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Response, Failed> {
    let Query(wanted) = wanted?;
    let listing = app.library.list().await?;
    let now = Timestamp::now();
    let chosen = wanted.choose(&listing, now);
    let clock = Clock { now, zone: TimeZone::system() };
    let words = wanted.words();
    let in_content = wanted.place == Place::Content && !words.is_empty();
    let (found, results) = if in_content {
        let of = chosen.len();
        let found = content::search(&app.library, chosen, &words, &place).await;
        (found_words(&found, of), hits(&found, &clock))
    } else {
        (found_titles(&wanted, chosen.len(), listing.len()), page_of(&wanted, &chosen, &clock))
    };
    let main = html! {
        h1 { (workspace(&app)) }
        (form(&wanted))
        div id="results" { p.found { (found) } (results) }
    };
    let seen = live::state_of_list(&listing);
    // A search in what was said takes a while, and is not made again for every change.
    let live = (!in_content).then(|| Follow { listen: "/live".to_owned(), seen, since: None });
    let title = format!("{} · jp", workspace(&app));
    let frame = Frame { title: &title, kind: "list", bar: html! {}, live, main };
    Ok(frame.into_response())
}

struct Clock {
    now: Timestamp,
    zone: TimeZone,
}

/// The name of the directory, which is what people call a project.
fn workspace(app: &App) -> String {
    let root = &app.library.session().init().workspace.root;
    let name = root.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| "Conversations".to_owned())
}

fn form(wanted: &Wanted) -> Markup {
    html! {
        form.search role="search" method="get" action="/" {
            div.words {
                input id="q" type="search" name="q" value=(wanted.q) maxlength="256" autocomplete="off"
                    placeholder="Search titles and ids" aria-label="Search";
                button { "Search" }
            }
            div.filters {
                select name="age" aria-label="Age" {
                    @for (age, label) in Age::ALL {
                        option value=(age.word()) selected[age == wanted.age] { (label) }
                    }
                }
                select name="title" aria-label="Title" {
                    @for (titled, label) in Titled::ALL {
                        option value=(titled.word()) selected[titled == wanted.title] { (label) }
                    }
                }
                label.check {
                    input type="checkbox" name="in" value=(Place::Content.word())
                        checked[wanted.place == Place::Content];
                    "Search what was said, too"
                }
            }
        }
    }
}

fn found_titles(wanted: &Wanted, chosen: usize, all: usize) -> Markup {
    html! {
        @if wanted.is_all() { (words::count(all, "conversation")) }
        @else { (words::count(chosen, "conversation")) " of " (number(all)) " · " a href="/" { "Show all" } }
    }
}

fn found_words(found: &Found, of: usize) -> Markup {
    html! {
        (words::count(found.hits.len(), "conversation")) " found"
        @if found.searched < of {
            "; what was said was searched in the latest " (number(found.searched)) " of " (number(of))
        }
        " · " a href="/" { "Show all" }
    }
}

fn page_of(wanted: &Wanted, chosen: &[Summary], clock: &Clock) -> Markup {
    let pages = chosen.len().div_ceil(PAGE).max(1);
    let page = wanted.page.unwrap_or(1).clamp(1, pages);
    let shown: Vec<&Summary> = chosen.iter().skip((page - 1) * PAGE).take(PAGE).collect();
    let heading =
        |summary: &Summary| when::heading(&summary.last_activated_at, clock.now, &clock.zone);
    html! {
        @for group in shown.chunk_by(|a, b| heading(a) == heading(b)) {
            section.group {
                h2 { (heading(group[0])) }
                ul.conversations { @for summary in group { (item(summary, clock, None)) } }
            }
        }
        @if chosen.is_empty() { (nothing(wanted)) }
        @if pages > 1 {
            nav.pages aria-label="Pages" {
                @if page > 1 { a rel="prev" href=(wanted.address(page - 1)) { "← Newer" } } @else { span {} }
                span { "Page " (page) " of " (pages) }
                @if page < pages { a rel="next" href=(wanted.address(page + 1)) { "Older →" } } @else { span {} }
            }
        }
    }
}

fn hits(found: &Found, clock: &Clock) -> Markup {
    html! {
        ul.conversations { @for hit in &found.hits { (item(&hit.summary, clock, Some(hit))) } }
    }
}

fn item(summary: &Summary, clock: &Clock, hit: Option<&Hit>) -> Markup {
    let id = &summary.id;
    let place = hit.and_then(|hit| hit.place.as_ref());
    let address = match place {
        Some(place) => format!("/c/{id}?event={0}#e{0}", place.position),
        None => format!("/c/{id}"),
    };
    let title = title(summary);
    let last = &summary.last_activated_at;
    let events = usize::try_from(summary.events_count).unwrap_or(usize::MAX);
    html! {
        li {
            a.conversation href=(address) {
                @match title {
                    Some(title) => span.title dir="auto" { (title) },
                    None => span.title.untitled { "Untitled" },
                }
                @if let Some(place) = place {
                    span.piece { (place.before) mark { (place.word) } (place.after) }
                }
                span.about {
                    time datetime=(last) title=(last) data-relative { (when::ago(last, clock.now)) }
                    span { (words::count(events, "event")) }
                    span.id { (id) }
                }
            }
        }
    }
}

fn nothing(wanted: &Wanted) -> Markup {
    html! {
        div.message {
            @if wanted.is_all() {
                p { "There are no conversations yet. What is said in this workspace appears here." }
            } @else {
                p { "No conversation fits." }
                @if !wanted.words().is_empty() {
                    p { "Only titles and ids were searched: tick " em { "Search what was said, too" } " to look further." }
                }
            }
        }
    }
}

/// A number of conversations.
fn number(number: usize) -> String {
    words::number(u64::try_from(number).unwrap_or(u64::MAX))
}
