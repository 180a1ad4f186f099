//! Which rule would allow what the rules do not allow.
//!
//! A rule that a person adds must open what was asked for and no more of what somebody has closed. So
//! it names neither a scheme nor a path: with one of them it would rank as high as a rule for the
//! first part of a path, and standing after it, win.

use std::net::IpAddr;

use jp_tool::access::{AccessPolicy, NetRule, NetTarget};

use crate::literal;

/// The rule that allows the host of a target, at its port.
pub fn rule_for_host(target: &NetTarget) -> NetRule {
    NetRule { port: unusual_port(target), ..NetRule::new(target.host(), true) }
}

/// The rule that allows the address to which a target leads.
pub fn rule_for_address(target: &NetTarget, dialed: IpAddr) -> NetRule {
    let host = match dialed.to_canonical() {
        IpAddr::V4(address) => address.to_string(),
        IpAddr::V6(address) => format!("[{address}]"),
    };
    NetRule { port: unusual_port(target), ..NetRule::new(host, true) }
}

/// Whether a rule denies something at an address. Somebody who wrote that does not want to hear how
/// to get around it.
pub fn denies_address(policy: &AccessPolicy, dialed: IpAddr) -> bool {
    let dialed = Some(dialed.to_canonical());
    let mut denying = policy.net.iter().filter(|rule| !rule.allow);
    denying.any(|rule| rule.clone().normalized().is_ok_and(|rule| literal(&rule.host) == dialed))
}

/// The port, if a rule without one would not be about it.
fn unusual_port(target: &NetTarget) -> Option<u16> {
    target.url().port()
}
