//! Creating and appending.

use std::thread;

use serde_json::{Value, json};

use crate::support::{Api, JSON, World};

fn created(api: &Api) -> String {
    let reply = api.post("/v1/conversations", &json!({ "title": "New" }));
    reply.json(201)["id"].as_str().unwrap().to_owned()
}

fn events_of(id: &str) -> String {
    format!("/v1/conversations/{id}/events")
}

#[test]
fn a_conversation_is_created_and_added_to() {
    let api = World::new().start();
    let reply = api.post("/v1/conversations", &json!({ "title": "A \"title\" 🦀" }));
    let made = reply.json(201);
    let id = made["id"].as_str().unwrap();
    assert_eq!((&made["title"], &made["events_count"]), (&json!("A \"title\" 🦀"), &json!(0)));
    let there = api.get(reply.header("location").unwrap());
    assert_eq!((there.json(200), there.header("etag")), (made.clone(), reply.header("etag")));
    let events = json!({ "events": [
        { "type": "chat_request", "content": "Hello" },
        { "type": "chat_response", "message": "Hi", "timestamp": "2026-03-18T13:19:00Z" },
    ]});
    let reply = api.post(&events_of(id), &events);
    let appended = reply.json(201);
    // The turn that the request belongs to was begun for it.
    assert_eq!((&appended["count"], &appended["first"]), (&json!(2), &json!(0)));
    assert_eq!(appended["conversation"]["events_count"], 3);
    assert_eq!(reply.header("etag"), api.get(&events_of(id)).header("etag"));
    assert_eq!(api.get(reply.header("location").unwrap()).json(200)["total"], 3);
    let reply = api.post(&events_of(id), &json!({ "events": [{ "type": "turn_start" }] }));
    let new = api.get(reply.header("location").unwrap()).json(200);
    assert_eq!((&new["first"], &new["data"][0]["type"]), (&json!(3), &json!("turn_start")));
    let kinds: Vec<_> = api.world.events(id).iter().map(|event| event["type"].clone()).collect();
    assert_eq!(kinds, ["turn_start", "chat_request", "chat_response", "turn_start"]);
    let shown = api.world.env.jp(["conversation", "show", id]).run().success();
    assert!(shown.stdout().contains("Hello") && shown.stdout().contains("Hi"), "{shown}");
}

#[test]
fn a_title_is_not_needed() {
    let api = World::new().start();
    assert_eq!(api.post("/v1/conversations", &json!({})).json(201)["title"], Value::Null);
    assert_eq!(
        api.post("/v1/conversations", &json!({ "title": null })).json(201)["title"],
        Value::Null
    );
}

#[test]
fn who_expects_another_state_changes_nothing() {
    let api = World::new().start();
    let id = created(&api);
    let event = json!({ "events": [{ "type": "turn_start" }] }).to_string();
    let append =
        |tag: &str| api.request("POST", &events_of(&id), &[JSON, ("if-match", tag)], &event);
    let first = api.get(&events_of(&id)).header("etag").unwrap().to_owned();
    assert_eq!(append(&first).status, 201);
    assert_eq!(append(&first).problem(412), "changed");
    assert_eq!(append("W/\"x\"").problem(412), "changed");
    assert_eq!(append("*").status, 201);
    let now = api.get(&format!("/v1/conversations/{id}")).header("etag").unwrap().to_owned();
    assert_eq!(append(&format!("\"other\", {now}")).status, 201);
    assert_eq!(api.world.events(&id).len(), 3);
}

#[test]
#[expect(clippy::disallowed_methods, reason = "tests build their own files")]
fn what_somebody_else_has_locked_is_left_alone() {
    let api = World::new().start();
    let id = created(&api);
    let event = json!({ "events": [{ "type": "turn_start" }] });
    let path = api.world.env.path(format!(".jp/conversations/{id}/events.jsonl"));
    let file = std::fs::File::open(path).unwrap();
    file.try_lock().unwrap();
    let reply = api.post(&events_of(&id), &event);
    assert_eq!(reply.problem(409), "locked");
    assert_eq!(api.get(&events_of(&id)).json(200)["total"], 0, "reading works all the same");
    file.unlock().unwrap();
    assert_eq!(api.post(&events_of(&id), &event).status, 201);
    assert_eq!(api.world.events(&id).len(), 1);
}

/// Many at once are done one after the other, and none of them finds the lock of another in its way.
#[test]
fn all_who_append_at_once_succeed() {
    let api = World::new().start();
    let id = created(&api);
    thread::scope(|scope| {
        for worker in 0..8 {
            let (api, id) = (&api, &id);
            scope.spawn(move || {
                for n in 0..5 {
                    let message = format!("{worker}.{n}");
                    let event = json!({ "type": "chat_response", "message": message });
                    api.post(&events_of(id), &json!({ "events": [event] })).json(201);
                }
            });
        }
    });
    let mut said: Vec<_> =
        api.world.events(&id).iter().map(|it| it["message"].to_string()).collect();
    said.sort();
    said.dedup();
    assert_eq!(said.len(), 40);
}

#[test]
fn what_breaks_a_rule_changes_nothing() {
    let api = World::new().start();
    let id = created(&api);
    let good = json!({ "type": "turn_start" });
    let check = |events: Value, want: &str| {
        let reply = api.post(&events_of(&id), &json!({ "events": events }));
        assert_eq!(reply.problem(422), "invalid");
        let detail = reply.json(422)["detail"].to_string();
        assert!(detail.contains(want), "{detail}");
    };
    check(json!([]), "from 1 to 1000");
    check(json!(vec![good.clone(); 1_001]), "from 1 to 1000");
    check(json!("x"), "invalid type");
    check(json!([good, { "type": "hologram" }]), "events[1]: `hologram`");
    check(json!([good, { "type": "config_delta", "delta": {} }]), "events[1]");
    check(json!([good, { "type": "chat_response", "mesage": "m" }]), "needs `message`");
    // These only the host can know.
    let response =
        json!({ "type": "tool_call_response", "id": "x", "content": "", "is_error": false });
    check(json!([good, response]), "unknown request ID `x` (event at index 1)");
    let request = json!({ "type": "chat_request", "content": "?" });
    check(json!([good, request, request]), "not preceded by a TurnStart (event at index 2)");
    assert_eq!(api.world.events(&id), [json!(null); 0]);
    assert_eq!(
        api.post(&events_of("1001"), &json!({ "events": [good] })).problem(404),
        "not-found"
    );
    let long = json!({ "title": "x".repeat(1_001) });
    assert_eq!(api.post("/v1/conversations", &long).problem(422), "invalid");
    let unknown = json!({ "titel": "x" });
    assert_eq!(api.post("/v1/conversations", &unknown).problem(422), "invalid");
}

/// What would make the host end the plugin does not get that far.
#[test]
fn a_batch_that_the_host_would_not_take_ends_nothing() {
    let api = World::new().start();
    let id = created(&api);
    let with = |value: &str| {
        let body = format!(r#"{{"events":[{{"type":"chat_response","data":{value}}}]}}"#);
        api.request("POST", &events_of(&id), &[JSON], &body)
    };
    assert_eq!(with(&format!("[{}0]", "0,".repeat(150_000))).problem(413), "too-large");
    assert_eq!(
        with(&format!("{}{}", "[".repeat(3_000), "]".repeat(3_000))).problem(400),
        "bad-request"
    );
    // Numbers that are written longer than they came, as many as are let through.
    assert_eq!(with(&format!("[{}0]", "1e15,".repeat(99_000))).status, 201);
    // As long as a body may be, and each byte of it six in the line to the host.
    let text = format!("\"{}\"", "\\u0001".repeat((8 << 20) / 6 - 100));
    assert_eq!(with(&text).status, 201);
    assert_eq!(api.get("/v1/health").status, 200);
    assert_eq!(api.get(&events_of(&id)).json(200)["total"], 2);
}
