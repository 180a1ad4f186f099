//! Which programs a policy lets be started, and with what.

use insta::assert_snapshot;

use super::*;
use crate::access::{Capability, NetTarget};

/// A policy from the JSON of its `commands`.
fn policy(commands: &str) -> AccessPolicy {
    let commands = serde_json::from_str(commands).unwrap();
    AccessPolicy { commands: Some(commands), ..AccessPolicy::default() }
}

fn decide(commands: &str, command: &[&str]) -> &'static str {
    match policy(commands).decide_command(command[0], &command[1..]) {
        Decision::Allowed(_) => "allowed",
        Decision::Denied(_) => "denied",
        Decision::Uncovered => "uncovered",
    }
}

#[test]
fn absent_permits_any_program_and_present_only_those_listed() {
    // 076-276
    let no_args: [&str; 0] = [];
    assert_eq!(AccessPolicy::default().check_command("rm", &["-rf", "/"]), Ok(()));
    assert_eq!(policy(r#"{"cargo":{}}"#).check_command("cargo", &["build"]), Ok(()));
    assert!(policy(r#"{"cargo":{}}"#).check_command("rm", &no_args).is_err());
    assert!(policy("{}").check_command("cargo", &no_args).is_err());
    assert_eq!(decide("{}", &["cargo"]), "uncovered");
}

#[test]
fn a_program_is_compared_as_it_is_written() {
    let rules = r#"{"cargo":{},"/usr/bin/git":{}}"#;
    for (program, expected) in [
        ("cargo", "allowed"),
        ("./cargo", "uncovered"),
        ("/tmp/cargo", "uncovered"),
        ("cargo ", "uncovered"),
        ("CARGO", "uncovered"),
        ("/usr/bin/git", "allowed"),
        ("/usr/bin/../bin/git", "uncovered"),
        ("git", "uncovered"),
    ] {
        assert_eq!(decide(rules, &[program]), expected, "{program}");
    }
}

#[test]
fn arguments_are_matched_from_the_first_one_on() {
    // 076-277
    let rules = r#"{
        "any": {},
        "none": {"args": []},
        "git": {"args": [["status"], ["log", "**"], ["stash", "list", "**"], ["-C", "**", "x"]]},
        "all": {"args": [["**"]]},
        "bare": {"args": [[], ["--version"]]}
    }"#;
    for (command, expected) in [
        ("any", "allowed"),
        ("any x y", "allowed"),
        ("none", "allowed"),
        ("none x", "denied"),
        ("git", "denied"),
        ("git status", "allowed"),
        ("git status -s", "denied"),
        ("git statusx", "denied"),
        ("git log", "allowed"),
        ("git log -p -1", "allowed"),
        ("git logs", "denied"),
        ("git stash", "denied"),
        ("git stash list", "allowed"),
        ("git stash list -p", "allowed"),
        ("git stash drop", "denied"),
        ("git -p log", "denied"),
        ("git -C ** x", "denied"),
        ("git -C y x", "denied"),
        ("all", "allowed"),
        ("all x y", "allowed"),
        ("bare", "allowed"),
        ("bare --version", "allowed"),
        ("bare x", "denied"),
    ] {
        let words: Vec<_> = command.split(' ').collect();
        assert_eq!(decide(rules, &words), expected, "{command}");
    }
}

#[test]
fn the_entry_that_matches_is_known() {
    let policy = policy(r#"{"git":{"args":[["status"],["log","**"]]}}"#);
    let rule = policy.commands.as_ref().unwrap().get("git").unwrap();
    assert_eq!(rule.matching_entry(&["log", "-p"]).unwrap(), ["log", "**"]);
    assert_eq!(rule.matching_entry(&["push"]), None);
}

#[test]
fn variables_are_handed_on_by_name_or_prefix() {
    let rule = CommandRule {
        envs: ["CARGO_*", "HOME", "A*B"].map(str::to_owned).to_vec(),
        ..CommandRule::default()
    };
    for (variable, expected) in
        [("CARGO_TERM_COLOR", true), ("HOME", true), ("HOMES", false), ("A*B", false)]
    {
        assert_eq!(rule.forwards(variable), expected, "{variable}");
    }
    assert!(!CommandRule::default().forwards("HOME"));
}

#[test]
fn rules_that_match_nothing_are_refused() {
    let refusals: Vec<_> = [
        r#"{"git":{"args":[["**","status"]]}}"#,
        r#"{"git":{"args":[["a","**","**"]]}}"#,
        r#"{"git":{"envs":["A*B"]}}"#,
        r#"{"":{}}"#,
    ]
    .into_iter()
    .map(|commands| policy(commands).commands.unwrap().validate().unwrap_err().to_string())
    .collect();
    assert_snapshot!(refusals.join("\n"), @r#"
    command git: `**` can only be the last of the arguments: ["**", "status"]
    command git: `**` can only be the last of the arguments: ["a", "**", "**"]
    command git: `*` can only be the last character of a variable name: "A*B"
    not the name of a program: ""
    "#);
    let fine = r#"{"git":{"args":[["log","**"]],"envs":["GIT_*"]}}"#;
    assert_eq!(policy(fine).commands.unwrap().validate(), Ok(()));
}

#[test]
fn errors_name_the_program_and_what_is_granted_but_not_the_arguments() {
    let policy = policy(r#"{"git":{"args":[["log","**"]]},"cargo":{}}"#);
    let unlisted = policy.check_command("rm", &["secret"]).unwrap_err();
    assert_snapshot!(unlisted, @"access denied: running rm");
    assert!(
        matches!(unlisted, CommandAccessError::Program { grants, .. } if grants == ["cargo", "git"])
    );
    let arguments = policy.check_command("git", &["secret"]).unwrap_err();
    assert_snapshot!(arguments, @"access denied: running git with the given arguments");
    assert!(!format!("{arguments:?}").contains("secret"));
}

#[test]
fn command_rules_change_no_other_decision() {
    // 076-275
    let json = r#"{"fs":[{"path":"src","read":true}],"net":[{"host":"a.com","allow":true}],
        "env":[{"name":"A","read":true}]}"#;
    let without: AccessPolicy = serde_json::from_str(json).unwrap();
    for commands in ["{}", r#"{"git":{"args":[],"envs":["B"]}}"#] {
        let with = AccessPolicy { commands: policy(commands).commands, ..without.clone() };
        for path in ["src/a", "b"] {
            for capability in Capability::ALL {
                assert_eq!(with.can(capability, path.into()), without.can(capability, path.into()));
            }
        }
        for url in ["https://a.com/", "https://b.com/"] {
            let target = NetTarget::parse(url).unwrap();
            assert_eq!(with.decide_net(&target), without.decide_net(&target));
        }
        for variable in ["A", "B"] {
            assert_eq!(with.decide_env(variable), without.decide_env(variable));
        }
    }
}

#[test]
fn commands_are_written_as_they_are_read() {
    let json = r#"{"cargo":{},"git":{"args":[["log","**"]],"envs":["GIT_*"]},"ls":{"args":[]}}"#;
    let commands: Commands = serde_json::from_str(json).unwrap();
    assert_eq!(serde_json::to_string(&commands).unwrap(), json);
    let built: Commands = [("cargo", CommandRule::default())].into_iter().collect();
    assert_eq!(built, serde_json::from_str(r#"{"cargo":{"later":1}}"#).unwrap());
}
