//! Tools that stay alive: each command is answered once, and what is no command ends the session.

use std::sync::{Arc, Mutex};

use serde::Deserialize;

use super::*;
use crate::{AnswerType, Content, Question, ToolError, ToolState};

/// Add numbers until told that it is enough.
#[derive(Deserialize, JsonSchema)]
struct Sum {
    /// Where to start.
    #[serde(default)]
    start: i64,
}

/// What was done to the session, for the test to see.
type Log = Arc<Mutex<Vec<String>>>;

struct Adding {
    sum: i64,
    log: Log,
}

impl Session for Adding {
    fn fetch(&mut self) -> Result<ToolState, ToolError> {
        if self.sum > 100 {
            return Ok(ToolState::Stopped { result: "enough".into() });
        }
        let question = Question::new("next", "Which number?", AnswerType::Text);
        Ok(ToolState::Waiting { content: Some(self.sum.to_string().into()), question })
    }

    fn apply(&mut self, input: Value) -> Result<ToolState, ToolError> {
        assert_ne!(input, "panic", "asked to");
        let number = input.as_i64().ok_or("that is no number")?;
        self.sum += number;
        self.fetch()
    }

    fn abort(&mut self) -> Content {
        self.log.lock().unwrap().push(format!("aborted at {}", self.sum));
        format!("{} so far", self.sum).into()
    }
}

fn sum(log: &Log) -> ToolEntry {
    let log = log.clone();
    stateful("sum", move |args: Sum, _: &Call| {
        if args.start < 0 {
            return Err(ToolError::new("cannot start below zero"));
        }
        Ok(Adding { sum: args.start, log: log.clone() })
    })
    .describe(|args: Sum, _: &Call| format!("sum from {}", args.start))
}

fn spawn(args: &Value) -> String {
    let arguments = json!({ "action": "spawn", "id": "s", "args": args });
    invocation("sum", "run", &arguments, &json!({}))
}

/// Spawns the tool and gives it these lines: what it printed, how it ended, what became of it.
fn session(lines: &[&str]) -> (Vec<String>, Exit, Vec<String>) {
    let log = Log::default();
    let input = format!("{}\n{}", spawn(&json!({ "start": 1 })), lines.join("\n"));
    let (printed, exit) = feed([sum(&log)], input.as_bytes());
    let short = |line: &Value| match line["type"].as_str().unwrap() {
        "waiting" => format!("waiting {}", line["content"].as_str().unwrap()),
        "stopped" => format!("stopped {}", line["result"].as_str().unwrap()),
        other => format!("{other} {}", line["message"].as_str().unwrap()),
    };
    let log = log.lock().unwrap().clone();
    (printed.iter().map(short).collect(), exit, log)
}

const FETCH: &str = r#"{"action":"fetch","id":"s"}"#;
const ABORT: &str = r#"{"action":"abort","id":"s"}"#;
const ADD_50: &str = r#"{"action":"apply","id":"s","input":50}"#;

#[test]
fn every_command_is_answered_by_one_state() {
    let (printed, exit, log) = session(&[FETCH, "", ADD_50, FETCH, ADD_50, FETCH]);
    assert_eq!(printed, ["waiting 1", "waiting 1", "waiting 51", "waiting 51", "stopped enough"]);
    assert_eq!((exit, log), (Exit::Success, vec![]));
}

#[test]
fn a_session_ends_when_it_is_aborted_or_when_the_host_goes() {
    let (printed, exit, log) = session(&[ADD_50, ABORT, FETCH]);
    assert_eq!(printed, ["waiting 1", "waiting 51", "stopped 51 so far"]);
    assert_eq!((exit, log), (Exit::Success, vec!["aborted at 51".to_owned()]));
    let (printed, exit, log) = session(&[ADD_50]);
    assert_eq!(printed, ["waiting 1", "waiting 51"]);
    assert_eq!((exit, log), (Exit::Success, vec!["aborted at 51".to_owned()]));
}

#[test]
fn what_is_no_command_to_the_session_aborts_it() {
    let huge = format!("{{\"a\":\"{}\"}}", "x".repeat(20 << 20));
    for (line, message) in [
        ("yes", "not a command to a tool that stays alive"),
        ("[]", "not a command to a tool that stays alive"),
        (r#"{"action":"dance","id":"s"}"#, "not a command to a tool that stays alive"),
        (r#"{"action":"apply","id":"s"}"#, "not a command to a tool that stays alive"),
        (r#"{"action":"fetch","id":"t"}"#, "no session \"t\" here, only \"s\""),
        (r#"{"action":"spawn","id":"s"}"#, "the session \"s\" exists already"),
        (&huge, "a line on stdin is longer than 16 MiB"),
    ] {
        let (printed, exit, log) = session(&[line, ADD_50]);
        assert_eq!(printed, ["waiting 1".to_owned(), format!("error {message}")]);
        assert_eq!((exit, log), (Exit::Failure, vec!["aborted at 1".to_owned()]));
    }
}

#[test]
fn an_error_or_a_panic_ends_the_session() {
    for (input, message) in [
        ("\"a\"", "that is no number"),
        ("\"panic\"", "the tool panicked: assertion `left != right` failed: asked to"),
    ] {
        let line = format!(r#"{{"action":"apply","id":"s","input":{input}}}"#);
        let (printed, exit, _) = session(&[&line, FETCH]);
        assert_eq!(printed.len(), 2);
        assert!(printed[1].starts_with(&format!("error {message}")), "{printed:?}");
        assert_eq!(exit, Exit::Failure);
    }
}

#[test]
fn a_session_begins_with_spawn() {
    let log = Log::default();
    for (arguments, message) in [
        (json!({ "start": 1 }), "this tool stays alive: its arguments need an `action`"),
        (
            json!({ "action": "fetch", "id": "s" }),
            "there is no session yet: the first action is `spawn`",
        ),
        (json!({ "action": "spawn" }), "not a command to a tool that stays alive"),
        (
            json!({ "action": "spawn", "id": "s", "args": { "start": "a" } }),
            "argument `start`: invalid type: string \"a\", expected i64",
        ),
        (
            json!({ "action": "spawn", "id": "s", "args": { "start": -1 } }),
            "cannot start below zero",
        ),
    ] {
        let line = invocation("sum", "run", &arguments, &json!({}));
        let (printed, exit) = feed([sum(&log)], line.as_bytes());
        assert_eq!(printed.len(), 1);
        assert_eq!(printed[0]["message"], message);
        assert_eq!(exit, Exit::Failure);
    }
    assert!(log.lock().unwrap().is_empty());
}

#[test]
fn commands_are_shown_and_the_tool_is_described_without_a_session() {
    // D06-045
    let log = Log::default();
    for (arguments, shown) in [
        (json!({ "action": "spawn", "id": "s", "args": { "start": 2 } }), "sum from 2"),
        (json!({ "start": 3 }), "sum from 3"),
        (json!({ "action": "fetch", "id": "s" }), r#"sum(action: "fetch", id: "s")"#),
    ] {
        let line = invocation("sum", "format_arguments", &arguments, &json!({}));
        assert_eq!(feed([sum(&log)], line.as_bytes()).0[0]["content"], shown);
    }
    let line = invocation("sum", "schema", &json!({ "action": "spawn" }), &json!({}));
    let (printed, _) = feed([sum(&log)], line.as_bytes());
    assert_eq!(printed[0]["tools"][0]["actions"], json!(["spawn", "fetch", "apply", "abort"]));
}
