//! What is sent beside the arguments.

#![expect(clippy::disallowed_methods, reason = "one of them reads the sources of this crate")]

use jp_tool::Tool;
use serde_json::json;

use super::*;

fn object(value: Value) -> Map<String, Value> {
    let Value::Object(object) = value else { panic!() };
    object
}

fn tool(answers: Value, options: Value) -> Tool {
    Tool {
        name: "search".to_owned(),
        arguments: object(json!({ "query": "Value::pointer", "limit": 3 })),
        answers: object(answers),
        options: object(options),
    }
}

fn place() -> Place {
    let workspace_id = Some("w1".to_owned());
    Place { root: "/work".into(), workspace_id, conversation_id: None, access: None }
}

/// D31-030, D31-031, D31-032, D31-033, D31-034, D31-035, D31-036, D31-037, D31-039, D31-040.
#[test]
fn the_context_is_sent_under_two_keys() {
    let called = tool(json!({ "confirm-fetch": true }), json!({ "site": "https://docs.rs" }));
    let sent = meta(tool_context(&place(), called, Action::Run)).unwrap();
    assert_eq!(sent.keys().collect::<Vec<_>>(), ["computer.jp/tool", "computer.jp/context"]);
    assert_eq!(
        sent["computer.jp/tool"],
        json!({
            "name": "search",
            "arguments": { "query": "Value::pointer", "limit": 3 },
            "answers": { "confirm-fetch": true },
            "options": { "site": "https://docs.rs" },
        })
    );
    let context = &sent["computer.jp/context"];
    assert_eq!((&context["action"], &context["root"]), (&json!("run"), &json!("/work")));
    assert_eq!(context["access"], Value::Null);
}

/// D31-043, D31-045, D31-046.
#[test]
fn nothing_is_sent_where_there_is_nothing_to_say() {
    for (answers, options, is_sent) in [
        (json!({}), json!({}), false),
        (json!({ "a": 1 }), json!({}), true),
        (json!({}), json!({ "a": null }), true),
    ] {
        let sent = meta(tool_context(&place(), tool(answers, options), Action::Run));
        assert_eq!(sent.is_some(), is_sent);
    }
}

/// D31-051: what a program reads on its stdin and what a server reads in `_meta` are the same two objects.
#[test]
fn a_program_and_a_server_are_told_the_same() {
    let invocation = tool_context(&place(), tool(json!({ "a": 1 }), json!({})), Action::Run);
    let on_stdin = serde_json::to_value(&invocation).unwrap();
    let sent = meta(invocation).unwrap();
    assert_eq!(on_stdin["tool"], sent["computer.jp/tool"]);
    assert_eq!(on_stdin["context"], sent["computer.jp/context"]);
    assert_eq!(on_stdin.as_object().unwrap().len(), 2);
}

/// D31-053: every runtime takes what it says from `tool_context`, and nothing else in this crate puts a call
/// or a context together. Taking one apart is something else.
#[test]
fn one_function_builds_what_a_tool_is_told() {
    let source = camino::Utf8Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/src"));
    let (mut builders, mut users) = (Vec::new(), Vec::new());
    let mut rest = vec![source.to_owned()];
    while let Some(path) = rest.pop() {
        if path.is_dir() {
            rest.extend(path.read_dir_utf8().unwrap().map(|entry| entry.unwrap().into_path()));
            continue;
        }
        let name = path.strip_prefix(source).unwrap().to_string();
        if path.extension() != Some("rs") || name.contains("tests") {
            continue;
        }
        let text = std::fs::read_to_string(&path).unwrap();
        // Words of their own: `ToolContext {` is another type.
        let builds = |line: &str| {
            let line = line.trim_start();
            let word = |word: &str| line.starts_with(word) || line.contains(&format!(" {word}"));
            (word("Invocation {") || word("Context {"))
                && !["let Invocation {", "let Context {", "->", "impl", "struct", "//"]
                    .iter()
                    .any(|other| line.contains(other))
        };
        if text.lines().any(builds) {
            builders.push(name.clone());
        }
        if text.contains("tool_context(") {
            users.push(name);
        }
    }
    users.sort();
    assert_eq!(builders, ["tool/context.rs"]);
    assert_eq!(
        users,
        [
            "tool/context.rs",
            "tool/local.rs",
            "tool/runtime/mcp.rs",
            "tool/runtime/stdio.rs",
            "tool/runtime/stdio/live.rs",
            "tool/runtime/vfs.rs",
        ]
    );
}
