//! Answers in JSON: with a tag, a way to the next page, and room in memory from before they are made until
//! they are sent.
//!
//! The danger is many clients that read slowly. What an answer needs is therefore measured without making it,
//! and it is made when there is room; and what it is made of is held by few at a time ([`App::place`]).

use std::{io, sync::Arc};

use axum::{
    http::{HeaderMap, HeaderValue, StatusCode, header},
    response::{IntoResponse as _, Response},
};
use bytes::Bytes;
use serde::Serialize;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, SemaphorePermit};

use super::{Answer, App};
use crate::{
    etag::{self, Tag},
    limits,
    problem::{Kind, Problem},
};

/// What an answer says besides its content.
#[derive(Debug, Default)]
pub(super) struct About {
    pub(super) tag: Option<Tag>,
    /// The address of the next page.
    pub(super) next: Option<String>,
}

/// A text that is on its way; its room is given back with it.
struct Held {
    text: Vec<u8>,
    _room: OwnedSemaphorePermit,
}

/// How many bytes were written, without keeping them.
struct Counter(usize);

impl App {
    /// A place among those who make an answer of many things, to be had before any of them is read.
    pub(super) async fn place(&self) -> Result<SemaphorePermit<'_>, Problem> {
        self.0.making.acquire().await.map_err(|error| ending(&error))
    }

    /// An answer, as soon as there is room for it.
    pub(super) async fn answer(
        &self,
        status: StatusCode,
        content: &impl Serialize,
        about: About,
    ) -> Answer {
        let mut counter = Counter(0);
        // What is answered consists of texts and numbers, which have a JSON form.
        let _ = serde_json::to_writer(&mut counter, content);
        let room = counter.0.min(limits::ANSWERS).div_ceil(1 << 10);
        let room = u32::try_from(room).unwrap_or(u32::MAX);
        let room = Arc::clone(&self.0.answers).acquire_many_owned(room).await;
        let room = room.map_err(|error| ending(&error))?;
        let mut text = Vec::with_capacity(counter.0);
        let _ = serde_json::to_writer(&mut text, content);
        let body = Bytes::from_owner(Held { text, _room: room });
        let kind = [(header::CONTENT_TYPE, "application/json")];
        let mut response = (status, kind, body).into_response();
        add_tag(&mut response, about.tag.as_ref());
        let link = about.next.map(|next| HeaderValue::try_from(format!("<{next}>; rel=\"next\"")));
        let link = link.and_then(Result::ok);
        response.headers_mut().extend(link.map(|link| (header::LINK, link)));
        Ok(response)
    }

    /// The same, unless the client says that it has it.
    pub(super) async fn answer_unless_known(
        &self,
        headers: &HeaderMap,
        content: &impl Serialize,
        about: About,
    ) -> Answer {
        match &about.tag {
            Some(tag) if etag::is_known(headers, tag) => Ok(not_modified(tag)),
            _ => self.answer(StatusCode::OK, content, about).await,
        }
    }
}

impl From<Tag> for About {
    fn from(tag: Tag) -> Self {
        Self { tag: Some(tag), next: None }
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

fn ending(_: &AcquireError) -> Problem {
    Kind::Unavailable.because("the server is ending")
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.text
    }
}

impl io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
