//! A URL that somebody wants to request, taken apart for the rules.
//!
//! The danger is text that two programs take apart differently, so that one host is judged and
//! another one called. What is judged here is what the URL standard says, but the text must also
//! mean the same under the older grammar. A client takes the URL from [`NetTarget::url`], never the
//! text.

use std::fmt;

use url::{Host, Url};

use super::{NetAccessError, host, path};

/// How much of a text that is no URL is repeated in an error.
const SHOWN: usize = 200;

/// A URL in the form in which it is judged and requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NetTarget {
    url: Url,
    pub(super) host: Host,
    /// The segments of the path, or why it has several readings.
    pub(super) path: Result<Vec<String>, &'static str>,
}

impl NetTarget {
    /// Takes a URL apart. It must be written as `scheme://host`, without a user name.
    pub fn parse(url: &str) -> Result<Self, NetAccessError> {
        let text = url.trim_matches(|c: char| c <= ' ');
        let invalid = |reason: &str| NetAccessError::Invalid {
            url: without_secrets(text),
            reason: reason.to_owned(),
        };
        let written = Written::of(text).map_err(invalid)?;
        if let Some(error) = written.userinfo() {
            return Err(error);
        }
        let mut url = Url::parse(text).map_err(|error| invalid(&error.to_string()))?;
        let host =
            url.host().ok_or("there is no host".to_owned()).and_then(|host| host::of_url(&host));
        let host = host.map_err(|reason| invalid(&reason))?;
        let path = one_reading(written.path, url.path());
        // So that the host that is called has the very form that was judged. A fragment is not sent.
        url.set_host(Some(&host.to_string())).map_err(|error| invalid(&error.to_string()))?;
        url.set_fragment(None);
        Ok(Self { url, host, path })
    }

    /// The URL to request.
    pub fn url(&self) -> &Url {
        &self.url
    }

    /// The scheme, in lower case.
    pub fn scheme(&self) -> &str {
        self.url.scheme()
    }

    /// The host in normal form; an IPv6 address is in brackets.
    pub fn host(&self) -> String {
        self.host.to_string()
    }

    /// The port, written or by default. `None` for a scheme that has no known default.
    pub fn port(&self) -> Option<u16> {
        self.url.port_or_known_default()
    }

    /// The decoded segments of the path, if it has only one reading.
    pub fn segments(&self) -> Option<&[String]> {
        self.path.as_deref().ok()
    }

    /// Whether a redirect from here to there can keep headers that hold secrets: the same host at the
    /// same port in the same scheme, so not from `https` to `http` either.
    pub fn same_origin(&self, other: &Self) -> bool {
        self.host == other.host && self.scheme() == other.scheme() && self.port() == other.port()
    }

    /// Whether the port is the one that the scheme has by default.
    pub(super) fn has_default_port(&self) -> bool {
        // The parser drops a port that is the default one.
        self.url.port().is_none()
    }

    /// Whether it is known which port that is.
    pub(super) fn knows_default_port(&self) -> bool {
        matches!(self.scheme(), "http" | "https" | "ws" | "wss" | "ftp")
    }

    /// The same request to another host, to ask what the rules would say about it. It cannot be
    /// requested: its URL still has the old host.
    pub(super) fn with_host(mut self, host: Host) -> Self {
        self.host = host;
        self
    }

    /// The URL for a person: without the query, which can hold secrets.
    pub(super) fn shown(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.into()
    }
}

impl fmt::Display for NetTarget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

/// Whether this can stand before the colon of a URL.
pub(super) fn is_scheme(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
}

/// The pieces of the text under the older grammar, in which a backslash is no slash.
struct Written<'a> {
    scheme: &'a str,
    authority: &'a str,
    path: &'a str,
}

impl<'a> Written<'a> {
    fn of(text: &'a str) -> Result<Self, &'static str> {
        // The parser would leave some of them out, another program might not.
        if text.contains(char::is_control) {
            return Err("there is a control character in it");
        }
        let (scheme, rest) = text
            .split_once("://")
            .filter(|(scheme, _)| is_scheme(scheme))
            .ok_or("it is not written as scheme://host/path")?;
        let rest = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        if authority.is_empty() {
            return Err("there is no host");
        }
        if authority.contains('\\') && !authority.contains('@') {
            return Err("there is a backslash where the host ends");
        }
        Ok(Self { scheme, authority, path })
    }

    /// The refusal of a user name, also of an empty one.
    fn userinfo(&self) -> Option<NetAccessError> {
        let (_, after) = self.authority.rsplit_once('@')?;
        let scheme = self.scheme.to_ascii_lowercase();
        // What follows the user name gives the host; if that cannot be read it is left out.
        let real = Url::parse(&format!("{scheme}://{after}")).ok();
        let host = real.as_ref().and_then(Url::host).and_then(|host| host::of_url(&host).ok());
        Some(NetAccessError::Userinfo {
            scheme,
            host: host.map_or_else(|| "…".to_owned(), |host| host.to_string()),
            port: real.as_ref().and_then(Url::port_or_known_default),
        })
    }
}

/// The segments, if the text and what the parser made of it say the same.
fn one_reading(written: &str, parsed: &str) -> Result<Vec<String>, &'static str> {
    let segments = path::segments(written)?;
    if path::segments(parsed)? == segments { Ok(segments) } else { Err("has several readings") }
}

/// What can be repeated of a text that is no URL. With an `@` in it nobody knows where a password
/// ends, so that nothing but the scheme is shown.
fn without_secrets(text: &str) -> String {
    if text.contains('@') {
        let scheme = text.split(':').next().filter(|scheme| is_scheme(scheme));
        return scheme.map_or_else(|| "…".to_owned(), |scheme| format!("{scheme}:…"));
    }
    let text = text.split(['?', '#']).next().unwrap_or_default();
    text.chars().take(SHOWN).flat_map(char::escape_debug).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_the_parser_changes_has_no_one_reading() {
        for (written, parsed, expected) in [
            ("/a/../b", "/b", Ok(vec!["b".to_owned()])),
            ("", "/", Ok(vec![])),
            ("/a", "/b", Err("has several readings")),
            ("/a", "/a/b", Err("has several readings")),
            ("/a", "//a", Err("has an empty segment")),
        ] {
            assert_eq!(one_reading(written, parsed), expected, "{written} and {parsed}");
        }
    }
}
