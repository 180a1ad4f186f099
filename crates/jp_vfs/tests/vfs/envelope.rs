//! The outer form of messages.

use serde_json::{Value, json};

use crate::{tool::code_of, world::World};

// D11-029 D11-030 D11-031 and what else is JSON but no message.
#[test]
fn what_is_no_message_is_refused() {
    let world = World::on_disk();
    world.put("a", "x");
    let mut tool = world.start();
    let read = json!({"jsonrpc": "2.0", "id": 1, "method": "fs.read", "params": {"path": "a"}});
    let write = json!({"jsonrpc": "2.0", "id": 2, "method": "fs.write", "params": {"path": "b", "content": ""}});
    let with = |name: &str, value: Value| {
        let mut message = read.clone();
        message[name] = value;
        message
    };
    let without = |name: &str| {
        let mut message = read.clone();
        message.as_object_mut().unwrap().remove(name);
        message
    };
    for (line, id) in [
        (without("jsonrpc"), json!(1)),
        (with("jsonrpc", json!("1.0")), json!(1)),
        (with("jsonrpc", json!(2.0)), json!(1)),
        (without("method"), json!(1)),
        (with("method", json!(7)), json!(1)),
        (with("method", json!(null)), json!(1)),
        (with("id", json!(null)), json!(null)),
        (with("id", json!(1.5)), json!(null)),
        (with("id", json!({})), json!(null)),
        (with("id", json!(true)), json!(null)),
        (with("id", json!("x".repeat(1_025))), json!(null)),
        (json!([read, write]), json!(null)),
        (json!([]), json!(null)),
        (json!({}), json!(null)),
        (json!(7), json!(null)),
        (json!("x"), json!(null)),
        (json!(null), json!(null)),
        // Answers of the tool: it was asked nothing.
        (json!({"jsonrpc": "2.0", "id": 1, "result": {}}), json!(null)),
        (json!({"jsonrpc": "2.0", "id": 1, "error": {"code": 1, "message": ""}}), json!(null)),
    ] {
        tool.send(&line);
        let answer = tool.line();
        assert_eq!(code_of(&answer), -32600, "{line}: {answer}");
        assert_eq!(answer["id"], id, "{line}");
    }
    assert!(!world.has("b"), "no member of a batch is carried out");
    // D11-237
    tool.send(&read);
    assert_eq!(tool.line()["result"]["content"], "x");
}

// D11-032: the same value and the same type.
#[test]
fn the_id_comes_back_as_it_was() {
    let world = World::on_disk();
    let mut tool = world.start();
    let longest = "é".repeat(512);
    for id in [
        json!(0),
        json!(-1),
        json!(i64::MAX),
        json!(i64::MIN),
        json!("1"),
        json!(""),
        json!("a \"b\" \n\0 é"),
        json!(longest),
    ] {
        for (method, params) in
            [("fs.exists", json!({"path": "a"})), ("fs.read", json!({"path": "a"}))]
        {
            tool.request(id.clone(), method, params);
            assert_eq!(tool.line()["id"], id);
        }
    }
    // An id that another type would have to be rounded for.
    tool.write("{\"jsonrpc\":\"2.0\",\"id\":18446744073709551615,\"method\":\"fs.exists\",\"params\":{\"path\":\"a\"}}\n");
    assert_eq!(code_of(&tool.line()), -32600);
}

// A response has what the method gives, next to `jsonrpc` and `id`, and nothing else. D11-033 D11-034
#[test]
fn a_response_has_three_fields() {
    let world = World::on_disk();
    world.put("a", "x");
    let mut tool = world.start();
    for (path, third) in [("a", "result"), ("missing", "error")] {
        let answer = tool.call("fs.read", json!({"path": path}));
        let fields: Vec<_> = answer.as_object().unwrap().keys().cloned().collect();
        assert_eq!(fields, ["jsonrpc", "id", third]);
    }
}
