//! Lists, pages, tags.

use serde_json::{Value, json};

use crate::support::{Api, World};

/// One event of every kind there is, one of a later version, and one that lacks what its type asks for.
const EVERY_EVENT: &str = r#"{"timestamp":"2026-03-18T13:19:00Z","type":"turn_start"}
{"timestamp":"2026-03-18T13:19:01Z","type":"chat_request","content":"<script>alert(1)</script>"}
{"timestamp":"2026-03-18T13:19:02Z","type":"chat_response","reasoning":"Hm."}
{"timestamp":"2026-03-18T13:19:03Z","type":"tool_call_request","id":"tc_1","name":"grep","arguments":{"pattern":"Zm4gbWFpbg=="}}
{"timestamp":"2026-03-18T13:19:04Z","type":"tool_call_response","id":"tc_1","content":"c3JjL21haW4ucnM=","is_error":false}
{"timestamp":"2026-03-18T13:19:05Z","type":"inquiry_request","id":"q","source":"x","question":{"id":"q","text":"?","answer_type":"Boolean"}}
{"timestamp":"2026-03-18T13:19:06Z","type":"inquiry_response","id":"q","answer":true}
{"timestamp":"2026-03-18T13:19:07Z","type":"chat_response","message":"There."}
{"timestamp":"2026-03-18T13:19:08Z","type":"chat_response","data":{"answer":42}}
{"timestamp":"2026-03-18T13:19:09Z","type":"config_delta","delta":{"assistant":{"name":"X"}}}
{"timestamp":"2026-03-18T13:19:10Z","type":"hologram","beam":[1,2]}
{"timestamp":"2026-03-18T13:19:11Z","type":"tool_call_request","id":7}
"#;

fn ids(page: &Value) -> Vec<u64> {
    let ids = page["data"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap());
    ids.map(|id| id.parse().unwrap()).collect()
}

/// Everything, page by page.
fn walk(api: &Api, first: &str) -> Vec<Value> {
    let (mut pages, mut path) = (Vec::new(), Some(first.to_owned()));
    while let Some(address) = path {
        let reply = api.get(&address);
        let page = reply.json(200);
        path = page["next"].as_str().map(str::to_owned);
        let link = path.as_ref().map(|next| format!("<{next}>; rel=\"next\""));
        assert_eq!(reply.header("link"), link.as_deref());
        pages.push(page);
        assert!(pages.len() < 1_000, "it has no end");
    }
    pages
}

#[test]
fn a_list_is_read_page_by_page_while_it_changes() {
    let world = World::new();
    for n in 0..25_u64 {
        // Several of one moment, so that the id has to decide.
        let time = format!("2026-03-18T13:{:02}:00Z", n / 3);
        world.conversation(1_000 + n, Some(&format!("Number {n}")), &time, "");
    }
    let api = world.start();
    let pages = walk(&api, "/v1/conversations?limit=10");
    let seen: Vec<u64> = pages.iter().flat_map(ids).collect();
    assert_eq!(seen, (1_000..1_025).rev().collect::<Vec<_>>());
    assert!(pages.iter().all(|page| page["total"] == 25));
    let first = &pages[0]["data"][0];
    let want = json!({
        "id": "1024", "title": "Number 24", "last_activated_at": "2026-03-18T13:08:00Z", "events_count": 0,
    });
    assert_eq!(*first, want);
    // One that moves to the front between two pages is not seen twice, and nobody else is left out.
    let next = pages[0]["next"].as_str().unwrap();
    let event = json!({ "events": [{ "type": "turn_start" }] });
    api.post("/v1/conversations/1014/events", &event).json(201);
    assert_eq!(
        ids(&api.get(next).json(200)),
        (1_005..1_014).rev().chain([1_004]).collect::<Vec<_>>()
    );
    assert_eq!(ids(&api.get("/v1/conversations?limit=1").json(200)), [1_014]);
}

#[test]
fn words_are_searched_in_titles_and_ids() {
    let world = World::new();
    world.conversation(1_001, Some("Größe & more"), "2026-03-18T13:01:00Z", "");
    world.conversation(1_002, Some("Other größe"), "2026-03-18T13:02:00Z", "");
    world.conversation(1_003, None, "2026-03-18T13:03:00Z", "");
    let api = world.start();
    let check = |query: &str, want: &[u64]| {
        let page = api.get(&format!("/v1/conversations?q={query}")).json(200);
        assert_eq!((ids(&page), page["total"].as_u64()), (want.to_vec(), Some(want.len() as u64)));
    };
    check("GR%C3%96%C3%9FE", &[1_002, 1_001]);
    check("%26+more", &[1_001]);
    check("1003", &[1_003]);
    check("nothing", &[]);
    check("", &[1_003, 1_002, 1_001]);
    // The way to the next page has the words in it.
    let page = api.get("/v1/conversations?limit=1&q=gr%C3%B6%C3%9Fe").json(200);
    assert_eq!(ids(&api.get(page["next"].as_str().unwrap()).json(200)), [1_001]);
}

#[test]
fn every_kind_of_event_is_passed_on_as_it_is() {
    let world = World::new();
    world.conversation(1_001, None, "2026-03-18T13:19:00Z", EVERY_EVENT);
    let api = world.start();
    let page = api.get("/v1/conversations/1001/events").json(200);
    assert_eq!(
        (&page["first"], &page["total"], &page["next"]),
        (&json!(0), &json!(12), &Value::Null)
    );
    let events = page["data"].as_array().unwrap();
    assert_eq!(events[1]["content"], "<script>alert(1)</script>");
    assert_eq!(events[3]["arguments"], json!({ "pattern": "fn main" }));
    assert_eq!(events[4]["content"], "src/main.rs");
    assert_eq!(events[9]["delta"], json!({ "assistant": { "name": "X" } }));
    let hologram =
        json!({ "timestamp": "2026-03-18T13:19:10Z", "type": "hologram", "beam": [1, 2] });
    assert_eq!(events[10], hologram);
    let damaged =
        json!({ "timestamp": "2026-03-18T13:19:11Z", "type": "tool_call_request", "id": 7 });
    assert_eq!(events[11], damaged);
    let pages = walk(&api, "/v1/conversations/1001/events?limit=5");
    let all: Vec<_> = pages.iter().flat_map(|page| page["data"].as_array().unwrap()).collect();
    assert_eq!((pages.len(), all), (3, events.iter().collect()));
    assert_eq!(pages[1]["first"], 5);
    let end = api.get("/v1/conversations/1001/events?after=11").json(200);
    assert_eq!((&end["data"], &end["first"]), (&json!([]), &json!(12)));
    assert_eq!(
        api.get("/v1/conversations/1001/events?after=4294967295").json(200)["data"],
        json!([])
    );
}

#[test]
fn a_page_of_long_events_ends_early() {
    let world = World::new();
    let line = |n: u8| {
        let text = "x".repeat(400 << 10);
        format!(
            "{{\"timestamp\":\"2026-03-18T13:19:0{n}Z\",\"type\":\"chat_response\",\"message\":\"{text}\"}}\n"
        )
    };
    world.conversation(1_001, None, "2026-03-18T13:19:00Z", &(0..5).map(line).collect::<String>());
    let api = world.start();
    let pages = walk(&api, "/v1/conversations/1001/events");
    let sizes: Vec<_> = pages.iter().map(|page| page["data"].as_array().unwrap().len()).collect();
    assert_eq!(sizes, [2, 2, 1]);
}

#[test]
fn who_has_it_is_told_so() {
    let world = World::new();
    world.conversation(1_001, Some("A"), "2026-03-18T13:19:00Z", EVERY_EVENT);
    let api = world.start();
    let paths = [
        "/v1/conversations",
        "/v1/conversations/1001",
        "/v1/conversations/1001/events",
        "/v1/conversations/1001/events?limit=3",
        "/v1/openapi.json",
    ];
    let tags = paths.map(|path| {
        let reply = api.get(path);
        assert_eq!(reply.status, 200);
        let tag = reply.header("etag").unwrap().to_owned();
        let again = api.request("GET", path, &[("if-none-match", &tag)], "");
        assert_eq!((again.status, again.header("etag"), again.body.len()), (304, Some(&*tag), 0));
        assert_eq!(api.request("GET", path, &[("if-none-match", "\"x\"")], "").status, 200);
        tag
    });
    let event = json!({ "events": [{ "type": "chat_response", "message": "More." }] });
    api.post("/v1/conversations/1001/events", &event).json(201);
    for (path, tag) in paths.iter().zip(&tags).take(4) {
        let reply = api.request("GET", path, &[("if-none-match", tag)], "");
        assert_eq!(reply.status, 200, "{path} has changed");
    }
    assert_eq!(api.get(paths[2]).json(200)["total"], 13);
}

/// Two processes at the same conversations see the same.
#[test]
fn what_others_write_is_seen_at_once() {
    let world = World::new();
    world.conversation(1_001, None, "2026-03-18T13:19:00Z", EVERY_EVENT);
    let api = world.start();
    let other = api.again();
    for total in 12..32 {
        assert_eq!(api.get("/v1/conversations/1001/events?limit=1").json(200)["total"], total);
        let event = json!({ "events": [{ "type": "chat_response", "message": "x" }] });
        other.post("/v1/conversations/1001/events", &event).json(201);
    }
}

#[test]
fn head_is_get_without_a_body() {
    let api = World::new().start();
    let (get, head) =
        (api.get("/v1/conversations"), api.request("HEAD", "/v1/conversations", &[], ""));
    assert_eq!((head.status, head.body.len()), (200, 0));
    assert_eq!(head.header("etag"), get.header("etag"));
    assert_eq!(head.header("content-length"), get.header("content-length"));
}
