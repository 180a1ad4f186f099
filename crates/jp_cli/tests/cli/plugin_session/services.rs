//! Conversations, events and the configuration through the protocol.

use serde_json::{Value, json};

use super::{plugin, shown, value};
use crate::conversation;

#[test]
fn conversations_are_listed() {
    let env = plugin(
        r#"
show(ask(type="list_conversations"))
ask(type="create_conversation", title="Refactor")
ask(type="create_conversation")
show(ask(type="list_conversations", id="l"))
"#,
    );
    let values = shown(&env, &[]);
    // 072-159, 072-160
    assert_eq!(values[0], json!({ "type": "conversations", "data": [] }));
    assert_eq!(values[1]["id"], "l");
    let data = values[1]["data"].as_array().unwrap();
    assert_eq!(data.len(), 2);
    for entry in data {
        // 072-161, 072-163, 072-164
        assert!(entry["id"].as_str().unwrap().parse::<u64>().is_ok(), "{entry}");
        let time = entry["last_activated_at"].as_str().unwrap();
        assert!(time.ends_with('Z') && time.contains('T'), "{entry}");
        assert_eq!(entry["events_count"], 0);
    }
    // 072-162, 072-227: one without a title is there, and has none.
    let titles: Vec<_> = data.iter().map(|entry| entry["title"].clone()).collect();
    assert!(titles.contains(&json!("Refactor")) && titles.contains(&Value::Null), "{titles:?}");
}

#[test]
fn a_listing_does_not_need_what_was_said() {
    // 072-165, 072-166
    let env = plugin("show(ask(type='list_conversations'))");
    let id = conversation(&env);
    let before = shown(&env, &[]);
    assert_eq!(before[0]["data"][0]["events_count"], 12);
    let after_listing = shown(&env, &[]);
    assert_eq!(before, after_listing);
    env.write(".jp/cache/conversations.log", "nonsense");
    assert_eq!(shown(&env, &[]), before, "the index is made again");
    env.write(format!(".jp/conversations/{id}/events.jsonl"), [0xff; 10]);
    assert_eq!(shown(&env, &[])[0]["data"][0]["id"], id);
}

#[test]
fn events_are_sent_as_they_are_stored_with_their_texts_decoded() {
    // 072-327: every type there is, in its fixed shape.
    let env = plugin("show(ask(type='read_events', conversation='17127583920'))");
    let id = conversation(&env);
    let path = format!(".jp/conversations/{id}/events.jsonl");
    let stored = env.read(&path);
    let answer = shown(&env, &[]).remove(0);
    // 072-167, 072-168
    assert_eq!((&answer["type"], &answer["conversation"]), (&json!("events"), &json!(id)));
    let mut expected: Vec<Value> =
        stored.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // 072-173, 072-174
    expected[3]["arguments"]["pattern"] = json!("fn main");
    expected[4]["content"] = json!("src/main.rs:1:fn main() {}");
    expected[7]["content"] = json!("no such file");
    // 072-169, 072-170, 072-171, 072-172
    assert_eq!(answer["data"], json!(expected));
    // 072-176
    assert_eq!(env.read(&path), stored);
}

#[test]
fn metadata_is_decoded_and_arrays_are_read() {
    // 072-175, 072-330, 072-331, 072-333
    let env = plugin("show(ask(type='read_events', conversation='5'))");
    let array = "[\n  {\"timestamp\": \"2026-03-18 13:19:13.281973\",\n   \"type\": \"turn_start\",\n\
                 \"metadata\": {\"a\": [\"aGk=\", {\"b\": \"aGk=\"}]}},\n {\"timestamp\":\
                 \"2026-03-18 13:19:13.281973\", \"type\": \"hologram\", \"beam\": [ 1,\n 2 ]}\n]";
    env.write(".jp/conversations/5/events.json", array);
    let answer = shown(&env, &[]).remove(0);
    assert_eq!(answer["data"][0]["metadata"], json!({ "a": ["hi", { "b": "hi" }] }));
    assert_eq!(answer["data"][1]["beam"], json!([1, 2]));
    assert_eq!(env.read(".jp/conversations/5/events.json"), array);
    assert!(!env.path(".jp/conversations/5/events.jsonl").exists());
}

#[test]
fn one_damaged_event_does_not_hide_the_others() {
    let env = plugin("show(ask(type='read_events', conversation='5'))");
    let good = "{\"timestamp\":\"2026-03-18T13:19:13Z\",\"type\":\"turn_start\"}\n";
    env.write(".jp/conversations/5/events.jsonl", format!("{good}{{broken\n{good}[1]\n"));
    assert_eq!(shown(&env, &[])[0]["data"].as_array().unwrap().len(), 2);
}

#[test]
fn what_is_no_conversation_is_not_found() {
    let env = plugin(
        r#"
for name in ["999", "../../etc", "", "0", "01", "+1", "1/../2", "\u0000", "x" * 100000]:
    for kind in ["read_events", "lock", "unlock", "push_events"]:
        answer = ask(type=kind, conversation=name, events=[])
        show([name[:10], answer["type"], answer["request"], answer["message"][:200]])
"#,
    );
    for value in shown(&env, &[]) {
        // 072-177, 072-258, 072-259, 072-260
        assert_eq!(value[1], "error");
        let (name, message) = (value[0].as_str().unwrap(), value[3].as_str().unwrap());
        let is_unheld = name == "999" && message.contains("not locked by this plugin: 999");
        let is_unknown = message.starts_with(&format!("conversation not found: {name}"));
        assert!(is_unknown || is_unheld, "{value}");
    }
}

#[test]
fn parts_of_the_configuration() {
    let env = plugin(
        r#"
for path in ["style", "server.web.port", "style.nope", "stile.color", "style.color.x", "a..b", ""]:
    show(ask(type="read_config", path=path, id=path))
"#,
    );
    let values = shown(&env, &[]);
    // 072-182, 072-183, 072-184
    assert_eq!((&values[0]["type"], &values[0]["path"]), (&json!("config"), &json!("style")));
    assert_eq!(values[0]["data"]["color"], "auto");
    // 072-185, 072-180
    assert_eq!(values[1]["data"], 3141);
    // 072-186: it names the part that is wrong.
    for (value, part) in values[2..5].iter().zip(["`nope`", "`stile`", "`x`"]) {
        assert_eq!((&value["type"], &value["request"]), (&json!("error"), &json!("read_config")));
        assert!(value["message"].as_str().unwrap().contains(part), "{value}");
    }
    assert_eq!((&values[5]["type"], &values[6]["type"]), (&json!("error"), &json!("error")));
}

#[test]
fn conversations_are_made_and_belong_to_their_maker() {
    let env = plugin(
        r#"
made = [ask(type="create_conversation", title="t%d" % n, id=str(n)) for n in range(20)]
show(made[3])
show(len({one["conversation"] for one in made}))
ident = made[0]["conversation"]
show(ask(type="push_events", conversation=ident, events=[{"type": "turn_start"}]))
show(ask(type="create_conversation", title="x" * 2000000))
show(ask(type="create_conversation", title=7))
"#,
    );
    let values = shown(&env, &[]);
    // 072-225
    assert_eq!((&values[0]["type"], &values[0]["id"]), (&json!("created"), &json!("3")));
    assert!(values[0]["conversation"].is_string());
    // 072-226
    assert_eq!(values[1], 20);
    // 072-228
    assert_eq!(values[2]["type"], "pushed");
    assert_eq!((&values[3]["type"], &values[4]["type"]), (&json!("error"), &json!("error")));
}

#[test]
fn pushed_events_come_back_as_they_were() {
    // 072-199, 072-200, 072-201, 072-210, 072-221 to 072-224, 072-329
    let env = plugin(
        r#"
made = ask(type="create_conversation")["conversation"]
events = [
    {"type": "chat_request", "content": "Hello"},
    {"type": "tool_call_request", "id": "t", "name": "n", "arguments": {"a": {"b": ["text", 1]}}},
    {"type": "tool_call_response", "id": "t", "content": "result", "is_error": False,
     "timestamp": "2020-01-01T00:00:00Z", "metadata": {"m": "meta"}},
]
show(ask(type="push_events", conversation=made, events=events))
show(ask(type="read_events", conversation=made))
"#,
    );
    let values = shown(&env, &[]);
    let id = values[0]["conversation"].as_str().unwrap();
    assert_eq!((&values[0]["type"], &values[0]["count"]), (&json!("pushed"), &json!(3)));
    let data = values[1]["data"].as_array().unwrap();
    let types: Vec<_> = data.iter().map(|event| event["type"].as_str().unwrap()).collect();
    let expected = ["turn_start", "chat_request", "tool_call_request", "tool_call_response"];
    assert_eq!(types, expected);
    assert!(data.iter().all(|event| event["timestamp"].is_string()));
    assert_eq!(data[2]["arguments"], json!({ "a": { "b": ["text", 1] } }));
    assert_eq!(data[3]["timestamp"], "2020-01-01T00:00:00Z");
    assert_eq!(
        (&data[3]["content"], &data[3]["metadata"]["m"]),
        (&json!("result"), &json!("meta"))
    );
    let stored = env.read(format!(".jp/conversations/{id}/events.jsonl"));
    assert_eq!(stored.lines().count(), 4);
    for text in ["result", "\"meta\"", "\"text\""] {
        assert!(!stored.contains(text), "{stored}");
    }
}

#[test]
fn a_bad_batch_changes_nothing() {
    let env = plugin(
        r#"
made = ask(type="create_conversation")["conversation"]
path = init["workspace"]["storage"] + "/conversations/" + made + "/events.jsonl"
def push(*events):
    before = open(path, "rb").read()
    answer = ask(type="push_events", conversation=made, events=list(events))
    if answer["type"] == "error":
        assert open(path, "rb").read() == before
        assert answer["request"] == "push_events"
    show(answer.get("message", answer["type"]))
turn, hello = {"type": "turn_start"}, {"type": "chat_request", "content": "Hi"}
response = {"type": "tool_call_response", "id": "tc_99", "content": "", "is_error": False}
request = {"type": "tool_call_request", "id": "tc_99", "name": "n", "arguments": {}}
answer = {"type": "inquiry_response", "id": "q", "answer": 1}
push(response)
push(answer)
push(response, request)
push(turn, hello, hello)
push({"type": "chat_request"})
push({"type": "chat_request", "content": 7})
push({"type": "hologram"})
push({"type": "config_delta", "delta": {}})
push(dict(turn, timestamp="yesterday"))
push(*([turn] * 57 + [7] + [turn] * 42))
push(turn, request, response)
push(response)
push(hello)
push()
show(len(ask(type="read_events", conversation=made)["data"]))
"#,
    );
    let values = shown(&env, &[]);
    let expected = [
        ("ToolCallResponse references unknown request ID `tc_99`", 0), // 072-204, 072-205
        ("InquiryResponse references unknown request ID `q`", 0),      // 072-206
        ("ToolCallResponse references unknown request ID `tc_99`", 0), // 072-209
        ("ChatRequest is not preceded by a TurnStart", 2),             // 072-212
        ("`chat_request` needs `content`", 0),                         // 072-213
        ("`content` of `chat_request` must be a string", 0),           // 072-214
        ("unknown event type `hologram`", 0),                          // 072-215
        ("`config_delta` events cannot be pushed", 0),                 // 072-216
        ("", 0),                                                       // 072-221
        ("an event must be an object", 57),                            // 072-218
    ];
    for (value, (reason, index)) in values.iter().zip(expected) {
        // 072-219
        let message = value.as_str().unwrap();
        assert!(message.starts_with(reason), "{value}");
        assert!(message.ends_with(&format!("(event at index {index})")), "{value}");
    }
    // 072-207, 072-208, 072-211, 072-220
    assert_eq!(
        values[10..],
        [json!("pushed"), json!("pushed"), json!("pushed"), json!("pushed"), json!(5)]
    );
}

#[test]
fn what_is_on_disk_survives_a_push() {
    // 072-217
    let env = plugin(
        r#"
show(ask(type="lock", conversation="17127583920")["type"])
show(ask(type="push_events", conversation="17127583920", events=[{"type": "turn_start"}])["type"])
"#,
    );
    let id = conversation(&env);
    let path = format!(".jp/conversations/{id}/events.jsonl");
    let before = env.read(&path);
    assert_eq!(shown(&env, &[]), [json!("locked"), json!("pushed")]);
    let after = env.read(&path);
    assert!(after.starts_with(&before) && after.lines().count() == 13, "{after}");
}

#[test]
fn a_long_conversation_is_sent_whole() {
    let value = value(
        r#"
made = ask(type="create_conversation")["conversation"]
big = [{"type": "chat_response", "message": "%d " % n + "x" * 10000} for n in range(300)]
ask(type="push_events", conversation=made, events=big)
data = ask(type="read_events", conversation=made)["data"]
show([len(data), [one["message"] for one in data] == [one["message"] for one in big]])
"#,
    );
    assert_eq!(value, json!([300, true]));
}
