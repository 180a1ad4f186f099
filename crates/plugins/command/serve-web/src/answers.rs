//! How many answers are on their way at a time.
//!
//! A page is in memory until the browser has read it, and an event can have 48 MiB. So whoever wants an
//! answer waits for a place before it is made, and has it until the last piece of the answer was taken; a
//! client that does not read loses its connection, and the place is free. A thread that makes an answer
//! cannot be told that nobody waits for it any more, so it has the place too, until it is done: otherwise
//! somebody who asks and goes away, again and again, would keep all threads busy.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
};

use axum::{
    Error,
    body::{Body, Bytes, HttpBody},
    extract::{FromRequestParts, Request, State},
    http::request::Parts,
    middleware::Next,
    response::Response,
};
use http_body::{Frame, SizeHint};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    task::spawn_blocking,
};

use crate::{app::AppState, pages::Failed};

/// How many pages are on their way at a time; each has a few megabytes at most.
const PAGES: usize = 32;
/// How many events as text are. Whoever waits for one holds no page up.
const TEXTS: usize = 4;
/// How much is handed over at a time. What is handed over does not count any more.
const PIECE: usize = 64 << 10;

/// The places that answers take.
#[derive(Debug)]
pub(crate) struct Answers {
    pages: Arc<Semaphore>,
    texts: Arc<Semaphore>,
}

impl Default for Answers {
    fn default() -> Self {
        Self { pages: Arc::new(Semaphore::new(PAGES)), texts: Arc::new(Semaphore::new(TEXTS)) }
    }
}

/// The place of one answer, which is free when nobody has it any more.
#[derive(Debug, Clone)]
pub(crate) struct Place(
    #[expect(dead_code, reason = "it is there to be dropped")] Arc<OwnedSemaphorePermit>,
);

impl Place {
    /// Works on the answer where others need not wait for it.
    pub(crate) async fn work<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failed> {
        let place = self.clone();
        let work = move || {
            let done = work();
            drop(place);
            done
        };
        spawn_blocking(work).await.map_err(|_| Failed::Broken)
    }
}

impl<S: Sync> FromRequestParts<S> for Place {
    type Rejection = Failed;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Failed> {
        // Whatever is made has one.
        parts.extensions.get().cloned().ok_or(Failed::Broken)
    }
}

/// For pages.
pub(crate) async fn page(
    State(app): AppState,
    request: Request,
    next: Next,
) -> Result<Response, Failed> {
    in_turn(&app.answers.pages, request, next).await
}

/// For events as text.
pub(crate) async fn text(
    State(app): AppState,
    request: Request,
    next: Next,
) -> Result<Response, Failed> {
    in_turn(&app.answers.texts, request, next).await
}

/// Waits for a place, and only then has the answer made.
async fn in_turn(
    places: &Arc<Semaphore>,
    mut request: Request,
    next: Next,
) -> Result<Response, Failed> {
    let place = Arc::clone(places).acquire_owned().await.map_err(|_| Failed::Broken)?;
    let place = Place(Arc::new(place));
    request.extensions_mut().insert(place.clone());
    let answer = next.run(request).await;
    Ok(answer.map(|body| Body::new(Held { body, piece: Bytes::new(), _place: place })))
}

/// A body in pieces, and the place it takes.
struct Held {
    body: Body,
    /// What has come out of the body and was not handed over yet.
    piece: Bytes,
    _place: Place,
}

impl HttpBody for Held {
    type Data = Bytes;
    type Error = Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Error>>> {
        if self.piece.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.piece = data,
                    Err(other) => return Poll::Ready(Some(Ok(other))),
                },
                end => return Poll::Ready(end),
            }
        }
        let length = self.piece.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.piece.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.piece.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let held = u64::try_from(self.piece.len()).unwrap_or(u64::MAX);
        let rest = self.body.size_hint();
        let mut hint = SizeHint::new();
        hint.set_lower(rest.lower().saturating_add(held));
        if let Some(upper) = rest.upper() {
            hint.set_upper(upper.saturating_add(held));
        }
        hint
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::mpsc, time::Duration};

    use http_body_util::BodyExt as _;
    use tokio::time::timeout;

    use super::*;

    #[tokio::test]
    async fn a_place_is_taken_until_the_last_piece_is() {
        let answers = Answers::default();
        let place = Arc::clone(&answers.texts).acquire_owned().await.unwrap();
        let all = Bytes::from(vec![7; PIECE * 2 + 1]);
        let place = Place(Arc::new(place));
        let mut held = Held { body: Body::from(all), piece: Bytes::new(), _place: place };
        let mut lengths = Vec::new();
        while !held.is_end_stream() {
            let left = held.size_hint().exact().unwrap();
            assert_eq!(answers.texts.available_permits(), TEXTS - 1, "with {left} bytes left");
            lengths.push(held.frame().await.unwrap().unwrap().into_data().unwrap().len());
        }
        assert_eq!(lengths, [PIECE, PIECE, 1]);
        drop(held);
        assert_eq!(answers.texts.available_permits(), TEXTS);
    }

    /// Whoever asked is gone, and the thread is not.
    #[tokio::test]
    async fn a_place_is_taken_until_the_work_is_done() {
        let answers = Answers::default();
        let place = Arc::clone(&answers.texts).acquire_owned().await.unwrap();
        let (go_on, wait) = mpsc::channel();
        let place = Place(Arc::new(place));
        let asked = async move { place.work(move || wait.recv().is_ok()).await };
        assert!(timeout(Duration::from_millis(50), asked).await.is_err());
        assert_eq!(answers.texts.available_permits(), TEXTS - 1);
        go_on.send(()).unwrap();
        let all = answers.texts.acquire_many(u32::try_from(TEXTS).unwrap());
        assert!(timeout(Duration::from_secs(20), all).await.is_ok());
    }
}
