//! Conversations as they lie on the disk, written in one go: a test may want ten thousand.

use jp_test::TestEnv;
use serde_json::{Value, json};

/// A conversation with every kind of event, damaged and unknown ones included.
const EVERY_EVENT: &str = include_str!("../../../../every_event.jsonl");

/// Writes a conversation.
pub(crate) fn write(env: &TestEnv, id: &str, title: Option<&str>, last: &str, events: &[Value]) {
    let lines: String = events.iter().map(|event| format!("{event}\n")).collect();
    write_lines(env, id, title, last, &lines);
}

/// Writes the conversation with every kind of event.
pub(crate) fn write_every_event(env: &TestEnv, id: &str) {
    write_lines(env, id, Some("Every kind of event"), "2026-03-18T13:20:00Z", EVERY_EVENT);
}

fn write_lines(env: &TestEnv, id: &str, title: Option<&str>, last: &str, lines: &str) {
    let dir = format!(".jp/conversations/{id}");
    let metadata = json!({ "title": title, "last_activated_at": last });
    env.write(format!("{dir}/metadata.json"), metadata.to_string());
    env.write(format!("{dir}/events.jsonl"), lines);
}

/// A turn in which something is asked and answered.
pub(crate) fn turn(asked: &str, answered: &str) -> Vec<Value> {
    vec![
        at(json!({ "type": "turn_start" })),
        at(json!({ "type": "chat_request", "content": asked })),
        at(json!({ "type": "chat_response", "message": answered })),
    ]
}

/// A call of a tool, and what came of it.
pub(crate) fn call(id: &str, name: &str, arguments: &Value, result: &str) -> Vec<Value> {
    vec![
        at(json!({ "type": "tool_call_request", "id": id, "name": name, "arguments": arguments })),
        at(
            json!({ "type": "tool_call_response", "id": id, "content": stored(result), "is_error": false }),
        ),
    ]
}

/// The event with a time.
pub(crate) fn at(mut event: Value) -> Value {
    event["timestamp"] = json!("2026-03-18T13:19:13.281973Z");
    event
}

/// A text as it is stored in results.
pub(crate) fn stored(text: &str) -> String {
    base64_simd::STANDARD.encode_to_string(text)
}

/// Adds events to a conversation as another process would: a plugin of its own, through `jp`.
pub(crate) fn append(env: &TestEnv, id: &str, events: &[Value]) {
    use std::os::unix::fs::PermissionsExt as _;
    let script = format!(
        "#!/usr/bin/python3\nimport json, sys\n\
         def say(**m):\n    print(json.dumps(m), flush=True)\n\
         def hear():\n    return json.loads(sys.stdin.readline())\n\
         hear()\nsay(type='ready')\nsay(type='lock', conversation='{id}')\nhear()\n\
         say(type='push_events', conversation='{id}', events=json.loads(r'''{}'''))\n\
         answer = hear()\nsay(type='exit', code=0 if answer['type'] == 'pushed' else 1, reason=str(answer))\n",
        json!(events)
    );
    let path = env.root().join("bin/jp-append");
    env.write(&path, script);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let search = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    let allow = "plugins.command.append.run=unattended";
    env.jp(["--cfg", allow, "append"]).env("PATH", search).run().success();
}
