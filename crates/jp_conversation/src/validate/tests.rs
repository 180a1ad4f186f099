//! Every rule of a push, with the refusal it leads to.

use serde_json::json;

use super::*;
use crate::stream::Stream;

fn now() -> Timestamp {
    "2026-03-18T13:19:13Z".parse().unwrap()
}

fn turn() -> Value {
    json!({"type": "turn_start"})
}

fn chat() -> Value {
    json!({"type": "chat_request", "content": "Hello"})
}

fn call(id: &str) -> Value {
    json!({"type": "tool_call_request", "id": id, "name": "x", "arguments": {}})
}

fn result(id: &str) -> Value {
    json!({"type": "tool_call_response", "id": id, "content": "ok", "is_error": false})
}

fn inquiry(id: &str) -> Value {
    json!({"type": "inquiry_request", "id": id, "source": "x", "question": {"id": id, "text": "?"}})
}

fn answer(id: &str) -> Value {
    json!({"type": "inquiry_response", "id": id, "answer": null})
}

/// A conversation that already holds these events.
fn after(events: &[Value]) -> Validator {
    let mut validator = Validator::default();
    validator.accept(events, now()).unwrap();
    validator
}

fn types(accepted: &Accepted) -> Vec<String> {
    let stream = Stream::from_lines(accepted.bytes.clone());
    stream.objects().map(|o| o.unwrap()["type"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn batches_that_follow_the_rules() {
    let rows: Vec<(&str, Validator, Vec<Value>, Vec<&str>)> = vec![
        ("072-199", Validator::default(), vec![turn(), chat()], vec!["turn_start", "chat_request"]),
        ("072-207", after(&[call("a")]), vec![result("a")], vec!["tool_call_response"]),
        (
            "072-208",
            Validator::default(),
            vec![call("a"), result("a")],
            vec!["tool_call_request", "tool_call_response"],
        ),
        (
            "072-206, earlier request",
            after(&[inquiry("q")]),
            vec![answer("q")],
            vec!["inquiry_response"],
        ),
        ("072-210", Validator::default(), vec![chat()], vec!["turn_start", "chat_request"]),
        (
            "072-210, turn used up",
            after(&[turn(), chat()]),
            vec![chat()],
            vec!["turn_start", "chat_request"],
        ),
        ("072-211", after(&[turn()]), vec![chat()], vec!["chat_request"]),
        ("empty", Validator::default(), vec![], vec![]),
    ];
    for (name, mut validator, batch, expected) in rows {
        let accepted = validator.accept(&batch, now()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(types(&accepted), expected, "{name}");
        // 072-200: the count is of the events sent, an injected one is not among them.
        assert_eq!(accepted.count, batch.len(), "{name}");
    }
}

#[test]
fn batches_that_break_a_rule() {
    let bad = |event: Value| vec![turn(), event];
    let rows: Vec<(&str, Vec<Value>, &str)> = vec![
        (
            "072-204, 072-205",
            bad(result("tc_99")),
            "ToolCallResponse references unknown request ID `tc_99` (event at index 1)",
        ),
        (
            "072-206",
            bad(answer("q9")),
            "InquiryResponse references unknown request ID `q9` (event at index 1)",
        ),
        (
            "072-209",
            vec![result("a"), call("a")],
            "ToolCallResponse references unknown request ID `a` (event at index 0)",
        ),
        (
            "072-212",
            vec![call("a"), chat()],
            "ChatRequest is not preceded by a TurnStart (event at index 1)",
        ),
        (
            "072-212, turn used up",
            vec![chat(), chat()],
            "ChatRequest is not preceded by a TurnStart (event at index 1)",
        ),
        (
            "072-213",
            bad(json!({"type": "chat_request"})),
            "`chat_request` needs `content` (event at index 1)",
        ),
        ("072-213", bad(json!({"content": "x"})), "the event has no `type` (event at index 1)"),
        (
            "072-213",
            bad(json!({"type": "chat_response"})),
            "`chat_response` needs one of `message`, `reasoning` and `data` (event at index 1)",
        ),
        (
            "one of",
            bad(json!({"type": "chat_response", "message": "", "data": 1})),
            "`chat_response` needs one of `message`, `reasoning` and `data` (event at index 1)",
        ),
        (
            "072-214",
            bad(json!({"type": "chat_request", "content": 5})),
            "`content` of `chat_request` must be a string (event at index 1)",
        ),
        (
            "072-214",
            bad(json!({"type": "tool_call_response", "id": "a", "content": "", "is_error": "no"})),
            "`is_error` of `tool_call_response` must be a boolean (event at index 1)",
        ),
        (
            "072-214",
            bad(json!({"type": "turn_start", "metadata": []})),
            "`metadata` of `turn_start` must be an object (event at index 1)",
        ),
        ("072-214", bad(json!("turn_start")), "an event must be an object (event at index 1)"),
        ("072-214", bad(json!({"type": 5})), "`type` must be a string (event at index 1)"),
        (
            "072-215",
            bad(json!({"type": "hologram"})),
            "unknown event type `hologram` (event at index 1)",
        ),
        (
            "072-216",
            bad(json!({"type": "config_delta", "delta": {}})),
            "`config_delta` events cannot be pushed (event at index 1)",
        ),
        (
            "072-221",
            bad(json!({"type": "turn_start", "timestamp": "noon"})),
            "`noon` is not a timestamp (expected a form such as 2026-03-18T13:19:13Z) (event at index 1)",
        ),
        (
            "072-221",
            bad(json!({"type": "turn_start", "timestamp": 5})),
            "`timestamp` must be a string (event at index 1)",
        ),
    ];
    for (name, batch, message) in rows {
        let mut validator = Validator::default();
        let rejection = validator.accept(&batch, now()).expect_err(name);
        assert_eq!(rejection.to_string(), message, "{name}");
        // 072-220: a refusal leaves no trace; the same validator takes a corrected batch.
        assert!(validator.accept(&[turn(), chat()], now()).is_ok(), "{name}");
    }
}

#[test]
fn the_position_of_the_bad_event_is_named() {
    // 072-219
    let mut batch: Vec<Value> = (0..100).map(|n| call(&n.to_string())).collect();
    batch[57] = json!({"type": "tool_call_request", "id": "57"});
    let rejection = Validator::default().accept(&batch, now()).unwrap_err();
    assert_eq!(rejection.index, 57);
}

#[test]
fn a_timestamp_is_stamped_or_kept() {
    // 072-221, 072-222
    let kept = json!({"type": "turn_start", "timestamp": "2020-01-01 00:00:00.5"});
    let accepted = Validator::default().accept(&[turn(), kept], now()).unwrap();
    let stream = Stream::from_lines(accepted.bytes);
    let stamps: Vec<_> = stream.objects().map(|o| o.unwrap()["timestamp"].clone()).collect();
    assert_eq!(stamps, ["2026-03-18T13:19:13Z", "2020-01-01 00:00:00.5"]);
}

#[test]
fn what_is_pushed_plain_is_stored_encoded_and_read_back_plain() {
    // 072-223, 072-224
    let event = json!({
        "timestamp": "2026-03-18T13:19:13Z", "type": "tool_call_request", "id": "a", "name": "x",
        "arguments": {"path": "src", "deep": [{"k": "v"}]}, "metadata": {"m": "n"}, "future": "field",
    });
    let accepted = Validator::default().accept(std::slice::from_ref(&event), now()).unwrap();
    let text = String::from_utf8(accepted.bytes.clone()).unwrap();
    assert!(
        text.contains(r#""path":"c3Jj""#)
            && text.contains(r#""k":"dg==""#)
            && text.contains(r#""m":"bg==""#),
        "{text}"
    );
    let back = Stream::from_lines(accepted.bytes).objects().next().unwrap().unwrap();
    assert_eq!(Value::Object(back), event);
}
