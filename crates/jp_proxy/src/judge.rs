//! The two questions that the proxy asks the rules, for one path or for every path of a host.
//!
//! Inside a tunnel the paths are hidden. A tunnel is therefore allowed only if every path is: else
//! a rule that denies `/admin`, or one that allows nothing but `/public`, would be kept by nobody.
//! It is not necessary to try all paths. Which rule decides can only change where the `path_prefix`
//! of some rule begins, so asking about `/` and about each prefix is asking about every path. A
//! path with several readings needs no question of its own: each of its readings is one of those
//! paths.
//!
//! Without any rules nothing is allowed here. A tool that declares none has no proxy either.

use std::net::IpAddr;

use jp_route::literal;
use jp_tool::access::{AccessPolicy, NetRule, NetTarget};

/// How much of a host is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The path of the target.
    OnePath,
    /// Whatever path will be asked for in a tunnel.
    EveryPath,
}

/// The rules, prepared for both questions.
#[derive(Debug, Clone)]
pub(crate) struct Judge {
    policy: AccessPolicy,
    prefixes: Vec<Prefix>,
}

/// A rule that speaks about paths. Rules that nobody can read are not among these: the policy lets
/// them deny everything or allow nothing, whatever the path.
#[derive(Debug, Clone)]
struct Prefix {
    host: String,
    is_address: bool,
    path: String,
}

impl Judge {
    pub(crate) fn new(net: Vec<NetRule>) -> Self {
        let prefixes = net.iter().filter_map(Prefix::of).collect();
        Self { policy: AccessPolicy { net, ..AccessPolicy::default() }, prefixes }
    }

    /// What would be said if there were one more rule, after the others.
    pub(crate) fn with(&self, rule: NetRule) -> Self {
        let mut net = self.policy.net.clone();
        net.push(rule);
        Self::new(net)
    }

    pub(crate) fn policy(&self) -> &AccessPolicy {
        &self.policy
    }

    /// Whether the rules allow a target by its name.
    pub(crate) fn allows(&self, target: &NetTarget, scope: Scope) -> bool {
        let host = target.host();
        self.holds(
            target,
            scope,
            |prefix| prefix.host == host,
            |witness| self.policy.decide_net(witness).is_allowed(),
        )
    }

    /// Whether a target that was allowed by its name can be dialed at an address.
    pub(crate) fn allows_at(&self, target: &NetTarget, scope: Scope, dialed: IpAddr) -> bool {
        // The policy takes no rules for no restriction.
        if self.policy.net.is_empty() {
            return false;
        }
        // An address can carry another one that the policy looks at, so all that are named count.
        let speaks = |prefix: &Prefix| prefix.is_address || prefix.host == "localhost";
        self.holds(target, scope, speaks, |witness| {
            self.policy.check_address(witness, dialed).is_ok()
        })
    }

    fn holds(
        &self,
        target: &NetTarget,
        scope: Scope,
        speaks: impl Fn(&Prefix) -> bool,
        allowed: impl Fn(&NetTarget) -> bool,
    ) -> bool {
        let prefixes = match scope {
            Scope::OnePath => &[][..],
            Scope::EveryPath => &self.prefixes[..],
        };
        allowed(target)
            && prefixes.iter().filter(|prefix| speaks(prefix)).all(|prefix| {
                let mut url = target.url().clone();
                url.set_path(&prefix.path);
                // A path that cannot be asked about is one that cannot be allowed.
                NetTarget::parse(url.as_str()).is_ok_and(|witness| allowed(&witness))
            })
    }
}

impl Prefix {
    fn of(rule: &NetRule) -> Option<Self> {
        let rule = rule.clone().normalized().ok()?;
        let is_address = literal(&rule.host).is_some();
        Some(Self { is_address, path: rule.path_prefix?, host: rule.host })
    }
}

#[cfg(test)]
mod tests;
