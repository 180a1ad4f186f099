//! Events of every kind, as they should be and as they should not.

use serde_json::json;

use super::*;

fn kind(value: Value) -> Kind {
    Event::from_value(0, value).kind
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is no object"),
    }
}

#[test]
fn every_kind_is_read() {
    let check = |value: Value, want: Kind| {
        assert_eq!(kind(value.clone()), want);
        assert_eq!(want.type_name(), value["type"]);
    };
    check(json!({ "type": "turn_start" }), Kind::TurnStart);
    check(
        json!({ "type": "chat_request", "content": "a", "author": "Ada", "schema": { "x": 1 } }),
        Kind::ChatRequest {
            content: "a".into(),
            author: Some("Ada".into()),
            schema: Some(json!({ "x": 1 })),
        },
    );
    check(json!({ "type": "chat_response", "message": "a" }), Kind::Message("a".into()));
    check(json!({ "type": "chat_response", "reasoning": "a" }), Kind::Reasoning("a".into()));
    check(json!({ "type": "chat_response", "data": null }), Kind::Data(Value::Null));
    check(
        json!({ "type": "tool_call_request", "id": "1", "name": "t", "arguments": { "a": [1] } }),
        Kind::ToolCallRequest {
            id: "1".into(),
            name: "t".into(),
            arguments: object(json!({ "a": [1] })),
        },
    );
    check(
        json!({ "type": "tool_call_response", "id": "1", "content": "c", "is_error": true }),
        Kind::ToolCallResponse { id: "1".into(), content: "c".into(), is_error: true },
    );
    check(
        json!({ "type": "tool_call_response", "id": "1", "content": "c" }),
        Kind::ToolCallResponse { id: "1".into(), content: "c".into(), is_error: false },
    );
    check(
        json!({ "type": "inquiry_request", "id": "1", "source": "t", "question": { "text": "?" } }),
        Kind::InquiryRequest {
            id: "1".into(),
            source: json!("t"),
            question: json!({ "text": "?" }),
        },
    );
    check(
        json!({ "type": "inquiry_response", "id": "1", "answer": true }),
        Kind::InquiryResponse { id: "1".into(), answer: json!(true) },
    );
    check(
        json!({ "type": "config_delta", "delta": { "a": 1 } }),
        Kind::ConfigDelta { delta: json!({ "a": 1 }) },
    );
}

#[test]
fn what_is_not_as_its_type_asks_for_keeps_everything() {
    let check = |value: Value| {
        let mut fields = object(value.clone());
        let name = text(&mut fields, "type");
        let is_damaged = value.get("type").is_some_and(|name| name != "hologram");
        let kind = kind(value);
        assert_eq!(kind.is_damaged(), is_damaged, "{kind:?}");
        assert_eq!(kind, Kind::Unknown { name, fields });
    };
    check(json!({ "type": "hologram", "beam": [1, 2] }));
    check(json!({ "no": "type" }));
    check(json!({ "type": "chat_request", "content": 1, "author": "Ada" }));
    check(json!({ "type": "chat_response" }));
    check(json!({ "type": "chat_response", "message": ["a"] }));
    check(json!({ "type": "chat_response", "reasoning": null }));
    check(json!({ "type": "tool_call_request", "id": "1" }));
    check(json!({ "type": "tool_call_request", "id": "1", "name": "t", "arguments": "a" }));
    check(json!({ "type": "tool_call_response", "id": 1, "content": "c" }));
    check(json!({ "type": "tool_call_response", "id": "1", "content": "c", "is_error": "no" }));
    check(json!({ "type": "inquiry_request", "id": "1" }));
    check(json!({ "type": "inquiry_response", "answer": 1 }));
}

#[test]
fn what_stands_around_an_event_is_read_as_far_as_it_goes() {
    let event = Event::from_value(
        7,
        json!({ "type": "turn_start", "timestamp": "t", "metadata": { "m": 1 } }),
    );
    assert_eq!(event.timestamp.as_deref(), Some("t"));
    assert_eq!(event.metadata, Some(object(json!({ "m": 1 }))));
    assert_eq!(event.position, 7);

    let odd = json!({ "type": 5, "timestamp": 1, "metadata": "m" });
    let event = Event::from_value(0, odd.clone());
    assert_eq!((event.timestamp, event.metadata), (None, None));
    assert_eq!(event.kind, Kind::Unknown { name: String::new(), fields: object(odd) });

    let fields = object(json!({ "value": [1] }));
    assert_eq!(kind(json!([1])), Kind::Unknown { name: String::new(), fields });
}

#[test]
fn text_is_read_like_a_value() {
    let text = r#"{"type":"chat_response","message":"a\nb"}"#;
    let raw: Box<RawValue> = serde_json::from_str(text).unwrap();
    assert_eq!(Event::parse(0, &raw).kind, Kind::Message("a\nb".into()));
    let huge: Box<RawValue> = serde_json::from_str("1e999999").unwrap();
    let fields = object(json!({ "value": "1e999999" }));
    assert_eq!(Event::parse(0, &huge).kind, Kind::Unknown { name: String::new(), fields });
}

/// A list of so many ones in an event.
fn ones(count: usize) -> Box<RawValue> {
    let ones = vec!["1"; count].join(",");
    let text =
        format!(r#"{{"type":"chat_response","timestamp":"t","metadata":{{}},"data":[{ones}]}}"#);
    RawValue::from_string(text).unwrap()
}

/// What stands around the list counts, too: three commas, two objects and the list itself.
const AROUND: usize = 6;

#[test]
fn what_has_too_many_values_is_not_made() {
    let most = ones(MOST_VALUES - AROUND + 1);
    assert!(matches!(Event::parse(0, &most).kind, Kind::Data(_)));
    let more = ones(MOST_VALUES - AROUND + 2);
    let event = Event::parse(7, &more);
    assert_eq!((event.timestamp.as_deref(), event.metadata, event.position), (Some("t"), None, 7));
    let want = Kind::TooLarge { name: "chat_response".into(), bytes: more.get().len() };
    assert_eq!((event.kind.type_name(), event.kind.is_damaged()), ("chat_response", false));
    assert_eq!(event.kind, want);
    // A long text is one value.
    let text = json!({ "type": "chat_response", "message": "[,{".repeat(MOST_VALUES) });
    let text = RawValue::from_string(text.to_string()).unwrap();
    assert!(matches!(Event::parse(0, &text).kind, Kind::Message(_)));
    // What says nothing about itself is large all the same.
    let bare = RawValue::from_string(format!("[{}1]", "1,".repeat(MOST_VALUES))).unwrap();
    let want = Kind::TooLarge { name: String::new(), bytes: bare.get().len() };
    assert_eq!(Event::parse(0, &bare).kind, want);
}

#[test]
fn all_events_together_are_bounded_too() {
    let small = RawValue::from_string(r#"{"type":"turn_start"}"#.to_owned()).unwrap();
    let half = ones(MOST_VALUES / 2 - AROUND + 1);
    let mut all = vec![half; MOST_VALUES_OF_ALL / (MOST_VALUES / 2) + 1];
    all.insert(0, small.clone());
    all.push(small);
    let kinds: Vec<_> = events(&all).map(|event| event.kind).collect();
    let is_large = |kind: &Kind| matches!(kind, Kind::TooLarge { .. });
    let large: Vec<_> = (0..kinds.len()).filter(|at| is_large(&kinds[*at])).collect();
    // The small one took the place of one value, and what fits after the last one is read.
    assert_eq!(large, [all.len() - 3, all.len() - 2]);
    assert_eq!(kinds.last(), Some(&Kind::TurnStart));
}

#[test]
fn an_author_is_a_name() {
    let check = |author: Value, want: Option<&str>| {
        let value = json!({ "type": "chat_request", "content": "", "author": author });
        assert!(
            matches!(kind(value), Kind::ChatRequest { author, .. } if author.as_deref() == want),
            "{want:?}"
        );
    };
    check(json!(null), None);
    check(json!("Ada"), Some("Ada"));
    check(json!({ "name": "Ada", "email": "a@example.org" }), Some("Ada"));
    check(json!({ "email": "a@example.org" }), Some(r#"{"email":"a@example.org"}"#));
    check(json!(3), Some("3"));
}

#[test]
fn turns_begin_where_they_say() {
    let start = || json!({ "type": "turn_start", "timestamp": "2025" });
    let said = |text: &str| json!({ "type": "chat_request", "content": text });
    let check = |events: Vec<Value>, want: &[(usize, usize)]| {
        let events = events.into_iter().enumerate().map(|(n, event)| Event::from_value(n, event));
        let turns = turns(events);
        let got: Vec<_> = turns.iter().map(|turn| (turn.number, turn.events.len())).collect();
        assert_eq!(got, want);
    };
    check(vec![], &[]);
    check(vec![said("a")], &[(0, 1)]);
    check(vec![start()], &[(1, 1)]);
    check(vec![said("a"), said("b"), start(), said("c"), start()], &[(0, 2), (1, 2), (2, 1)]);
}

#[test]
fn a_turn_knows_what_it_is_about() {
    let events = [
        json!({ "type": "turn_start", "timestamp": "2025" }),
        json!({ "type": "chat_request", "content": "Why?" }),
        json!({ "type": "tool_call_request", "id": "1", "name": "grep" }),
    ];
    let events = events.into_iter().enumerate().map(|(n, event)| Event::from_value(n, event));
    let turn = turns(events).remove(0);
    assert_eq!(turn.began(), Some("2025"));
    assert_eq!(turn.request(), Some("Why?"));
    assert_eq!(turn.tools(), HashMap::from([("1", "grep")]));
}
