//! What can be wrong with a rule for the network, and why a URL is refused.
//!
//! No text here repeats a user name, a password or a query: errors end up in logs and in what a
//! model reads.

use std::net::IpAddr;

/// Why a rule cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidNetRule {
    /// There is no host.
    #[error("the host of a rule is empty; write a domain or an address")]
    EmptyHost,
    /// The host contains a `*`.
    #[error("wildcards are not supported in a host: {host}; write one rule for each host")]
    Wildcard {
        /// The host as it was given.
        host: String,
    },
    /// The host is more than a host.
    #[error("the host of a rule contains a {part}; write {instead}")]
    MoreThanHost {
        /// What does not belong there.
        part: &'static str,
        /// The fields of the rule that was probably meant.
        instead: String,
    },
    /// The host is neither a domain nor an address.
    #[error("not a host: {host:?}: {reason}; write a domain or an address")]
    Host {
        /// The host as it was given.
        host: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The scheme is none.
    #[error("not a scheme: {scheme:?}; write `https` or `http`")]
    Scheme {
        /// The scheme as it was given.
        scheme: String,
    },
    /// The beginning of a path has several readings.
    #[error("path_prefix {path_prefix:?} {reason}; write the path in plain segments, like `/a/b`")]
    PathPrefix {
        /// The prefix as it was given.
        path_prefix: String,
        /// What is wrong with it.
        reason: &'static str,
    },
}

/// Why a URL may not be requested.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NetAccessError {
    /// The text is no URL with a host, or programs disagree about which host that is.
    #[error("not a usable URL: {url}: {reason}")]
    Invalid {
        /// The text without what could be secret.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The URL carries a user name or a password, the usual way to hide the real host.
    #[error("URLs with a user name or password are refused: {scheme}://{host}")]
    Userinfo {
        /// The scheme.
        scheme: String,
        /// The host as it is written after the user name.
        host: String,
        /// The port, if it is known.
        port: Option<u16>,
    },
    /// The path has several readings, and a rule for the host speaks about paths.
    #[error("access denied: {url}: the path {reason}, and a rule for {host} depends on the path")]
    Ambiguous {
        /// The host in normal form.
        host: String,
        /// The port, if it is known.
        port: Option<u16>,
        /// The URL without its query.
        url: String,
        /// What has several readings.
        reason: &'static str,
    },
    /// No rule grants it.
    #[error("access denied: {url} ({})", authority(host, *port))]
    Denied {
        /// The host in normal form.
        host: String,
        /// The port, if it is known.
        port: Option<u16>,
        /// The URL without its query.
        url: String,
        /// The rules that allow something, as [`NetRule`](super::NetRule) shows itself.
        grants: Vec<String>,
    },
    /// The host leads to an address that no rule names.
    #[error(
        "access denied: {} leads to {address}, which needs a rule of its own",
        authority(host, *port)
    )]
    Address {
        /// The host in normal form.
        host: String,
        /// The port, if it is known.
        port: Option<u16>,
        /// Where the host leads.
        address: IpAddr,
    },
}

impl NetAccessError {
    /// The host that was asked for, if the text got that far.
    pub fn host(&self) -> Option<&str> {
        match self {
            Self::Invalid { .. } => None,
            Self::Userinfo { host, .. }
            | Self::Ambiguous { host, .. }
            | Self::Denied { host, .. }
            | Self::Address { host, .. } => Some(host),
        }
    }

    /// The port that was asked for, if it is known.
    pub fn port(&self) -> Option<u16> {
        match self {
            Self::Invalid { .. } => None,
            Self::Userinfo { port, .. }
            | Self::Ambiguous { port, .. }
            | Self::Denied { port, .. }
            | Self::Address { port, .. } => *port,
        }
    }
}

fn authority(host: &str, port: Option<u16>) -> String {
    match port {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}
