//! Which variables a list of rules lets be read: examples by hand, then a second implementation,
//! written from the document alone, that has to agree on random rules.

use insta::assert_snapshot;
use proptest::{collection::vec, prelude::*};

use super::*;

fn policy(rules: &[(&str, bool)]) -> AccessPolicy {
    let env = rules.iter().map(|(name, read)| EnvRule::new(*name, *read)).collect();
    AccessPolicy { env, ..AccessPolicy::default() }
}

/// What the rules say about a variable, and the name of the rule that says it.
fn decide(rules: &[(&str, bool)], variable: &str) -> String {
    match policy(rules).decide_env(variable) {
        Decision::Allowed(rule) => format!("allowed by {}", rule.name),
        Decision::Denied(rule) => format!("denied by {}", rule.name),
        Decision::Uncovered => "uncovered".to_owned(),
    }
}

#[test]
fn the_rules_of_the_document() {
    let rules = [("GITHUB_TOKEN", true), ("AWS_*", true), ("AWS_SECRET_ACCESS_KEY", false)];
    for (id, variable, expected) in [
        ("076-207", "GITHUB_TOKEN", "allowed by GITHUB_TOKEN"),
        ("076-208", "GITHUB_TOKEN_LOG", "uncovered"),
        ("076-209", "AWS_REGION", "allowed by AWS_*"),
        ("076-210", "AWS_SECRET_ACCESS_KEY", "denied by AWS_SECRET_ACCESS_KEY"),
        ("076-211", "HOME", "uncovered"),
    ] {
        assert_eq!(decide(&rules, variable), expected, "{id}");
        let allowed = expected.starts_with("allowed");
        assert_eq!(policy(&rules).check_env(variable).is_ok(), allowed, "{id}");
    }
}

#[test]
fn exact_names_and_prefixes() {
    for (id, name, variable, matches) in [
        ("076-205", "AWS_TOKEN", "AWS_TOKEN", true),
        ("076-205", "AWS_TOKEN", "aws_token", false),
        ("076-212", "AWS_TOKEN", "AWS_TOKEN_LOG", false),
        ("076-205", "AWS_TOKEN", "MY_AWS_TOKEN", false),
        ("076-206", "AWS_*", "AWS_REGION", true),
        ("076-206", "AWS_*", "AWS_", true),
        ("076-206", "AWS_*", "AWS", false),
        ("076-212", "AWS_*", "AWSX", false),
        ("a lone star", "*", "HOME", true),
        ("a lone star", "*", "", true),
    ] {
        let expected = if matches { format!("allowed by {name}") } else { "uncovered".to_owned() };
        assert_eq!(decide(&[(name, true)], variable), expected, "{id}");
    }
}

#[test]
fn the_longest_literal_part_decides() {
    // 076-214, and each pair in both orders: only equal rules look at the order.
    for (id, strong, weak, variable) in [
        ("076-215", "AWS_TOKEN", "AWS_TOKEN*", "AWS_TOKEN"),
        ("076-216", "AWS_SECRET_*", "AWS_SEC*", "AWS_SECRET_KEY"),
        ("076-219", "AWS_S*", "AWS_*", "AWS_SECRET"),
        ("076-214", "É*", "A*", "É"),
        ("076-214", "A*", "*", "AWS"),
    ] {
        let expected = format!("denied by {strong}");
        assert_eq!(decide(&[(strong, false), (weak, true)], variable), expected, "{id}");
        assert_eq!(decide(&[(weak, true), (strong, false)], variable), expected, "{id}");
    }
}

#[test]
fn of_two_equal_rules_the_last_decides() {
    // 076-217
    assert_eq!(decide(&[("A", true), ("A", false)], "A"), "denied by A");
    assert_eq!(decide(&[("A*", false), ("A*", true)], "AB"), "allowed by A*");
}

#[test]
fn a_rule_that_does_not_say_read_denies() {
    // 076-213, 076-225
    let rule: EnvRule = serde_json::from_str(r#"{"name":"N","later":1}"#).unwrap();
    assert_eq!(rule, EnvRule::new("N", false));
    assert_eq!(serde_json::to_string(&rule).unwrap(), r#"{"name":"N","read":false}"#);
    assert_eq!(decide(&[("N", rule.read)], "N"), "denied by N");
}

#[test]
fn names_that_stand_for_nothing_are_refused() {
    // 076-218
    let texts: Vec<_> = ["A*B", "*A", "A**", "**", "", "A=B", "A\0"]
        .into_iter()
        .map(|name| EnvRule::new(name, true).validate().unwrap_err().to_string())
        .collect();
    assert_snapshot!(texts.join("\n"), @r#"
    `*` can only be the last character of a variable name: "A*B"
    `*` can only be the last character of a variable name: "*A"
    `*` can only be the last character of a variable name: "A**"
    `*` can only be the last character of a variable name: "**"
    the name of a variable is empty; write `*` for every variable
    a variable name cannot contain '=': "A=B"
    a variable name cannot contain '\0': "A\0"
    "#);
    assert_eq!(EnvRule::new("*", true).validate(), Ok(()));
}

#[test]
fn a_rule_that_nobody_can_read_never_allows() {
    assert_eq!(decide(&[("A*B", true)], "A*B"), "uncovered");
    assert_eq!(decide(&[("", true)], ""), "uncovered");
    assert_eq!(decide(&[("*", true), ("A*B", true)], "AxB"), "allowed by *");
    // What it was meant to deny is not known, so everything is.
    assert_eq!(decide(&[("A*B", false), ("AxB", true)], "AxB"), "denied by A*B");
    assert_eq!(decide(&[("", false), ("*", true)], "HOME"), "denied by ");
}

#[test]
fn the_error_names_the_variable_and_what_is_granted() {
    // 076-243
    let rules = [("A*", true), ("AB", false), ("C", true), ("D*E", true)];
    let error = policy(&rules).check_env("AB").unwrap_err();
    assert_eq!(error.name, "AB");
    assert_eq!(error.grants, ["A*", "C"]);
    assert_snapshot!(error, @"access denied: environment variable AB");
    assert_eq!(policy(&[]).check_env("AB"), Ok(()));
}

/// The document, word for word: match, then length of the literal part, then exact over prefix,
/// then the last.
fn by_the_document(rules: &[(&str, bool)], variable: &str) -> Option<bool> {
    let mut best: Option<((usize, bool), bool)> = None;
    for (name, read) in rules {
        let exact = !name.ends_with('*');
        let literal = name.trim_end_matches('*');
        let matches = if exact { variable == literal } else { variable.starts_with(literal) };
        let strength = (literal.len(), exact);
        if matches && best.is_none_or(|(so_far, _)| strength >= so_far) {
            best = Some((strength, *read));
        }
    }
    best.map(|(_, read)| read)
}

const NAMES: [&str; 10] = ["*", "A*", "A", "AA", "AA*", "A_*", "A_B", "AB*", "B", "É*"];
const VARIABLES: [&str; 9] = ["", "A", "AA", "AAB", "A_", "A_B", "AB", "B", "ÉA"];

/// Makes rules and a variable from draws below a bound, and compares.
fn compare(mut draw: impl FnMut(usize) -> usize) -> Result<(), String> {
    let rules: Vec<_> = (0..draw(7)).map(|_| (NAMES[draw(NAMES.len())], draw(2) == 1)).collect();
    let variable = VARIABLES[draw(VARIABLES.len())];
    let ours = match policy(&rules).decide_env(variable) {
        Decision::Allowed(_) => Some(true),
        Decision::Denied(_) => Some(false),
        Decision::Uncovered => None,
    };
    let theirs = by_the_document(&rules, variable);
    let allowed = policy(&rules).check_env(variable).is_ok();
    if ours == theirs && allowed == (rules.is_empty() || theirs == Some(true)) {
        return Ok(());
    }
    Err(format!("{rules:?} about {variable:?}: {ours:?}, by the document {theirs:?}"))
}

#[test]
fn a_second_implementation_agrees_on_100_000_cases() {
    let mut draw = crate::access::draws::draws();
    for _ in 0..100_000 {
        compare(&mut draw).unwrap();
    }
}

proptest! {
    #[test]
    fn a_second_implementation_agrees(tape in vec(any::<u16>(), 32)) {
        let mut tape = tape.into_iter();
        let outcome = compare(|below| usize::from(tape.next().unwrap_or(0)) % below);
        prop_assert_eq!(outcome, Ok(()));
    }

    #[test]
    fn a_name_is_read_or_refused(name in "[A*=_\0]{0,6}") {
        let refused = name.is_empty()
            || name.contains(['=', '\0'])
            || name.find('*').is_some_and(|star| star + 1 != name.len());
        prop_assert_eq!(EnvName::parse(&name).is_err(), refused);
    }
}

#[test]
fn a_rule_says_how_specific_it_is() {
    // 076-214, 076-215
    let names = ["AWS_TOKEN", "AWS_TOKEN*", "É*", "A", "*", "A*B"];
    let of = |name: &str| EnvRule::new(name, false).specificity();
    let shown: Vec<_> = names.iter().map(|name| format!("{name}: {}", of(name))).collect();
    assert_snapshot!(shown.join("\n"), @"
    AWS_TOKEN: 9 bytes, exact
    AWS_TOKEN*: 9 bytes, prefix
    É*: 2 bytes, prefix
    A: 1 byte, exact
    *: 0 bytes, prefix
    A*B: cannot be read
    ");
    assert!(of("AWS_TOKEN") > of("AWS_TOKEN*") && of("AWS_TOKEN*") > of("AWS_TOKE"));
    assert!(of("A*B") > of("AWS_TOKEN"));
    assert!(EnvRule::new("A*B", false).matches("X") && !EnvRule::new("A*B", true).matches("A*B"));
}
