//! What a request carries, read with problems of our own: the id in its path, the query and the body.

use axum::{
    extract::{FromRequest, FromRequestParts, Path, Query, Request},
    http::{header, request::Parts},
};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use jp_plugin_sdk::json;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use tokio::{sync::OwnedSemaphorePermit, time::timeout};

use super::App;
use crate::{
    limits::{self, Page},
    problem::{Kind, Problem},
};

/// The id of a conversation in the path of a request: any text, so nobody knows yet whether there is one.
#[derive(Debug)]
pub(super) struct Id(pub(super) String);

/// The query of a request.
#[derive(Debug)]
pub(super) struct Asked<T>(pub(super) T);

/// The body of a request, and its room in memory.
#[derive(Debug)]
pub(super) struct Given<T> {
    pub(super) content: T,
    pub(super) room: OwnedSemaphorePermit,
}

impl<S: Send + Sync> FromRequestParts<S> for Id {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Path::from_request_parts(parts, state).await {
            Ok(Path(id)) => Ok(Self(id)),
            // Like every other id that nothing has.
            Err(_) => Err(Kind::NotFound.because("there is no conversation whose id is no UTF-8")),
        }
    }
}

impl<S: Send + Sync, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match Query::from_request_parts(parts, state).await {
            Ok(Query(query)) => Ok(Self(query)),
            Err(error) => Err(Kind::BadRequest.because(error.body_text())),
        }
    }
}

impl<T: DeserializeOwned> FromRequest<App> for Given<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, app: &App) -> Result<Self, Problem> {
        judge_head(&request)?;
        let room = Arc::clone(&app.0.bodies).acquire_owned().await;
        let room = room.map_err(|_| Kind::Unavailable.because("the server is ending"))?;
        let body = Limited::new(request.into_body(), limits::BODY).collect();
        let body = timeout(limits::UPLOAD, body).await.map_err(|_| {
            let seconds = limits::UPLOAD.as_secs();
            Kind::SlowRequest.because(format!("the body was not there within {seconds} seconds"))
        })?;
        let bytes = match body {
            Ok(body) => body.to_bytes(),
            Err(error) if error.is::<LengthLimitError>() => return Err(too_long()),
            Err(error) => return Err(Kind::BadRequest.because(format!("no body: {error}"))),
        };
        Ok(Self { content: parse(&bytes)?, room })
    }
}

/// How many things a page is to have.
pub(super) fn page(limit: Option<u16>, page: Page) -> Result<usize, Problem> {
    let limit = limit.unwrap_or(page.usual);
    if (1..=page.most).contains(&limit) {
        return Ok(limit.into());
    }
    Err(Kind::BadRequest.because(format!("`limit` is from 1 to {}, and not {limit}", page.most)))
}

/// What can be refused before the body is read.
fn judge_head(request: &Request) -> Result<(), Problem> {
    let headers = request.headers();
    let kind = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        let detail = "the body has to be JSON, with `Content-Type: application/json`";
        return Err(Kind::UnsupportedMediaType.because(detail));
    }
    let length = headers.get(header::CONTENT_LENGTH).and_then(|value| value.to_str().ok());
    match length.and_then(|length| length.parse::<usize>().ok()) {
        Some(length) if length > limits::BODY => Err(too_long()),
        _ => Ok(()),
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if json::values_in(bytes) > limits::VALUES {
        let detail = format!("the body has more than {} values", limits::VALUES);
        return Err(Kind::TooLarge.because(detail));
    }
    let content = serde_json::from_slice(bytes).map_err(|error| {
        let kind = if error.is_data() { Kind::Invalid } else { Kind::BadRequest };
        kind.because(format!("the body cannot be read: {error}"))
    })?;
    // The fields of a struct may also be read from a list, which is more than was promised.
    if !bytes.trim_ascii_start().starts_with(b"{") {
        return Err(Kind::Invalid.because("the body is an object"));
    }
    Ok(content)
}

fn too_long() -> Problem {
    Kind::TooLarge.because(format!("the body has more than {} bytes", limits::BODY))
}
