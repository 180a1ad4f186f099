//! What a request says about where it comes from and whom it wants.

use axum::{
    extract::Request,
    http::{HeaderMap, HeaderName, Method, header},
};

/// The name or address that the client used for us, without a port; none if it does not say, or says two.
pub(super) fn host_name(request: &Request) -> Option<&str> {
    // A request that was written for a proxy says it in its first line, which then counts.
    if let Some(authority) = request.uri().authority() {
        return Some(authority.host());
    }
    let host = only(request.headers(), &header::HOST)?;
    let name = match host.strip_prefix('[') {
        Some(rest) => &host[..rest.find(']')? + 2],
        None => host.split(':').next()?,
    };
    let port = &host[name.len()..];
    let is_port = port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    (!name.is_empty() && (port.is_empty() || is_port)).then_some(name)
}

/// Whether the request was caused by something else than our own pages or the user.
pub(super) fn is_foreign(request: &Request) -> bool {
    let headers = request.headers();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD);
    let origin = match headers.get(header::ORIGIN) {
        // A browser names the origin of everything that is more than a look.
        None => !reads,
        Some(_) => !is_ours(headers),
    };
    origin || (fetched_from_elsewhere(headers) && !(reads && is_link(headers)))
}

/// Whether the origin is the very host that was asked, port included: another port is another program.
fn is_ours(headers: &HeaderMap) -> bool {
    let (origin, host) = (only(headers, &header::ORIGIN), only(headers, &header::HOST));
    origin.zip(host).is_some_and(|(origin, host)| {
        origin.strip_prefix("http://").is_some_and(|origin| origin.eq_ignore_ascii_case(host))
    })
}

/// What newer browsers say about every request; `same-site` is another port of this host.
fn fetched_from_elsewhere(headers: &HeaderMap) -> bool {
    headers.get("sec-fetch-site").is_some_and(|site| site != "same-origin" && site != "none")
}

/// Whether somebody follows a link, which then fills the window.
fn is_link(headers: &HeaderMap) -> bool {
    let is = |name: &str, want: &str| headers.get(name).is_some_and(|value| value == want);
    is("sec-fetch-mode", "navigate") && is("sec-fetch-dest", "document")
}

/// The field if there is exactly one, and it is text.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    values.next().is_none().then(|| value.to_str().ok())?
}
