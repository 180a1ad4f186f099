//! Turns and the addresses in them.

use jp_plugin_sdk::transcript::{Event, turns};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{STYLE, links::OnePage};

fn html(events: impl IntoIterator<Item = Value>) -> String {
    let events = events.into_iter().enumerate().map(|(n, event)| Event::from_value(n, event));
    turns(events).iter().map(|one| turn(one, &OnePage, &Budget::endless()).into_string()).collect()
}

#[test]
fn a_turn_has_a_heading_and_results_have_names() {
    let html = html([
        json!({ "type": "turn_start", "timestamp": "2026-03-18T13:19:05Z" }),
        json!({ "type": "tool_call_request", "id": "1", "name": "grep" }),
        json!({ "type": "tool_call_response", "id": "1", "content": "c" }),
        json!({ "type": "tool_call_response", "id": "2", "content": "c" }),
    ]);
    let heading = "<section class=\"turn\" id=\"turn-1\"><h2>\
        <a class=\"permalink\" href=\"#turn-1\">Turn 1</a> \
        <time datetime=\"2026-03-18T13:19:05Z\" title=\"2026-03-18T13:19:05Z\">2026-03-18 13:19</time></h2>\
        <details class=\"event call\" id=\"e1\">";
    assert!(html.starts_with(heading), "{html}");
    assert!(html.contains("Result of <code>grep</code>"), "{html}");
    assert!(html.contains("Result of <code>2</code>"), "{html}");
}

/// A page can end between a call and its result.
#[test]
fn a_part_knows_its_turn() {
    let events = [
        json!({ "type": "turn_start", "timestamp": "2026-03-18T13:19:05Z" }),
        json!({ "type": "tool_call_request", "id": "1", "name": "grep" }),
        json!({ "type": "tool_call_response", "id": "1", "content": "c", "timestamp": "2026-03-18T13:20:05Z" }),
    ];
    let events = events.into_iter().enumerate().map(|(n, event)| Event::from_value(n, event));
    let turns = turns(events);
    let html =
        part(&turns[0], &turns[0].events[2..], &OnePage, &mut Room::endless(), &Budget::endless())
            .into_string();
    assert!(html.contains("Result of <code>grep</code>") && !html.contains("id=\"e1\""), "{html}");
    assert!(html.contains("2026-03-18 13:19"), "the turn did not begin with its part: {html}");
    let alone =
        crate::event(&turns[0].events[2], &turns[0], &OnePage, &Budget::endless()).into_string();
    assert!(alone.contains("Result of <code>grep</code>"), "{alone}");
}

#[test]
fn what_comes_first_has_a_place_too() {
    let html = html([
        json!({ "type": "config_delta", "delta": {} }),
        json!({ "type": "turn_start", "metadata": { "a": 1 } }),
    ]);
    assert!(html.contains("Before the first turn"), "{html}");
    assert!(html.contains("id=\"e1\""), "a heading does not say its notes: {html}");
}

/// All of an event is elsewhere.
struct Pages;

impl Links for Pages {
    fn whole(&self, position: usize) -> Option<String> {
        Some(format!("/whole/{position}"))
    }
}

/// What an event that found no room takes.
const LINE: usize = 250;

/// Texts that grow when they become HTML, some of them long.
fn text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("<"),
        Just("\""),
        Just("&"),
        Just("*a*"),
        Just("- a\n"),
        Just("|a|\n|-|\n"),
        Just("`1`"),
        Just("```rust\n1+1+\"\"\n"),
        Just("[a](http://b)"),
        Just("> "),
        Just("é"),
        Just("\n\n"),
    ];
    let short = prop::collection::vec(piece, 0..20).prop_map(|pieces| pieces.concat());
    (short, prop_oneof![9 => Just(1_usize), 1 => 1_usize..4_000])
        .prop_map(|(text, times)| text.repeat(times))
}

/// Events with such a text in every place.
fn hostile() -> impl Strategy<Value = Value> {
    (0..11_usize, text(), text()).prop_map(|(kind, a, b)| {
        let mut event = match kind {
            0 => json!({ "type": "chat_request", "content": a, "author": b, "schema": [a] }),
            1 => json!({ "type": "chat_response", "message": a }),
            2 => json!({ "type": "chat_response", "reasoning": a }),
            3 => json!({ "type": "chat_response", "data": { (a.clone()): b } }),
            4 => json!({ "type": "tool_call_request", "id": a, "name": b, "arguments": { (a.clone()): b, "x": "\n" } }),
            5 => json!({ "type": "tool_call_response", "id": b, "content": a }),
            6 => json!({ "type": "inquiry_request", "id": a, "source": a, "question": { "text": b } }),
            7 => json!({ "type": "inquiry_response", "id": a, "answer": b }),
            8 => json!({ "type": "config_delta", "delta": [a, b] }),
            9 => json!({ "type": "turn_start" }),
            _ => json!({ "type": a, "field": b }),
        };
        event["timestamp"] = json!(b);
        event["metadata"] = json!({ "model": a, "note": b });
        event
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is in the events, they take no more than the room there is, and a line for each; and where
    /// everything is whole, nothing is missing.
    #[test]
    fn a_page_is_never_larger_than_its_room(
        events in prop::collection::vec(hostile(), 1..6),
        bytes in 0_usize..200_000,
    ) {
        let number = events.len();
        let events = events.into_iter().enumerate().map(|(n, event)| Event::from_value(n, event));
        let turns = turns(events);
        let mut room = Room::new(bytes);
        let html: String =
            turns.iter().map(|one| part(one, &one.events, &Pages, &mut room, &Budget::endless()).into_string()).collect();
        prop_assert!(html.len() <= bytes + LINE * 2 * number, "{} of {bytes}", html.len());
        for position in turns.iter().flat_map(|turn| &turn.events).map(|event| event.position) {
            let id = format!(" id=\"e{position}\"");
            prop_assert!(html.contains(&id), "{position} is missing");
        }
    }
}

/// A class without a rule is a mistake in one of the two.
#[test]
fn every_class_of_an_event_has_a_look() {
    for class in
        ["user", "question", "error", "unknown", "reasoning", "notes", "permalink", "hk", "cut"]
    {
        assert!(STYLE.contains(&format!(".{class}")), "{class}");
    }
    assert!(!STYLE.contains("url("), "nothing is loaded");
    assert!(!STYLE.contains("@import"), "nothing is loaded");
}
