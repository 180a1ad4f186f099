//! Rules for the network: a host, and optionally a scheme, a port and the beginning of a path.
//!
//! A rule is compared with a URL that was taken apart, never with its text: `api.github.com` as text
//! is also the beginning of `api.github.com.evil.com` and of `api.github.com@evil.com`. Hosts are
//! equal when they are the same address or the same domain in ASCII form. Paths are compared segment
//! by segment and case counts, so `/admin` says nothing about `/administration` or `/ADMIN`.
//!
//! The danger is a path that the server reads in another way than we do: `/%61dmin` is `/admin` for
//! most servers. So where a rule for a host speaks about paths, a path with only one reading is
//! compared in that reading, and a path with several is refused; see [`path`]. The other danger is a
//! name that leads to a private address. [`AccessPolicy::check_address`] is for the client, which
//! has to ask it again about the address it dials.
//!
//! A rule that nobody can read is refused by [`NetRule::normalized`] when configuration is loaded.
//! Over the wire it can still arrive: there it never allows anything, and one that was meant to deny
//! denies everything, because what it was meant for is not known.

mod address;
mod error;
mod host;
mod path;
mod target;

use std::{
    fmt,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
};

use serde::{Deserialize, Serialize};
use url::Host;

use self::address::Carried;
pub use self::{
    address::is_public,
    error::{InvalidNetRule, NetAccessError},
    target::NetTarget,
};
use super::{AccessPolicy, Decision, NetSpecificity};

/// One rule: which URLs, and whether they may be requested.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NetRule {
    /// A domain or an address; nothing below it and no wildcard.
    pub host: String,
    /// A scheme. Without one the rule is about `http` and `https`. Any other can be named, but the
    /// host's own client speaks these two only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scheme: Option<String>,
    /// A port. Without one the rule is about the default port of the scheme.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub port: Option<u16>,
    /// The segments with which a path begins. Without them the rule is about every path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path_prefix: Option<String>,
    /// Whether these URLs may be requested. A rule that does not say so denies them.
    #[serde(default)]
    pub allow: bool,
}

impl NetRule {
    /// A rule for every path of a host at the default ports of `http` and `https`.
    pub fn new(host: impl Into<String>, allow: bool) -> Self {
        Self { host: host.into(), scheme: None, port: None, path_prefix: None, allow }
    }

    /// The same rule in the one form that all readers agree on, or why it has none.
    pub fn normalized(self) -> Result<Self, InvalidNetRule> {
        let pattern = Pattern::of(&self)?;
        Ok(Self {
            host: pattern.host.to_string(),
            scheme: pattern.scheme,
            port: self.port,
            path_prefix: pattern.prefix.map(|segments| path::to_text(&segments)),
            allow: self.allow,
        })
    }

    /// Whether the rule speaks about a target. One that nobody can read speaks about all if it
    /// denies, and about none if it allows.
    pub fn matches(&self, target: &NetTarget) -> bool {
        match Pattern::of(self) {
            Ok(pattern) => pattern.matches(target),
            Err(_) => !self.allow,
        }
    }

    /// How specific the rule is among those that match a target.
    pub fn specificity(&self) -> NetSpecificity {
        Pattern::of(self).map_or(NetSpecificity::Unreadable, |pattern| pattern.specificity())
    }

    /// The same for a target that the rule matches.
    fn rank(&self, target: &NetTarget) -> Option<NetSpecificity> {
        match Pattern::of(self) {
            Ok(pattern) => pattern.matches(target).then(|| pattern.specificity()),
            Err(_) => (!self.allow).then_some(NetSpecificity::Unreadable),
        }
    }
}

/// As a URL without what the rule leaves open: `https://api.github.com:8443/repos`.
impl fmt::Display for NetRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(scheme) = &self.scheme {
            write!(f, "{scheme}://")?;
        }
        // An address may stand in a rule without brackets, but not before a port.
        match self.host.parse::<Ipv6Addr>() {
            Ok(_) => write!(f, "[{}]", self.host)?,
            Err(_) => f.write_str(&self.host)?,
        }
        if let Some(port) = self.port {
            write!(f, ":{port}")?;
        }
        f.write_str(self.path_prefix.as_deref().unwrap_or_default())
    }
}

/// A rule, taken apart.
struct Pattern {
    host: Host,
    scheme: Option<String>,
    port: Option<u16>,
    prefix: Option<Vec<String>>,
    allow: bool,
}

impl Pattern {
    fn of(rule: &NetRule) -> Result<Self, InvalidNetRule> {
        Ok(Self {
            host: host::of_rule(&rule.host)?,
            scheme: rule.scheme.as_deref().map(scheme_of_rule).transpose()?,
            port: rule.port,
            prefix: rule.path_prefix.as_deref().map(prefix_of_rule).transpose()?,
            allow: rule.allow,
        })
    }

    fn matches(&self, target: &NetTarget) -> bool {
        self.host == target.host
            && match &self.scheme {
                Some(scheme) => scheme == target.scheme(),
                None => matches!(target.scheme(), "http" | "https"),
            }
            && self.matches_port(target)
            && match (&self.prefix, &target.path) {
                (None, _) => true,
                (Some(prefix), Ok(segments)) => segments.starts_with(prefix),
                (Some(_), Err(_)) => false,
            }
    }

    /// A rule without a port is about the default port of the scheme. For a scheme whose default is
    /// not known here, nobody can say whether `gopher://a.com` and `gopher://a.com:70` are the same
    /// place. Where that is the question, a rule that denies matches and one that allows does not:
    /// otherwise a deny could be avoided by writing the port, or by leaving it out.
    fn matches_port(&self, target: &NetTarget) -> bool {
        match (self.port, target.port()) {
            (Some(port), Some(asked)) => port == asked,
            (None, Some(_)) if target.knows_default_port() => target.has_default_port(),
            (None, Some(_)) | (Some(_), None) => !self.allow,
            (None, None) => true,
        }
    }

    fn specificity(&self) -> NetSpecificity {
        let segments = self.prefix.as_ref().map_or(0, Vec::len);
        let (scheme, port) = (self.scheme.is_some(), self.port.is_some());
        NetSpecificity::Parts(usize::from(scheme) + usize::from(port) + segments)
    }
}

fn scheme_of_rule(scheme: &str) -> Result<String, InvalidNetRule> {
    if target::is_scheme(scheme) {
        Ok(scheme.to_ascii_lowercase())
    } else {
        Err(InvalidNetRule::Scheme { scheme: scheme.to_owned() })
    }
}

fn prefix_of_rule(prefix: &str) -> Result<Vec<String>, InvalidNetRule> {
    path::of_prefix(prefix)
        .map_err(|reason| InvalidNetRule::PathPrefix { path_prefix: prefix.to_owned(), reason })
}

impl AccessPolicy {
    /// What the rules say about a URL. Without any rules that is
    /// [`Uncovered`](Decision::Uncovered); [`check_net`](Self::check_net) knows what that means.
    ///
    /// A path with several readings is denied by a rule for the host that speaks about paths, also
    /// if that rule allows what it matches: nobody can say whether it does.
    pub fn decide_net(&self, target: &NetTarget) -> Decision<'_, NetRule> {
        if let Some((rule, _)) = self.ambiguity(target) {
            return Decision::Denied(rule);
        }
        // Of several that are equally specific this takes the last.
        let winner = self
            .net
            .iter()
            .filter_map(|rule| Some((rule.rank(target)?, rule)))
            .max_by_key(|(specificity, _)| *specificity)
            .map(|(_, rule)| rule);
        Decision::of(winner, |rule| rule.allow)
    }

    /// Checks that a URL may be requested, and returns what to request: the URL as it was judged. A
    /// policy without rules for the network restricts none, but what is no proper URL is refused.
    pub fn check_net(&self, url: &str) -> Result<NetTarget, NetAccessError> {
        let target = NetTarget::parse(url)?;
        if self.net.is_empty() || self.decide_net(&target).is_allowed() {
            return Ok(target);
        }
        let (host, port) = (target.host(), target.port());
        if let Some((_, reason)) = self.ambiguity(&target) {
            return Err(NetAccessError::Ambiguous { host, port, url: target.shown(), reason });
        }
        Err(NetAccessError::Denied { host, port, url: target.shown(), grants: self.net_grants() })
    }

    /// Checks that an address may be dialed for a target that [`check_net`](Self::check_net) let
    /// pass.
    ///
    /// Private, loopback, link-local, metadata and other addresses that are not of the open internet
    /// need a rule that would allow the same URL with the address for a host, or with `localhost` if
    /// the address is a loopback one.
    ///
    /// A rule that denies the address denies it under every name, with every scheme and at every port
    /// that it does not name. In a URL what is left out means the usual scheme and port, and anything
    /// else is not covered and so denied. Here what is not covered is let pass when it is public, so
    /// reading the rule the same way would open every other port of an address that was denied.
    ///
    /// An IPv6 address that carries an IPv4 address is judged by that one too.
    pub fn check_address(&self, target: &NetTarget, dialed: IpAddr) -> Result<(), NetAccessError> {
        if self.net.is_empty() || self.allows_address(target, dialed.to_canonical()) {
            return Ok(());
        }
        Err(NetAccessError::Address {
            host: target.host(),
            port: target.port(),
            address: dialed.to_canonical(),
        })
    }

    fn allows_address(&self, target: &NetTarget, dialed: IpAddr) -> bool {
        let carried = Carried::by(dialed);
        let names = |address: Ipv4Addr| self.names_address(target, address.into());
        if carried.addresses().any(|address| names(address) == Some(false)) {
            return false;
        }
        if let Some(allowed) = self.names_address(target, dialed) {
            return allowed;
        }
        let by_name = target.clone().with_host(Host::Domain("localhost".to_owned()));
        let is_local = dialed.is_loopback() && self.decide_net(&by_name).is_allowed();
        // A rule for a gateway says nothing about what is behind it.
        let is_granted =
            matches!(carried, Carried::Destination(address) if names(address) == Some(true));
        is_local || is_granted || is_public(dialed)
    }

    /// What rules that name an address say about dialing it for a target; `None` if there are none.
    fn names_address(&self, target: &NetTarget, address: IpAddr) -> Option<bool> {
        let target = target.clone().with_host(match address {
            IpAddr::V4(address) => Host::Ipv4(address),
            IpAddr::V6(address) => Host::Ipv6(address),
        });
        match self.decide_net(&target) {
            Decision::Allowed(_) => Some(true),
            Decision::Denied(_) => Some(false),
            Decision::Uncovered => {
                // What a rule leaves out it does not limit.
                let denies = |rule: &NetRule| {
                    let port = rule.port.or(target.port());
                    let scheme = rule.scheme.clone().or_else(|| Some(target.scheme().to_owned()));
                    NetRule { scheme, port, ..rule.clone() }.matches(&target)
                };
                let mut denying = self.net.iter().filter(|rule| !rule.allow);
                denying.any(denies).then_some(false)
            }
        }
    }

    /// The rule that makes a path with several readings a reason to refuse, and that reason.
    fn ambiguity(&self, target: &NetTarget) -> Option<(&NetRule, &'static str)> {
        let reason = *target.path.as_ref().err()?;
        let speaks_of_paths = |rule: &&NetRule| {
            rule.path_prefix.is_some()
                && host::of_rule(&rule.host).is_ok_and(|host| host == target.host)
        };
        self.net.iter().rfind(speaks_of_paths).map(|rule| (rule, reason))
    }

    fn net_grants(&self) -> Vec<String> {
        let readable = self.net.iter().filter(|rule| rule.allow).cloned().map(NetRule::normalized);
        readable.flatten().map(|rule| rule.to_string()).collect()
    }
}

#[cfg(test)]
mod tests;
