//! Whether a request was meant for us: the name that it calls us by, and where it comes from.
//!
//! The danger are pages of others in the user's browser. A name of theirs can be made to lead to this
//! machine (DNS rebinding), and then the browser takes us for their site; so the name has to be one of ours.
//! They can also send requests by our own name; so whatever says that it comes from elsewhere is refused,
//! except for somebody who follows a link.

#[cfg(test)]
mod tests;

use std::net::IpAddr;

use http::{HeaderMap, HeaderName, Method, Request, header, uri::Authority};

/// What a server may be called.
#[derive(Debug, Clone)]
pub struct Names {
    bound: IpAddr,
    /// In small letters, besides addresses and `localhost`.
    more: Vec<String>,
}

/// Why a request was not meant for us.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// It does not say for whom it is, or says two things.
    NoHost,
    /// It is for somebody else.
    OtherHost,
    /// A page of somebody else caused it.
    OtherOrigin,
}

impl Names {
    /// Of a server that listens on this address, and has these names in small letters besides.
    pub fn new(bound: IpAddr, more: Vec<String>) -> Self {
        Self { bound, more }
    }

    /// Whether a request was meant for us.
    pub fn judge<B>(&self, request: &Request<B>) -> Result<(), Foreign> {
        let host = only(request.headers(), &header::HOST).ok_or(Foreign::NoHost)?;
        // A client may write a whole URL into the first line of a request, and that counts too.
        let line = request.uri().authority().map(Authority::as_str);
        for authority in [Some(host), line].into_iter().flatten() {
            let name = name_in(authority).ok_or(Foreign::NoHost)?;
            if !self.knows(name) {
                return Err(Foreign::OtherHost);
            }
        }
        let foreign = self.is_foreign(request, host);
        if foreign { Err(Foreign::OtherOrigin) } else { Ok(()) }
    }

    /// Whether somebody may use this name for us.
    ///
    /// An address is never a trick, as it takes a name to be led astray. The port is not compared: it says
    /// nothing about who asks, and behind a forwarded port it is another one.
    fn knows(&self, name: &str) -> bool {
        let bare = name.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        match bare.unwrap_or(name).parse::<IpAddr>() {
            Ok(address) if self.bound.is_loopback() => address.is_loopback(),
            Ok(_) => true,
            Err(_) => name.eq_ignore_ascii_case("localhost") || self.is_allowed(name),
        }
    }

    fn is_allowed(&self, name: &str) -> bool {
        let name = name.strip_suffix('.').unwrap_or(name);
        self.more.iter().any(|known| known.eq_ignore_ascii_case(name))
    }

    /// Whether the request was caused by something else than our own pages or the user.
    fn is_foreign<B>(&self, request: &Request<B>, host: &str) -> bool {
        let headers = request.headers();
        let origin = headers.contains_key(header::ORIGIN) && !self.is_ours(headers, host);
        origin
            || (fetched_from_elsewhere(headers) && !(is_read(request.method()) && is_link(headers)))
    }

    /// Whether the origin is the very host that was asked, port included: another port is another program.
    /// Only who has a name of its own can have TLS, by a proxy in front of us.
    fn is_ours(&self, headers: &HeaderMap, host: &str) -> bool {
        let Some(origin) = only(headers, &header::ORIGIN) else { return false };
        match (origin.strip_prefix("http://"), origin.strip_prefix("https://")) {
            (Some(origin), _) => origin.eq_ignore_ascii_case(host),
            (_, Some(origin)) => {
                let named = name_in(host).is_some_and(|name| self.is_allowed(name));
                named && origin.eq_ignore_ascii_case(host)
            }
            _ => false,
        }
    }
}

/// Whether a request only looks.
pub fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// The name or address before a port; none if it is not written as such.
fn name_in(authority: &str) -> Option<&str> {
    let name = match authority.strip_prefix('[') {
        Some(rest) => &authority[..rest.find(']')? + 2],
        None => authority.split(':').next()?,
    };
    let port = &authority[name.len()..];
    let is_port = port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    (!name.is_empty() && (port.is_empty() || is_port)).then_some(name)
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
