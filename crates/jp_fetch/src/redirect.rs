//! Where an answer leads, and what of the request goes there.
//!
//! What a redirect keeps of a method is history: 301 and 302 turn a POST into a GET because every
//! client has always done so, 303 says that it means that, 307 and 308 say that they do not.

use hyper::{StatusCode, header::HeaderValue};
use jp_tool::access::NetTarget;

use crate::request::{self, Hop, Method};

/// The next hop, if an answer names one; `Err` if it names none that can be asked for.
pub(crate) fn next(
    hop: &Hop,
    status: StatusCode,
    location: Option<&HeaderValue>,
) -> Option<Result<Hop, String>> {
    let method = match status.as_u16() {
        301..=303 => Method::Get,
        307 | 308 => hop.method.clone(),
        _ => return None,
    };
    // Without a place to go to it is an answer like any other.
    let location = location?;
    Some(place(&hop.target, location).map(|target| Hop { target, method }))
}

fn place(from: &NetTarget, location: &HeaderValue) -> Result<NetTarget, String> {
    let text = std::str::from_utf8(location.as_bytes())
        .map_err(|_| "it redirects to what is no URL".to_owned())?;
    let url = from.url().join(text).map_err(|error| format!("it redirects to no URL: {error}"))?;
    request::target(url.as_str()).map_err(|error| format!("it redirects elsewhere: {error}"))
}

#[cfg(test)]
mod tests;
