//! Who may ask at all: whoever calls this server by its own name, not from a page of somebody else, and
//! with the token.
//!
//! Nothing is said before the name is right, not even that there is a token.

use std::{pin::pin, sync::Arc};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, header},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
};
use plugin_server::{Foreign, Names, Token};
use tokio::time::timeout;

use crate::{
    limits,
    problem::{Kind, Problem},
    promise::Promise,
};

/// What a request has to be like.
#[derive(Clone)]
pub(crate) struct Guard(Arc<Rules>);

struct Rules {
    names: Names,
    token: Token,
}

impl Guard {
    /// For a server of these names.
    pub(crate) fn new(names: Names, token: Token) -> Self {
        Self(Arc::new(Rules { names, token }))
    }

    /// Lets through what follows the rules, whatever it asks for.
    pub(crate) fn protect(self, router: Router) -> Router {
        router
            .layer(from_fn(within_time))
            .layer(from_fn_with_state(self, check))
            .layer(from_fn(add_headers))
    }
}

impl Rules {
    fn judge(&self, request: &Request) -> Result<(), Problem> {
        self.judge_names(request)?;
        self.judge_token(request.headers())
    }

    fn judge_names(&self, request: &Request) -> Result<(), Problem> {
        self.names.judge(request).map_err(|foreign| match foreign {
            Foreign::NoHost => Kind::WrongHost.because("the request needs one header `Host`"),
            Foreign::OtherHost => Kind::WrongHost.because(
                "this server has another name; if it shall have this one, start it with \
                 `--allow-host NAME`",
            ),
            Foreign::OtherOrigin => {
                Kind::ForeignOrigin.because("pages of other origins cannot use this server")
            }
        })
    }

    fn judge_token(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let refuse = |detail: &str, challenge| {
            Err(Kind::Unauthorized.because(detail).with_header(header::WWW_AUTHENTICATE, challenge))
        };
        let mut values = headers.get_all(header::AUTHORIZATION).into_iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            let detail = "the request needs one header `Authorization: Bearer TOKEN`, with the token that \
                was printed at the start";
            return refuse(detail, r#"Bearer realm="jp""#);
        };
        let given = value.to_str().ok().and_then(|value| value.split_once(' '));
        match given {
            Some((scheme, token))
                if scheme.eq_ignore_ascii_case("bearer") && self.token.is(token.trim()) =>
            {
                Ok(())
            }
            _ => refuse(
                "the token is not that of this server; unless you chose one, a new one is printed at \
                 each start",
                r#"Bearer realm="jp", error="invalid_token""#,
            ),
        }
    }
}

async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    match guard.0.judge(&request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// Nobody waits for ever, and whoever is told that there is no answer knows whether anything was written.
async fn within_time(mut request: Request, next: Next) -> Response {
    let promise = Promise::default();
    request.extensions_mut().insert(promise.clone());
    // Whoever goes away before anything is written has nothing written.
    let _gone = promise.clone().broken_when_dropped();
    let mut answer = pin!(next.run(request));
    if let Ok(answer) = timeout(limits::ANSWER, answer.as_mut()).await {
        return answer;
    }
    if promise.give_up() {
        let detail = "the answer took too long, and nothing was written; try again";
        return Kind::Unavailable.because(detail).into_response();
    }
    timeout(limits::WRITE, answer).await.unwrap_or_else(|_| {
        let detail = "jp was told to write, and does not say whether it has; read the \
                      conversation before you try again";
        Kind::Unknown.because(detail).into_response()
    })
}

/// What every answer says about itself: nobody but the client keeps it, and no browser guesses what it is.
async fn add_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CACHE_CONTROL, "private, no-cache"),
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests;
