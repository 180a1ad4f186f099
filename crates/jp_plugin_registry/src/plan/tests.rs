//! Plans: what is installed in which order, and everything that speaks against it.

use std::collections::BTreeMap;

use jp_plugin::registry;
use serde_json::{Value, json};

use super::*;

const SUM: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

fn sum() -> Sha256 {
    SUM.parse().unwrap()
}

fn other() -> Sha256 {
    "0".repeat(64).parse().unwrap()
}

fn path(text: &str) -> CommandPath {
    text.parse().unwrap()
}

/// An entry that can be installed here.
fn entry(id: &str, requires: &[&str]) -> Value {
    json!({
        "id": id,
        "official": !id.starts_with("third"),
        "requires": requires,
        "suggests": ["suggested"],
        "binaries": { "here": { "url": format!("https://example.org/{id}"), "sha256": SUM } },
    })
}

fn group(id: &str) -> Value {
    json!({ "id": id, "kind": "command_group" })
}

/// What is planned, in a few words, with settings by id and with what is there.
#[derive(Default)]
struct Case {
    entries: Vec<(&'static str, Value)>,
    denied: Vec<&'static str>,
    pins: BTreeMap<&'static str, Sha256>,
    have: BTreeMap<&'static str, Sha256>,
    unrecorded: Vec<&'static str>,
    allow_files: bool,
}

impl Case {
    fn new(entries: Vec<(&'static str, Value)>) -> Self {
        Self { entries, ..Self::default() }
    }

    fn plan(&self, wanted: &[&str]) -> Result<Plan, PlanError> {
        let plugins: serde_json::Map<_, _> =
            self.entries.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect();
        let text = json!({ "version": 1, "plugins": plugins }).to_string();
        let registry = registry::parse(&text).unwrap();
        let judge = |candidate: &Candidate<'_>| {
            let id = candidate.entry.id.as_str();
            if self.denied.contains(&id) {
                return Judgement::Denied { setting: format!("plugins.command.{id}.run") };
            }
            Judgement::May { ask: !candidate.entry.official, pin: self.pins.get(id).copied() }
        };
        let world = World {
            registry: &registry,
            targets: &["here".to_owned(), "near".to_owned()],
            allow_files: self.allow_files,
            judge: &judge,
            have: &|id| self.have.get(id.as_str()).copied(),
            recorded: &|id| {
                let is_recorded = !self.unrecorded.contains(&id.as_str());
                self.have.get(id.as_str()).copied().filter(|_| is_recorded)
            },
        };
        let wanted: Vec<_> = wanted.iter().map(|text| path(text)).collect();
        plan(&world, &wanted)
    }

    #[track_caller]
    fn steps(&self, wanted: &[&str], expected: &[&str]) -> Plan {
        let plan = self.plan(wanted).unwrap();
        let steps: Vec<_> = plan.steps.iter().map(|step| step.id.as_str()).collect();
        assert_eq!(steps, expected);
        plan
    }

    #[track_caller]
    fn refused(&self, wanted: &[&str], expected: &str) {
        assert_eq!(self.plan(wanted).unwrap_err().to_string(), expected);
    }
}

#[test]
fn what_is_required_comes_first_and_what_is_suggested_never() {
    // 072-294, 072-299, 072-300, 072-295, 072-297, 072-136
    let case = Case::new(vec![
        ("a", entry("a", &["g", "b", "third"])),
        ("b", entry("b", &["c"])),
        ("c", entry("c", &["g"])),
        ("third", entry("third", &[])),
        ("g", group("g")),
        ("suggested", entry("suggested", &[])),
    ]);
    let plan = case.steps(&["a"], &["c", "b", "third", "a"]);
    assert_eq!(plan.groups, [path("g")]);
    let asked: Vec<_> = plan.steps.iter().filter(|it| it.ask).map(|it| it.id.as_str()).collect();
    assert_eq!(asked, ["third"]);
    let by: Vec<_> = plan.steps.iter().map(|it| it.required_by.clone()).collect();
    assert_eq!(by, [Some(path("b")), Some(path("a")), Some(path("a")), None]);
    assert_eq!(case.steps(&["g"], &[]).groups, [path("g")]);
    assert_eq!(case.steps(&["third", "a"], &["third", "c", "b", "a"]).steps[0].required_by, None);
}

#[test]
fn one_that_is_denied_stops_everything() {
    // 072-296, 072-310, 072-311
    let entries =
        vec![("a", entry("a", &["b"])), ("b", entry("b", &["c"])), ("c", entry("c", &[]))];
    let deny = |id| Case { denied: vec![id], ..Case::new(entries.clone()) };
    deny("c").refused(
        &["a"],
        "`c` may not be installed, which `b` requires: `plugins.command.c.run` denies it",
    );
    deny("a").refused(&["a"], "`a` may not be installed: `plugins.command.a.run` denies it");
    // It is there, and still denied.
    let there = Case { have: BTreeMap::from([("c", sum())]), ..deny("c") };
    assert!(there.plan(&["a"]).is_err());
}

#[test]
fn circles_and_gaps_are_named() {
    // 072-298
    let case = Case::new(vec![
        ("a", entry("a", &["b"])),
        ("b", entry("b", &["c d"])),
        ("c d", entry("c-d", &["b"])),
        ("self", entry("self", &["self"])),
        ("gap", entry("gap", &["nothing"])),
        ("odd", entry("odd", &["bad"])),
        ("bad", json!({ "id": "../x" })),
    ]);
    case.refused(&["a"], "plugins require each other in a circle: `b` → `c d` → `b`");
    case.refused(&["self"], "plugins require each other in a circle: `self` → `self`");
    case.refused(&["gap"], "the registry has no plugin `nothing`, which `gap` requires");
    case.refused(&["nothing"], "the registry has no plugin `nothing`");
    // 072-282
    let told = case.plan(&["odd"]).unwrap_err().to_string();
    let start =
        "the registry has no plugin `bad`, which `odd` requires: its entry cannot be used: ";
    assert!(told.starts_with(start) && told.contains("`../x`"), "{told}");
}

#[test]
fn a_long_row_of_requirements_is_no_way_to_crash() {
    let names: Vec<&'static str> =
        (0..5_000).map(|n| &*Box::leak(format!("p{n}").into_boxed_str())).collect();
    let entries = names.windows(2).map(|two| (two[0], entry(two[0], &[two[1]]))).collect();
    Case::new(entries).refused(&["p0"], "more than 64 plugins would have to be installed for `p0`");
}

#[test]
fn what_is_there_is_left_alone_unless_somebody_names_it() {
    let entries = vec![("a", entry("a", &["b"])), ("b", entry("b", &[]))];
    let old = Case { have: BTreeMap::from([("b", other())]), ..Case::new(entries.clone()) };
    assert_eq!(old.steps(&["a"], &["a"]).present, [path("b")]);
    let plan = old.steps(&["a", "b"], &["b", "a"]);
    assert_eq!(plan.steps[0].replaces, Some(other()));
    let new = Case { have: BTreeMap::from([("b", sum())]), ..Case::new(entries) };
    assert_eq!(new.steps(&["b"], &[]).present, [path("b")]);
    // One without a record gets it.
    let unrecorded = Case { unrecorded: vec!["b"], ..new };
    assert_eq!(unrecorded.steps(&["b"], &["b"]).steps[0].replaces, None);
    assert_eq!(unrecorded.steps(&["a"], &["a"]).present, [path("b")]);
}

#[test]
fn binaries_have_to_fit_this_machine() {
    let binary = |targets: Value| json!({ "id": "a", "binaries": targets });
    let one = |url: &str, sha256: &str| json!({ "url": url, "sha256": sha256 });
    let case = |value: Value| Case::new(vec![("a", value)]);
    // 072-290
    let near = case(binary(json!({ "near": one("https://example.org/n", SUM) })));
    assert_eq!(
        near.steps(&["a"], &["a"]).steps[0].source,
        Source::Https("https://example.org/n".to_owned())
    );
    // 072-291
    let far = case(binary(json!({ "far": one("https://example.org/f", SUM) })));
    far.refused(&["a"], "the registry has no binary of `a` for here; it has far");
    case(binary(json!({})))
        .refused(&["a"], "the registry has no binary of `a` for here; it has none at all");
    case(binary(json!({ "here": one("http://example.org/a", SUM) }))).refused(
        &["a"],
        "the registry cannot be used for `a`: `http://example.org/a` is neither an https:// nor a \
         file:// URL",
    );
    case(binary(json!({ "here": one("https://example.org/a", "12") }))).refused(
        &["a"],
        "the registry cannot be used for `a`: `12` is not a SHA-256 checksum: 64 hexadecimal digits \
         are needed",
    );
    let file = case(binary(json!({ "here": one("file:///etc/passwd", SUM) })));
    assert!(matches!(file.plan(&["a"]), Err(PlanError::File { .. })));
    Case { allow_files: true, ..file }.steps(&["a"], &["a"]);
}

#[test]
fn a_pin_is_not_passed() {
    // 072-319, 072-320
    let case = |pin| Case {
        pins: BTreeMap::from([("a", pin)]),
        ..Case::new(vec![("a", entry("a", &[]))])
    };
    case(sum()).steps(&["a"], &["a"]);
    let told = case(other()).plan(&["a"]).unwrap_err().to_string();
    insta::assert_snapshot!(told, @"
    the registry has another `a` than the one that was pinned
      expected sha256 0000000000000000000000000000000000000000000000000000000000000000, by `plugins.command.a.checksum`
      actual   sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
    ");
}
