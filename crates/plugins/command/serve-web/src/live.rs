//! What changes while somebody looks: server-sent events.
//!
//! One task asks the host for the listing, once a second, and only while somebody listens; everybody who
//! does learns from it. An event says that there is something new, not what: the page then asks for it,
//! so that there is one way in which a conversation becomes HTML.

use std::{convert::Infallible, sync::Arc, time::Duration};

use axum::{
    extract::{Path, Query, State},
    http::StatusCode,
    response::{
        IntoResponse as _, Response, Sse,
        sse::{Event, KeepAlive},
    },
};
use futures_util::{StreamExt as _, stream};
use jp_plugin_sdk::Summary;
use plugin_server::hex;
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::{
    sync::{Notify, OwnedSemaphorePermit, Semaphore, watch},
    time::sleep,
};

use crate::{
    app::{AppState, Shared},
    library::pick,
    pages::{self, Failed},
};

/// How often the host is asked while somebody listens.
const EVERY: Duration = Duration::from_secs(1);
/// How many pages can listen at a time; each takes a connection.
const LISTENERS: usize = 64;
/// How often a connection says that it is alive.
const ALIVE: Duration = Duration::from_secs(15);

/// The last listing, and whoever waits for the next.
#[derive(Debug)]
pub(crate) struct Live {
    listing: watch::Sender<Arc<[Summary]>>,
    /// Told when somebody begins to listen.
    arrived: Notify,
    places: Arc<Semaphore>,
}

impl Default for Live {
    fn default() -> Self {
        let listing = watch::Sender::new(Arc::from([]));
        Self { listing, arrived: Notify::new(), places: Arc::new(Semaphore::new(LISTENERS)) }
    }
}

impl Live {
    /// Tells everybody who listens, if it is news.
    fn publish(&self, listing: Vec<Summary>) {
        self.listing.send_if_modified(|known| {
            let changed = **known != *listing;
            *known = listing.into();
            changed
        });
    }
}

/// What the page that listens has seen.
#[derive(Debug, Deserialize)]
pub(crate) struct Seen {
    #[serde(default)]
    seen: String,
}

/// Looks for changes until the end.
pub(crate) async fn watch(app: Shared) {
    let looking = async {
        loop {
            while app.live.listing.receiver_count() == 0 {
                app.live.arrived.notified().await;
            }
            // A host that does not answer is gone, and then this task is about to be, too.
            if let Ok(listing) = app.library.list().await {
                app.live.publish(listing);
            }
            sleep(EVERY).await;
        }
    };
    app.ending.run_until_cancelled(looking).await;
}

/// The state of a list, in a word.
pub(crate) fn state_of_list(listing: &[Summary]) -> String {
    let mut digest = Sha256::new();
    for summary in listing {
        let title = summary.title.as_deref().unwrap_or_default();
        let count = summary.events_count.to_le_bytes();
        for part in [summary.id.as_bytes(), title.as_bytes(), summary.last_activated_at.as_bytes()]
        {
            digest.update(part.len().to_le_bytes());
            digest.update(part);
        }
        digest.update(count);
    }
    hex(&digest.finalize()[..8])
}

/// The state of a conversation, in a word.
pub(crate) fn state_of(summary: &Summary) -> String {
    state_of_list(std::slice::from_ref(summary))
}

/// Says when the list is another.
pub(crate) async fn of_list(
    State(app): AppState,
    Query(seen): Query<Seen>,
) -> Result<Response, Failed> {
    app.live.publish(app.library.list().await?);
    Ok(listen(&app, seen.seen, Box::new(|listing| Some(state_of_list(listing)))))
}

/// Says when a conversation is another, and when it is gone.
pub(crate) async fn of_conversation(
    State(app): AppState,
    Path(id): Path<String>,
    Query(seen): Query<Seen>,
) -> Result<Response, Failed> {
    let listing = app.library.list().await?;
    let id = pick(&listing, &id)?.id;
    app.live.publish(listing);
    let state =
        move |listing: &[Summary]| listing.iter().find(|known| known.id == id).map(state_of);
    Ok(listen(&app, seen.seen, Box::new(state)))
}

/// What a listener looks at; nothing if it is gone.
type Watched = Box<dyn Fn(&[Summary]) -> Option<String> + Send + Sync>;

/// Events for one page, as long as it is there and we are.
fn listen(app: &Shared, seen: String, watched: Watched) -> Response {
    let Ok(place) = Arc::clone(&app.live.places).try_acquire_owned() else {
        let text = "Too many pages are open. Close one, and reload.";
        return pages::failed(StatusCode::SERVICE_UNAVAILABLE, text);
    };
    let mut listing = app.live.listing.subscribe();
    // The listing is fresh, and the page may be older: the first thing to do is to compare.
    listing.mark_changed();
    app.live.arrived.notify_one();
    let listener = Listener { listing, seen, watched, _place: place };
    let events = stream::unfold(listener, |mut listener| async {
        let event = listener.next().await?;
        Some((Ok::<_, Infallible>(event), listener))
    });
    let events = events.take_until(app.ending.clone().cancelled_owned());
    Sse::new(events).keep_alive(KeepAlive::new().interval(ALIVE)).into_response()
}

/// A page that is open.
struct Listener {
    listing: watch::Receiver<Arc<[Summary]>>,
    seen: String,
    watched: Watched,
    _place: OwnedSemaphorePermit,
}

impl Listener {
    /// The next thing that the page does not know.
    async fn next(&mut self) -> Option<Event> {
        loop {
            self.listing.changed().await.ok()?;
            let now = (self.watched)(&self.listing.borrow_and_update());
            let Some(now) = now else { return Some(Event::default().event("gone").data("gone")) };
            if now != self.seen {
                self.seen.clone_from(&now);
                return Some(Event::default().event("change").data(now));
            }
        }
    }
}
