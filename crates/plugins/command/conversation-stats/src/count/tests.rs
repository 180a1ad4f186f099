//! What is counted.

use serde_json::{Value, json};

use super::*;

fn counts(events: impl IntoIterator<Item = Value>) -> Counts {
    let events = events.into_iter().enumerate().map(|(n, event)| Event::from_value(n, event));
    Counts::of(events)
}

fn at(second: u8, mut event: Value) -> Value {
    event["timestamp"] = json!(format!("2026-03-18T13:19:{second:02}Z"));
    event
}

fn call(id: &str, name: &str) -> Value {
    json!({ "type": "tool_call_request", "id": id, "name": name })
}

fn result(id: &str, is_error: bool) -> Value {
    json!({ "type": "tool_call_response", "id": id, "content": "", "is_error": is_error })
}

#[test]
fn everything_is_counted() {
    let counts = counts([
        json!({ "type": "config_delta" }),
        at(0, json!({ "type": "turn_start" })),
        at(1, json!({ "type": "chat_request", "content": "one two" })),
        at(2, json!({ "type": "chat_response", "reasoning": "three" })),
        at(
            5,
            json!({ "type": "chat_response", "message": "four five six", "metadata": { "usage": { "input_tokens": 7, "output_tokens": 8 } } }),
        ),
        at(30, json!({ "type": "turn_start" })),
        at(40, json!({ "type": "chat_response", "data": {} })),
        json!({ "type": "inquiry_request", "id": "1", "question": {} }),
        json!({ "type": "hologram" }),
        json!({ "type": "chat_response" }),
    ]);
    assert_eq!((counts.turns, counts.events), (2, 10));
    assert_eq!((counts.unknown_events, counts.damaged_events, counts.questions), (1, 1, 1));
    assert_eq!(counts.requests, Said { count: 1, words: 2 });
    assert_eq!(counts.answers, Said { count: 2, words: 3 });
    assert_eq!(counts.reasoning, Said { count: 1, words: 1 });
    assert_eq!(counts.tokens, Tokens { input: 7, output: 8, known_in: 1 });
    assert_eq!(counts.turn_seconds, [5.0, 10.0]);
    assert_eq!(time::duration(counts.active_seconds), "15 s");
    assert_eq!(counts.began.zip(counts.ended).map(|(a, b)| b - a), Some(40.0));
}

/// Settings that were made yesterday are no time in which anybody worked.
#[test]
fn time_is_that_of_turns() {
    let counts = counts([
        json!({ "type": "config_delta", "timestamp": "2026-03-17T13:19:00Z" }),
        at(0, json!({ "type": "config_delta" })),
        at(10, json!({ "type": "turn_start" })),
        at(14, json!({ "type": "chat_request", "content": "a" })),
    ]);
    assert_eq!(counts.turn_seconds, [4.0]);
    assert_eq!(time::duration(counts.active_seconds), "4.0 s");
}

#[test]
fn calls_meet_their_results() {
    let counts = counts([
        at(0, call("1", "grep")),
        at(1, call("2", "grep")),
        at(3, result("2", true)),
        at(4, result("1", false)),
        result("1", true),
        result("nobody", true),
        at(5, call("3", "read")),
        // A call under the id of another that has its result.
        at(6, call("1", "read")),
        // Clocks go backwards.
        at(2, result("1", false)),
    ]);
    let grep = Tool { calls: 2, failures: 1, unanswered: 0, seconds: 6.0 };
    let read = Tool { calls: 2, failures: 0, unanswered: 1, seconds: 0.0 };
    assert_eq!(
        counts.tools,
        BTreeMap::from([("grep".to_owned(), grep), ("read".to_owned(), read)])
    );
    assert_eq!(counts.calls().failure_rate(), Some(1.0 / 3.0));
    assert_eq!(Tool { calls: 1, unanswered: 1, ..Tool::default() }.failure_rate(), None);
}

/// Two calls with one id are two calls, and one result is the result of one.
#[test]
fn a_call_under_the_id_of_another_leaves_that_one_unanswered() {
    let counts = counts([
        at(0, call("1", "grep")),
        at(1, call("1", "read")),
        at(3, result("1", true)),
        at(4, call("2", "grep")),
        at(5, call("2", "grep")),
    ]);
    let grep = Tool { calls: 3, failures: 0, unanswered: 3, seconds: 0.0 };
    let read = Tool { calls: 1, failures: 1, unanswered: 0, seconds: 2.0 };
    assert_eq!(
        counts.tools,
        BTreeMap::from([("grep".to_owned(), grep), ("read".to_owned(), read)])
    );
}

/// What metadata says may be any number, and there may be any number of conversations.
#[test]
fn no_sum_overflows() {
    let usage = json!({ "usage": { "input_tokens": u64::MAX, "output_tokens": u64::MAX } });
    let said = || json!({ "type": "chat_response", "message": "a", "metadata": usage });
    let mut sum = Counts::default();
    for _ in 0..2 {
        sum.add(&mut counts([said(), said()]));
    }
    assert_eq!(sum.tokens, Tokens { input: u64::MAX, output: u64::MAX, known_in: 4 });
}

#[test]
fn what_is_too_large_is_counted() {
    let kind = Kind::TooLarge { name: "chat_response".to_owned(), bytes: 1 << 20 };
    let large = Event { timestamp: None, kind, metadata: None, position: 0 };
    let mut sum = Counts::default();
    sum.add(&mut Counts::of([large]));
    assert_eq!((sum.events, sum.large_events, sum.unknown_events), (1, 1, 0));
}

#[test]
fn counts_add_up() {
    let mut one = counts([
        at(0, json!({ "type": "turn_start" })),
        at(2, call("1", "grep")),
        at(3, result("1", true)),
    ]);
    let mut two = counts([
        at(10, json!({ "type": "turn_start" })),
        at(11, json!({ "type": "chat_request", "content": "a" })),
    ]);
    let mut sum = Counts::default();
    sum.add(&mut one);
    sum.add(&mut two);
    assert_eq!((sum.turns, sum.events, sum.requests.words), (2, 5, 1));
    assert_eq!(time::duration(sum.active_seconds), "4.0 s");
    assert_eq!(sum.began.zip(sum.ended).map(|(a, b)| b - a), Some(11.0));
    assert_eq!(sum.tools["grep"].failures, 1);
}
