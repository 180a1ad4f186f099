//! The first line.

use jp_tool::vfs::Init;
use serde_json::json;

use crate::{tool::code_of, world::World};

// D11-162: ahead of the answer to a request that was there before the session.
#[test]
fn init_is_the_first_line() {
    let world = World::on_disk();
    let mut tool = world.start_unread(crate::world::init());
    tool.request(1, "fs.exists", json!({"path": "a"}));
    let first = tool.line();
    assert_eq!(first["method"], "init");
    // D11-163: a notification, after which requests are served without a word from the tool.
    assert_eq!(first.get("id"), None);
    let second = tool.line();
    assert_eq!((&second["id"], code_of(&second)), (&json!(1), 0));
}

// D11-164 D11-165 D11-166 D11-167 D11-168 D11-169
#[test]
fn init_tells_the_call() {
    let call = json!({
        "tool": {"name": "t", "arguments": {"a": [1, "é"]}, "answers": {"q": true}, "options": {"deep": {"x": null}}},
        "context": {
            "action": "Format_Arguments",
            "workspace_id": "w1",
            "conversation_id": "17",
            "access": {"fs": [{"path": "src", "read": true}], "net": [], "env": []},
        },
        "protocol_version": "0.1.0",
    });
    let init: Init = serde_json::from_value(call.clone()).unwrap();
    let world = World::on_disk();
    let told = world.start_unread(init).line()["params"].clone();
    assert_eq!(told["tool"], call["tool"]);
    assert_eq!(told["context"]["action"], "format_arguments");
    assert_eq!(told["context"]["workspace_id"], "w1");
    assert_eq!(told["context"]["conversation_id"], "17");
    assert_eq!(told["context"]["access"]["fs"], call["context"]["access"]["fs"]);
    assert_eq!(told["protocol_version"], "0.1.0");
    for action in ["run", "schema"] {
        let mut call = call.clone();
        call["context"]["action"] = json!(action.to_uppercase());
        let init = serde_json::from_value(call).unwrap();
        assert_eq!(world.start_unread(init).line()["params"]["context"]["action"], action);
    }
    let told = world.start_unread(crate::world::init()).line()["params"].clone();
    assert_eq!(told["tool"]["answers"], json!({}));
    assert_eq!(told["context"]["access"], json!(null));
}
