//! Tools that do their work in one go: arguments, answers, questions, and what goes wrong.

use std::io::{self, Write};

use serde::Deserialize;

use super::*;
use crate::{AnswerType, ContentBlock, Outcome, Question, ToolError, ToolResult};

/// Read a file.
#[derive(Debug, Deserialize, JsonSchema)]
struct Read {
    /// Which one.
    #[serde(alias = "file")]
    path: String,
    #[serde(default)]
    lines: Vec<Range>,
    #[serde(default)]
    force: bool,
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Range {
    from: u32,
}

fn read(args: Read, call: &Call) -> Result<Reply, Stop> {
    let Read { path, lines, force } = args;
    let limit: Option<usize> = call.option("limit")?;
    assert!(path != "panic", "out of {}", "paper");
    if path == "missing" {
        return Err(io::Error::new(io::ErrorKind::NotFound, "no such file").into());
    }
    if force {
        let question = Question::new("sure", "Sure?", AnswerType::Boolean);
        let sure: bool = call.ask(question)?;
        return Ok(format!("sure: {sure}").into());
    }
    let lines: Vec<u32> = lines.iter().map(|range| range.from).collect();
    Ok(format!("{path} {lines:?} {limit:?}").into())
}

fn tools() -> [ToolEntry; 2] {
    let other = |_: NoArgs, _: &Call| -> Result<Vec<ContentBlock>, ToolError> {
        Ok(vec![ContentBlock::text("a"), ContentBlock::text("b")])
    };
    [
        tool("read", read).describe(|args: Read, _: &Call| format!("read {}", args.path)),
        tool("other", other),
    ]
}

fn call(name: &str, arguments: &Value, answers: &Value) -> (Value, Exit) {
    let (mut lines, exit) = feed(tools(), invocation(name, "run", arguments, answers).as_bytes());
    assert_eq!(lines.len(), 1);
    (lines.remove(0), exit)
}

fn error(arguments: &Value) -> String {
    let (line, exit) = call("read", arguments, &json!({}));
    assert_eq!(exit, Exit::Failure);
    assert_eq!(line["type"], "error");
    line["message"].as_str().unwrap().to_owned()
}

#[test]
fn a_call_is_answered_in_one_line() {
    // D06-042
    assert_eq!(
        call("read", &json!({ "path": "a\nb", "lines": [{ "from": 1 }] }), &json!({})),
        (json!({ "type": "success", "content": "a\nb [1] Some(3)" }), Exit::Success)
    );
    assert_eq!(
        call("other", &json!({}), &json!({})).0,
        json!({ "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] })
    );
    assert_eq!(call("read", &json!({ "file": "a" }), &json!({})).1, Exit::Success);
}

#[test]
fn a_question_ends_the_call_until_it_is_answered() {
    let arguments = json!({ "path": "a", "force": true });
    let (line, exit) = call("read", &arguments, &json!({}));
    assert_eq!(exit, Exit::Success);
    let question = json!({ "id": "sure", "text": "Sure?", "answer_type": "Boolean" });
    assert_eq!(line, json!({ "type": "needs_input", "question": question }));
    let (line, _) = call("read", &arguments, &json!({ "sure": false, "other": 1 }));
    assert_eq!(line["content"], "sure: false");
    let (line, exit) = call("read", &arguments, &json!({ "sure": "yes" }));
    assert_eq!(exit, Exit::Failure);
    insta::assert_snapshot!(
        line["message"],
        @r#""the answer `sure`: invalid type: string \"yes\", expected a boolean""#
    );
}

#[test]
fn wrong_arguments_are_named_with_what_was_expected() {
    insta::assert_snapshot!(error(&json!({})), @"wrong arguments: missing argument `path`");
    insta::assert_snapshot!(
        error(&json!({ "path": 7 })),
        @"argument `path`: invalid type: integer `7`, expected a string"
    );
    insta::assert_snapshot!(
        error(&json!({ "path": "a", "lines": [{ "from": 1 }, { "from": -1 }] })),
        @"argument `lines[1].from`: invalid value: integer `-1`, expected u32"
    );
    insta::assert_snapshot!(
        error(&json!({ "path": "a", "lines": [{}] })),
        @"argument `lines[0]`: missing field `from`"
    );
    insta::assert_snapshot!(
        error(&json!({ "path": "a", "dry_run": true, "lines": [{ "from": 1, "to": 2 }] })),
        @"wrong arguments: unknown argument `dry_run`, `lines.0.to`"
    );
    let strict = |args: Value| {
        #[derive(Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        #[expect(dead_code, reason = "only read")]
        struct Strict {
            field: String,
        }
        let done = |_: Strict, _: &Call| Ok::<_, ToolError>("done");
        let line = invocation("strict", "run", &args, &json!({}));
        feed([tool("strict", done)], line.as_bytes()).0.remove(0)["message"].clone()
    };
    insta::assert_snapshot!(strict(json!({})), @r#""wrong arguments: missing argument `field`""#);
    insta::assert_snapshot!(
        strict(json!({ "field": "a", "unknown field b": 1 })),
        @r#""argument `unknown field b`: unknown field `unknown field b`, expected `field`""#
    );
    // What the model wrote is not sent back to it whole.
    let long = error(&json!({ "path": "a", "force": "x".repeat(1 << 20) }));
    assert!(long.starts_with("argument `force`: invalid type: string \"xxx"), "{long:.80}");
    assert!(long.chars().count() < 400);
}

#[test]
fn an_error_of_a_tool_is_an_error_outcome() {
    insta::assert_snapshot!(error(&json!({ "path": "missing" })), @"no such file");
    insta::assert_snapshot!(error(&json!({ "path": "panic" })), @"the tool panicked: out of paper");
}

#[test]
fn a_tool_is_found_by_name_and_an_only_one_by_any() {
    let (line, exit) = call("write", &json!({}), &json!({}));
    assert_eq!(exit, Exit::Failure);
    insta::assert_snapshot!(
        line["message"].as_str().unwrap(),
        @r#"no tool "write" in this program, only ["read", "other"]"#
    );
    let only = tool("read", read);
    let line = invocation("fs_read", "run", &json!({ "path": "a" }), &json!({}));
    assert_eq!(feed([only], line.as_bytes()).1, Exit::Success);
}

#[test]
fn arguments_are_shown_in_the_words_of_the_tool_or_plainly() {
    let show = |name, arguments: Value| {
        let line = invocation(name, "format_arguments", &arguments, &json!({}));
        feed(tools(), line.as_bytes()).0.remove(0)
    };
    assert_eq!(show("read", json!({ "path": "panic" }))["content"], "read panic");
    assert_eq!(
        show("other", json!({ "a": [1], "b": "c\n" }))["content"],
        r#"other(a: [1], b: "c\n")"#
    );
    let message = &show("read", json!({ "path": 1 }))["message"];
    assert!(message.as_str().unwrap().starts_with("argument `path`"), "{message}");
}

#[test]
fn what_is_no_invocation_is_answered_with_an_error() {
    let good = invocation("other", "run", &json!({}), &json!({}));
    let huge = good.replace("{}", &format!("{{\"a\":\"{}\"}}", "x".repeat(20 << 20)));
    let deep = "[".repeat(1 << 20);
    let cases: &[(&[u8], &str)] = &[
        (b"", "stdin is empty: no invocation"),
        (b" \n\n", "stdin is empty: no invocation"),
        (b"read a.txt\n", "not the invocation of a tool"),
        (b"[]\n", "not the invocation of a tool"),
        (b"{\"tool\":{\"name\":\"read\"}}", "not the invocation of a tool"),
        (b"\xff\xfe{}\n", "a line on stdin is not UTF-8"),
        (huge.as_bytes(), "a line on stdin is longer than 16 MiB"),
        (deep.as_bytes(), "not the invocation of a tool"),
    ];
    for (input, message) in cases {
        let (lines, exit) = feed(tools(), input);
        assert_eq!(exit, Exit::Failure);
        assert_eq!(lines.len(), 1);
        assert_eq!(lines[0]["type"], "error");
        assert_eq!(lines[0]["message"], *message);
    }
    // The end of the line may be missing, and what comes after it is not read.
    for input in [good.clone(), format!("\n{good}\r\n"), format!("{good}\nmore")] {
        assert_eq!(feed(tools(), input.as_bytes()).1, Exit::Success);
    }
}

#[test]
fn a_closed_stdout_is_reported_and_nothing_panics() {
    struct Closed;
    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> io::Result<usize> {
            Err(io::ErrorKind::BrokenPipe.into())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let line = invocation("other", "run", &json!({}), &json!({}));
    let error = run(tools(), line.as_bytes(), Closed).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::BrokenPipe);
}

#[test]
fn everything_at_hand_is_a_reply() {
    let question = Question::new("a", "A?", AnswerType::Text);
    for (reply, is_error) in [
        (Reply::from("a"), false),
        ("a".to_owned().into(), false),
        (Outcome::success("a").into(), false),
        (ToolResult::new(vec![]).into(), false),
        (question.into(), false),
        (ToolError::new("a").into(), true),
        (ToolResult::from(ToolError::new("a")).into(), true),
    ] {
        assert_eq!(reply.is_error(), is_error, "{reply:?}");
    }
}
