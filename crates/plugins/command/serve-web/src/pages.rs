//! Pages: what stands around each of them, and what is shown where there is none.

pub(crate) mod conversation;
pub(crate) mod event;
mod help;
pub(crate) mod list;
pub(crate) mod login;

use std::time::Duration;

use axum::{
    extract::rejection::QueryRejection,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
};
use jp_plugin_sdk::{RequestError, Summary, words};
use maud::{DOCTYPE, Markup, html};
use rustix::time::{ClockId, clock_gettime};

use crate::{assets, library::OpenError};

/// How much HTML a page has for events, in bytes.
///
/// No page has more than [`MOST`]: what stands around the events is a list of two hundred turns at most,
/// a line for each event that found no room, and names that are cut.
const EVENTS: usize = 3 << 20;
/// The largest page, in bytes.
pub(crate) const MOST: usize = 4 << 20;
/// How much of a title is shown, in characters.
const TITLE: usize = 300;
/// How long the code of a page is highlighted.
const HIGHLIGHT: Duration = Duration::from_secs(1);

/// How long this thread has worked. What others do on the machine takes nothing from a page.
fn worked() -> Duration {
    Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap_or_default()
}

/// A page before it is put into its frame.
pub(crate) struct Frame<'a> {
    /// What stands on the tab.
    pub(crate) title: &'a str,
    /// Which page it is, for style and script.
    pub(crate) kind: &'static str,
    /// What stands between the way home and the buttons.
    pub(crate) bar: Markup,
    /// What a script has to know to follow changes: where to listen, what is shown, where to ask.
    pub(crate) live: Option<Follow>,
    pub(crate) main: Markup,
}

/// How a page follows changes.
pub(crate) struct Follow {
    /// Where changes are said.
    pub(crate) listen: String,
    /// The state that is shown.
    pub(crate) seen: String,
    /// Where what is new is to be had; a number follows. Without it the page is asked for again.
    pub(crate) since: Option<String>,
}

impl Frame<'_> {
    fn markup(&self) -> Markup {
        let live = self.live.as_ref();
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    title { (self.title) }
                    link rel="icon" href=(assets::icon_address()) type="image/svg+xml";
                    link rel="stylesheet" href=(assets::style());
                    script src=(assets::script()) {}
                }
                body.(self.kind)
                    data-listen=[live.map(|live| &live.listen)]
                    data-seen=[live.map(|live| &live.seen)]
                    data-since=[live.and_then(|live| live.since.as_ref())]
                {
                    a.skip href="#main" { "Skip to content" }
                    header.bar { (brand()) (self.bar) (buttons(live.is_some())) }
                    main id="main" { (self.main) }
                    (help::dialog())
                }
            }
        }
    }
}

impl IntoResponse for Frame<'_> {
    fn into_response(self) -> Response {
        document(self.markup().into_string())
    }
}

/// An answer of HTML, which is never larger than a page may be.
fn document(html: String) -> Response {
    if html.len() > MOST {
        return Failed::Broken.into_response();
    }
    ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response()
}

/// The title of a conversation as it is shown, if it has one.
fn title(summary: &Summary) -> Option<String> {
    let title = summary.title.as_deref().map(str::trim).filter(|title| !title.is_empty())?;
    Some(words::shorten(title, TITLE))
}

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failed {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Host(#[from] RequestError),
    #[error("The address cannot be read: {0}.")]
    Query(#[from] QueryRejection),
    #[error("There is no {0}.")]
    Missing(String),
    #[error("The page could not be made.")]
    Broken,
}

impl IntoResponse for Failed {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Open(OpenError::NotFound(_) | OpenError::Ambiguous { .. }) | Self::Missing(_) => {
                StatusCode::NOT_FOUND
            }
            Self::Query(_) => StatusCode::BAD_REQUEST,
            Self::Host(RequestError::Closed)
            | Self::Open(OpenError::Host(RequestError::Closed)) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Open(OpenError::Host(_)) | Self::Host(_) => StatusCode::BAD_GATEWAY,
            Self::Broken => StatusCode::INTERNAL_SERVER_ERROR,
        };
        failed(status, &self.to_string())
    }
}

/// A page that says what went wrong, and leads home. What is repeated of a request may hold anything.
pub(crate) fn failed(status: StatusCode, text: &str) -> Response {
    let text = text.replace(char::is_control, "\u{fffd}");
    let what = status.canonical_reason().unwrap_or("Error");
    let main = html! {
        div.message {
            p.code { (status.as_u16()) }
            h1 { (what) }
            p { (text) }
            p { a href="/" { "All conversations" } }
        }
    };
    let frame = Frame { title: what, kind: "failed", bar: html! {}, live: None, main };
    (status, frame).into_response()
}

/// For addresses that lead nowhere.
pub(crate) async fn not_found() -> Response {
    failed(StatusCode::NOT_FOUND, "There is nothing at this address.")
}

/// For what can only be read.
pub(crate) async fn wrong_method() -> Response {
    failed(StatusCode::METHOD_NOT_ALLOWED, "This page can only be read.")
}

fn brand() -> Markup {
    html! { a.brand href="/" title="All conversations" { img src=(assets::icon_address()) alt=""; span { "jp" } } }
}

fn buttons(live: bool) -> Markup {
    html! {
        div.buttons {
            @if live { span.live role="status" title="Follows changes" { "Live" } }
            button.help type="button" title="Keys (?)" aria-label="Keys" { "?" }
            button.theme type="button" title="Light or dark (t)" aria-label="Light or dark" { "◐" }
        }
    }
}
