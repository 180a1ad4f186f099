//! The one form of a host: what a rule and a URL are compared by.
//!
//! Domains are in ASCII form, lowercase and without the dot that may end them. Addresses are parsed,
//! so `0x7f.1` is `127.0.0.1`; an IPv4 address in the clothes of an IPv6 one is the IPv4 address.

use std::net::Ipv6Addr;

use url::Host;

use super::InvalidNetRule;

/// The host of a URL in its one form.
pub(super) fn of_url(host: &Host<&str>) -> Result<Host, String> {
    match host {
        // Schemes that the parser does not know keep their host as it was written.
        Host::Domain(domain) => parse(domain),
        Host::Ipv4(address) => Ok(Host::Ipv4(*address)),
        Host::Ipv6(address) => Ok(from_ipv6(*address)),
    }
}

/// The host of a rule in its one form, or what should be written instead. An IPv6 address can stand
/// in brackets or without.
pub(super) fn of_rule(text: &str) -> Result<Host, InvalidNetRule> {
    if text.is_empty() {
        return Err(InvalidNetRule::EmptyHost);
    }
    if let Ok(address) = text.parse::<Ipv6Addr>() {
        return Ok(from_ipv6(address));
    }
    let parts = Parts::of(text);
    if let Some(part) = parts.surplus() {
        return Err(InvalidNetRule::MoreThanHost { part, instead: parts.as_fields() });
    }
    let host =
        parse(text).map_err(|reason| InvalidNetRule::Host { host: text.to_owned(), reason })?;
    // Looked for in the result, because a star can be encoded. The parser takes it for a letter, and
    // the rule would match nothing.
    if matches!(&host, Host::Domain(domain) if domain.contains('*')) {
        return Err(InvalidNetRule::Wildcard { host: text.to_owned() });
    }
    Ok(host)
}

fn parse(text: &str) -> Result<Host, String> {
    match Host::parse(text).map_err(|error| error.to_string())? {
        Host::Domain(domain) => {
            let domain = domain.strip_suffix('.').unwrap_or(&domain);
            if domain.split('.').any(str::is_empty) {
                return Err("a part of the domain is empty".to_owned());
            }
            Ok(Host::Domain(domain.to_owned()))
        }
        Host::Ipv4(address) => Ok(Host::Ipv4(address)),
        Host::Ipv6(address) => Ok(from_ipv6(address)),
    }
}

fn from_ipv6(address: Ipv6Addr) -> Host {
    address.to_ipv4_mapped().map_or(Host::Ipv6(address), Host::Ipv4)
}

/// What people write where a host belongs.
struct Parts<'a> {
    scheme: Option<&'a str>,
    userinfo: bool,
    host: &'a str,
    port: Option<&'a str>,
    path: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(text: &'a str) -> Self {
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme), rest),
            None => (None, text),
        };
        let (authority, path) = match rest.find(['/', '\\', '?', '#']) {
            Some(start) => (&rest[..start], Some(&rest[start..])),
            None => (rest, None),
        };
        let (userinfo, authority) = match authority.rsplit_once('@') {
            Some((_, authority)) => (true, authority),
            None => (false, authority),
        };
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if is_port(port) && !is_open(host) => (host, Some(port)),
            _ => (authority, None),
        };
        Self { scheme, userinfo, host, port, path }
    }

    fn surplus(&self) -> Option<&'static str> {
        if self.userinfo {
            Some("user name or password")
        } else if self.scheme.is_some() {
            Some("scheme")
        } else if self.path.is_some() {
            Some("path")
        } else if self.port.is_some() {
            Some("port")
        } else {
            None
        }
    }

    fn as_fields(&self) -> String {
        // A query is no part of a rule and can hold secrets.
        let path = self.path.and_then(|path| path.split(['?', '#']).next());
        let path = path.filter(|path| path.len() > 1);
        let fields = [
            Some(format!("`host = {:?}`", self.host)),
            self.scheme.map(|scheme| format!("`scheme = {scheme:?}`")),
            self.port.map(|port| format!("`port = {port}`")),
            path.map(|path| format!("`path_prefix = {path:?}`")),
        ];
        fields.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }
}

fn is_port(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether a bracket is still open, so that a colon after this belongs to the address.
fn is_open(host: &str) -> bool {
    host.starts_with('[') && !host.ends_with(']')
}
