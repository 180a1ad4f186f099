//! What the tool is told when a request is not passed on.
//!
//! All answers are short plain text, in the words of the person who reads the output of the tool.

use std::{error::Error as _, time::Duration};

use http_body_util::{Either, Full};
use hyper::{
    Response, StatusCode,
    body::{Bytes, Incoming},
    header::{CONTENT_TYPE, HeaderValue},
};

use crate::{Denied, Reason, dial::DialError};

/// The body of an answer: words of our own, or what the other side sends.
pub(crate) type Body = Either<Full<Bytes>, Incoming>;

/// Why a request is not passed on.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("{0}")]
    Denied(Denied),
    #[error("bad request: {0}")]
    Malformed(&'static str),
    #[error("the proxy cannot do that: {0}")]
    Unsupported(&'static str),
    #[error("{host} gave no usable answer: {cause}")]
    NoAnswer { host: String, cause: String },
    #[error("no byte to or from {host} within {} s", within.as_secs_f32())]
    Silent { host: String, within: Duration },
    #[error("{0}")]
    Dial(DialError),
}

impl Refusal {
    /// That a host gave no answer because of this, with the reason that hyper keeps apart.
    pub(crate) fn no_answer(host: impl Into<String>, error: &hyper::Error) -> Self {
        let cause = match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        Self::NoAnswer { host: host.into(), cause }
    }
}

impl From<DialError> for Refusal {
    fn from(error: DialError) -> Self {
        match error {
            DialError::Denied(denied) => Self::Denied(denied),
            other => Self::Dial(other),
        }
    }
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::Denied(Denied { reason: Reason::Unusable(_), .. }) | Self::Malformed(_) => {
                StatusCode::BAD_REQUEST
            }
            Self::Denied(_) => StatusCode::FORBIDDEN,
            Self::Unsupported(_) => StatusCode::NOT_IMPLEMENTED,
            Self::Silent { .. } | Self::Dial(DialError::TimedOut { .. }) => {
                StatusCode::GATEWAY_TIMEOUT
            }
            Self::NoAnswer { .. } | Self::Dial(_) => StatusCode::BAD_GATEWAY,
        }
    }

    /// The answer; `table` names the list in which a rule is missing.
    pub(crate) fn response(&self, table: &str) -> Response<Body> {
        let text = match self {
            Self::Denied(denied) => denied.explain(table),
            other => format!("{other}\n"),
        };
        let mut response = Response::new(Either::Left(Full::new(Bytes::from(text))));
        *response.status_mut() = self.status();
        let plain = HeaderValue::from_static("text/plain; charset=utf-8");
        response.headers_mut().insert(CONTENT_TYPE, plain);
        response
    }
}
