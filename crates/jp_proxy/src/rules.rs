//! What the rules of a tool say about a request or a tunnel, and what would have to be added.
//!
//! The result is a [`Granted`], the only thing that can be dialed; it cannot be made in another
//! way. For a tunnel it also knows in which of the two schemes the connection may speak. A rule for
//! `https` is no permission to send plain text to the same port, and port 443 of a rule without a
//! port is no permission for `http` there.

use std::net::IpAddr;

use jp_route::{denies_address, rule_for_address, rule_for_host};
use jp_tool::access::{Decision, NetRule, NetTarget};

use crate::{
    Denied, Reason,
    judge::{Judge, Scope},
};

/// The `access.net` rules of one tool. An empty list allows nothing.
#[derive(Debug)]
pub struct Rules {
    judge: Judge,
    table: String,
}

/// What the rules let pass.
#[derive(Debug, Clone)]
pub(crate) struct Granted {
    target: NetTarget,
    /// The same in the other scheme, for a tunnel in which both are allowed.
    other: Option<NetTarget>,
    scope: Scope,
}

/// What may be sent through a tunnel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Speech {
    Tls,
    Plain,
    Any,
}

impl Rules {
    /// Rules, and the name of the list that they stand in, for messages: something like
    /// `conversation.tools.fetch.access.net`.
    pub fn new(net: Vec<NetRule>, table: impl Into<String>) -> Self {
        Self { judge: Judge::new(net), table: table.into() }
    }

    /// The name of the list that the rules stand in.
    pub(crate) fn table(&self) -> &str {
        &self.table
    }

    /// Judges a URL.
    pub(crate) fn request(&self, url: &str) -> Result<Granted, Denied> {
        let target = NetTarget::parse(url).map_err(Denied::unusable)?;
        if self.judge.allows(&target, Scope::OnePath) {
            return Ok(Granted { target, other: None, scope: Scope::OnePath });
        }
        Err(self.refusal(&target, Scope::OnePath))
    }

    /// Judges a tunnel to a port of a host.
    pub(crate) fn tunnel(&self, host: &str, port: u16) -> Result<Granted, Denied> {
        // The scheme that is named if nothing is allowed.
        let schemes = if port == 80 { ["http", "https"] } else { ["https", "http"] };
        let parse = |scheme| NetTarget::parse(&format!("{scheme}://{host}:{port}/"));
        let [likely, other] = schemes.map(parse);
        let likely = likely.map_err(Denied::unusable)?;
        let other = other.map_err(Denied::unusable)?;
        let allowed = |target: &&NetTarget| self.judge.allows(target, Scope::EveryPath);
        Granted::of([&likely, &other].into_iter().filter(allowed), Scope::EveryPath)
            .ok_or_else(|| self.refusal(&likely, Scope::EveryPath))
    }

    /// What is left of a grant at the address that its name leads to.
    pub(crate) fn at(&self, granted: &Granted, dialed: IpAddr) -> Result<Granted, Denied> {
        let allowed = |target: &&NetTarget| self.judge.allows_at(target, granted.scope, dialed);
        let targets = [&granted.target].into_iter().chain(&granted.other);
        Granted::of(targets.filter(allowed), granted.scope)
            .ok_or_else(|| self.refusal_at(granted.target(), granted.scope, dialed))
    }

    /// The refusal of what was sent through a tunnel that allows something else.
    pub(crate) fn wrong_speech(&self, granted: &Granted, reason: Reason) -> Denied {
        let target = granted.target();
        let rule = NetRule { port: target.port(), ..NetRule::new(target.host(), true) };
        let more = self.judge.with(rule.clone());
        let other = if target.scheme() == "https" { "http" } else { "https" };
        let other = format!("{other}://{}:{}/", target.host(), granted.port());
        let helps = NetTarget::parse(&other).is_ok_and(|it| more.allows(&it, Scope::EveryPath));
        Denied::new(target, reason, helps.then_some(rule))
    }

    fn refusal(&self, target: &NetTarget, scope: Scope) -> Denied {
        let reason = match self.judge.policy().decide_net(target) {
            // By its own path it would pass, so that another path is the reason.
            Decision::Allowed(_) => Reason::HiddenPaths,
            // Such a rule cannot match a path that has no one reading.
            Decision::Denied(rule) if rule.path_prefix.is_some() && target.segments().is_none() => {
                Reason::SeveralReadings
            }
            Decision::Denied(rule) => Reason::Rule(rule.to_string()),
            Decision::Uncovered if self.speaks_of_paths(target, scope) => Reason::HiddenPaths,
            Decision::Uncovered => Reason::NoRule,
        };
        let rule = rule_for_host(target);
        // Somebody who denies a thing by a rule does not want to hear how to get around it.
        let helps = !matches!(reason, Reason::Rule(_))
            && self.judge.with(rule.clone()).allows(target, scope);
        Denied::new(target, reason, helps.then_some(rule))
    }

    fn refusal_at(&self, target: &NetTarget, scope: Scope, dialed: IpAddr) -> Denied {
        let dialed = dialed.to_canonical();
        let rule = rule_for_address(target, dialed);
        let helps = !denies_address(self.judge.policy(), dialed)
            && self.judge.with(rule.clone()).allows_at(target, scope, dialed);
        Denied::new(target, Reason::Address(dialed), helps.then_some(rule))
    }

    /// Whether a tunnel is refused although some paths of the host are allowed.
    fn speaks_of_paths(&self, target: &NetTarget, scope: Scope) -> bool {
        scope == Scope::EveryPath
            && self.judge.policy().net.iter().any(|rule| {
                let everywhere = NetRule { path_prefix: None, ..rule.clone() };
                rule.allow && Judge::new(vec![everywhere]).allows(target, Scope::OnePath)
            })
    }
}

impl Granted {
    /// The targets that are allowed, in one scheme or in both; `None` if there is none.
    fn of<'a>(mut allowed: impl Iterator<Item = &'a NetTarget>, scope: Scope) -> Option<Self> {
        let target = allowed.next()?.clone();
        Some(Self { target, other: allowed.next().cloned(), scope })
    }

    /// What was asked for, in the form in which it was judged.
    pub(crate) fn target(&self) -> &NetTarget {
        &self.target
    }

    /// The port to dial.
    pub(crate) fn port(&self) -> u16 {
        // Both schemes have a default. Nothing answers at port 0.
        self.target().port().unwrap_or_default()
    }

    /// What may be sent through a tunnel.
    pub(crate) fn speech(&self) -> Speech {
        match (&self.other, self.target.scheme()) {
            (Some(_), _) => Speech::Any,
            (None, "https") => Speech::Tls,
            (None, _) => Speech::Plain,
        }
    }
}

#[cfg(test)]
mod tests;
