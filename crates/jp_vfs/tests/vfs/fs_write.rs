//! `fs.write`, `fs.create_dir`.

use serde_json::json;

use crate::{tool::check, world::World};

#[test]
fn writing() {
    for world in [World::on_disk(), World::in_memory()] {
        world.put("old", "old");
        check(
            &mut world.start(),
            &[
                ("D11-074", "fs.write", json!({"path": "a"}), json!(-32602)),
                ("D11-074", "fs.write", json!({"content": "a"}), json!(-32602)),
                ("D11-074", "fs.write", json!({"path": "a", "content": 7}), json!(-32602)),
                ("D11-074", "fs.write", json!({"path": "a", "content": null}), json!(-32602)),
                (
                    "D11-074: nothing is written",
                    "fs.exists",
                    json!({"path": "a"}),
                    json!({"exists": false}),
                ),
                (
                    "D11-075 D11-076",
                    "fs.write",
                    json!({"path": "x/y/z", "content": "1"}),
                    json!({}),
                ),
                ("D11-077", "fs.write", json!({"path": "old", "content": "new"}), json!({})),
                (
                    "D11-078",
                    "fs.write",
                    json!({"path": "bytes", "content": "iVBORw0KGgr//g==", "encoding": "base64"}),
                    json!({}),
                ),
                ("D11-079", "fs.write", json!({"path": "looks", "content": "aGVsbG8="}), json!({})),
                (
                    "D11-081",
                    "fs.write",
                    json!({"path": "old", "content": "x", "create_new": true}),
                    json!(-32003),
                ),
                (
                    "D11-081",
                    "fs.write",
                    json!({"path": "new", "content": "x", "create_new": true}),
                    json!({}),
                ),
                (
                    "a directory is there",
                    "fs.write",
                    json!({"path": "x/y", "content": ""}),
                    json!(-32602),
                ),
                ("the root", "fs.write", json!({"path": ".", "content": ""}), json!(-32602)),
                (
                    "below a file",
                    "fs.write",
                    json!({"path": "old/x", "content": ""}),
                    json!(-32602),
                ),
            ],
        );
        assert_eq!(world.text("x/y/z"), "1");
        assert_eq!(world.text("old"), "new");
        assert_eq!(world.get("bytes").unwrap(), b"\x89PNG\r\n\x1a\n\xff\xfe");
        assert_eq!(world.text("looks"), "aGVsbG8=");
        assert_eq!(world.text("new"), "x");
    }
}

// D11-080: lies about base64 change nothing.
#[test]
fn what_is_not_base64_is_not_written() {
    for world in [World::on_disk(), World::in_memory()] {
        world.put("old", "old");
        let mut tool = world.start();
        let contents = [
            "*",
            "a",
            "ab",
            "abc",
            "aGVsbG8",
            "aGVsbG8==",
            "aGVs\nbG8=",
            "aGVs bG8=",
            "-_-_",
            "é",
            "====",
            "QQ=\0",
        ];
        for content in contents {
            for path in ["old", "new"] {
                let params = json!({"path": path, "content": content, "encoding": "base64"});
                assert_eq!(tool.code("fs.write", params), -32602, "{content:?}");
            }
        }
        for encoding in [json!("utf-8"), json!("BASE64"), json!(""), json!(7)] {
            let params = json!({"path": "old", "content": "YQ==", "encoding": encoding});
            assert_eq!(tool.code("fs.write", params), -32602, "{encoding}");
        }
        assert!(world.text("old") == "old" && !world.has("new"));
    }
}

// D11-082 D11-083 D11-207 D11-209: refused without a trace, and the next request is served.
#[test]
fn writing_needs_the_right_to_it() {
    for world in [World::on_disk(), World::in_memory()] {
        world.put("create/old", "old");
        world.put("update/old", "old");
        let world = world.rules("create=rc update=ru none=r");
        check(
            &mut world.start(),
            &[
                ("D11-082", "fs.write", json!({"path": "create/a/b", "content": "x"}), json!({})),
                (
                    "D11-083",
                    "fs.write",
                    json!({"path": "create/old", "content": "x"}),
                    json!(-32001),
                ),
                ("D11-083", "fs.write", json!({"path": "update/old", "content": "x"}), json!({})),
                (
                    "D11-082",
                    "fs.write",
                    json!({"path": "update/new", "content": "x"}),
                    json!(-32001),
                ),
                (
                    "D11-082",
                    "fs.write",
                    json!({"path": "update/sub/new", "content": "x"}),
                    json!(-32001),
                ),
                (
                    "D11-082",
                    "fs.write",
                    json!({"path": "none/new", "content": "x", "create_new": true}),
                    json!(-32001),
                ),
                ("D11-084", "fs.create_dir", json!({"path": "update/dir"}), json!(-32001)),
                ("D11-084", "fs.create_dir", json!({"path": "create/dir/sub"}), json!({})),
                (
                    "uncovered",
                    "fs.write",
                    json!({"path": "elsewhere/x", "content": "x"}),
                    json!(-32001),
                ),
            ],
        );
        assert_eq!(world.text("create/old"), "old");
        assert_eq!(world.text("update/old"), "x");
        for path in ["update/new", "update/sub", "none", "update/dir", "elsewhere"] {
            assert!(!world.has(path), "{path}");
        }
    }
}

// D11-084
#[test]
fn making_directories() {
    for world in [World::on_disk(), World::in_memory()] {
        world.put("file", "x");
        check(
            &mut world.start(),
            &[
                ("D11-084", "fs.create_dir", json!({"path": "a/b/c"}), json!({})),
                ("D11-084", "fs.metadata", json!({"path": "a/b/c"}), json!({"kind": "dir"})),
                ("one that exists", "fs.create_dir", json!({"path": "a/b"}), json!({})),
                (
                    "D11-234: not asked to keep it",
                    "fs.create_dir",
                    json!({"path": "file"}),
                    json!(-32602),
                ),
                ("path is needed", "fs.create_dir", json!({}), json!(-32602)),
            ],
        );
    }
}
