//! `fs.read`, `fs.exists`, `fs.metadata`.

use serde_json::{Value, json};

use crate::{
    tool::{check, code_of},
    world::World,
};

const NOT_TEXT: &[u8] = b"\x89PNG\r\n\x1a\n\xff\xfe";

#[test]
fn reading() {
    for world in [World::on_disk(), World::in_memory()] {
        world.put("text", "é\n");
        world.put("text.png", "text");
        world.put("image.txt", NOT_TEXT);
        world.put("empty", "");
        let text = json!({"content": "é\n", "size": 3});
        let read = |params: Value| ("fs.read", params);
        let rows = [
            ("D11-062", read(json!({})), json!(-32602)),
            ("D11-062", read(json!({"path": 7})), json!(-32602)),
            ("D11-062", read(json!({"path": null})), json!(-32602)),
            ("D11-063 D11-067", read(json!({"path": "text"})), text),
            (
                "D11-064 D11-066 D11-067",
                read(json!({"path": "image.txt"})),
                json!({"content": "iVBORw0KGgr//g==", "encoding": "base64", "size": 10}),
            ),
            ("D11-065", read(json!({"path": "text.png"})), json!({"content": "text", "size": 4})),
            ("an empty file", read(json!({"path": "empty"})), json!({"content": "", "size": 0})),
            ("D11-068", read(json!({"path": "missing"})), json!(-32002)),
            ("D11-068", read(json!({"path": "missing/below"})), json!(-32002)),
            ("a directory", read(json!({"path": "."})), json!(-32602)),
            (
                "D11-071",
                read(json!({"path": "text.png", "offset": 1, "limit": 2})),
                json!({"content": "ex", "size": 4}),
            ),
            (
                "D11-071",
                read(json!({"path": "text.png", "offset": 2})),
                json!({"content": "xt", "size": 4}),
            ),
            (
                "D11-071",
                read(json!({"path": "text.png", "limit": 0})),
                json!({"content": "", "size": 4}),
            ),
            (
                "D11-071",
                read(json!({"path": "text.png", "offset": u64::MAX, "limit": u64::MAX})),
                json!({"content": "", "size": 4}),
            ),
            (
                "half a letter is not text",
                read(json!({"path": "text", "limit": 1})),
                json!({"content": "ww==", "encoding": "base64", "size": 3}),
            ),
        ];
        let rows =
            rows.map(|(shows, (method, params), expected)| (shows, method, params, expected));
        check(&mut world.start(), &rows);
    }
}

// D11-064: exactly what is not UTF-8 is base64, and it decodes to the same bytes.
#[test]
fn every_byte_comes_back() {
    let world = World::in_memory();
    let all: Vec<u8> = (0..=255).collect();
    world.put("all", &all);
    let mut tool = world.start();
    let answer = tool.call("fs.read", json!({"path": "all"}));
    let content = answer["result"]["content"].as_str().unwrap();
    assert_eq!(base64_simd::STANDARD.decode_to_vec(content).unwrap(), all);
    world.put("ascii", &all[..128]);
    let answer = tool.call("fs.read", json!({"path": "ascii"}));
    assert_eq!(answer["result"]["content"], str::from_utf8(&all[..128]).unwrap());
    assert_eq!(answer["result"].get("encoding"), None);
}

// D11-069 D11-070 D11-072 D11-224
#[test]
fn files_at_the_limit_and_over_it() {
    for mut world in [World::on_disk(), World::in_memory()] {
        world.limits.file_bytes = 100;
        let content: String = (0..250).map(|n| char::from(b'a' + n % 26)).collect();
        world.put("at", &content[..100]);
        world.put("over", &content[..101]);
        world.put("large", &content);
        let mut tool = world.start();
        check(
            &mut tool,
            &[
                (
                    "D11-070",
                    "fs.read",
                    json!({"path": "at"}),
                    json!({"content": content[..100], "size": 100}),
                ),
                ("D11-069 D11-224", "fs.read", json!({"path": "over"}), json!(-32006)),
                (
                    "a part over the limit",
                    "fs.read",
                    json!({"path": "large", "limit": 101}),
                    json!(-32006),
                ),
                (
                    "a rest over the limit",
                    "fs.read",
                    json!({"path": "large", "offset": 149}),
                    json!(-32006),
                ),
            ],
        );
        let mut pieces = String::new();
        while pieces.len() < content.len() {
            let params = json!({"path": "large", "offset": pieces.len(), "limit": 60});
            let answer = tool.call("fs.read", params);
            pieces.push_str(answer["result"]["content"].as_str().unwrap());
            assert_eq!(answer["result"]["size"], 250);
        }
        assert_eq!(pieces, content, "D11-072");
    }
}

// D11-069 D11-070 with the default limit, and D11-272: one whole value.
#[test]
fn ten_million_bytes_are_read_and_one_more_is_not() {
    let world = World::on_disk();
    world.put("at", vec![b'a'; 10_000_000]);
    world.put("over", vec![b'a'; 10_000_001]);
    let mut tool = world.start();
    let answer = tool.call("fs.read", json!({"path": "at"}));
    assert_eq!(answer["result"]["content"].as_str().unwrap().len(), 10_000_000);
    assert_eq!(tool.code("fs.read", json!({"path": "over"})), -32006);
}

// D11-073 D11-087 D11-173: the rules come first, whether there is something or not.
#[test]
fn what_may_not_be_read_is_denied_and_not_missing() {
    for world in [World::on_disk(), World::in_memory()] {
        world.put("private/there", "x");
        world.put("wo", "x");
        let world = world.rules("src=r private= wo=cud");
        let mut tool = world.start();
        for path in ["private/there", "private/missing", "private", "wo", "elsewhere"] {
            for method in ["fs.read", "fs.exists", "fs.metadata"] {
                let answer = tool.call(method, json!({"path": path}));
                assert_eq!(code_of(&answer), -32001, "{method} {path}: {answer}");
            }
        }
        assert_eq!(tool.code("fs.read", json!({"path": "src/missing"})), -32002);
    }
}

#[test]
fn asking_what_is_there() {
    for world in [World::on_disk(), World::in_memory()] {
        world.put("d/file", "é");
        check(
            &mut world.start(),
            &[
                ("D11-085", "fs.exists", json!({"path": "d/file"}), json!({"exists": true})),
                ("D11-085", "fs.exists", json!({"path": "d"}), json!({"exists": true})),
                ("D11-085", "fs.exists", json!({"path": "."}), json!({"exists": true})),
                ("D11-086", "fs.exists", json!({"path": "missing"}), json!({"exists": false})),
                ("D11-086", "fs.exists", json!({"path": "d/file/below"}), json!({"exists": false})),
                (
                    "D11-095",
                    "fs.metadata",
                    json!({"path": "d/file"}),
                    json!({"kind": "file", "size": 2}),
                ),
                ("D11-096", "fs.metadata", json!({"path": "d"}), json!({"kind": "dir"})),
                ("D11-097", "fs.metadata", json!({"path": "missing"}), json!(-32002)),
                ("path is needed", "fs.exists", json!({}), json!(-32602)),
                ("path is needed", "fs.metadata", json!({}), json!(-32602)),
            ],
        );
    }
}
