//! Answers in JSON: with a tag, a way to the next page, and room in memory until they are sent.

use std::sync::Arc;

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use serde::Serialize;
use tokio::sync::OwnedSemaphorePermit;

use super::{Answer, App};
use crate::{
    etag::{self, Tag},
    limits,
    problem::Kind,
};

/// The content of an answer.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) text: Vec<u8>,
    pub(super) tag: Option<Tag>,
    /// The address of the next page.
    pub(super) next: Option<String>,
}

/// A text that is on its way; its room is given back with it.
struct Held {
    text: Vec<u8>,
    _room: OwnedSemaphorePermit,
}

impl Json {
    pub(super) fn of(value: &impl Serialize) -> Self {
        // What is answered consists of texts and numbers, which have a JSON form.
        let text = serde_json::to_vec(value).unwrap_or_default();
        Self { text, tag: None, next: None }
    }

    #[must_use]
    pub(super) fn with_next(self, next: Option<String>) -> Self {
        Self { next, ..self }
    }

    #[must_use]
    pub(super) fn with_tag(self, tag: Tag) -> Self {
        Self { tag: Some(tag), ..self }
    }
}

impl App {
    /// An answer, as soon as there is room for it.
    pub(super) async fn answer(&self, status: StatusCode, json: Json) -> Answer {
        let Json { text, tag, next } = json;
        let room = u32::try_from(text.len().min(limits::ANSWERS) >> 10).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.0.answers).acquire_many_owned(room).await;
        let room = room.map_err(|_| Kind::Unavailable.because("the server is ending"))?;
        let body = Bytes::from_owner(Held { text, _room: room });
        let kind = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (status, kind, body).into_response();
        add_tag(&mut response, tag.as_ref());
        let link =
            next.and_then(|next| HeaderValue::try_from(format!("<{next}>; rel=\"next\"")).ok());
        response.headers_mut().extend(link.map(|link| (header::LINK, link)));
        Ok(response)
    }

    /// The same, unless the client says that it has it.
    pub(super) async fn answer_unless_known(&self, headers: &HeaderMap, json: Json) -> Answer {
        match &json.tag {
            Some(tag) if etag::is_known(headers, tag) => Ok(not_modified(tag)),
            _ => self.answer(StatusCode::OK, json).await,
        }
    }
}

/// The answer to somebody who has it.
pub(super) fn not_modified(tag: &Tag) -> Response {
    let mut response = StatusCode::NOT_MODIFIED.into_response();
    add_tag(&mut response, Some(tag));
    response
}

fn add_tag(response: &mut Response, tag: Option<&Tag>) {
    let tag = tag.and_then(Tag::header);
    response.headers_mut().extend(tag.map(|tag| (header::ETAG, tag)));
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}
