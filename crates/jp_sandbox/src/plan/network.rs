//! Whom a process can talk to, and how far a proxy can keep the rules.
//!
//! A proxy sees the whole URL of a plain request. Of an encrypted one it sees the host and the port,
//! so it lets a connection pass only if every path there is allowed. A rule about a path of an https
//! host therefore either changes nothing, because the whole host is allowed, or closes the host.

use jp_tool::access::{AccessPolicy, NetRule, NetTarget};

use super::{Aspect, Fidelity, Profile, Request, Row, words};
use crate::confinement::{Network, Tier};

/// Whom a process can talk to.
pub(super) fn of(request: &Request<'_>) -> Network {
    let rules = request.policy.map_or(&[][..], |policy| &policy.net);
    match (request.profile, rules) {
        (Profile::Sealed { .. }, _) => Network::Sealed,
        (Profile::Strict, []) => Network::None,
        (_, []) => Network::Shared,
        (_, rules) if !allows_anything(rules) => Network::None,
        _ if request.tier == Tier::Landlock => Network::None,
        _ => Network::Proxy,
    }
}

/// A row for each rule.
pub(super) fn rows(policy: &AccessPolicy, network: Network) -> impl Iterator<Item = Row> {
    policy.net.iter().map(move |rule| {
        let (fidelity, reason) = match network {
            Network::Proxy => through_proxy(policy, rule),
            Network::None | Network::Sealed => without_network(policy, rule),
            Network::Shared => (Fidelity::Looser, words::NO_TIER),
        };
        Row { subject: rule.to_string(), aspect: Aspect::Net, fidelity, reason: reason.to_owned() }
    })
}

fn allows_anything(rules: &[NetRule]) -> bool {
    let is_readable = |rule: &NetRule| rule.clone().normalized().is_ok();
    let may_pass = |rule: &NetRule| rule.allow && is_readable(rule) && is_web(rule);
    rules.iter().any(may_pass) && !rules.iter().any(|rule| !rule.allow && !is_readable(rule))
}

fn without_network(policy: &AccessPolicy, rule: &NetRule) -> (Fidelity, &'static str) {
    let denies_all = |rule: &NetRule| !rule.allow && rule.clone().normalized().is_err();
    if rule.clone().normalized().is_err() {
        let reason = if rule.allow { words::DEAD_RULE } else { words::DENIES_ALL };
        (Fidelity::Exact, reason)
    } else if !rule.allow {
        (Fidelity::Exact, words::NO_NETWORK)
    } else if policy.net.iter().any(denies_all) {
        (Fidelity::Exact, words::DENIES_ALL)
    } else if is_web(rule) {
        (Fidelity::Stricter, words::NO_PROXY)
    } else {
        (Fidelity::Stricter, words::PROXY_SCHEME)
    }
}

fn through_proxy(policy: &AccessPolicy, rule: &NetRule) -> (Fidelity, &'static str) {
    let Ok(normal) = rule.clone().normalized() else {
        return (Fidelity::Exact, words::DEAD_RULE);
    };
    if !normal.allow {
        return (Fidelity::Exact, words::THROUGH_PROXY);
    }
    if !is_web(&normal) {
        return (Fidelity::Stricter, words::PROXY_SCHEME);
    }
    let is_encrypted = normal.scheme.as_deref() != Some("http");
    match (is_encrypted && !allows_whole_host(policy, &normal), &normal.scheme) {
        (false, _) => (Fidelity::Exact, words::THROUGH_PROXY),
        (true, None) => (Fidelity::Stricter, words::PROXY_PATHS),
        (true, Some(_)) => (Fidelity::Stricter, words::PROXY_HTTPS_PATHS),
    }
}

/// Whether every path of the https host of a rule is allowed.
fn allows_whole_host(policy: &AccessPolicy, rule: &NetRule) -> bool {
    let port = rule.port.unwrap_or(443);
    let closes_a_path = |other: &NetRule| {
        let Ok(other) = other.clone().normalized() else { return !other.allow };
        !other.allow
            && other.host == rule.host
            && other.path_prefix.is_some()
            && matches!(other.scheme.as_deref(), None | Some("https"))
            && other.port.unwrap_or(443) == port
    };
    let root = NetTarget::parse(&format!("https://{}:{port}/", rule.host));
    root.is_ok_and(|root| policy.decide_net(&root).is_allowed())
        && !policy.net.iter().any(closes_a_path)
}

fn is_web(rule: &NetRule) -> bool {
    let is_web =
        |scheme: &String| ["http", "https"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
    rule.scheme.as_ref().is_none_or(is_web)
}
