//! Whether plans say the truth: over random policies and trees, what a view lets a process do is
//! compared with what the policy says, for every path that could matter and each capability.
//!
//! Where a row says exact there may be no difference, where it says stricter the view may not allow
//! more, and what no rule covers is denied (076-070, 076-271, 076-272, 076-278).

use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};

use super::*;
use crate::view::Place;

const ROOT: &str = "/home/me/ws";

/// Names are few, so that rules often meet.
const NAMES: [&str; 3] = ["a", "b", "k"];

#[test]
fn a_view_agrees_with_its_policy() {
    let variants = prop_oneof![
        4 => Just((Tier::Namespaces, Lifetime::Call, false)),
        1 => Just((Tier::Namespaces, Lifetime::Call, true)),
    ];
    try_many(5_000, &(tree(), rules(), variants), check_rows);
}

#[test]
fn so_does_a_view_for_servers_and_for_landlock() {
    let variants = prop_oneof![
        2 => Just((Tier::Namespaces, Lifetime::Server, false)),
        1 => Just((Tier::Namespaces, Lifetime::Server, true)),
        2 => Just((Tier::Landlock, Lifetime::Call, false)),
        1 => Just((Tier::Landlock, Lifetime::Call, true)),
    ];
    try_many(5_000, &(tree(), rules(), variants), check_rows);
}

/// 076-024, and with rules as well.
#[test]
fn what_is_sensitive_is_not_seen() {
    let variants = prop_oneof![
        3 => Just((Tier::Namespaces, Lifetime::Call, false)),
        1 => Just((Tier::Namespaces, Lifetime::Server, false)),
        1 => Just((Tier::Landlock, Lifetime::Call, false)),
    ];
    let rules = prop_oneof![Just(Vec::new()), rules()];
    try_many(2_000, &(tree(), rules, variants), check_sensitive);
}

type Variant = (Tier, Lifetime, bool);

/// The same cases in every run, so that a failure here is a failure everywhere.
fn try_many(
    cases: u32,
    strategy: &impl Strategy<Value = (Vec<String>, Vec<String>, Variant)>,
    check: fn(&Case) -> Result<(), TestCaseError>,
) {
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let result = runner.run(strategy, |(tree, rules, (tier, lifetime, transactional))| {
        let disk = format!("{ROOT}/ /usr/bin/tool {}", tree.join(" "));
        let mut case = Case::with_rules(&disk, &rules.join(" "));
        (case.tier, case.lifetime, case.transactional) = (tier, lifetime, transactional);
        check(&case)
    });
    result.unwrap_or_else(|error| panic!("{error}"));
}

fn tree() -> impl Strategy<Value = Vec<String>> {
    let entry = (path(), any::<bool>())
        .prop_map(|(path, is_file)| format!("{ROOT}/{path}{}", if is_file { "" } else { "/" }));
    vec(entry, 0..8)
}

fn rules() -> impl Strategy<Value = Vec<String>> {
    let letters = proptest::sample::select(
        &[
            "", "r", "r", "rx", "rw", "rw", "rwx", "ru", "rc", "rd", "rcu", "rud", "w", "c", "cd",
            "x", "ux",
        ][..],
    );
    let path = prop_oneof![3 => path(), 1 => Just(".".to_owned())];
    vec((path, letters).prop_map(|(path, letters)| format!("{path}:{letters}")), 1..7)
}

fn path() -> impl Strategy<Value = String> {
    vec(proptest::sample::select(&NAMES[..]), 1..4).prop_map(|parts| parts.join("/"))
}

/// Everything called `k` is sensitive.
fn check_sensitive(case: &Case) -> Result<(), TestCaseError> {
    let all = paths_that_matter(case);
    let case = Case {
        sensitive: all.iter().filter(|path| path.ends_with("k")).cloned().collect(),
        disk: case.disk.clone(),
        policy: case.policy.clone(),
        temp: case.temp.clone(),
        root: case.root.clone(),
        program: case.program.clone(),
        system: SystemPaths::default(),
        approved: Vec::new(),
        program_files: Vec::new(),
        ..*case
    };
    let plan = case.plan();
    if case.tier == Tier::Namespaces {
        check_mounts(&case, &plan)?;
    }
    for path in &case.sensitive {
        let row = plan.rows.iter().rfind(|row| row.subject == path.as_str()).unwrap();
        let is_seen = |below: &&Utf8PathBuf| {
            let is_there = case.disk.kind(below) != Kind::Missing;
            is_there && below.starts_with(path) && matches!(plan.view.at(below), What::Host { .. })
        };
        let seen = all.iter().find(is_seen);
        let is_right = seen.is_none() || row.fidelity == Fidelity::Looser;
        prop_assert!(is_right, "{seen:?} is seen\n{plan}");
    }
    Ok(())
}

/// What whoever realises a view with mounts relies on.
fn check_mounts(case: &Case, plan: &Plan) -> Result<(), TestCaseError> {
    for place in plan.view.places() {
        let kind = case.disk.kind(&place.path);
        let around = plan.view.around(place);
        let fits = match place.what {
            What::Host { write: Write::Judged, .. } | What::Blank => kind == Kind::Directory,
            What::Host { .. } => matches!(kind, Kind::Directory | Kind::File),
            What::Private { .. } => true,
            // Without an overlay there is nothing to put a whiteout in.
            What::Hidden => around.is_some_and(|around| match around.what {
                What::Host { write: Write::Direct, .. } | What::Hidden | What::Blank => false,
                What::Host { .. } => around.path != "/",
                What::Private { .. } => place.path == case.root,
            }),
        };
        prop_assert!(fits, "{} cannot be mounted\n{plan}", place.path);
    }
    // A blank one in a blank one is a directory that exists where nothing else is seen.
    let host = plan.view.places().iter().filter(|place| place.what != What::Blank);
    let mut around = host.map(|place| (place, plan.view.around(place)));
    prop_assert!(
        around.all(|(place, around)| around
            .is_none_or(|around| { around.what != place.what || !place.what.is_judged() })),
        "a judged place in the same\n{plan}",
    );
    Ok(())
}

fn check_rows(case: &Case) -> Result<(), TestCaseError> {
    let plan = case.plan();
    if case.tier == Tier::Namespaces {
        check_mounts(case, &plan)?;
    }
    let policy = case.policy.as_ref().unwrap();
    for path in paths_that_matter(case) {
        let below = path.strip_prefix(ROOT).unwrap();
        let judged = if below.as_str().is_empty() { Utf8Path::new(".") } else { below };
        for capability in Capability::ALL {
            let wanted = policy.can(capability, judged);
            let Some(real) = can(case, &plan.view, &path, capability, wanted) else { continue };
            let fidelity = fidelity(&plan, policy, judged, capability);
            let fits = match fidelity {
                Fidelity::Exact => real == wanted,
                Fidelity::Stricter => real <= wanted,
                Fidelity::MediatedOnly | Fidelity::Looser => true,
            };
            prop_assert!(
                fits,
                "{capability:?} on {judged}: the policy says {wanted}, the view {real}, the row \
                 {fidelity}\n{plan}",
            );
        }
    }
    Ok(())
}

/// What the row of the rule that decides about a path says. Nothing uncovered may be allowed.
fn fidelity(
    plan: &Plan,
    policy: &AccessPolicy,
    path: &Utf8Path,
    capability: Capability,
) -> Fidelity {
    let Some(rule) = policy.fs.winner(path) else { return Fidelity::Exact };
    let is_about =
        |row: &&Row| row.subject == rule.path().as_str() && row.aspect == Aspect::Fs(capability);
    let last = plan.rows.iter().rfind(is_about);
    last.unwrap_or_else(|| panic!("{path} has no row")).fidelity
}

/// Everything on the disk, and every name that could be made in a directory.
fn paths_that_matter(case: &Case) -> Vec<Utf8PathBuf> {
    let mut found = vec![Utf8PathBuf::from(ROOT)];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        next += 1;
        if case.disk.kind(&path) == Kind::Directory {
            found.extend(NAMES.map(|name| path.join(name)));
        }
    }
    found
}

/// Whether a process could do this; `None` where the question makes no sense on this disk. `wanted`
/// is the answer of the judge.
fn can(
    case: &Case,
    view: &View,
    path: &Utf8Path,
    capability: Capability,
    wanted: bool,
) -> Option<bool> {
    let kind = case.disk.kind(path);
    let place = view.place_of(path);
    let what = view.at(path);
    let exists = kind != Kind::Missing;
    match capability {
        Capability::Read if exists => Some(matches!(what, What::Host { .. })),
        Capability::Execute if kind == Kind::File => {
            Some(matches!(what, What::Host { execute: true, .. }))
        }
        Capability::Update if kind == Kind::File => Some(match what {
            What::Host { write: Write::Judged, .. } => wanted,
            What::Host { write, .. } => write == Write::Direct,
            _ => false,
        }),
        Capability::Create if !exists => Some(match what {
            What::Blank | What::Host { write: Write::Judged, .. } => wanted,
            What::Host { write: Write::Direct, .. } => holds_names(case, place),
            _ => false,
        }),
        Capability::Delete if exists && is_removable(case, view, path) => Some(match what {
            What::Host { write: Write::Judged, .. } => wanted && !is_mount(case, place, path),
            What::Host { write: Write::Direct, .. } => {
                !is_mount(case, place, path) && names_change(case, view, path)
            }
            _ => false,
        }),
        _ => None,
    }
}

/// A file that is a place of its own holds no other names.
fn holds_names(case: &Case, place: Option<&Place>) -> bool {
    place.is_some_and(|place| case.disk.kind(&place.path) == Kind::Directory)
}

fn is_mount(case: &Case, place: Option<&Place>, path: &Utf8Path) -> bool {
    case.tier == Tier::Namespaces && place.is_some_and(|place| place.path == path)
}

/// Without mounts the directory around a name decides about it.
fn names_change(case: &Case, view: &View, path: &Utf8Path) -> bool {
    let parent = path.parent().map(|parent| view.at(parent));
    case.tier == Tier::Namespaces || matches!(parent, Some(What::Host { write: Write::Direct, .. }))
}

/// Nobody removes the root, and a directory with other places in it is not empty.
fn is_removable(case: &Case, view: &View, path: &Utf8Path) -> bool {
    let is_inside = |place: &Place| place.path != path && place.path.starts_with(path);
    path != case.root && !view.places().iter().any(is_inside)
}
