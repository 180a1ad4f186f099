//! `/v1/conversations/{id}/events`.

use axum::{
    Extension,
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, value::RawValue};
use utoipa::ToSchema;

use super::{
    Answer, App,
    answer::{About, not_modified},
    conversations::add_location,
    extract::{Asked, Given, Id, page},
    new_event::{NewEvent, check},
};
use crate::{
    etag::{self, Expected},
    limits,
    problem::Kind,
    promise::Promise,
    store::{self, Batch, Conversation},
};

/// Which events.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct Which {
    /// Only those after this position; the first event of a conversation is at 0.
    #[param(value_type = Option<i64>, minimum = 0, maximum = 4_294_967_295_i64)]
    after: Option<u32>,
    /// How many at most. A page also ends when it has more than 1 MiB.
    #[param(minimum = 1, maximum = 1_000, default = 100)]
    limit: Option<u16>,
}

/// A part of the events of a conversation, in their order.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Events<'a> {
    /// Events as they are stored, those of other versions of jp included.
    #[schema(value_type = Vec<serde_json::Map<String, serde_json::Value>>)]
    data: &'a [Box<RawValue>],
    /// The position of the first of them.
    first: usize,
    /// How many events the conversation has.
    total: usize,
    /// The address of the next page; `null` on the last one.
    #[schema(required = true)]
    next: Option<&'a str>,
}

/// What is to be appended.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewEvents {
    #[schema(value_type = Vec<NewEvent>, min_items = 1, max_items = 1_000)]
    events: Vec<Value>,
}

/// What was appended.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Appended {
    /// How many events were appended. One that begins a turn may have been put in front of them.
    count: u64,
    /// The position of the first event that is new.
    first: u64,
    /// The conversation as it is now.
    conversation: Conversation,
}

/// Read the events of a conversation
#[utoipa::path(
    get,
    path = "/v1/conversations/{id}/events",
    operation_id = "listEvents",
    params(
        ("id" = String, Path, description = "The id", pattern = "^[1-9][0-9]{0,19}$"),
        Which,
        ("if-none-match" = Option<String>, Header, description = "A tag of what you have"),
    ),
    responses(
        (
            status = 200,
            description = "A page of events",
            body = Events,
            headers(
                ("etag" = String, description = "The tag of the conversation"),
                ("link" = Option<String>, description = "The next page, with `rel=\"next\"`"),
            ),
        ),
        (status = 304, description = "You have it"),
    )
)]
pub(super) async fn list(
    State(app): State<App>,
    headers: HeaderMap,
    Id(id): Id,
    Asked(which): Asked<Which>,
) -> Answer {
    let limit = page(which.limit, limits::EVENTS)?;
    // Whether the client has them can be told without reading them.
    let tag = app.0.store.get(&id).await?.tag();
    if etag::is_known(&headers, &tag) {
        return Ok(not_modified(&tag));
    }
    let _place = app.place().await?;
    let (tag, all) = app.0.store.events(&id).await?;
    let after = which.after.map_or(0, |after| after as usize + 1);
    let first = after.min(all.len());
    let data = &all[first..first + fitting(&all[first..], limit)];
    let end = first + data.len();
    let next = (end < all.len() && end > 0)
        .then(|| format!("/v1/conversations/{id}/events?limit={limit}&after={}", end - 1));
    let page = Events { data, first, total: all.len(), next: next.as_deref() };
    let about = About { tag: Some(tag), next: next.clone() };
    app.answer(StatusCode::OK, &page, about).await
}

/// Append events to a conversation
///
/// All of them or none, under the lock of the conversation. With `If-Match` only if the conversation has
/// not changed since it was read.
#[utoipa::path(
    post,
    path = "/v1/conversations/{id}/events",
    operation_id = "appendEvents",
    params(
        ("id" = String, Path, description = "The id", pattern = "^[1-9][0-9]{0,19}$"),
        ("if-match" = Option<String>, Header, description = "A tag that the conversation must have"),
    ),
    request_body = NewEvents,
    responses(
        (
            status = 201,
            description = "They are appended",
            body = Appended,
            headers(
                ("etag" = String, description = "The tag of the conversation as it is now"),
                ("location" = String, description = "The address of the new events"),
            ),
        ),
        (
            status = 409,
            description = "Somebody else writes to the conversation",
            body = crate::problem::Body,
            content_type = "application/problem+json",
        ),
        (
            status = 412,
            description = "The conversation does not have the tag",
            body = crate::problem::Body,
            content_type = "application/problem+json",
        ),
    )
)]
pub(super) async fn append(
    State(app): State<App>,
    Extension(promise): Extension<Promise>,
    headers: HeaderMap,
    Id(id): Id,
    body: Given<NewEvents>,
) -> Answer {
    let events = &body.content.events;
    if events.is_empty() || events.len() > limits::BATCH {
        let detail = format!("`events` has from 1 to {} events", limits::BATCH);
        return Err(Kind::Invalid.because(detail));
    }
    for (index, event) in events.iter().enumerate() {
        check(event).map_err(|why| Kind::Invalid.because(format!("events[{index}]: {why}")))?;
    }
    let expected = Expected::of(&headers);
    let Given { content, room } = body;
    let batch = Batch { events: content.events, expected, room };
    let appended = app.0.store.append(id.clone(), batch, promise).await?;
    let tag = appended.conversation.tag();
    let store::Appended { count, first, conversation } = appended;
    let content = Appended { count, first, conversation };
    let mut response = app.answer(StatusCode::CREATED, &content, tag.into()).await?;
    let after = first.checked_sub(1).map(|last| format!("?after={last}")).unwrap_or_default();
    add_location(response.headers_mut(), &format!("/v1/conversations/{id}/events{after}"));
    Ok(response)
}

/// How many events fit on a page: one always does.
fn fitting(events: &[Box<RawValue>], limit: usize) -> usize {
    let sizes = events.iter().take(limit).scan(0, |bytes, event| {
        *bytes += event.get().len();
        Some(*bytes)
    });
    sizes.take_while(|bytes| *bytes <= limits::PAGE).count().max(usize::from(!events.is_empty()))
}
