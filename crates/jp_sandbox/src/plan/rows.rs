//! What a plan says about itself: the finished view compared with the policy.
//!
//! For a rule and a capability there are two answers, that of the policy and that of the view at the
//! path of the rule. Equal is exact, less is stricter, more is looser. What the path alone does not
//! show, for example that a mask can be lost, the translation has remarked, and the worse of the two
//! counts. The reason is looked for last.

mod judge;

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{AccessPolicy, Capability, FsRule};

use self::judge::Judge;
use super::{
    Aspect, Facts, Fidelity, Kind, Profile, Request, Row, network, places, secrets, words,
    workspace::{self, Remark},
};
use crate::{
    confinement::{Execute, Network, Tier},
    view::{View, What},
};

/// What came of a request.
pub(super) struct Outcome<'a> {
    pub(super) view: &'a View,
    pub(super) remarks: Vec<Remark>,
    pub(super) expanded: Vec<Utf8PathBuf>,
    pub(super) facts: &'a dyn Facts,
}

/// All rows of a plan: the rules in their order, then what the profile promises.
pub(super) fn of(request: &Request<'_>, network: Network, outcome: &Outcome<'_>) -> Vec<Row> {
    let mut rows = fs_rows(request, outcome);
    if let Some(policy) = request.policy {
        if request.is_sealed() {
            rows.extend(mediated(&policy.net, Aspect::Net, ToString::to_string));
        } else {
            rows.extend(network::rows(policy, network));
        }
        rows.extend(env_rows(policy));
    }
    rows.extend(command_row(request));
    rows.extend(
        promises(request).into_iter().map(|subject| profile_row(subject, Fidelity::Exact, "")),
    );
    rows.extend(landlock_rows(request, network, outcome));
    if !request.is_sealed() {
        rows.extend(special_rows(request, outcome));
        rows.extend(sensitive_rows(request, outcome));
    }
    rows
}

/// The rows where the kernel does nothing. Variables are kept back without it.
pub(super) fn unenforced(request: &Request<'_>) -> Vec<Row> {
    let reason = if request.profile == Profile::Off { words::OFF } else { words::NO_TIER };
    let mut rows = Vec::new();
    let mut add = |subject: String, aspect| {
        rows.push(Row { subject, aspect, fidelity: Fidelity::Looser, reason: reason.to_owned() });
    };
    if let Some(policy) = request.policy {
        for rule in policy.fs.iter() {
            let capabilities = Capability::ALL.into_iter().filter(|one| !rule.grants(*one));
            capabilities
                .for_each(|capability| add(rule.path().to_string(), Aspect::Fs(capability)));
        }
        policy.net.iter().for_each(|rule| add(rule.to_string(), Aspect::Net));
        if policy.commands.is_some() {
            add("commands".to_owned(), Aspect::Command);
        }
    }
    for subject in promises(request) {
        add(subject.to_owned(), Aspect::Profile);
    }
    rows.extend(request.policy.into_iter().flat_map(env_rows));
    rows
}

/// What the profile promises beside the rules.
fn promises(request: &Request<'_>) -> Vec<&'static str> {
    let policy = request.policy;
    let has_fs_rules = !request.fs_rules().is_empty();
    let has_net_rules = policy.is_some_and(|policy| !policy.net.is_empty());
    let mut promises = match request.profile {
        Profile::Off => vec![],
        Profile::Sealed { .. } => vec!["reads nothing but itself"],
        Profile::Strict if !has_fs_rules => vec!["reads the workspace and writes nothing of it"],
        Profile::Workspace if !has_fs_rules => {
            vec!["writes only to the workspace, caches and a private temporary directory"]
        }
        Profile::Strict | Profile::Workspace => {
            vec!["outside the workspace sees only the system and its toolchains"]
        }
    };
    match request.profile {
        Profile::Sealed { .. } => promises.push("no network"),
        Profile::Strict if !has_net_rules => promises.push("no network"),
        _ => {}
    }
    if request.profile != Profile::Off
        && places::execute(request) == Execute::Itself
        && policy.is_none_or(|policy| policy.commands.is_none())
    {
        promises.push("starts no other program");
    }
    promises
}

fn fs_rows(request: &Request<'_>, outcome: &Outcome<'_>) -> Vec<Row> {
    let rules = request.fs_rules();
    if request.is_sealed() {
        let shown = |rule: &FsRule| rule.path().to_string();
        let aspects = Capability::ALL.map(Aspect::Fs);
        return aspects.iter().flat_map(|aspect| mediated(rules, *aspect, shown)).collect();
    }
    let nodes = workspace::nodes(request, outcome.facts);
    let mut rows = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let below = workspace::below_root(rule.path());
        let is_last =
            || rules[index + 1..].iter().all(|later| workspace::below_root(later.path()) != below);
        let path = below.as_ref().map(|below| workspace::absolute(request.root, below));
        let node = path.and_then(|path| nodes.iter().find(|node| node.path == path));
        for capability in Capability::ALL {
            let (fidelity, reason) = match node {
                None => (Fidelity::Exact, words::UNREADABLE_RULE.to_owned()),
                Some(_) if !is_last() => (Fidelity::Exact, words::OVERRIDDEN.to_owned()),
                Some(node) => Judge { request, outcome, node }.answer(capability),
            };
            let subject = rule.path().to_string();
            rows.push(Row { subject, aspect: Aspect::Fs(capability), fidelity, reason });
        }
    }
    rows
}

fn mediated<'a, R>(
    rules: &'a [R],
    aspect: Aspect,
    shown: impl Fn(&R) -> String + 'a,
) -> impl Iterator<Item = Row> + 'a {
    rules.iter().map(move |rule| Row {
        subject: shown(rule),
        aspect,
        fidelity: Fidelity::MediatedOnly,
        reason: words::MEDIATED.to_owned(),
    })
}

/// An environment that is built from nothing has exactly what the rules say.
fn env_rows(policy: &AccessPolicy) -> impl Iterator<Item = Row> {
    policy.env.iter().map(|rule| Row {
        subject: rule.name.clone(),
        aspect: Aspect::Env,
        fidelity: Fidelity::Exact,
        reason: String::new(),
    })
}

fn command_row(request: &Request<'_>) -> Option<Row> {
    let commands = request.policy?.commands.as_ref()?;
    let (fidelity, reason) = if request.is_sealed() {
        (Fidelity::MediatedOnly, words::MEDIATED)
    } else if commands.is_empty() {
        (Fidelity::Exact, words::NO_COMMANDS)
    } else {
        (Fidelity::Looser, words::COMMANDS)
    };
    let (subject, reason) = ("commands".to_owned(), reason.to_owned());
    Some(Row { subject, aspect: Aspect::Command, fidelity, reason })
}

/// What nobody has without namespaces.
fn landlock_rows(request: &Request<'_>, network: Network, outcome: &Outcome<'_>) -> Vec<Row> {
    if request.tier != Tier::Landlock {
        return Vec::new();
    }
    let mut rows = Vec::new();
    if places::is_shared_temp(request.temp) {
        rows.push(profile_row("a private temporary directory", Fidelity::Stricter, words::NO_TEMP));
    }
    if request.denies_by_default() && !request.is_sealed() && places::home(request).is_some() {
        rows.push(profile_row("a private home", Fidelity::Stricter, words::NO_PRIVATE_HOME));
    }
    let outside = outcome.expanded.iter().filter(|path| !path.starts_with(request.root));
    rows.extend(
        outside.map(|path| profile_row(path.as_str(), Fidelity::Stricter, words::SIBLINGS)),
    );
    if network.leads_out() {
        rows.push(profile_row("unix sockets", Fidelity::Stricter, words::UNIX_SOCKETS));
    }
    rows
}

fn sensitive_rows(request: &Request<'_>, outcome: &Outcome<'_>) -> Vec<Row> {
    let remark_for = |path: &Utf8Path| outcome.remarks.iter().find(|remark| remark.path == path);
    let row = |path: &Utf8PathBuf| {
        let is_seen = matches!(outcome.view.at(path), What::Host { .. });
        let is_missing = is_seen && outcome.facts.kind(path) == Kind::Missing;
        let (fidelity, reason) = match remark_for(path) {
            Some(remark) => (remark.fidelity, remark.reason.as_str()),
            None if is_missing => (Fidelity::Exact, words::SENSITIVE_MISSING),
            None if is_seen => (Fidelity::Looser, words::NO_NARROWING),
            None => (Fidelity::Exact, words::SENSITIVE_KEPT),
        };
        profile_row(path.as_str(), fidelity, reason)
    };
    secrets::unapproved(request).map(row).collect()
}

/// Places that are neither in a rule nor sensitive and about which there is something to say.
fn special_rows(request: &Request<'_>, outcome: &Outcome<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    if request.transactional && !request.can_judge() && request.fs_rules().is_empty() {
        let subject = "writes to the workspace";
        rows.push(profile_row(subject, Fidelity::Stricter, words::DRY_RUN_BLOCKED));
    }
    let program = request.program;
    if program.starts_with(request.root) && outcome.view.exactly(program).is_some() {
        rows.push(profile_row(program.as_str(), Fidelity::Exact, words::PROGRAM));
    }
    let nodes = workspace::nodes(request, outcome.facts);
    let is_known = |path: &Utf8Path| {
        nodes.iter().any(|node| node.path == path)
            || secrets::unapproved(request).any(|secret| secret == path)
    };
    let others = outcome.remarks.iter().filter(|remark| !is_known(&remark.path));
    rows.extend(
        others.map(|remark| profile_row(remark.path.as_str(), remark.fidelity, &remark.reason)),
    );
    rows
}

fn profile_row(subject: &str, fidelity: Fidelity, reason: &str) -> Row {
    let (subject, reason) = (subject.to_owned(), reason.to_owned());
    Row { subject, aspect: Aspect::Profile, fidelity, reason }
}
