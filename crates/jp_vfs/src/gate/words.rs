//! What is granted, in words, so that a refusal says what would have been possible.

use camino::Utf8Path;
use jp_tool::{
    access::{
        AccessPolicy, Capability, CommandRule, Commands, Decision, FsRule, NetRule, NetTarget,
    },
    vfs::ProcessRun,
};

/// So many rules are named; more would hide the message.
pub(super) const MOST: usize = 10;

/// What the rules grant for files.
pub(super) fn files(policy: &AccessPolicy) -> String {
    let granting = policy.fs.iter().filter(|rule| grants(rule).next().is_some());
    listed(granting.map(rule))
}

/// Where requests can be sent.
pub(crate) fn network(policy: &AccessPolicy) -> String {
    listed(policy.net.iter().filter(|rule| rule.allow).map(|rule| format!("request {rule}")))
}

/// Which programs can be started.
pub(super) fn programs(commands: Option<&Commands>) -> String {
    listed(
        commands.into_iter().flat_map(|commands| commands.keys()).map(|name| format!("run {name}")),
    )
}

/// Which arguments a program can be given.
pub(super) fn arguments(rule: &CommandRule) -> String {
    listed(rule.args.iter().flatten().map(|list| format!("{list:?}")))
}

/// The rule that decides about a path as it is written.
pub(super) fn rule_for(policy: &AccessPolicy, path: &str, by_default: bool) -> Option<String> {
    let path = Utf8Path::new(path);
    let matching = policy.fs.iter().filter(|rule| rule.matches(path));
    let winner = matching.max_by_key(|rule| rule.specificity())?;
    Some(if by_default && winner.path() == "." { "default: read".to_owned() } else { rule(winner) })
}

/// The rule that decides about a URL as it is written, if it says what was decided. It need not: a request can be
/// refused for where it is redirected to, or for a variable in it.
pub(super) fn rule_for_url(policy: &AccessPolicy, url: &str, is_allowed: bool) -> Option<String> {
    let target = NetTarget::parse(url).ok()?;
    match policy.decide_net(&target) {
        Decision::Allowed(rule) if is_allowed => Some(net_rule(rule)),
        Decision::Denied(rule) if !is_allowed => Some(net_rule(rule)),
        _ => None,
    }
}

/// The rule that decides about a program, if it says what was decided. Arguments are not part of it: those that a
/// person said yes to are a rule as well.
pub(super) fn rule_for_program(
    policy: &AccessPolicy,
    ProcessRun { program, args, .. }: &ProcessRun,
    is_allowed: bool,
) -> Option<String> {
    match policy.decide_command(program, args) {
        Decision::Allowed(_) if is_allowed => Some(format!("run {program:?}")),
        Decision::Denied(_) if !is_allowed => Some(format!("run {program:?} with other arguments")),
        _ => None,
    }
}

fn rule(rule: &FsRule) -> String {
    let granted: Vec<_> = grants(rule).collect();
    let granted = if granted.is_empty() { "nothing".to_owned() } else { granted.join(", ") };
    format!("{granted} in {:?}", rule.path().as_str())
}

fn net_rule(rule: &NetRule) -> String {
    format!("{} {rule}", if rule.allow { "request" } else { "no request" })
}

fn grants(rule: &FsRule) -> impl Iterator<Item = &'static str> {
    Capability::ALL.into_iter().filter(|one| rule.grants(*one)).map(Capability::as_str)
}

fn listed(items: impl Iterator<Item = String>) -> String {
    let mut items = items.peekable();
    if items.peek().is_none() {
        return "nothing is granted".to_owned();
    }
    let named: Vec<_> = items.by_ref().take(MOST).collect();
    let more = items.count();
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    format!("granted: {}{more}", named.join("; "))
}
