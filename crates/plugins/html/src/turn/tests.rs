//! Turns and the addresses in them.

use jp_plugin_sdk::transcript::{Event, turns};
use serde_json::{Value, json};

use super::*;
use crate::{STYLE, links::OnePage};

fn html(events: impl IntoIterator<Item = Value>) -> String {
    let events = events.into_iter().enumerate().map(|(n, event)| Event::from_value(n, event));
    turns(events).iter().map(|one| turn(one, &OnePage).into_string()).collect()
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
    let html = part(&turns[0], &turns[0].events[2..], &OnePage).into_string();
    assert!(html.contains("Result of <code>grep</code>") && !html.contains("id=\"e1\""), "{html}");
    assert!(html.contains("2026-03-18 13:19"), "the turn did not begin with its part: {html}");
    let alone = crate::event(&turns[0].events[2], &turns[0], &OnePage).into_string();
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
