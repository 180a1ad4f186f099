//! Every kind of event as a block.

use serde_json::json;

use super::*;
use crate::links::OnePage;

fn html(value: Value) -> String {
    let mut value = value;
    if let Value::Object(fields) = &mut value {
        fields.entry("timestamp").or_insert(json!("2026-03-18T13:19:05.281973Z"));
    }
    event_of(&Event::from_value(7, value), None, &OnePage, &Budget::endless()).into_string()
}

/// What has too many values says so, and leads to where it is to be had.
#[test]
fn a_large_event_is_told() {
    let kind = Kind::TooLarge { name: "<b>".to_owned(), bytes: 5 << 20 };
    let event = Event { timestamp: None, kind, metadata: None, position: 3 };
    let page = event_of(&event, None, &OnePage, &Budget::endless()).into_string();
    assert!(page.contains("Large event <code>&lt;b&gt;</code>"), "{page}");
    assert!(page.contains("It has 5120 KiB and too many values to be shown."), "{page}");
    assert!(!page.contains("Show where"), "{page}");
    let page = event_of(&event, None, &Pages, &Budget::endless()).into_string();
    assert!(page.contains("Show where it is"), "{page}");
}

/// Every text of an event is hostile, and none becomes markup.
#[test]
fn what_is_in_an_event_stays_text() {
    let bad = "<script>\"'&";
    let id = json!({ "id": bad, "content": bad, "name": bad, "message": bad, "author": bad });
    for kind in [
        json!({ "type": "turn_start" }),
        json!({ "type": "chat_request", "schema": { (bad): bad } }),
        json!({ "type": "chat_response" }),
        json!({ "type": "chat_response", "message": null, "reasoning": bad }),
        json!({ "type": "chat_response", "data": [bad] }),
        json!({ "type": "tool_call_request", "arguments": { (bad): bad, "long": format!("{bad}\n{bad}") } }),
        json!({ "type": "tool_call_response", "is_error": true }),
        json!({ "type": "inquiry_request", "source": bad, "question": { "text": bad, (bad): bad } }),
        json!({ "type": "inquiry_response", "answer": bad }),
        json!({ "type": "config_delta", "delta": { (bad): bad } }),
        json!({ "type": bad, (bad): bad }),
    ] {
        let mut fields = id.as_object().unwrap().clone();
        fields.extend(kind.as_object().unwrap().clone());
        fields.insert("timestamp".to_owned(), json!(bad));
        fields.insert("metadata".to_owned(), json!({ "model": bad, (bad): bad }));
        let html = html(Value::Object(fields));
        assert!(!html.contains("<script"), "{html}");
        assert!(html.contains("id=\"e7\""), "{html}");
        assert!(!html.contains("style="), "{html}");
    }
}

#[test]
fn a_request() {
    insta::assert_snapshot!(html(json!({ "type": "chat_request", "content": "a *b*", "author": "Ada" })), @r##"<article class="event user" id="e7"><header><span class="who">Ada</span><a class="permalink" href="#e7" aria-label="Link to event 7">#</a><time datetime="2026-03-18T13:19:05.281973Z" title="2026-03-18T13:19:05.281973Z">13:19:05</time></header><div class="body" dir="auto"><p>a <em>b</em></p></div></article>"##);
}

#[test]
fn an_answer_with_notes() {
    let said = json!({ "type": "chat_response", "message": "a", "metadata": { "model": "m" } });
    insta::assert_snapshot!(html(said), @r##"
    <article class="event assistant" id="e7"><header><span class="who">Assistant</span><span class="model">m</span><a class="permalink" href="#e7" aria-label="Link to event 7">#</a><time datetime="2026-03-18T13:19:05.281973Z" title="2026-03-18T13:19:05.281973Z">13:19:05</time></header><div class="body" dir="auto"><p>a</p></div><details class="notes"><summary>Notes</summary><pre class="code" data-language="json" tabindex="0"><code>{
      <span class="ha">&quot;model&quot;</span>: <span class="hs">&quot;m&quot;
    </span>}</code></pre></details></article>
    "##);
}

#[test]
fn a_call() {
    let call = json!({ "type": "tool_call_request", "id": "1", "name": "grep", "arguments": { "a": 1, "b": "c\nd" } });
    insta::assert_snapshot!(html(call), @r##"
    <details class="event call" id="e7"><summary><span class="what">Call <code>grep</code> <span class="brief">a: 1, b: c d</span></span><time datetime="2026-03-18T13:19:05.281973Z" title="2026-03-18T13:19:05.281973Z">13:19:05</time></summary><div class="body"><pre class="code" data-language="json" tabindex="0"><code>{
      <span class="ha">&quot;a&quot;</span>: <span class="hn">1
    </span>}</code></pre><p class="argument"><code>b</code></p><pre class="code" tabindex="0"><code>c
    d</code></pre><p class="end"><a class="permalink" href="#e7" aria-label="Link to event 7">#</a></p></div></details>
    "##);
    let call = json!({ "type": "tool_call_request", "id": "1", "name": "grep" });
    assert!(html(call).contains("No arguments"));
}

#[test]
fn a_failure() {
    let result =
        json!({ "type": "tool_call_response", "id": "1", "content": "a\nb", "is_error": true });
    insta::assert_snapshot!(html(result), @r##"
    <details class="event result error" id="e7"><summary><span class="what">Error of <code>1</code> <span class="brief">2 lines</span></span><time datetime="2026-03-18T13:19:05.281973Z" title="2026-03-18T13:19:05.281973Z">13:19:05</time></summary><div class="body"><pre class="code" tabindex="0"><code>a
    b</code></pre><p class="end"><a class="permalink" href="#e7" aria-label="Link to event 7">#</a></p></div></details>
    "##);
}

#[test]
fn a_question_and_its_answer() {
    let question = json!({ "type": "inquiry_request", "id": "1", "source": "t", "question": { "text": "Apply?" } });
    insta::assert_snapshot!(html(question), @r##"
    <details class="event question" id="e7"><summary><span class="what">Question of <code>t</code>: <span class="asked">Apply?</span></span><time datetime="2026-03-18T13:19:05.281973Z" title="2026-03-18T13:19:05.281973Z">13:19:05</time></summary><div class="body"><pre class="code" data-language="json" tabindex="0"><code>{
      <span class="ha">&quot;text&quot;</span>: <span class="hs">&quot;Apply?&quot;
    </span>}</code></pre><p class="end"><a class="permalink" href="#e7" aria-label="Link to event 7">#</a></p></div></details>
    "##);
    let answer = json!({ "type": "inquiry_response", "id": "1", "answer": true });
    assert!(html(answer).contains("Answer: <code>true</code>"));
}

#[test]
fn what_is_not_known_is_shown_all_the_same() {
    let unknown = html(json!({ "type": "hologram", "beam": 1 }));
    assert!(unknown.contains("Unknown event <code>hologram</code>"), "{unknown}");
    assert!(unknown.contains("beam"), "{unknown}");
    let damaged = html(json!({ "type": "chat_response", "message": 42 }));
    assert!(damaged.contains("Damaged event <code>chat_response</code>"), "{damaged}");
    assert!(damaged.contains("42"), "{damaged}");
}

struct Pages;

impl Links for Pages {
    fn whole(&self, position: usize) -> Option<String> {
        Some(format!("/whole/{position}"))
    }
}

#[test]
fn a_long_result_is_cut_where_all_of_it_is_elsewhere() {
    let result = |length: usize| {
        let content = "é".repeat(length / 2);
        Event::from_value(3, json!({ "type": "tool_call_response", "id": "1", "content": content }))
    };
    let long = result(LONGEST + 2);
    let whole = event_of(&long, None, &OnePage, &Budget::endless()).into_string();
    assert_eq!(whole.matches('é').count(), LONGEST / 2 + 1);
    let cut = event_of(&long, None, &Pages, &Budget::endless()).into_string();
    assert_eq!(cut.matches('é').count(), LONGEST / 2);
    assert!(
        cut.contains("<a href=\"/whole/3\">Show all 64 KiB</a>"),
        "{}",
        &cut[cut.len() - 300..]
    );
    let short = event_of(&result(LONGEST), None, &Pages, &Budget::endless()).into_string();
    assert!(!short.contains("/whole/3"));
}

/// Where all of it is elsewhere, every part is cut; on one page nothing is.
#[test]
fn every_part_of_an_event_is_cut() {
    let long = || format!("{}the end", "<".repeat(300 << 10));
    let many: Map<String, Value> = (0..100_000)
        .map(|n| (format!("a{n}"), json!("x\n")))
        .chain([("last".to_owned(), json!("the end\n"))])
        .collect();
    for (what, event) in [
        ("author", json!({ "type": "chat_request", "content": "x", "author": long() })),
        ("content", json!({ "type": "chat_request", "content": long() })),
        ("schema", json!({ "type": "chat_request", "content": "x", "schema": [long()] })),
        (
            "arguments",
            json!({ "type": "tool_call_request", "id": "1", "name": "t", "arguments": many }),
        ),
        ("name", json!({ "type": "tool_call_request", "id": "1", "name": long() })),
        ("id", json!({ "type": "tool_call_response", "id": long(), "content": "x" })),
        (
            "source",
            json!({ "type": "inquiry_request", "id": "1", "source": long(), "question": {} }),
        ),
        (
            "question",
            json!({ "type": "inquiry_request", "id": "1", "source": "", "question": { "text": long() } }),
        ),
        ("answer", json!({ "type": "inquiry_response", "id": "1", "answer": long() })),
        ("delta", json!({ "type": "config_delta", "delta": long() })),
        ("type", json!({ "type": long(), "a": 1 })),
        ("metadata", json!({ "type": "turn_start", "metadata": { "a": long() } })),
        (
            "model",
            json!({ "type": "chat_response", "message": "x", "metadata": { "model": long() } }),
        ),
    ] {
        let event = Event::from_value(3, event);
        let cut = event_of(&event, None, &Pages, &Budget::endless()).into_string();
        assert!(!cut.contains("the end"), "{what} is not cut");
        assert!(
            cut.contains("/whole/3") || cut.contains('…'),
            "{what}: nothing says that it is cut"
        );
        assert!(cut.len() < 1100 << 10, "{what}: {}", cut.len());
        let whole = event_of(&event, None, &OnePage, &Budget::endless()).into_string();
        assert!(whole.contains("the end"), "{what} is not whole");
    }
}

/// Notes have room beside a result of the longest kind.
#[test]
fn texts_of_an_event_share_their_room() {
    let result = |notes: usize| {
        let event = json!({ "type": "tool_call_response", "id": "1", "content": "x".repeat(LONGEST), "metadata": { "a": "y".repeat(notes) } });
        event_of(&Event::from_value(3, event), None, &Pages, &Budget::endless()).into_string()
    };
    assert!(!result(LONGEST - 100).contains("Cut after"));
    assert!(
        result(LONGEST + 1).contains("Cut after 64 KiB. <a href=\"/whole/3\">Show all of it</a>")
    );
}

#[test]
fn arguments_are_said_in_a_line() {
    let check = |arguments: Value, want: &str| {
        assert_eq!(brief(arguments.as_object().unwrap()), want);
    };
    check(json!({}), "");
    check(json!({ "a": "b\nc", "d": [1, 2] }), "a: b c, d: [1,2]");
    let long = brief(json!({ "a": "x".repeat(200), "b": 1 }).as_object().unwrap());
    assert_eq!(long.chars().count(), BRIEF + 1);
}

#[test]
fn times_are_as_they_are_stored() {
    let check = |stamp: &str, short: &str, long: &str| {
        let shown = |precision| {
            let html = time(stamp, precision).into_string();
            html.split(['>', '<']).nth(2).unwrap().to_owned()
        };
        assert_eq!(shown(Precision::Time), short);
        assert_eq!(shown(Precision::DateAndTime), long);
    };
    check("2026-03-18T13:19:05.281973Z", "13:19:05", "2026-03-18 13:19");
    check("yesterday", "yesterday", "yesterday");
    check("2026-03-18 13:19:05.28", "2026-03-18 13:19:05.28", "2026-03-18 13:19:05.28");
    check("éééééééééééééééééééé", "éééééééééééééééééééé", "éééééééééééééééééééé");
}

#[test]
fn languages_of_results() {
    assert_eq!(language("{\"a\":1}"), Some("json"));
    assert_eq!(language("{a}"), None);
    assert_eq!(language("--- a\n+++ b\n"), Some("diff"));
    assert_eq!(language("--- a\n"), None);
    assert_eq!(language("fn main() {}"), None);
}
