//! Who may ask at all: whoever calls this server by its own name, not from a page of somebody else, and
//! with the token.
//!
//! The names are checked because of DNS rebinding: a page of `evil.example` can make that name point to
//! 127.0.0.1 and then read what it likes, because for the browser it is still the same site. The `Host`
//! that the browser sends is still `evil.example`. An address in numbers cannot be rebound.

use std::{
    net::{IpAddr, SocketAddr},
    sync::Arc,
};

use axum::{
    Router,
    extract::{Request, State},
    http::{HeaderMap, HeaderValue, header, uri::Authority},
    middleware::{Next, from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
};
use tokio::time::timeout;

use crate::{
    limits,
    problem::{Kind, Problem},
    token::{Sum, Token},
};

/// What a request has to be like.
#[derive(Clone)]
pub(crate) struct Guard(Arc<Rules>);

struct Rules {
    bound: SocketAddr,
    names: Vec<String>,
    token: Sum,
}

impl Guard {
    /// For a server at this address that may also be called by these names.
    pub(crate) fn new(bound: SocketAddr, names: Vec<String>, token: &Token) -> Self {
        Self(Arc::new(Rules { bound, names, token: token.sum() }))
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
        self.judge_host(request)?;
        self.judge_origin(request.headers())?;
        self.judge_token(request.headers())
    }

    fn judge_host(&self, request: &Request) -> Result<(), Problem> {
        let mut hosts = request.headers().get_all(header::HOST).into_iter();
        let host = match (hosts.next(), hosts.next()) {
            (Some(host), None) => host.to_str().unwrap_or_default(),
            _ => return Err(Kind::WrongHost.because("the request needs one header `Host`")),
        };
        // A client may write the whole URL into the first line of a request, and that counts too.
        let in_line = request.uri().authority().map(Authority::as_str);
        if [Some(host), in_line].into_iter().flatten().all(|name| self.is_ours(name)) {
            return Ok(());
        }
        Err(Kind::WrongHost.because(
            "this server has another name; if it shall have this one, start it with `--allow-host`",
        ))
    }

    fn judge_origin(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let is_ours = |origin: &HeaderValue| {
            let origin = origin.to_str().unwrap_or_default();
            let host = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
            host.is_some_and(|host| self.is_ours(host))
        };
        if headers.get_all(header::ORIGIN).into_iter().all(is_ours) {
            return Ok(());
        }
        Err(Kind::ForeignOrigin.because("pages of other origins cannot use this server"))
    }

    fn judge_token(&self, headers: &HeaderMap) -> Result<(), Problem> {
        let refuse = |detail: &str, challenge| {
            Err(Kind::Unauthorized.because(detail).with_header(header::WWW_AUTHENTICATE, challenge))
        };
        let mut values = headers.get_all(header::AUTHORIZATION).into_iter();
        let (Some(value), None) = (values.next(), values.next()) else {
            let detail = "the request needs one header `Authorization: Bearer TOKEN`";
            return refuse(detail, r#"Bearer realm="jp""#);
        };
        let given = value.to_str().ok().and_then(|value| value.split_once(' '));
        match given {
            Some((scheme, token))
                if scheme.eq_ignore_ascii_case("bearer") && Sum::of(token.trim()) == self.token =>
            {
                Ok(())
            }
            _ => refuse(
                "the token is not that of this server",
                r#"Bearer realm="jp", error="invalid_token""#,
            ),
        }
    }

    /// Whether a name with or without a port is one of this server.
    fn is_ours(&self, authority: &str) -> bool {
        let Ok(authority) = authority.parse::<Authority>() else { return false };
        let host = authority.host();
        if authority.as_str().contains('@') {
            return false;
        }
        // Behind a proxy the port is that of the proxy.
        if self.names.iter().any(|name| name.eq_ignore_ascii_case(host)) {
            return true;
        }
        if authority.port_u16().unwrap_or(80) != self.bound.port() {
            return false;
        }
        let is_local = self.bound.ip().is_loopback() || self.bound.ip().is_unspecified();
        if host.eq_ignore_ascii_case("localhost") {
            return is_local;
        }
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        match bare.parse::<IpAddr>() {
            Ok(address) => self.bound.ip().is_unspecified() || address == self.bound.ip(),
            Err(_) => false,
        }
    }
}

async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    match guard.0.judge(&request) {
        Ok(()) => next.run(request).await,
        Err(problem) => problem.into_response(),
    }
}

/// Nobody waits for ever.
async fn within_time(request: Request, next: Next) -> Response {
    timeout(limits::ANSWER, next.run(request)).await.unwrap_or_else(|_| {
        Kind::Unavailable.because("the answer took too long; try again").into_response()
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
