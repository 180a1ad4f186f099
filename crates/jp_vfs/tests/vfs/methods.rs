//! Which methods there are.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::world::World;

// D11-287: the names of the SDK are those of the host. D11-046, and D11-048 from the other side: each is known, and needs params or does something.
const METHODS: [&str; 13] = [
    "fs.read",
    "fs.write",
    "fs.exists",
    "fs.list_dir",
    "fs.metadata",
    "fs.delete",
    "fs.rename",
    "fs.grep",
    "fs.create_dir",
    "http.get",
    "http.post",
    "process.run",
    "host.capabilities",
];

// D11-045 D11-048
#[test]
fn capabilities_are_what_is_served() {
    let mut world = World::on_disk();
    world.limits.file_bytes = 123;
    world.limits.message_bytes = 4_567;
    world.limits.request_timeout = std::time::Duration::from_secs(89);
    world.limits.cancel_grace = std::time::Duration::from_secs(3);
    let mut tool = world.start();
    let told = tool.call("host.capabilities", json!({}))["result"].clone();
    assert_eq!(told["protocol_version"], "0.1.0");
    let limits = json!({"file_bytes": 123, "message_bytes": 4567, "request_timeout_secs": 89, "cancel_grace_secs": 3});
    assert_eq!(told["limits"], limits);
    let methods: BTreeSet<_> =
        told["methods"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!(methods, BTreeSet::from(METHODS));
    for method in METHODS {
        let (capability, operation) = method.split_once('.').unwrap();
        assert!(!capability.is_empty() && !operation.contains('.'), "{method}");
        // A wrong param is only seen by a method that is there.
        assert_eq!(tool.code(method, json!([])), -32602, "{method}");
    }
}

// D11-266: what a method really answers is named where the page describes it.
#[test]
fn the_page_names_the_codes_of_each_method() {
    let page = include_str!("../../../../docs/protocols/vfs.md");
    let mut world = World::in_memory();
    world.limits.file_bytes = 100;
    world.put("a", "x");
    world.put("b", "x\n".repeat(200));
    let mut tool = world.start();
    let missing = || json!({"path": "missing"});
    let long = "x".repeat(101);
    for (method, params, code) in [
        ("fs.read", missing(), -32002),
        ("fs.read", json!({"path": "b"}), -32006),
        ("fs.write", json!({"path": "a", "content": "", "create_new": true}), -32003),
        ("fs.write", json!({"path": "a", "content": long}), -32006),
        ("fs.list_dir", missing(), -32002),
        ("fs.list_dir", json!({"path": "."}), -32006),
        ("fs.metadata", missing(), -32002),
        ("fs.delete", missing(), -32002),
        ("fs.rename", json!({"from": "missing", "to": "c"}), -32002),
        ("fs.rename", json!({"from": "a", "to": "b", "overwrite": false}), -32003),
        ("fs.grep", json!({"pattern": "x", "paths": ["missing"]}), -32002),
        ("fs.grep", json!({"pattern": "x"}), -32006),
    ] {
        assert_eq!(tool.code(method, params.clone()), code, "{method} {params}");
        let of_method = |part: &&str| {
            part.lines().next().unwrap_or_default().split(' ').any(|word| word == method)
        };
        let told: String = page.split("\n### ").filter(of_method).collect();
        assert!(told.contains(&code.to_string()), "{method} does not name {code}: {told}");
    }
}

// D11-047 D11-232 D11-275
#[test]
fn there_are_no_others() {
    let world = World::on_disk();
    world.put("a", "x");
    let mut tool = world.start();
    for method in [
        "read",
        "write",
        "list_dir",
        "Fs.Read",
        "fs.read ",
        "fs",
        "",
        "fs.chmod",
        "rpc.discover",
        "host.register",
        "host.add_method",
        "init",
        "apply",
        "pending",
    ] {
        let params = json!({"path": "a", "content": "y", "name": "fs.new", "method": "fs.new"});
        assert_eq!(tool.code(method, params), -32601, "{method:?}");
    }
    assert_eq!(tool.code("fs.new", json!({})), -32601, "it was not added");
    let long = "m".repeat(100_000);
    let answer = tool.call(&long, json!({}));
    assert!(answer["error"]["message"].as_str().unwrap().len() < 1_000, "only its start is quoted");
    assert_eq!(world.text("a"), "x");
}

// What is not known in params is ignored; what is known has to be right. D11-237
#[test]
fn params_are_an_object_of_known_types() {
    let world = World::on_disk();
    world.put("a", "x");
    let mut tool = world.start();
    assert_eq!(tool.code("fs.read", json!({"path": "a", "newer": {"x": [1]}})), 0);
    for params in [
        json!(null),
        json!("a"),
        json!(["a"]),
        json!({"path": "a", "offset": -1}),
        json!({"path": "a", "limit": 1.5}),
        json!({"path": "a", "limit": "1"}),
    ] {
        assert_eq!(tool.code("fs.read", params.clone()), -32602, "{params}");
    }
    tool.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"host.capabilities\"}\n");
    assert_eq!(tool.line()["result"]["protocol_version"], "0.1.0");
    tool.write("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs.read\"}\n");
    assert_eq!(tool.line()["error"]["code"], -32602);
}
