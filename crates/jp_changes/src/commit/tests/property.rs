//! Random trees, random tools, random policies; and a second, naive way to the same result.

use std::collections::{BTreeMap, BTreeSet};

use camino::{Utf8Path, Utf8PathBuf};
use jp_tool::access::{AccessPolicy, Capability};
use proptest::prelude::*;

use crate::Outside;
use crate::testing::{Thing, World, allow_all, policy, tree};

type Tree = BTreeMap<Utf8PathBuf, Thing>;

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    #[test]
    fn everything_allowed_gives_what_the_tool_saw(host in script(12), tool in script(14), memory: bool) {
        let (world, before, after, changes) = run(&host, &tool, memory);
        let report = allow_all(changes).commit();
        prop_assert_eq!(report.failed.len(), 0, "{:?}", report.failed);
        prop_assert_eq!(tree(&world.root()), oracle(&AccessPolicy::default(), &before, &after));
    }

    #[test]
    fn a_policy_gives_what_the_oracle_says(
        host in script(12),
        tool in script(14),
        rules in proptest::collection::vec((path(), "[rcud]{0,4}"), 1..6),
        memory: bool,
    ) {
        let rules: Vec<_> = rules.iter().map(|(path, grants)| format!("{path} {grants}-")).collect();
        let policy = policy(&format!(". rcud-,{}", rules.join(",")));
        let (world, before, after, changes) = run(&host, &tool, memory);
        let judged = changes.judge(Some(&policy), Outside::nothing(), |_| Ok::<_, String>(()));
        let report = judged.commit();
        prop_assert_eq!(report.failed.len(), 0, "{:?}", report.failed);
        prop_assert_eq!(tree(&world.root()), oracle(&policy, &before, &after));
    }
}

/// Each case mounts an overlay, so there are few of them unless somebody asks for more.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(40)
}

fn run(host: &str, tool: &str, memory: bool) -> (World, Tree, Tree, crate::Changes) {
    let world = if memory { World::on_two_file_systems() } else { World::new() };
    world.host(&format!("umask 022\n{host}"));
    let before = tree(&world.root());
    let end = world.scratch("after");
    let set = world.begin();
    world.tool(&set, &format!("umask 022\n{tool}\ncp -a . {end}"));
    let after = tree(&end);
    let changes = set.read(&world.root()).unwrap();
    (world, before, after, changes)
}

fn script(length: usize) -> impl Strategy<Value = String> {
    proptest::collection::vec(line(), 0..length).prop_map(|lines| lines.join("\n"))
}

/// Paths of few names, so that lines meet. Links are made only under names of their own, and nothing
/// is done through them, so that the oracle need not know about them.
fn path() -> impl Strategy<Value = String> {
    "[abc](/[abc]){0,2}"
}

fn line() -> impl Strategy<Value = String> {
    let quiet = |line: String| format!("({line}) 2> /dev/null || :");
    prop_oneof![
        4 => (path(), "[xyz]{0,2}").prop_map(|(p, text)| format!("printf '{text}' > {p}")),
        2 => path().prop_map(|p| format!("echo more >> {p}")),
        3 => path().prop_map(|p| format!("mkdir -p {p}")),
        2 => path().prop_map(|p| format!("rm -rf {p}")),
        1 => path().prop_map(|p| format!("rm -f {p}")),
        2 => (path(), path()).prop_map(|(p, q)| format!("mv -T {p} {q}")),
        1 => (path(), path()).prop_map(|(p, q)| format!("cp -r {p} {q}")),
        1 => (path(), "(a|\\.\\./b|/etc|\\.\\./\\.\\./\\.\\./x)").prop_map(|(p, to)| format!("ln -sfn {to} {p}/l")),
        1 => ("[ab]", "(a|\\.\\./b|/etc)").prop_map(|(p, to)| format!("ln -sfn {to} {p}l")),
        1 => (path(), path()).prop_map(|(p, q)| format!("rm -rf {p}; mkdir -p {p}; touch {q}")),
        1 => (path(), "7[045][045]").prop_map(|(p, mode)| format!("chmod {mode} {p}")),
        1 => path().prop_map(|p| format!("touch {p}")),
    ]
    .prop_map(quiet)
}

/// Whether a link leads out, by its text alone.
fn escapes(path: &Utf8Path, target: &str) -> bool {
    let ups = target.matches("..").count();
    target.starts_with('/') || ups >= path.components().count()
}

/// Judges each difference by itself, and then takes back what cannot be without another, until
/// nothing changes any more.
fn oracle(policy: &AccessPolicy, before: &Tree, after: &Tree) -> Tree {
    let paths: BTreeSet<&Utf8PathBuf> = before.keys().chain(after.keys()).collect();
    let differs = |path: &&&Utf8PathBuf| before.get(**path) != after.get(**path);
    let different: Vec<&Utf8PathBuf> = paths.iter().filter(differs).copied().collect();
    let mut refused: BTreeSet<&Utf8PathBuf> = BTreeSet::new();
    for path in &different {
        let needs: &[Capability] = match (before.get(*path), after.get(*path)) {
            (None, _) => &[Capability::Create],
            (_, None) => &[Capability::Delete],
            (Some(old), Some(new)) if same_kind(old, new) => &[Capability::Update],
            _ => &[Capability::Delete, Capability::Create],
        };
        let is_out = matches!(after.get(*path), Some(Thing::Link(to)) if escapes(path, to));
        if is_out || !needs.iter().all(|need| policy.can(*need, path)) {
            refused.insert(path);
        }
    }
    loop {
        let more: Vec<_> = different
            .iter()
            .filter(|path| !refused.contains(**path) && depends(path, &refused, before, after))
            .copied()
            .collect();
        if more.is_empty() {
            break;
        }
        refused.extend(more);
    }
    let result = paths.into_iter().filter_map(|path| {
        let side = if refused.contains(path) { before } else { after };
        Some((path.clone(), side.get(path)?.clone()))
    });
    result.collect()
}

fn depends(path: &Utf8Path, refused: &BTreeSet<&Utf8PathBuf>, before: &Tree, after: &Tree) -> bool {
    let is_dir = |tree: &Tree, path: &Utf8Path| matches!(tree.get(path), Some(Thing::Dir(_)));
    refused.iter().any(|other| {
        let new_dir = is_dir(after, other) && !is_dir(before, other);
        let lost_dir = is_dir(before, other) && !is_dir(after, other);
        let goes = is_dir(before, path) && !is_dir(after, path);
        let replaced = lost_dir && after.contains_key(*other);
        let above = other.as_path() != path && path.starts_with(other);
        let below = other.as_path() != path && other.starts_with(path);
        let moved = match (before.get(path), after.get(path), after.get(*other)) {
            (Some(Thing::File(_, old)), now, Some(Thing::File(_, new))) => {
                let is_gone = !matches!(now, Some(Thing::File(..)));
                let is_new = before.get(*other).map(content) != Some(Some(new));
                is_gone && is_new && !old.is_empty() && old == new
            }
            _ => false,
        };
        (above && (new_dir || replaced)) || (below && goes) || moved
    })
}

fn content(thing: &Thing) -> Option<&Vec<u8>> {
    match thing {
        Thing::File(_, content) => Some(content),
        _ => None,
    }
}

fn same_kind(a: &Thing, b: &Thing) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}
