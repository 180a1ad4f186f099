//! Notifications of both sides: their forms, and what is none.

use std::error::Error as _;

use serde_json::json;

use super::*;
use crate::ContentBlock;
use crate::vfs::{PROTOCOL_VERSION, ToHost, ToTool};

fn of_tool(method: &str, params: &Value) -> Result<ToolNotification, InvalidNotification> {
    let line = json!({ "jsonrpc": "2.0", "method": method, "params": params }).to_string();
    let ToHost::Notification(notification) = ToHost::parse(line.as_bytes()).unwrap() else {
        panic!("{line}");
    };
    ToolNotification::parse(&notification)
}

fn of_host(line: &str) -> Result<HostNotification, InvalidNotification> {
    let ToTool::Notification(notification) = ToTool::parse(line.as_bytes()).unwrap() else {
        panic!("{line}");
    };
    HostNotification::parse(&notification)
}

fn blocks(params: &Value) -> crate::Blocks {
    match of_tool("result", params).unwrap() {
        ToolNotification::Result(ResultParams { content: Answer::Content(content) }) => {
            content.into_blocks()
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_string_is_one_text_block() {
    // D11-036, D11-037
    let string = blocks(&json!({ "content": "Modified 2 files." }));
    let list = blocks(&json!({ "content": [{ "type": "text", "text": "Modified 2 files." }] }));
    assert_eq!(string, list);
    assert_eq!(string.blocks, [ContentBlock::text("Modified 2 files.")]);
}

#[test]
fn a_malformed_block_is_skipped() {
    // D11-039
    let read =
        blocks(&json!({ "content": [{ "type": "smell" }, { "type": "text", "text": "a" }] }));
    assert_eq!(read.blocks, [ContentBlock::text("a")]);
    assert_eq!(read.malformed.len(), 1);
}

#[test]
fn an_object_is_a_description() {
    // D11-170
    let content = json!({ "tools": [{ "name": "t", "parameters": {} }] });
    let read = of_tool("result", &json!({ "content": content })).unwrap();
    let ToolNotification::Result(ResultParams { content: Answer::Schema(schema) }) = read else {
        panic!("{read:?}");
    };
    assert_eq!(schema.tools[0].name, "t");
}

#[test]
fn an_error_carries_what_led_to_it() {
    // D11-041
    let params = json!({ "message": "no", "trace": ["a", "b"], "transient": true });
    let error = ToolError::new("no").because("a").because("b").transient();
    let read = of_tool("error", &params).unwrap();
    assert_eq!(read, ToolNotification::Error(error));
    let written = serde_json::to_value(&read).unwrap();
    assert_eq!(written, json!({ "jsonrpc": "2.0", "method": "error", "params": params }));
    let short = of_tool("error", &json!({ "message": "no" })).unwrap();
    assert_eq!(short, ToolNotification::Error(ToolError::new("no")));
}

#[test]
fn states_are_those_of_any_tool_that_stays_alive() {
    for params in [
        json!({ "type": "running" }),
        json!({ "type": "running", "content": "Next hunk: ..." }),
        json!({ "type": "waiting", "question": { "id": "q", "text": "?", "answer_type": "Text" } }),
        json!({ "type": "stopped", "result": "Staged 3 hunks." }),
    ] {
        let state = of_tool("state", &params).unwrap();
        let same = ToolState::parse(&params.to_string()).unwrap();
        assert_eq!(state, ToolNotification::State(same));
        assert_eq!(serde_json::to_value(&state).unwrap()["params"], params);
    }
}

#[test]
fn cancel_means_one_request_or_the_whole_call() {
    // D11-229
    for id in [json!(7), json!("7")] {
        let read = of_tool("cancel", &json!({ "request_id": id })).unwrap();
        let request_id = serde_json::from_value(id).unwrap();
        assert_eq!(read, ToolNotification::Cancel(CancelParams { request_id }));
    }
    let line = r#"{"jsonrpc":"2.0","method":"cancel"}"#;
    assert_eq!(serde_json::to_string(&HostNotification::Cancel).unwrap(), line);
    assert_eq!(of_host(line).unwrap(), HostNotification::Cancel);
}

#[test]
fn init_carries_the_call_and_its_context() {
    // D11-164, D11-167, D11-168, D11-169
    let context = InitContext {
        workspace_id: Some("ab12c".to_owned()),
        conversation_id: Some("17127583920".to_owned()),
        ..InitContext::default()
    };
    let tool = Tool { name: "t".to_owned(), ..Tool::default() };
    let init = Init { tool, context, protocol_version: PROTOCOL_VERSION.to_owned() };
    let written = serde_json::to_string(&HostNotification::Init(Box::new(init.clone()))).unwrap();
    insta::assert_snapshot!(written, @r#"{"jsonrpc":"2.0","method":"init","params":{"tool":{"name":"t","arguments":{},"answers":{},"options":{}},"context":{"action":"run","workspace_id":"ab12c","conversation_id":"17127583920","access":null},"protocol_version":"0.1.0"}}"#);
    assert_eq!(of_host(&written).unwrap(), HostNotification::Init(Box::new(init)));
    let loud = written.replace(r#""run""#, r#""FormatArguments""#);
    let HostNotification::Init(init) = of_host(&loud).unwrap() else { panic!("{loud}") };
    assert_eq!(init.context.action, Action::FormatArguments);
}

#[test]
fn init_of_a_host_without_a_context_is_read() {
    let line = r#"{"jsonrpc":"2.0","method":"init","params":{"tool":{"name":"t"},"protocol_version":"0.1.0"}}"#;
    let HostNotification::Init(init) = of_host(line).unwrap() else { panic!("{line}") };
    assert_eq!(init.context, InitContext::default());
}

#[test]
fn pending_names_the_request_as_it_named_itself() {
    let pending =
        PendingParams { request_id: Id::Integer(1), reason: "awaiting user approval".to_owned() };
    let line = r#"{"jsonrpc":"2.0","method":"pending","params":{"request_id":1,"reason":"awaiting user approval"}}"#;
    let written = serde_json::to_string(&HostNotification::Pending(pending)).unwrap();
    assert_eq!(written, line);
}

#[test]
fn apply_takes_any_input() {
    for input in [json!("y"), json!(true), json!({ "a": [1] }), json!(null)] {
        let params = ApplyParams { input };
        let line = serde_json::to_string(&HostNotification::Apply(params.clone())).unwrap();
        assert!(!line.contains("\"id\""), "{line}");
        assert_eq!(of_host(&line).unwrap(), HostNotification::Apply(params));
    }
}

#[test]
fn a_last_word_has_a_largest_number_of_values() {
    let many = |count| json!(vec![1; count]);
    for (is_read, block) in [(true, many(49_000)), (false, many(50_000))] {
        let block = json!([{ "type": "text", "text": "a", "annotations": block }]);
        for (method, params) in [
            ("result", json!({ "content": block })),
            ("state", json!({ "type": "stopped", "result": block })),
        ] {
            let read = of_tool(method, &params);
            assert_eq!(read.is_ok(), is_read, "{method}");
            let reason = read.err().map(|error| error.source().unwrap().to_string());
            assert!(reason.is_none_or(|reason| reason == "more than 50000 values"));
        }
    }
}

#[test]
fn what_is_wrong_is_not_repeated_at_length() {
    let params = json!({ "type": "\u{7f}".repeat(100_000) });
    let reason = of_tool("state", &params).unwrap_err().source().unwrap().to_string();
    assert!(reason.starts_with("unknown variant") && reason.len() < 1_000, "{reason}");
}

#[test]
fn what_is_no_notification_says_why() {
    for (method, params, reason) in [
        ("result", json!({}), "missing field `content`"),
        ("result", json!({ "content": 1 }), "expected a string, a list of blocks or"),
        ("result", json!({ "content": { "text": "a" } }), "missing field `tools`"),
        ("result", json!(["a"]), "expected an object"),
        ("error", json!({}), "missing field `message`"),
        ("state", json!({ "type": "tired" }), "unknown variant `tired`"),
        ("state", json!({ "type": "stopped" }), "missing field `result`"),
        ("cancel", json!({}), "missing field `request_id`"),
    ] {
        let error = of_tool(method, &params).unwrap_err();
        assert_eq!(error.to_string(), format!("params of `{method}`"));
        let source = error.source().unwrap().to_string();
        assert!(source.contains(reason), "{method} {params}: {source}");
    }
    for method in ["init", "pending", "fs.read", "log"] {
        let error = of_tool(method, &json!({})).unwrap_err();
        assert!(matches!(error, InvalidNotification::Unknown { .. }), "{method}");
    }
}
