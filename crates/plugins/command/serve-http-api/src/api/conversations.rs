//! `/v1/conversations` and `/v1/conversations/{id}`.

use axum::{
    Extension,
    extract::State,
    http::{HeaderMap, HeaderValue, StatusCode, header},
};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{
    Answer, App,
    answer::About,
    extract::{Asked, Given, Id, page},
};
use crate::{
    etag::Tag,
    limits,
    problem::{Kind, Problem},
    promise::Promise,
    store::{Conversation, Key},
};

/// Which conversations.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// Only those with each of these words in their title or id, in whatever case.
    #[param(max_length = 200)]
    q: Option<String>,
    /// How many at most.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u16>,
    /// Where the last page ended; part of `next`.
    #[param(pattern = "^-?[0-9]{1,30}_[0-9]{1,30}$")]
    after: Option<String>,
}

/// A part of the list of conversations, the latest first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Conversations<'a> {
    data: Vec<&'a Conversation>,
    /// The address of the next page; `null` on the last one.
    #[schema(required = true)]
    next: Option<&'a str>,
    /// How many there are on all pages.
    total: usize,
}

/// What a new conversation is to be.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewConversation {
    #[serde(default)]
    #[schema(max_length = 1_000)]
    title: Option<String>,
}

/// List conversations, the latest first
#[utoipa::path(
    get,
    path = "/v1/conversations",
    operation_id = "listConversations",
    params(
        Which,
        ("if-none-match" = Option<String>, Header, description = "A tag of what you have"),
    ),
    responses(
        (
            status = 200,
            description = "A page of conversations",
            body = Conversations,
            headers(
                ("etag" = String, description = "The tag of this page"),
                ("link" = Option<String>, description = "The next page, with `rel=\"next\"`"),
            ),
        ),
        (status = 304, description = "You have it"),
    )
)]
pub(super) async fn list(
    State(app): State<App>,
    headers: HeaderMap,
    Asked(which): Asked<Which>,
) -> Answer {
    let limit = page(which.limit, limits::CONVERSATIONS)?;
    let after = which.after.as_deref().map(place).transpose()?;
    let text = which.q.as_deref().unwrap_or_default();
    if text.chars().count() > limits::SEARCH {
        let detail = format!("`q` has more than {} characters", limits::SEARCH);
        return Err(Kind::BadRequest.because(detail));
    }
    let _place = app.place().await?;
    let listing = app.0.store.list().await?;
    let found = listing.search(text);
    // The latest come first, so what comes later is smaller.
    let start = after.map_or(0, |after| found.partition_point(|(key, _)| *key >= after));
    let end = found.len().min(start + limit);
    let last = found[start..end].last().filter(|_| end < found.len());
    let next = last.map(|(key, _)| next_page(*key, limit, text));
    let data = found[start..end].iter().map(|(_, it)| it).collect();
    let page = Conversations { data, next: next.as_deref(), total: found.len() };
    let about = About { tag: Some(Tag::of_json(&page)), next: next.clone() };
    app.answer_unless_known(&headers, &page, about).await
}

/// Create a conversation
#[utoipa::path(
    post,
    path = "/v1/conversations",
    operation_id = "createConversation",
    request_body = NewConversation,
    responses((
        status = 201,
        description = "The conversation, which has no events yet",
        body = Conversation,
        headers(
            ("etag" = String, description = "The tag of the conversation"),
            ("location" = String, description = "The address of the conversation"),
        ),
        links(
            ("get" = (
                operation_id = "getConversation",
                parameters(("id" = "$response.body#/id")),
            )),
            ("list events" = (
                operation_id = "listEvents",
                parameters(("id" = "$response.body#/id")),
            )),
            ("append events" = (
                operation_id = "appendEvents",
                parameters(("id" = "$response.body#/id")),
            )),
        ),
    ))
)]
pub(super) async fn create(
    State(app): State<App>,
    Extension(promise): Extension<Promise>,
    body: Given<NewConversation>,
) -> Answer {
    let title = body.content.title;
    if title.as_ref().is_some_and(|title| title.chars().count() > limits::TITLE) {
        let detail = format!("`title` has more than {} characters", limits::TITLE);
        return Err(Kind::Invalid.because(detail));
    }
    let conversation = app.0.store.create(title, promise).await?;
    let about = About::from(conversation.tag());
    let mut response = app.answer(StatusCode::CREATED, &conversation, about).await?;
    add_location(response.headers_mut(), &format!("/v1/conversations/{}", conversation.id));
    Ok(response)
}

/// See one conversation
#[utoipa::path(
    get,
    path = "/v1/conversations/{id}",
    operation_id = "getConversation",
    params(
        ("id" = String, Path, description = "The id", pattern = "^[1-9][0-9]{0,19}$"),
        ("if-none-match" = Option<String>, Header, description = "A tag of what you have"),
    ),
    responses(
        (
            status = 200,
            description = "The conversation, without its events",
            body = Conversation,
            headers(("etag" = String, description = "The tag of the conversation")),
        ),
        (status = 304, description = "You have it"),
    )
)]
pub(super) async fn get(State(app): State<App>, headers: HeaderMap, Id(id): Id) -> Answer {
    let conversation = app.0.store.get(&id).await?;
    app.answer_unless_known(&headers, &conversation, conversation.tag().into()).await
}

/// Says where something new is.
pub(super) fn add_location(headers: &mut HeaderMap, address: &str) {
    let address = HeaderValue::from_str(address).ok();
    headers.extend(address.map(|address| (header::LOCATION, address)));
}

fn place(text: &str) -> Result<Key, Problem> {
    let detail = "`after` is part of the address in `next`, and cannot be anything else";
    text.parse().map_err(|()| Kind::BadRequest.because(detail))
}

fn next_page(last: Key, limit: usize, text: &str) -> String {
    let next = format!("/v1/conversations?limit={limit}&after={last}");
    if text.is_empty() {
        return next;
    }
    format!("{next}&q={}", utf8_percent_encode(text, NON_ALPHANUMERIC))
}
