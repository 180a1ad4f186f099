//! What is written down about each request.

use jp_vfs::{Approval, Decided, End, Record};
use serde_json::{Value, json};

use crate::world::World;

fn short(record: &Record) -> (Value, Option<&str>, Option<&str>, Decided, Option<i64>) {
    let id = serde_json::to_value(&record.id).unwrap();
    (id, record.method.as_deref(), record.target.as_deref(), record.decision, record.code)
}

#[test]
fn each_request_is_written_down() {
    let mut world = World::on_disk().rules("src=rcud private=");
    world.put("src/a", "s3cret");
    let person = world.person();
    let records = world.recorded();
    let mut tool = world.start();
    tool.request(1, "fs.read", json!({"path": "src/a"}));
    tool.answer(1);
    tool.request("two", "fs.write", json!({"path": "private/x", "content": "s3cret"}));
    tool.answer("two");
    tool.request(3, "fs.read", json!({"path": "src/missing"}));
    tool.answer(3);
    tool.write("s3cret\n");
    tool.answer(Value::Null);
    tool.request(5, "fs.chmod", json!({"s3cret": "s3cret"}));
    tool.answer(5);
    for (id, approval) in
        [(6, Approval::Once), (7, Approval::No), (8, Approval::Run), (9, Approval::Keep)]
    {
        person.says(approval);
        tool.request(id, "fs.write", json!({"path": format!("f{id}"), "content": "s3cret"}));
        tool.answer(id);
    }
    person.says(Approval::No);
    tool.request(
        10,
        "process.run",
        json!({"program": "curl", "args": ["s3cret"], "envs": ["s3cret"]}),
    );
    tool.answer(10);
    tool.request(11, "fs.rename", json!({"from": "src/a", "to": "src/b"}));
    tool.answer(11);
    tool.request(12, "host.capabilities", json!({}));
    tool.answer(12);
    let all = records.all();
    let (read, write) = (Some("fs.read"), Some("fs.write"));
    assert_eq!(
        all.iter().map(short).collect::<Vec<_>>(),
        [
            (json!(1), read, Some("src/a"), Decided::Allowed, None),
            (json!("two"), write, Some("private/x"), Decided::Denied, Some(-32001)),
            (json!(3), read, Some("src/missing"), Decided::Allowed, Some(-32002)),
            (json!(null), None, None, Decided::None, Some(-32700)),
            (json!(5), Some("fs.chmod"), None, Decided::None, Some(-32601)),
            (json!(6), write, Some("f6"), Decided::AskedOnce, None),
            (json!(7), write, Some("f7"), Decided::AskedNo, Some(-32001)),
            (json!(8), write, Some("f8"), Decided::AskedRun, None),
            (json!(9), write, Some("f9"), Decided::AskedKeep, None),
            (json!(10), Some("process.run"), Some("curl"), Decided::AskedNo, Some(-32001)),
            (json!(11), Some("fs.rename"), Some("src/a → src/b"), Decided::Allowed, None),
            (json!(12), Some("host.capabilities"), None, Decided::None, None),
        ]
    );
    assert_eq!(all[0].rule.as_deref(), Some(r#"read, create, update, delete in "src""#));
    assert_eq!(all[1].rule.as_deref(), Some(r#"nothing in "private""#));
    let line = r#"{"jsonrpc":"2.0","id":1,"method":"fs.read","params":{"path":"src/a"}}"#;
    assert_eq!(all[0].bytes_in, line.len() as u64);
    assert_eq!(
        all[0].bytes_out,
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":"s3cret","size":6}}"#.len() as u64 + 1
    );
    assert!(all.iter().all(|record| record.tool == "t" && record.micros < 60_000_000));
    // Neither contents nor what could be secret.
    assert!(!serde_json::to_string(&all).unwrap().contains("s3cret"));
}

// The rule that decided, of each kind, without what could be a secret. Where another thing decided, none is named.
#[test]
fn the_rule_that_decided_is_written_down() {
    let rule = |host: &str, allow| json!({"host": host, "port": 1, "allow": allow});
    let mut world = World::on_disk().policy(json!({
        "fs": [{"path": "src", "read": true}],
        "net": [rule("127.0.0.1", true), rule("example.org", false)],
        "commands": {"true": {}, "cargo": {"args": [["check"]]}},
    }));
    let person = world.person();
    let records = world.recorded();
    let mut tool = world.start();
    let url = |host: &str| json!({"url": format!("http://{host}:1/x?s3cret")});
    let header = json!([{"name": "X-Key", "value": "${TOKEN}"}]);
    let with_variable = json!({"url": "http://127.0.0.1:1/", "headers": header});
    let run = |program: &str, arg: &str| json!({"program": program, "args": [arg]});
    let rows = [
        ("fs.read", json!({"path": "src/a"}), Decided::Allowed, Some(r#"read in "src""#)),
        ("http.get", url("127.0.0.1"), Decided::Allowed, Some("request 127.0.0.1:1")),
        ("http.post", url("example.org"), Decided::Denied, Some("no request example.org:1")),
        ("http.get", with_variable, Decided::Denied, None),
        ("process.run", run("true", "s3cret"), Decided::Allowed, Some(r#"run "true""#)),
        (
            "process.run",
            run("cargo", "s3cret"),
            Decided::Denied,
            Some(r#"run "cargo" with other arguments"#),
        ),
        ("process.run", run("rm", "s3cret"), Decided::AskedNo, None),
        ("fs.read", json!({"path": "other"}), Decided::AskedRun, None),
        ("fs.read", json!({"path": "other"}), Decided::Allowed, Some(r#"read in "other""#)),
        ("host.capabilities", json!({}), Decided::None, None),
    ];
    person.says(Approval::No);
    person.says(Approval::Run);
    for (method, params, ..) in &rows {
        tool.call(method, params.clone());
    }
    let all = records.all();
    let told: Vec<_> = all.iter().map(|one| (one.decision, one.rule.as_deref())).collect();
    assert_eq!(told, rows.map(|(_, _, decided, rule)| (decided, rule)));
    assert!(!serde_json::to_string(&all).unwrap().contains("s3cret"));
}

// Whoever tries to get out is written down with what was tried, although there is no such request.
#[test]
fn an_attempt_is_written_down() {
    let mut world = World::on_disk();
    let records = world.recorded();
    let mut tool = world.start();
    let long = "../".repeat(5_000);
    for params in [
        json!({"path": "../../etc/passwd"}),
        json!({"path": "/etc/passwd", "content": "s3cret"}),
        json!({"path": "a\u{0}b"}),
        json!({"path": long}),
        json!({"paths": ["a", "../b"], "pattern": "s3cret"}),
        json!({"from": "../a", "to": "b"}),
        json!({"path": 7}),
    ] {
        let method = match &params {
            params if params.get("paths").is_some() => "fs.grep",
            params if params.get("from").is_some() => "fs.rename",
            params if params.get("content").is_some() => "fs.write",
            _ => "fs.read",
        };
        assert_eq!(tool.code(method, params), -32602);
    }
    let all = records.all();
    let short: Vec<_> = all
        .iter()
        .map(|one| (one.method.as_deref().unwrap(), one.target.as_deref(), one.decision))
        .collect();
    let denied = Decided::Denied;
    let cut = format!("{}…", &long[..200]);
    assert_eq!(
        short,
        [
            ("fs.read", Some("../../etc/passwd"), denied),
            ("fs.write", Some("/etc/passwd"), denied),
            ("fs.read", Some("a\0b"), denied),
            ("fs.read", Some(cut.as_str()), denied),
            ("fs.grep", Some("a, ../b"), denied),
            ("fs.rename", Some("../a, b"), denied),
            ("fs.read", None, Decided::None),
        ]
    );
    assert!(!serde_json::to_string(&all).unwrap().contains("s3cret"));
}

// What could not be written down is not done any more.
#[test]
fn a_full_disk_ends_the_tool() {
    let mut world = World::on_disk();
    let records = world.recorded();
    let mut tool = world.start();
    assert_eq!(tool.code("fs.write", json!({"path": "a", "content": ""})), 0);
    records.fill();
    tool.request(1, "fs.read", json!({"path": "a"}));
    tool.request(2, "fs.write", json!({"path": "b", "content": ""}));
    assert!(matches!(tool.end(), End::Unrecorded(_)), "{:?}", tool.end());
    assert!(!world.has("b"));
}

// What was called off is written down too, and not as something that was allowed.
#[test]
fn a_request_that_was_called_off_is_written_down() {
    let mut world = World::on_disk().rules("src=r");
    let person = world.person();
    let records = world.recorded();
    let mut tool = world.start();
    tool.request(1, "fs.write", json!({"path": "a", "content": ""}));
    person.until_asked(1);
    tool.notify("cancel", json!({"request_id": 1}));
    tool.answer(1);
    let all = records.all();
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].code, all[0].target.as_deref()), (Some(-32005), Some("a")));
    assert_eq!(all[0].decision, Decided::None);
}
