//! About the server itself.

use axum::{
    extract::State,
    http::{HeaderMap, StatusCode},
};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Answer, App, answer::About};
use crate::etag::Tag;

/// That the server works.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Health {
    /// Always `ok`: one that is not well does not say so.
    #[schema(pattern = "^ok$")]
    status: &'static str,
    /// The version of the server.
    version: &'static str,
}

/// See whether the server works, and jp behind it
#[utoipa::path(
    get,
    path = "/v1/health",
    operation_id = "getHealth",
    responses((status = 200, description = "Both work", body = Health))
)]
pub(super) async fn health(State(app): State<App>) -> Answer {
    app.0.store.list().await?;
    let health = Health { status: "ok", version: env!("CARGO_PKG_VERSION") };
    app.answer(StatusCode::OK, &health, About::default()).await
}

/// Read this document
#[utoipa::path(
    get,
    path = "/v1/openapi.json",
    operation_id = "getDocument",
    params(("if-none-match" = Option<String>, Header, description = "A tag of what you have")),
    responses(
        (
            status = 200,
            description = "The OpenAPI document",
            body = serde_json::Map<String, serde_json::Value>,
            headers(("etag" = String, description = "The tag of the document")),
        ),
        (status = 304, description = "You have it"),
    )
)]
pub(super) async fn document(State(app): State<App>, headers: HeaderMap) -> Answer {
    let document = &app.0.document;
    app.answer_unless_known(&headers, document, Tag::of_json(document).into()).await
}
