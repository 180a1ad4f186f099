//! Conversations that somebody has made to be too much: no page of them is.

use serde_json::{Map, Value, json};

use crate::{
    http::Reply,
    store,
    web::{Web, workspace},
};

/// The largest page there is; docs/plugins/serve-web.md says it.
const MOST: usize = 4 << 20;
const WHEN: &str = "2026-03-18T13:19:13Z";
/// Stands at the end of whatever is too long.
const END: &str = "the-last-word";

/// A long text that grows when it is escaped, with [`END`] at its end.
fn long(bytes: usize) -> String {
    format!("{}{END}", "<\"&'>".repeat(bytes / 5))
}

/// A table whose cells are mostly not written down: a line of it becomes as many as it has columns.
fn table(columns: usize, rows: usize) -> String {
    format!("{}\n{}\n{}", "|a".repeat(columns), "|-".repeat(columns), "|a\n".repeat(rows))
}

fn object(pairs: impl Iterator<Item = (String, Value)>) -> Value {
    Value::Object(pairs.collect::<Map<_, _>>())
}

/// Every shape by its name, with the event that has it at position 1.
fn shapes() -> Vec<(&'static str, Value)> {
    let many = |value: &str| {
        let value = store::stored(value);
        let arguments = (0..100_000).map(|n| (format!("argument {n}"), json!(value)));
        object(arguments.chain([("last".to_owned(), json!(store::stored(END)))]))
    };
    let call = |name: &str, arguments: Value| json!({ "type": "tool_call_request", "id": "1", "name": name, "arguments": arguments });
    let deep = (0..100).fold(json!(vec![1; 50_000]), |inner, _| json!([inner]));
    let said = |text: &str| json!({ "type": "chat_response", "message": text });
    vec![
        ("author", json!({ "type": "chat_request", "content": "x", "author": long(1 << 20) })),
        (
            "schema",
            json!({ "type": "chat_request", "content": "x", "schema": { "a": long(5 << 20) } }),
        ),
        ("request", json!({ "type": "chat_request", "content": long(2 << 20) })),
        ("arguments", call("t", many("x"))),
        ("texts", call("t", many("x\n"))),
        ("name", call(&long(1 << 20), json!({}))),
        ("nested", json!({ "type": "chat_response", "data": [deep, END] })),
        (
            "notes",
            json!({ "type": "turn_start", "metadata": { "a": store::stored(&long(2 << 20)) } }),
        ),
        (
            "model",
            json!({ "type": "chat_response", "message": "x", "metadata": { "model": store::stored(&long(2 << 20)) } }),
        ),
        (
            "result",
            json!({ "type": "tool_call_response", "id": long(1 << 20), "content": store::stored(&long(1 << 20)), "is_error": false }),
        ),
        (
            "question",
            json!({ "type": "inquiry_request", "id": "1", "source": long(1 << 20), "question": { "text": long(1 << 20) } }),
        ),
        ("answer", json!({ "type": "inquiry_response", "id": "1", "answer": long(1 << 20) })),
        ("settings", json!({ "type": "config_delta", "delta": { "a": long(1 << 20) } })),
        ("type", json!({ "type": long(1 << 20), "a": "b" })),
        ("field", json!({ "type": "hologram", "beam": long(1 << 20) })),
        ("time", json!({ "type": "chat_response", "message": "x", "timestamp": long(1 << 20) })),
        // More values than anybody should make.
        ("values", json!({ "type": "chat_response", "data": [vec![1; 300_000], END] })),
        // A span for every letter of it.
        ("code", said(&format!("```rust\n{}```\n{END}", "1+1+1+1+\n".repeat(1_000)))),
        // Cells that nobody wrote.
        ("table", said(&format!("{}\n{END}", table(500, 500)))),
        ("emphasis", said(&format!("{}{END}", "*a*<".repeat(20_000)))),
    ]
}

/// Shapes of which only a name is long, or a time.
const NAMES: [&str; 4] = ["author", "name", "type", "time"];

/// The part of a page that is about the event at position 1, which is the last one.
fn event(page: &str) -> &str {
    let start = page.find(" id=\"e1\"").unwrap_or(page.len());
    let end = page.find("<a class=\"more\"").unwrap_or(page.len());
    page.get(start..end).unwrap_or_default()
}

/// An answer that is a page, of a size that a page may have.
#[track_caller]
fn page(web: &Web, path: &str, what: &str) -> Reply {
    let reply = web.get(path).expect(200);
    assert!(reply.body.len() <= MOST, "{what}: {path} has {} bytes", reply.body.len());
    reply
}

/// No page is larger than it may be, and whatever is not on it is where a link leads.
#[test]
fn no_page_is_too_large() {
    let env = workspace();
    let shapes = shapes();
    for (number, (what, event)) in shapes.iter().enumerate() {
        let mut event = event.clone();
        if event.get("timestamp").is_none() {
            event = store::at(event);
        }
        let events = [store::at(json!({ "type": "turn_start" })), event];
        store::write(
            &env,
            &format!("{}", 17_000_000_000_u64 + number as u64),
            Some(what),
            WHEN,
            &events,
        );
    }
    let web = Web::start(&env);
    for (number, (what, _)) in shapes.iter().enumerate() {
        let id = 17_000_000_000_u64 + number as u64;
        let shown = page(&web, &format!("/c/{id}"), what).body;
        assert!(shown.contains("id=\"e1\"") || *what == "notes", "{what} is not there");
        if !shown.contains(END) {
            let link = format!("href=\"/c/{id}/events/1\"");
            // A name is cut where it stands; whatever is more has a link to all of it.
            let is_cut = if NAMES.contains(what) {
                event(&shown).contains('…')
            } else {
                event(&shown).contains(&link)
            };
            assert!(is_cut, "{what} is cut, and nothing says so");
        }
        page(&web, &format!("/c/{id}/since/0"), what);
        let alone = page(&web, &format!("/c/{id}/events/1"), what).body;
        assert!(alone.contains(&format!("href=\"/c/{id}/events/1/json\"")), "{what}");
        let whole = web.get(&format!("/c/{id}/events/1/json")).expect(200);
        assert!(whole.body.contains(END), "{what} is not whole");
        let raw = web.get(&format!("/c/{id}/events/1/raw"));
        assert_eq!(raw.status, 200, "{what} as text");
    }
}

/// Many of them together are not too much either, and every event has its place.
#[test]
fn many_events_are_no_large_page() {
    let env = workspace();
    let tiny = store::at(json!({ "type": "chat_response", "message": "<\"&'>" }));
    store::write(&env, "17", None, WHEN, &vec![tiny; 10_000]);
    let table = store::at(json!({ "type": "chat_response", "message": table(50, 200) }));
    store::write(&env, "18", None, WHEN, &vec![table; 60]);
    let result = store::call("1", "t", &json!({}), &long(63 << 10));
    store::write(&env, "19", None, WHEN, &vec![result; 15].concat());
    let web = Web::start(&env);
    for page_of_many in ["/c/17", "/c/17?page=1", "/c/17/since/0", "/c/17/since/9999"] {
        page(&web, page_of_many, "tiny events");
    }
    let tables = page(&web, "/c/18", "tables").body;
    assert!(tables.contains("There is no room for event 59 here."), "{}", tables.len());
    for (id, events, pages) in [("18", 60, 1), ("19", 30, 4)] {
        let pages = (1..=pages).map(|n| page(&web, &format!("/c/{id}?page={n}"), id).body);
        let all: String = pages.collect();
        // A page that follows gets everything, piece by piece.
        let mut next = 0;
        while next < events {
            let place = format!(" id=\"e{next}\"");
            assert!(all.contains(&place), "{id}: {next} is on no page");
            let body = page(&web, &format!("/c/{id}/since/{next}"), id).body;
            assert!(body.contains(&place), "{id}: {next}");
            let end = body.split("data-next=\"").nth(1).unwrap().split('"').next().unwrap();
            let end = end.parse().unwrap();
            assert!(end > next, "{id}: it does not go on after {next}");
            next = end;
        }
    }
}

/// A title stands on every page and in every line of the list.
#[test]
fn a_title_is_cut() {
    let env = workspace();
    store::write(&env, "17", Some(&long(8 << 10)), WHEN, &store::turn("a", "b"));
    let web = Web::start(&env);
    for path in ["/", "/c/17", "/c/17/events/1"] {
        let body = page(&web, path, "a title").body;
        assert!(body.len() < 32 << 10 && body.contains('…'), "{path} has {} bytes", body.len());
    }
}
