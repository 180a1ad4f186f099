//! What a client is told when something does not work: `application/problem+json` (RFC 9457).
//!
//! The `type` is for programs and never changes; `detail` is for people, and says what to do.

use axum::{
    http::{HeaderName, HeaderValue, StatusCode, header},
    response::{IntoResponse, Response},
};
use serde::Serialize;
use utoipa::ToSchema;

/// The media type of a problem.
pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// What went wrong, in a form that programs can tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    BadRequest,
    Unauthorized,
    ForeignOrigin,
    NotFound,
    MethodNotAllowed,
    SlowRequest,
    Locked,
    Changed,
    TooLarge,
    UnsupportedMediaType,
    WrongHost,
    Invalid,
    Internal,
    Unavailable,
    Unknown,
}

/// An error as a client sees it.
#[derive(Debug)]
pub(crate) struct Problem {
    kind: Kind,
    detail: String,
    header: Option<(HeaderName, HeaderValue)>,
}

/// The body of every answer that is an error.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Problem, examples(json!({
    "type": "urn:jp:problem:not-found",
    "title": "Not found",
    "status": 404,
    "detail": "there is no conversation 17127583920"
})))]
pub(crate) struct Body {
    /// Which kind of problem it is, for programs.
    #[serde(rename = "type")]
    #[schema(pattern = "^urn:jp:problem:[a-z-]+$")]
    kind: String,
    /// The same for people.
    title: &'static str,
    /// The status of the answer.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What happened this time, and what to do about it.
    detail: String,
}

impl Kind {
    /// Every kind: its status, its part of `type`, its title.
    fn row(self) -> (StatusCode, &'static str, &'static str) {
        match self {
            Self::BadRequest => (StatusCode::BAD_REQUEST, "bad-request", "Bad request"),
            Self::Unauthorized => (StatusCode::UNAUTHORIZED, "unauthorized", "No valid token"),
            Self::ForeignOrigin => {
                (StatusCode::FORBIDDEN, "foreign-origin", "Page of another origin")
            }
            Self::NotFound => (StatusCode::NOT_FOUND, "not-found", "Not found"),
            Self::MethodNotAllowed => {
                (StatusCode::METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed")
            }
            Self::SlowRequest => (StatusCode::REQUEST_TIMEOUT, "slow-request", "Request too slow"),
            Self::Locked => (StatusCode::CONFLICT, "locked", "Conversation is locked"),
            Self::Changed => {
                (StatusCode::PRECONDITION_FAILED, "changed", "Conversation has changed")
            }
            Self::TooLarge => (StatusCode::PAYLOAD_TOO_LARGE, "too-large", "Request too large"),
            Self::UnsupportedMediaType => {
                (StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", "Not JSON")
            }
            Self::WrongHost => (StatusCode::MISDIRECTED_REQUEST, "wrong-host", "Wrong host"),
            Self::Invalid => (StatusCode::UNPROCESSABLE_ENTITY, "invalid", "Invalid content"),
            Self::Internal => (StatusCode::INTERNAL_SERVER_ERROR, "internal", "Internal error"),
            Self::Unavailable => {
                (StatusCode::SERVICE_UNAVAILABLE, "unavailable", "Not available at the moment")
            }
            Self::Unknown => (StatusCode::GATEWAY_TIMEOUT, "unknown", "Nobody knows what happened"),
        }
    }

    pub(crate) fn status(self) -> StatusCode {
        self.row().0
    }

    pub(crate) fn title(self) -> &'static str {
        self.row().2
    }

    /// A problem of this kind, with what happened this time.
    pub(crate) fn because(self, detail: impl Into<String>) -> Problem {
        Problem { kind: self, detail: detail.into(), header: None }
    }
}

impl Problem {
    /// The same with a header that belongs to it.
    pub(crate) fn with_header(self, name: HeaderName, value: &'static str) -> Self {
        Self { header: Some((name, HeaderValue::from_static(value))), ..self }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let (status, name, title) = self.kind.row();
        let kind = format!("urn:jp:problem:{name}");
        let body = Body { kind, title, status: status.as_u16(), detail: self.detail };
        // Texts and a number always have a JSON form.
        let text = serde_json::to_string(&body).unwrap_or_default();
        let mut response = (status, [(header::CONTENT_TYPE, MEDIA_TYPE)], text).into_response();
        response.headers_mut().extend(self.header);
        response
    }
}
