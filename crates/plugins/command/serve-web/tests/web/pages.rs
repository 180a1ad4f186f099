//! Pages as HTML, through the real program.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{
    store,
    web::{Web, workspace},
};

const WHEN: &str = "2026-03-18T13:19:13Z";
/// How long the list may take with ten thousand conversations, all of it without optimization.
const LIST: Duration = Duration::from_secs(3);

/// Every kind of event has its place on the page, those that nobody knows included.
#[test]
fn every_kind_of_event_is_shown() {
    let env = workspace();
    store::write_every_event(&env, "17738399530");
    let web = Web::start(&env);
    let body = web.get("/c/17738399530").expect(200).body;
    for part in [
        "Settings changed",
        "Where is <em>main</em>",
        "Reasoning",
        "<code>fs_grep_files</code>",
        "Result of <code>fs_grep_files</code>",
        "Error of <code>fs_read_file</code>",
        "class=\"hk\"",
        "follow a schema",
        "Apply it?",
        "Answer: <code>true</code>",
        "Unknown event <code>hologram</code>",
        "Damaged event <code>tool_call_request</code>",
        "an event without a type",
        "&lt;script&gt;alert('request')&lt;/script&gt;",
        "<article class=\"event assistant data\" id=\"e13\">",
        "<span class=\"ha\">&quot;functions&quot;</span>",
        "Result of <code>tc_9</code>",
        "A word without a time",
    ] {
        assert!(body.contains(part), "{part} is not in\n{body}");
    }
    assert!(body.contains("3 turns · 22 events"), "{body}");
    // Three of them begin turns, and are their headings.
    let blocks = (0..22).filter(|position| body.contains(&format!(" id=\"e{position}\"")));
    assert_eq!(blocks.count(), 19);
    // Each of them is also there alone.
    for position in 0..22 {
        web.get(&format!("/c/17738399530/events/{position}")).expect(200);
        let raw = web.get(&format!("/c/17738399530/events/{position}/raw")).expect(200);
        assert_eq!(raw.field("content-type"), "text/plain; charset=utf-8");
    }
}

#[test]
fn a_conversation_is_found_by_any_name() {
    let env = workspace();
    for (id, title) in [("17738399530", "older"), ("17738399541", "newer")] {
        let last = if title == "newer" { "2026-03-18T14:00:00Z" } else { WHEN };
        store::write(&env, id, Some(title), last, &store::turn("a", "b"));
    }
    let web = Web::start(&env);
    let check = |name: &str, want: &str| {
        let reply = web.get(&format!("/c/{name}")).expect(303);
        assert_eq!(reply.field("location"), want, "{name}");
    };
    check("last", "/c/17738399541");
    check("latest", "/c/17738399541");
    check("530", "/c/17738399530");
    check("1773839954", "/c/17738399541");
    check("latest?turn=1", "/c/17738399541?turn=1");
    assert!(web.get("/c/1773").expect(404).body.contains("may be any of 2 conversations"));
    assert!(web.get("/c/999").expect(404).body.contains("There is no conversation `999`"));
    assert!(web.get("/c/%3Cb%3E").expect(404).body.contains("`&lt;b&gt;`"));
    assert!(web.get("/c/a%00%1b%5Bm").expect(404).body.contains("`a\u{fffd}\u{fffd}[m`"));
}

#[test]
fn what_is_not_there_is_said() {
    let env = workspace();
    store::write(&env, "17", None, WHEN, &store::turn("a", "b"));
    let web = Web::start(&env);
    for (path, status) in [
        ("/nothing", 404),
        ("/c/17?turn=2", 404),
        ("/c/17?event=3", 404),
        ("/c/17/events/3", 404),
        ("/c/17/events/x", 400),
        ("/c/17?page=x", 400),
        ("/?age=never", 400),
        ("/?page=99999999999999999999", 400),
        ("/c/17/events/18446744073709551615", 404),
        ("/c/17/since/18446744073709551615", 200),
        ("/c/17?page=18446744073709551615", 200),
        ("/c/17?page=0", 200),
        ("/?page=999", 200),
        ("/c/17?turn=1", 200),
        ("/assets/none.css", 404),
    ] {
        let reply = web.get(path).expect(status);
        assert!(reply.field("content-security-policy").contains("default-src 'none'"), "{path}");
    }
}

#[test]
fn a_long_conversation_is_paged() {
    let env = workspace();
    let turns =
        (1..=400).flat_map(|n| store::turn(&format!("question {n}"), &format!("answer {n}")));
    store::write(&env, "17", Some("Long"), WHEN, &turns.collect::<Vec<_>>());
    let web = Web::start(&env);
    let last = web.get("/c/17").expect(200).body;
    assert!(last.contains("answer 400") && !last.contains("answer 1<"), "the last page is first");
    assert!(last.contains("1,200 events") && last.contains("400 turns"));
    let first = web.get("/c/17?page=1").expect(200).body;
    assert!(first.contains("answer 1<") && !first.contains("answer 400"));
    let middle = web.get("/c/17?turn=200").expect(200).body;
    assert!(middle.contains("id=\"turn-200\"") && middle.contains("answer 200"));
    let event = web.get("/c/17?event=599").expect(200).body;
    assert!(event.contains("id=\"e599\""));
    // Every event is on exactly one page.
    let pages =
        last.split(" of ").nth(1).unwrap().split('<').next().unwrap().parse::<usize>().unwrap();
    let bodies: String =
        (1..=pages).map(|page| web.get(&format!("/c/17?page={page}")).expect(200).body).collect();
    for n in 1..=400 {
        assert_eq!(bodies.matches(&format!("answer {n}<")).count(), 1, "answer {n}");
    }
}

/// A result says which tool it is of, also where its call stands elsewhere.
#[test]
fn a_result_has_the_name_of_its_tool_wherever_it_stands() {
    let env = workspace();
    let mut events = store::turn("a", "b");
    events.push(store::call("tc_3", "fs_grep_files", &json!({}), "").remove(0));
    // The call is on one page and the result on the next.
    events.extend(vec![store::at(json!({ "type": "chat_response", "message": "x" })); 250]);
    let position = events.len();
    store::write(&env, "17", None, WHEN, &events);
    let web = Web::start(&env);
    assert!(web.get("/c/17").expect(200).body.contains("Page 2 of 2"));
    let result =
        json!({ "type": "tool_call_response", "id": "tc_3", "content": "c", "is_error": false });
    store::append(&env, "17", &[result]);
    for path in ["/c/17", &format!("/c/17/since/{position}"), &format!("/c/17/events/{position}")] {
        let body = web.get(path).expect(200).body;
        assert!(body.contains("Result of <code>fs_grep_files</code>"), "{path}: {body}");
        assert!(!body.contains("Call <code>fs_grep_files</code>"), "{path} has the call, too");
    }
}

#[test]
fn a_long_result_is_cut_and_can_be_had_whole() {
    let env = workspace();
    let text = format!("{}the last words", "line of a result\n".repeat(8 << 10));
    let events = store::call("tc_1", "fs_read_file", &json!({}), &text);
    store::write(&env, "17", None, WHEN, &events);
    let web = Web::start(&env);
    let page = web.get("/c/17").expect(200).body;
    assert!(page.len() < 128 << 10 && !page.contains("the last words"), "{}", page.len());
    assert!(page.contains("href=\"/c/17/events/1\""));
    let whole = web.get("/c/17/events/1").expect(200).body;
    assert!(whole.contains("the last words") && whole.contains("<details open class=\"event"));
    assert_eq!(web.get("/c/17/events/1/raw").expect(200).body, text);
}

#[test]
fn a_text_beyond_all_measure_is_cut() {
    let env = workspace();
    let text = format!("```\n{} the last words", "word ".repeat(80 << 10));
    store::write(&env, "17", None, WHEN, &store::turn("a", &text));
    let web = Web::start(&env);
    let page = web.get("/c/17").expect(200).body;
    assert!(
        !page.contains("the last words")
            && page.contains("Cut after 256 KiB. <a href=\"/c/17/events/2\">"),
        "{}",
        page.len()
    );
    assert!(web.get("/c/17/events/2").expect(200).body.contains("the last words"));
}

#[test]
fn conversations_are_searched() {
    let env = workspace();
    store::write(
        &env,
        "171",
        Some("Refactor config"),
        WHEN,
        &store::turn("a", "needle <b>here</b>"),
    );
    store::write(&env, "172", Some("Other"), "2020-01-01T00:00:00Z", &store::turn("a", "b"));
    store::write(&env, "173", None, WHEN, &[]);
    let web = Web::start(&env);
    let check = |path: &str, want: &[&str]| {
        let body = web.get(path).expect(200).body;
        for id in ["171", "172", "173"] {
            let has = body.contains(&format!("<span class=\"id\">{id}</span>"));
            assert_eq!(has, want.contains(&id), "{path}: {id}");
        }
        body
    };
    check("/", &["171", "172", "173"]);
    check("/?q=CONFIG", &["171"]);
    check("/?q=config&age=&title=", &["171"]);
    check("/?title=without", &["173"]);
    check("/?q=needle", &[]);
    // A title that has the words is found wherever else is looked.
    check("/?q=CONFIG&in=content", &["171"]);
    check("/?q=172&in=content", &["172"]);
    check("/?q=e&in=content", &["171", "172"]);
    check("/?q=other&in=content&age=week", &[]);
    let body = check("/?q=needle&in=content", &["171"]);
    assert!(body.contains("<mark>needle</mark> &lt;b&gt;here"), "{body}");
    assert!(body.contains("/c/171?event=2#e2"));
    let body = check("/?q=%3Cscript%3E%22", &[]);
    assert!(body.contains("value=\"&lt;script&gt;&quot;\"") && !body.contains("<script>\""));
}

#[test]
fn ten_thousand_conversations() {
    let env = workspace();
    for n in 0..10_000 {
        let last = format!("2026-03-{:02}T13:00:00Z", n % 28 + 1);
        store::write(
            &env,
            &(17_000_000_000_u64 + n).to_string(),
            Some(&format!("Number {n}")),
            &last,
            &[],
        );
    }
    let web = Web::start(&env);
    for (path, shown) in [("/", 50), ("/?q=number+9999", 1), ("/?page=200", 50)] {
        // A busy machine gets three tries.
        let mut best = Duration::MAX;
        for _ in 0..3 {
            let began = Instant::now();
            let body = web.get(path).expect(200).body;
            best = best.min(began.elapsed());
            assert!(body.contains("10,000"), "{path}");
            assert_eq!(body.matches("class=\"conversation\"").count(), shown, "{path}");
        }
        assert!(best < LIST, "{path} takes {best:?}");
    }
    assert!(web.get("/").expect(200).body.contains("Page 1 of 200"));
}
