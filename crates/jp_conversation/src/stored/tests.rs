//! The stored form, with one golden line for every event type.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn at() -> jiff::Timestamp {
    "2026-03-18T13:19:13.281973Z".parse().unwrap()
}

fn to_line(event: &Event) -> String {
    let mut bytes = Vec::new();
    write_line(event, &mut bytes);
    String::from_utf8(bytes).unwrap()
}

fn event(kind: EventKind) -> Event {
    Event::new(at(), kind)
}

fn object(value: &Value) -> Map<String, Value> {
    value.as_object().unwrap().clone()
}

/// 072-327: the shape of each event type on disk is fixed.
#[test]
fn golden_lines() {
    let rows: Vec<(EventKind, &str)> = vec![
        (EventKind::TurnStart, r#""type":"turn_start""#),
        (
            EventKind::ChatRequest(ChatRequest::new("Hello")),
            r#""type":"chat_request","content":"Hello""#,
        ),
        (
            EventKind::ChatRequest(ChatRequest {
                content: "List".into(),
                schema: Some(json!({"type": "array"})),
                author: Some(json!("jean")),
            }),
            r#""type":"chat_request","content":"List","schema":{"type":"array"},"author":"jean""#,
        ),
        // 072-171
        (
            EventKind::ChatResponse(ChatResponse::Message("Hi".into())),
            r#""type":"chat_response","message":"Hi""#,
        ),
        (
            EventKind::ChatResponse(ChatResponse::Reasoning("Hm".into())),
            r#""type":"chat_response","reasoning":"Hm""#,
        ),
        (
            EventKind::ChatResponse(ChatResponse::Data(json!([1, "a"]))),
            r#""type":"chat_response","data":[1,"a"]"#,
        ),
        // 072-223: every string in `arguments` is base64, at any depth; keys are not.
        (
            EventKind::ToolCallRequest {
                id: "tc_1".into(),
                name: "fs_read_file".into(),
                arguments: object(&json!({"path": "src/main.rs", "lines": [1, {"to": "end"}]})),
            },
            r#""type":"tool_call_request","id":"tc_1","name":"fs_read_file","arguments":{"path":"c3JjL21haW4ucnM=","lines":[1,{"to":"ZW5k"}]}"#,
        ),
        (
            EventKind::ToolCallResponse {
                id: "tc_1".into(),
                content: "fn main() {}".into(),
                is_error: false,
            },
            r#""type":"tool_call_response","id":"tc_1","content":"Zm4gbWFpbigpIHt9","is_error":false"#,
        ),
        (
            EventKind::InquiryRequest {
                id: "q".into(),
                source: json!("fs_modify_file"),
                question: json!({"id": "q", "text": "Sure?", "answer_type": "Boolean"}),
            },
            r#""type":"inquiry_request","id":"q","source":"fs_modify_file","question":{"id":"q","text":"Sure?","answer_type":"Boolean"}"#,
        ),
        (
            EventKind::InquiryResponse { id: "q".into(), answer: json!(true) },
            r#""type":"inquiry_response","id":"q","answer":true"#,
        ),
        (
            EventKind::ConfigDelta { delta: json!({"assistant": {"name": "X"}}) },
            r#""type":"config_delta","delta":{"assistant":{"name":"X"}}"#,
        ),
    ];
    for (kind, fields) in rows {
        let event = event(kind);
        let line = format!(r#"{{"timestamp":"2026-03-18T13:19:13.281973Z",{fields}}}"#);
        assert_eq!(to_line(&event), line);
        assert_eq!(from_slice(line.as_bytes()).unwrap(), event);
    }
}

#[test]
fn metadata_strings_are_base64_on_disk_and_plain_for_readers() {
    // 072-175, 072-223
    let mut event = event(EventKind::TurnStart);
    event.metadata = object(&json!({"k": "v", "deep": {"list": ["v", 1]}}));
    let line = to_line(&event);
    assert!(line.ends_with(r#""metadata":{"k":"dg==","deep":{"list":["dg==",1]}}}"#), "{line}");
    assert_eq!(from_slice(line.as_bytes()).unwrap(), event);
    assert_eq!(to_object(&event)["metadata"], json!({"k": "v", "deep": {"list": ["v", 1]}}));
}

#[test]
fn encoding_an_object_gives_what_writing_the_event_gives() {
    let event =
        event(EventKind::ToolCallResponse { id: "1".into(), content: "é".into(), is_error: true });
    let mut object = to_object(&event);
    encode(&mut object);
    assert_eq!(Value::Object(object.clone()).to_string(), to_line(&event));
    decode(&mut object);
    assert_eq!(object, to_object(&event));
}

#[test]
fn an_unknown_type_is_kept_with_all_its_fields() {
    // 072-217: whatever the fields are, also where a known type uses the name differently.
    let line =
        r#"{"timestamp":"2026-03-18 13:19:13.281973","type":"hologram","id":7,"content":{"a":1}}"#;
    let event = from_slice(line.as_bytes()).unwrap();
    assert_eq!(event.kind.type_name(), "hologram");
    let EventKind::Unknown { object, .. } = &event.kind else { panic!("{event:?}") };
    assert_eq!(
        Value::Object(object.clone()),
        json!({"type": "hologram", "id": 7, "content": {"a": 1}})
    );
    assert_eq!(from_slice(to_line(&event).as_bytes()).unwrap(), event);
}

#[test]
fn unknown_fields_of_a_known_type_are_tolerated() {
    let line = r#"{"timestamp":"2026-03-18T13:19:13Z","type":"turn_start","new":[1,2]}"#;
    assert_eq!(from_slice(line.as_bytes()).unwrap().kind, EventKind::TurnStart);
}

#[test]
fn text_that_is_not_base64_is_shown_as_it_is() {
    let line = r#"{"timestamp":"2026-03-18T13:19:13Z","type":"tool_call_response","id":"1","content":"not base64!"}"#;
    let event = from_slice(line.as_bytes()).unwrap();
    let expected = EventKind::ToolCallResponse {
        id: "1".into(),
        content: "not base64!".into(),
        is_error: false,
    };
    assert_eq!(event.kind, expected);
}

#[test]
fn errors_say_what_is_wrong() {
    let rows = [
        ("", "not a JSON object"),
        ("[]", "not a JSON object"),
        ("{}", "missing field `type`"),
        (r#"{"type":"turn_start"}"#, "without a `timestamp`"),
        (r#"{"type":"other"}"#, "without a `timestamp`"),
        (r#"{"type":"turn_start","timestamp":"noon"}"#, "`noon` is not a timestamp"),
        (r#"{"type":"turn_start","timestamp":5}"#, "expected a string"),
        (
            r#"{"type":"chat_request","timestamp":"2026-03-18T13:19:13Z"}"#,
            "`chat_request` event without `content`",
        ),
        (
            r#"{"type":"chat_request","timestamp":"2026-03-18T13:19:13Z","content":1}"#,
            "expected a string",
        ),
        (
            r#"{"type":"chat_response","timestamp":"2026-03-18T13:19:13Z"}"#,
            "without `message`, `reasoning` or `data`",
        ),
        (
            r#"{"type":"tool_call_request","timestamp":"2026-03-18T13:19:13Z","name":"x"}"#,
            "without `id`",
        ),
    ];
    for (line, expected) in rows {
        let message = from_slice(line.as_bytes()).unwrap_err().to_string();
        assert!(message.contains(expected), "{line}: {message}");
    }
}

prop_compose! {
    fn any_arguments()(pairs in proptest::collection::vec((".{0,8}", ".{0,40}"), 0..5)) -> Map<String, Value> {
        pairs.into_iter().map(|(key, text)| (key, json!([text, {"k": text}]))).collect()
    }
}

proptest! {
    #[test]
    fn whatever_is_written_reads_back(id in ".{0,20}", content in ".*", arguments in any_arguments(), micros in 0i64..4_000_000_000_000_000) {
        let timestamp = jiff::Timestamp::from_microsecond(micros).unwrap();
        for kind in [
            EventKind::ToolCallRequest { id: id.clone(), name: content.clone(), arguments: arguments.clone() },
            EventKind::ToolCallResponse { id: id.clone(), content: content.clone(), is_error: true },
            EventKind::ChatRequest(ChatRequest::new(content.clone())),
        ] {
            let event = Event { timestamp, kind, metadata: arguments.clone() };
            let line = to_line(&event);
            prop_assert!(!line.contains('\n'));
            prop_assert_eq!(from_slice(line.as_bytes()).unwrap(), event);
        }
    }
}

/// What would take far more memory than its bytes is read by nobody, and what is long is not taken for that.
#[test]
fn an_event_has_so_many_values_that_others_can_read_it() {
    let list = |count: usize| format!("[{}0]", "0,".repeat(count - 1));
    // The object, two of its fields and the list are values, too.
    let event = |data: &str| {
        format!(r#"{{"timestamp":"2026-03-18T13:19:13Z","type":"hologram","data":{data}}}"#)
    };
    for (data, is_read) in [
        (list(MOST_VALUES - 3), true),
        (list(MOST_VALUES - 2), false),
        ("[".repeat(MOST_VALUES * 2), false),
        (format!("\"{}\"", "[,".repeat(MOST_VALUES + 1)), true),
    ] {
        let (line, length) = (event(&data), data.len());
        let plain = write_plain(line.as_bytes(), &mut Vec::new());
        for read in [
            from_slice(line.as_bytes()).map(drop),
            object_from_slice(line.as_bytes()).map(drop),
            plain,
        ] {
            assert_eq!(read.is_ok(), is_read, "{length}");
            assert!(is_read || matches!(read, Err(EventError::TooMany)), "{length}");
        }
    }
}
