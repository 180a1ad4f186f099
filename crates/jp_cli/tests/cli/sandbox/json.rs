//! `--format json`: one object on standard output, however a run ends.

use insta::assert_snapshot;
use jp_test::{Output, TestEnv};

use super::{confined, script, world};

fn workspace() -> TestEnv {
    let env = world();
    env.write("old", "as it was\n");
    env.write(".env", "TOKEN=1\n");
    env.write("policy.toml", "[[access.fs]]\npath = \".\"\nread = true\ncreate = true\n");
    env
}

/// The one object that is there, laid out.
fn object(output: &Output) -> String {
    let text = output.normalized_stdout();
    assert_eq!(text.lines().count(), 1, "{output}");
    let object: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    serde_json::to_string_pretty(&object).expect("it can be written again")
}

#[test]
fn a_run_that_was_denied_something() {
    let env = workspace();
    let options = ["--format", "json", "--policy", "policy.toml"];
    let work = "echo printed; rm old; echo new > new; cat .env ~/.profile; exit 3";
    env.write(env.home().join(".profile"), "x\n");
    let output = script(&env, &options, work).run().code(3);
    assert_snapshot!(object(&output), @r#"
    {
      "ran": true,
      "exit_code": 3,
      "program": {
        "code": 3
      },
      "interrupted": false,
      "warnings": [
        ".env is sensitive and stays hidden, though it is granted by the rule for `.`; to show it: --allow-sensitive .env"
      ],
      "sensitive": {
        "allowed": [],
        "hidden": [
          "$PROJECT/.env"
        ]
      },
      "denied": [
        {
          "wanted": "read",
          "what": "$PROJECT/.env",
          "reason": "sensitive",
          "to_allow": {
            "option": "--allow-sensitive",
            "value": "$PROJECT/.env"
          }
        },
        {
          "wanted": "read",
          "what": "$HOME/.profile",
          "reason": "replaced by a private directory",
          "to_allow": {
            "option": "--read",
            "value": "$HOME/.profile"
          }
        }
      ],
      "changes": [
        {
          "path": "new",
          "change": "created",
          "size": 4,
          "outcome": "made",
          "why": null,
          "reason": null
        },
        {
          "path": "old",
          "change": "deleted",
          "size": 10,
          "outcome": "refused",
          "why": "policy",
          "reason": "the rule for `.` does not grant delete"
        }
      ],
      "error": null,
      "hints": []
    }
    "#);
    // What the program prints goes where it cannot be taken for the object.
    assert!(output.stderr().starts_with("printed\n"), "{output}");
    assert!(env.path("new").exists() && env.path("old").exists());
}

#[test]
fn a_dry_run() {
    let env = workspace();
    let output = script(&env, &["--format", "json", "--dry-run"], "echo new > old").run().success();
    assert_snapshot!(object(&output), @r#"
    {
      "ran": true,
      "exit_code": 0,
      "program": {
        "code": 0
      },
      "interrupted": false,
      "warnings": [],
      "sensitive": {
        "allowed": [],
        "hidden": []
      },
      "denied": [],
      "changes": [
        {
          "path": "old",
          "change": "updated",
          "size": 4,
          "outcome": "not made",
          "why": null,
          "reason": null,
          "added": 1,
          "removed": 1,
          "diff": "~ old: changed, 4 bytes\n@@ -1 +1 @@\n-as it was\n+new\n"
        }
      ],
      "error": null,
      "hints": []
    }
    "#);
    let options = ["--format", "json", "--dry-run", "--stat"];
    let output = script(&env, &options, "echo new > old").run().success();
    assert!(!output.stdout().contains("\"diff\""), "{output}");
}

#[test]
fn a_refusal() {
    let env = workspace();
    env.write("policy.toml", "[access.commands.git]\n");
    let options = ["--format", "json", "--policy", "policy.toml"];
    let output = confined(&env, &options, &["true"]).run().code(4);
    assert_snapshot!(object(&output), @r#"
    {
      "ran": false,
      "exit_code": 4,
      "program": null,
      "interrupted": false,
      "warnings": [],
      "sensitive": {
        "allowed": [],
        "hidden": []
      },
      "denied": [],
      "changes": null,
      "error": "the sandbox cannot keep the policy: `commands` (commands): the kernel does not see which arguments a program is given, so the process can start any that it can see; a tool with `runtime = \"vfs\"` has them started and judged by the host",
      "hints": [
        "Remove `commands` to let it start what it sees, or write `commands = {}` to let it start nothing. A tool with `runtime = \"vfs\"` can have the list.",
        "`[sandbox] allow_degraded = true`, or `--cfg sandbox.allow_degraded=true`, runs it anyway, with a warning."
      ]
    }
    "#);
    assert_eq!(output.stderr(), "");
    let output = confined(&env, &["--format", "json", "--policy", "none"], &["true"]).run().code(2);
    assert!(object(&output).contains("\"error\": \"--policy none: no such file\""), "{output}");
    let output = script(&env, &["--format", "json", "--review"], "true").run().code(2);
    assert!(object(&output).contains("--review asks a person"), "{output}");
}

#[test]
fn a_plan() {
    let env = workspace();
    env.write(
        "policy.toml",
        "[access]\nnet = [{ host = \"a.com\", allow = true }]\ncommands = { git = {} }\n",
    );
    let options = ["--format", "json", "--plan", "--policy", "policy.toml"];
    let output = confined(&env, &options, &["true"]).run().code(4);
    let mut object: serde_json::Value = serde_json::from_str(output.stdout()).unwrap();
    let places = object["plan"]["places"].take();
    let rows = object["plan"]["rows"].take();
    assert_snapshot!(serde_json::to_string_pretty(&object).unwrap(), @r#"
    {
      "plan": {
        "tier": 1,
        "network": "proxy",
        "starts_programs": true,
        "all_variables": true,
        "transactional": true,
        "places": null,
        "rows": null
      },
      "refused": true,
      "exit_code": 4,
      "warning": null,
      "error": "the sandbox cannot keep the policy: `commands` (commands): the kernel does not see which arguments a program is given, so the process can start any that it can see; a tool with `runtime = \"vfs\"` has them started and judged by the host",
      "hints": [
        "Remove `commands` to let it start what it sees, or write `commands = {}` to let it start nothing. A tool with `runtime = \"vfs\"` can have the list.",
        "`[sandbox] allow_degraded = true`, or `--cfg sandbox.allow_degraded=true`, runs it anyway, with a warning."
      ]
    }
    "#);
    assert_eq!(places[0]["path"], "/");
    let options = ["--format", "json", "--plan", "--write", "/"];
    let output = confined(&env, &options, &["true"]).run().code(2);
    assert!(output.stdout().contains("the whole machine cannot be granted"), "{output}");
    assert_snapshot!(rows[0], @r#"{"subject":"a.com","aspect":"net","fidelity":"exact","reason":"through the proxy, for programs that use HTTP_PROXY and HTTPS_PROXY"}"#);
}
