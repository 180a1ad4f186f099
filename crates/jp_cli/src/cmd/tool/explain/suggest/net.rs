//! What to write for a URL. The narrowest rule is not always the best: one that says more of scheme,
//! port and path also wins over more of the other rules. So the least of them is taken that allows
//! the target and overrules nobody, and where there is none, the note says whom it overrules.

use jp_tool::access::{AccessPolicy, Decision, NetRule, NetTarget};

use super::{Suggestion, toml};
use crate::cmd::tool::explain::subject::{Form, Subject};

/// Only this path and what is below it where something is said of the host; else the host.
pub(in super::super) fn net(subject: &Subject<'_>, target: &NetTarget) -> Option<Suggestion> {
    let policy = subject.policy();
    let allows = |rule: &NetRule| with(policy, rule).decide_net(target).is_allowed();
    let rules: Vec<NetRule> = candidates(policy, target).filter(|rule| allows(rule)).collect();
    let gentle = rules.iter().find(|rule| overruled(policy, rule, target).is_empty());
    Some(exactly(subject, target, gentle.or_else(|| rules.first())?))
}

/// This rule, which allows the target.
pub(crate) fn exactly(subject: &Subject<'_>, target: &NetTarget, rule: &NetRule) -> Suggestion {
    let policy = subject.policy();
    let is_first = policy.net.is_empty();
    let suggestion = match subject.form {
        Form::Access => Suggestion::add(subject, "access.net", is_first, vec![toml::net(rule)]),
        Form::Sandbox if fits_in_text(rule) => {
            let line = toml::text(&rule.to_string());
            Suggestion::add(subject, "sandbox.network.allow", is_first, vec![line])
        }
        Form::Sandbox => Suggestion::instead_of_sandbox(subject, &with(policy, rule)),
    };
    let suggestion = suggestion.note(coverage(rule)).note(refused(policy, rule));
    let others = overruled(policy, rule, target);
    others.into_iter().fold(suggestion, |it, other| {
        it.wider(true).note(format!(
            "Where both match, it decides instead of the rule `{other}`, which denies."
        ))
    })
}

fn with(policy: &AccessPolicy, rule: &NetRule) -> AccessPolicy {
    let net = policy.net.iter().cloned().chain([rule.clone()]).collect();
    AccessPolicy { net, ..policy.clone() }
}

/// Rules for the target in their canonical form, the ones that say least first.
fn candidates(policy: &AccessPolicy, target: &NetTarget) -> impl Iterator<Item = NetRule> {
    let is_known = policy.net.iter().any(|rule| rule.host == target.host());
    let path = Some(target.url().path().to_owned()).filter(|path| is_known && path != "/");
    let host = NetRule::new(target.host(), true);
    let (scheme, port) = (Some(target.scheme().to_owned()), target.port());
    let paths = if path.is_some() { vec![path, None] } else { vec![None] };
    let details = [(None, None), (scheme.clone(), None), (None, port), (scheme, port)];
    let rules = paths.into_iter().flat_map(move |path_prefix| {
        let host = host.clone();
        details.clone().map(|(scheme, port)| NetRule {
            scheme,
            port,
            path_prefix: path_prefix.clone(),
            ..host.clone()
        })
    });
    rules.filter_map(|rule| rule.normalized().ok())
}

/// Rules that deny and that this one would win over somewhere else than at the target's own rule.
fn overruled<'a>(policy: &'a AccessPolicy, rule: &NetRule, target: &NetTarget) -> Vec<&'a NetRule> {
    let own = match policy.decide_net(target) {
        Decision::Denied(own) => Some(own),
        _ => None,
    };
    let is_own = |other: &NetRule| own.is_some_and(|own| std::ptr::eq(own, other));
    let loses = |other: &&NetRule| {
        !other.allow
            && !is_own(other)
            && other.host == rule.host
            && other.specificity() <= rule.specificity()
            && do_schemes_meet(other, rule)
            && do_ports_meet(other, rule)
            && do_paths_meet(other.path_prefix.as_deref(), rule.path_prefix.as_deref())
    };
    policy.net.iter().filter(loses).collect()
}

fn do_schemes_meet(a: &NetRule, b: &NetRule) -> bool {
    a.scheme.is_none() || b.scheme.is_none() || a.scheme == b.scheme
}

/// A rule without a port is for the default ports, which are known for the web only; where they are
/// not, the two might meet.
fn do_ports_meet(a: &NetRule, b: &NetRule) -> bool {
    let is_web =
        |rule: &NetRule| rule.scheme.as_deref().is_none_or(|it| matches!(it, "http" | "https"));
    match (a.port, b.port) {
        (None, Some(port)) | (Some(port), None) if is_web(a) && is_web(b) => {
            matches!(port, 80 | 443)
        }
        (Some(a), Some(b)) => a == b,
        _ => true,
    }
}

/// Whether one of two prefixes begins with the other, segment by segment.
fn do_paths_meet(a: Option<&str>, b: Option<&str>) -> bool {
    let segments = |path: Option<&'_ str>| -> Vec<String> {
        let segments = path.unwrap_or_default().split('/').filter(|it| !it.is_empty());
        segments.map(str::to_owned).collect()
    };
    segments(a).iter().zip(&segments(b)).all(|(a, b)| a == b)
}

fn coverage(rule: &NetRule) -> String {
    let host = match rule.port {
        Some(port) => format!("{}:{port}", rule.host),
        None => rule.host.clone(),
    };
    let paths = match &rule.path_prefix {
        Some(path) => format!("`{path}` of {host} and everything below it"),
        None => format!("every path of {host}"),
    };
    let scheme = rule.scheme.as_deref().unwrap_or("http and https");
    format!("It covers {paths}, over {scheme}.")
}

/// The first rule with a path makes paths with two readings a reason to refuse.
fn refused(policy: &AccessPolicy, rule: &NetRule) -> Option<String> {
    let speaks_of_paths = |it: &NetRule| it.host == rule.host && it.path_prefix.is_some();
    let is_new = rule.path_prefix.is_some() && !policy.net.iter().any(speaks_of_paths);
    is_new.then(|| {
        format!("From then on, URLs of {} whose path has two readings are refused.", rule.host)
    })
}

/// Whether the short form, one string, can be taken apart into this rule again.
fn fits_in_text(rule: &NetRule) -> bool {
    rule.scheme.is_some() || !rule.path_prefix.as_ref().is_some_and(|path| path.contains("://"))
}
