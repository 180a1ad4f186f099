//! Which address leads where.

use std::{sync::Arc, thread, time::Duration};

use axum::{
    Router,
    extract::{DefaultBodyLimit, Request, State},
    http::StatusCode,
    middleware::{self, Next},
    response::Response,
    routing::get,
};
use jp_plugin_sdk::asynchronous::Session;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::{
    answers::{self, Answers},
    assets,
    guard::{Gate, guard},
    library::Library,
    live::{self, Live},
    pages,
};

/// How long a page may take. Events that go on are no page: they have begun by then.
const LIMIT: Duration = Duration::from_secs(30);
/// The largest body, which is a form with a token and an address in it.
const BODY: usize = 8 * 1024;

/// What every request can use.
pub(crate) type Shared = Arc<App>;

/// The web view.
#[derive(Debug)]
pub(crate) struct App {
    pub(crate) gate: Gate,
    pub(crate) library: Library,
    pub(crate) live: Live,
    pub(crate) answers: Answers,
    /// When it is time to end.
    pub(crate) ending: CancellationToken,
}

impl App {
    /// Everything behind one service, and the task that looks for changes.
    pub(crate) fn start(session: Session, gate: Gate, ending: CancellationToken) -> Router {
        let (library, live, answers) = (Library::new(session), Live::default(), Answers::default());
        let app = Arc::new(Self { gate, library, live, answers, ending });
        tokio::spawn(live::watch(Arc::clone(&app)));
        // Before somebody waits for it. It is no task, because nobody waits for its end either.
        thread::spawn(transcript_html::prepare);
        let pages = Router::new()
            .route("/", get(pages::list::show))
            .route("/c/{id}", get(pages::conversation::show))
            .route("/c/{id}/since/{position}", get(pages::conversation::since))
            .route("/c/{id}/events/{position}", get(pages::event::show))
            .route_layer(middleware::from_fn_with_state(Arc::clone(&app), answers::page));
        let texts = Router::new()
            .route("/c/{id}/events/{position}/raw", get(pages::event::raw))
            .route("/c/{id}/events/{position}/json", get(pages::event::json))
            .route_layer(middleware::from_fn_with_state(Arc::clone(&app), answers::text));
        Router::new()
            .merge(pages)
            .merge(texts)
            .route("/login", get(pages::login::show).post(pages::login::enter))
            .route("/live", get(live::of_list))
            .route("/c/{id}/live", get(live::of_conversation))
            .route("/assets/{name}", get(assets::serve))
            .route("/favicon.ico", get(assets::icon))
            .fallback(pages::not_found)
            .method_not_allowed_fallback(pages::wrong_method)
            .layer(DefaultBodyLimit::max(BODY))
            .layer(middleware::from_fn(in_time))
            .layer(middleware::from_fn_with_state(Arc::clone(&app), guard))
            .with_state(app)
    }
}

/// Whoever waits for longer than a person would gets to know it.
async fn in_time(request: Request, next: Next) -> Response {
    let late = "The page took too long to make. Try again, or ask for less.";
    let answer = timeout(LIMIT, next.run(request)).await;
    answer.unwrap_or_else(|_| pages::failed(StatusCode::SERVICE_UNAVAILABLE, late))
}

/// The same, as handlers take it.
pub(crate) type AppState = State<Shared>;
