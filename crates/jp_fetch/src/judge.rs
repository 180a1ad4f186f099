//! What the rules say about a hop, in three answers: yes, no, and that nobody has decided it.
//!
//! No rules at all means that nothing is decided. A policy without rules restricts nothing elsewhere;
//! a tool that asks the host has to be granted what it asks for.

use std::net::IpAddr;

use jp_route::{denies_address, rule_for_address, rule_for_host};
use jp_tool::access::{AccessPolicy, Decision, NetRule, NetTarget};

use crate::{Denied, DeniedReason};

/// An answer that is no yes.
#[derive(Debug)]
pub(crate) enum Refusal {
    Denied(Denied),
    /// Nobody has decided it; what would have to be said no to, and the rule that says yes.
    Uncovered(Denied, Box<NetRule>),
}

/// Judges a URL by what stands in it.
pub(crate) fn by_name(policy: &AccessPolicy, target: &NetTarget) -> Result<(), Refusal> {
    match policy.decide_net(target) {
        Decision::Allowed(_) => Ok(()),
        // Such a rule cannot match a path that has no one reading.
        Decision::Denied(rule) if rule.path_prefix.is_some() && target.segments().is_none() => {
            Err(Refusal::Denied(denied(policy, target, DeniedReason::SeveralReadings)))
        }
        Decision::Denied(_) => Err(Refusal::Denied(denied(policy, target, DeniedReason::Rule))),
        Decision::Uncovered => {
            let denied = denied(policy, target, DeniedReason::NoRule);
            Err(Refusal::Uncovered(denied, Box::new(rule_for_host(target))))
        }
    }
}

/// The addresses among those of a target that can be dialed. If there is none, the refusal of the
/// first.
pub(crate) fn by_address(
    policy: &AccessPolicy,
    target: &NetTarget,
    found: &[IpAddr],
) -> Result<Vec<IpAddr>, Refusal> {
    let may_dial = |address: &IpAddr| {
        // The policy takes no rules for no restriction.
        !policy.net.is_empty() && policy.check_address(target, *address).is_ok()
    };
    let allowed: Vec<IpAddr> = found.iter().copied().filter(may_dial).collect();
    match found.first() {
        Some(first) if allowed.is_empty() => Err(refusal_at(policy, target, first.to_canonical())),
        _ => Ok(allowed),
    }
}

/// The refusal of a redirect that would leave TLS with secrets at hand.
pub(crate) fn downgrade(policy: &AccessPolicy, target: &NetTarget) -> Denied {
    denied(policy, target, DeniedReason::Downgrade)
}

fn refusal_at(policy: &AccessPolicy, target: &NetTarget, address: IpAddr) -> Refusal {
    let denied = denied(policy, target, DeniedReason::Address(address));
    let rule = rule_for_address(target, address);
    let mut wider = policy.clone();
    wider.net.push(rule.clone());
    if !denies_address(policy, address) && wider.check_address(target, address).is_ok() {
        Refusal::Uncovered(denied, Box::new(rule))
    } else {
        Refusal::Denied(denied)
    }
}

fn denied(policy: &AccessPolicy, target: &NetTarget, reason: DeniedReason) -> Denied {
    let readable = policy.net.iter().filter(|rule| rule.allow).cloned().map(NetRule::normalized);
    let grants = readable.flatten().map(|rule| rule.to_string()).collect();
    Denied { url: target.to_string(), reason, grants }
}
