//! Paths as they are written.

use serde_json::{Value, json};

use crate::{
    tool::{Row, check},
    world::World,
};

/// Every way to name a path, with the rest that the method needs.
fn everywhere(path: &str) -> Vec<(&'static str, Value)> {
    let mut ways = vec![
        ("fs.write", json!({"path": path, "content": "x"})),
        // D11-055
        ("fs.rename", json!({"from": path, "to": "there"})),
        ("fs.rename", json!({"from": "here", "to": path})),
        ("fs.grep", json!({"pattern": "x", "paths": ["here", path]})),
    ];
    for method in
        ["fs.read", "fs.exists", "fs.list_dir", "fs.metadata", "fs.delete", "fs.create_dir"]
    {
        ways.push((method, json!({"path": path})));
    }
    ways
}

// D11-050 D11-051 D11-053 D11-054 D11-055
#[test]
fn paths_that_nobody_can_name() {
    for world in [World::on_disk(), World::in_memory()] {
        world.put("here", "x");
        world.put("src/a", "x");
        let mut tool = world.start();
        for path in [
            "/",
            "/etc/passwd",
            world.root().join("here").as_str(),
            "//here",
            "..",
            "../..",
            "../here",
            "src/../here",
            "src/..",
            "src/../../../../../../etc/passwd",
            "",
            "\0",
            "here\0",
            "here\0.txt",
            "src/\0/a",
        ] {
            for (method, params) in everywhere(path) {
                assert_eq!(tool.code(method, params.clone()), -32602, "{method} {params}");
            }
        }
        assert!(world.text("here") == "x" && !world.has("there"));
    }
}

// D11-049 D11-052 and other spellings of the same.
#[test]
fn paths_are_relative_to_the_root() {
    for world in [World::on_disk(), World::in_memory()] {
        world.put("a..b", "dots");
        world.put("src/..c/d..", "more");
        world.put("src/main.rs", "main");
        world.put(" ", "blank");
        world.put("\\", "back");
        world.put("~", "home");
        let read = |path: &str, content: &str| -> Row<'static> {
            let expected = json!({"content": content, "size": content.len()});
            ("D11-049 D11-052", "fs.read", json!({"path": path}), expected)
        };
        check(
            &mut world.start(),
            &[
                read("a..b", "dots"),
                read("src/..c/d..", "more"),
                read("src/main.rs", "main"),
                read("./src//main.rs", "main"),
                read("src/./main.rs", "main"),
                read(" ", "blank"),
                read("\\", "back"),
                read("~", "home"),
                (
                    "a file has nothing below it",
                    "fs.read",
                    json!({"path": "a..b/x"}),
                    json!(-32002),
                ),
                ("names are taken literally", "fs.read", json!({"path": "src/*"}), json!(-32002)),
                (
                    "names are taken literally",
                    "fs.read",
                    json!({"path": "src%2fmain.rs"}),
                    json!(-32002),
                ),
            ],
        );
    }
}

// Long names and deep paths: an answer, and nothing else.
#[test]
fn paths_of_any_length() {
    for world in [World::on_disk(), World::in_memory()] {
        let mut tool = world.start();
        let deep = vec!["d"; 4_096].join("/");
        let wide = "w".repeat(300);
        let dots = "./".repeat(50_000) + "x";
        let long = "l/".repeat(1_000_000) + "x";
        for path in [deep, wide, dots, long] {
            for (method, params) in everywhere(&path) {
                if method == "fs.write"
                    || method == "fs.create_dir"
                    || params.get("to") == Some(&json!(path))
                {
                    continue;
                }
                let answer = tool.call(method, params);
                let shown = &path[..10];
                if let Some(error) = answer.get("error") {
                    assert!(
                        [-32001, -32002, -32602].contains(&error["code"].as_i64().unwrap()),
                        "{method} {shown}: {}",
                        &error.to_string()[..200.min(error.to_string().len())]
                    );
                }
            }
        }
    }
}
