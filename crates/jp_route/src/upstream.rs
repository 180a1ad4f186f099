//! The proxy that the machine itself has to use, if there is one.
//!
//! In many offices the only way out is a proxy, named in `HTTP_PROXY` and its sisters. The caller
//! reads these variables; here they are taken apart. What goes through such a proxy is judged by
//! its name, or by its address if that is what was asked for, but which address a name leads to is
//! then decided over there and cannot be judged here. `localhost` and loopback addresses mean this
//! machine and never go through it.

use std::{ffi::OsString, net::IpAddr};

use hyper::header::HeaderValue;
use jp_tool::access::NetTarget;
use url::{Host, Url};

use crate::literal;

/// Which proxy to use for what.
#[derive(Debug, Clone, Default)]
pub struct Upstream {
    http: Option<Via>,
    https: Option<Via>,
    direct: Vec<Direct>,
}

/// Why the address of a proxy cannot be used. The text repeats nothing of it but the scheme, since
/// such addresses carry passwords.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidUpstream {
    /// It is no address with a host.
    #[error("the address of the proxy is not written as http://host:port")]
    Unreadable,
    /// It speaks something else.
    #[error("proxies that speak {scheme} are not supported; use one that speaks http")]
    Scheme {
        /// What it speaks.
        scheme: String,
    },
}

/// One proxy.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Via {
    /// Its host; an IPv6 address is in brackets.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The value of `Proxy-Authorization`, if it wants one. Marked as a secret, so that it is not
    /// printed.
    pub authorization: Option<HeaderValue>,
}

/// What is dialed without a proxy.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Direct {
    Everything,
    /// A domain and what is below it, at one port or at all.
    Domain(String, Option<u16>),
    Address(IpAddr, Option<u16>),
    /// Addresses that share the first bits.
    Network(IpAddr, u32),
}

impl Upstream {
    /// Reads the values of `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY`. Entries of the last that
    /// nobody can read are left out.
    pub fn new(
        http: Option<&str>,
        https: Option<&str>,
        no_proxy: Option<&str>,
    ) -> Result<Self, InvalidUpstream> {
        let via = |text: Option<&str>| text.filter(|it| !it.trim().is_empty()).map(Via::parse);
        Ok(Self {
            http: via(http).transpose()?,
            https: via(https).transpose()?,
            direct: no_proxy.unwrap_or_default().split(',').filter_map(Direct::parse).collect(),
        })
    }

    /// Reads the same from a list of variables. Programs differ in how they spell them; where both
    /// spellings are set most take the small letters.
    pub fn of_variables(variables: &[(OsString, OsString)]) -> Result<Self, InvalidUpstream> {
        let value = |names: [&str; 2]| {
            let named = |name| variables.iter().find(move |(known, _)| known == name);
            // What is no text is no address either, and is refused as such.
            names.into_iter().find_map(named).map(|(_, value)| value.to_string_lossy())
        };
        Self::new(
            value(["http_proxy", "HTTP_PROXY"]).as_deref(),
            value(["https_proxy", "HTTPS_PROXY"]).as_deref(),
            value(["no_proxy", "NO_PROXY"]).as_deref(),
        )
    }

    /// The proxy to use for a target; `None` if it is dialed from here.
    pub fn via(&self, target: &NetTarget) -> Option<&Via> {
        let via = if target.scheme() == "https" { &self.https } else { &self.http };
        let host = target.host();
        let here = host == "localhost"
            || host.ends_with(".localhost")
            || literal(&host).is_some_and(|address| address.is_loopback());
        let direct = || self.direct.iter().any(|it| it.matches(&host, target.port()));
        via.as_ref().filter(|_| !here && !direct())
    }
}

impl Via {
    fn parse(text: &str) -> Result<Self, InvalidUpstream> {
        let text = text.trim();
        // Without a scheme is how most people write it.
        let url = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
        let url = Url::parse(&url).map_err(|_| InvalidUpstream::Unreadable)?;
        if url.scheme() != "http" {
            return Err(InvalidUpstream::Scheme { scheme: url.scheme().to_owned() });
        }
        let host = url.host_str().ok_or(InvalidUpstream::Unreadable)?.to_owned();
        let port = url.port_or_known_default().ok_or(InvalidUpstream::Unreadable)?;
        Ok(Self { host, port, authorization: authorization(&url)? })
    }
}

impl Direct {
    fn parse(entry: &str) -> Option<Self> {
        let entry = entry.trim();
        if entry == "*" {
            return Some(Self::Everything);
        }
        if let Some((network, bits)) = entry.split_once('/') {
            return Some(Self::Network(network.parse().ok()?, bits.parse().ok()?));
        }
        if let Ok(address) = entry.parse::<IpAddr>() {
            return Some(Self::Address(address.to_canonical(), None));
        }
        let entry = entry.trim_start_matches('*').trim_start_matches('.');
        let (host, port) = match entry.rsplit_once(':') {
            Some((host, port)) if !entry.ends_with(']') => (host, Some(port.parse().ok()?)),
            _ => (entry, None),
        };
        match Host::parse(host).ok()? {
            Host::Domain(domain) => {
                Some(Self::Domain(domain.trim_end_matches('.').to_owned(), port))
            }
            Host::Ipv4(address) => Some(Self::Address(address.into(), port)),
            Host::Ipv6(address) => Some(Self::Address(IpAddr::V6(address).to_canonical(), port)),
        }
    }

    fn matches(&self, host: &str, port: Option<u16>) -> bool {
        let at = |wanted: &Option<u16>| wanted.is_none() || *wanted == port;
        match self {
            Self::Everything => true,
            Self::Domain(domain, wanted) => {
                let below = host.strip_suffix(domain.as_str());
                below.is_some_and(|rest| rest.is_empty() || rest.ends_with('.')) && at(wanted)
            }
            Self::Address(address, wanted) => literal(host) == Some(*address) && at(wanted),
            Self::Network(network, bits) => {
                literal(host).is_some_and(|address| shares_bits(*network, address, *bits))
            }
        }
    }
}

fn shares_bits(network: IpAddr, address: IpAddr, bits: u32) -> bool {
    match (network, address) {
        (IpAddr::V4(network), IpAddr::V4(address)) => {
            let mask = u32::MAX.checked_shl(32_u32.saturating_sub(bits)).unwrap_or(0);
            network.to_bits() & mask == address.to_bits() & mask
        }
        (IpAddr::V6(network), IpAddr::V6(address)) => {
            let mask = u128::MAX.checked_shl(128_u32.saturating_sub(bits)).unwrap_or(0);
            network.to_bits() & mask == address.to_bits() & mask
        }
        _ => false,
    }
}

/// The user name and the password of a proxy in the form in which they are sent.
fn authorization(url: &Url) -> Result<Option<HeaderValue>, InvalidUpstream> {
    if url.username().is_empty() && url.password().is_none() {
        return Ok(None);
    }
    let user = decoded(url.username());
    let password = decoded(url.password().unwrap_or_default());
    let both = [user.as_slice(), b":", password.as_slice()].concat();
    let encoded = base64_simd::STANDARD.encode_to_string(both);
    let mut value = HeaderValue::try_from(format!("Basic {encoded}"))
        .map_err(|_| InvalidUpstream::Unreadable)?;
    value.set_sensitive(true);
    Ok(Some(value))
}

/// The bytes behind percent signs; a percent sign without two digits means itself.
fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let escape = if *first == b'%' { escaped(after) } else { None };
        bytes.push(escape.unwrap_or(*first));
        rest = if escape.is_some() { &after[2..] } else { after };
    }
    bytes
}

fn escaped(after: &[u8]) -> Option<u8> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let [high, low, ..] = after else { return None };
    Some(digit(high)? << 4 | digit(low)?)
}

#[cfg(test)]
mod tests;
