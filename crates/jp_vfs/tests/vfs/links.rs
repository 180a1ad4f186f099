//! Symbolic and hard links: what a path leads to is what the rules are about.

use std::{fs, os::unix::fs::symlink};

use serde_json::json;

use crate::{
    tool::{check, code_of},
    world::World,
};

/// A project with a secret beside it, and links to it in every form.
fn with_ways_out() -> World {
    let world = World::on_disk();
    world.put("inside", "x");
    fs::create_dir(world.outside("away")).unwrap();
    fs::write(world.outside("away/secret"), "s3cret").unwrap();
    let root = world.root();
    symlink(world.outside("away/secret"), root.join("absolute")).unwrap();
    symlink("../away/secret", root.join("relative")).unwrap();
    symlink(world.outside("away"), root.join("dir")).unwrap();
    symlink("absolute", root.join("chain")).unwrap();
    symlink("/proc/self/root", root.join("magic")).unwrap();
    symlink("/etc/passwd", root.join("passwd")).unwrap();
    symlink("loop", root.join("loop")).unwrap();
    world
}

// D11-056
#[test]
fn nothing_is_read_through_a_link_out_of_the_project() {
    let world = with_ways_out();
    let mut tool = world.start();
    for path in
        ["absolute", "relative", "dir/secret", "chain", "magic/etc/passwd", "passwd", "loop"]
    {
        for method in ["fs.read", "fs.list_dir"] {
            let answer = tool.call(method, json!({"path": path}));
            assert_eq!(code_of(&answer), -32001, "{method} {path}: {answer}");
            assert!(!answer.to_string().contains("s3cret"));
        }
    }
    assert_eq!(tool.code("fs.list_dir", json!({"path": "dir"})), -32001);
    let found = tool.call("fs.grep", json!({"pattern": "s3cret|root:"}));
    assert_eq!(found["result"], json!({"matches": []}));
    for path in ["dir", "absolute", "dir/secret"] {
        let found = tool.call("fs.grep", json!({"pattern": "s3cret", "paths": [path]}));
        assert!(!found.to_string().contains("line_number"), "{path}: {found}");
    }
}

// D11-057 D11-058
#[test]
fn nothing_is_written_through_a_link_out_of_the_project() {
    let world = with_ways_out();
    symlink(world.outside("away/new"), world.root().join("dangling")).unwrap();
    symlink("../away/new", world.root().join("dangling2")).unwrap();
    let mut tool = world.start();
    for path in [
        "absolute",
        "relative",
        "dir/secret",
        "dir/new",
        "chain",
        "dangling",
        "dangling2",
        "dir/d/e",
    ] {
        assert_eq!(
            tool.code("fs.write", json!({"path": path, "content": "mine"})),
            -32001,
            "{path}"
        );
        let params = json!({"path": path, "content": "mine", "create_new": true});
        assert_ne!(tool.code("fs.write", params), 0, "{path}");
    }
    assert_eq!(tool.code("fs.rename", json!({"from": "inside", "to": "dir/inside"})), -32001);
    assert_eq!(tool.code("fs.rename", json!({"from": "dir/secret", "to": "mine"})), -32001);
    assert_eq!(tool.code("fs.delete", json!({"path": "dir/secret"})), -32001);
    assert_eq!(tool.code("fs.create_dir", json!({"path": "dir/d"})), -32001);
    assert_eq!(fs::read_to_string(world.outside("away/secret")).unwrap(), "s3cret");
    assert_eq!(fs::read_dir(world.outside("away")).unwrap().count(), 1);
    // Whatever comes of it, what a link leads to stays.
    tool.call("fs.delete", json!({"path": "absolute"}));
    tool.call("fs.delete", json!({"path": "dir", "recursive": true}));
    assert_eq!(fs::read_to_string(world.outside("away/secret")).unwrap(), "s3cret");
}

// D11-058: a link that leads nowhere in the project creates nothing that the rules do not grant.
#[test]
fn a_dangling_link_creates_nothing_blindly() {
    let world = World::on_disk().rules(".=rcud private=");
    fs::create_dir(world.root().join("private")).unwrap();
    symlink("private/new", world.root().join("link")).unwrap();
    let mut tool = world.start();
    assert_eq!(tool.code("fs.write", json!({"path": "link", "content": "x"})), -32001);
    assert_eq!(tool.code("fs.read", json!({"path": "link"})), -32001);
    assert!(!world.has("private/new"));
    // D11-234: nor is it said to exist to somebody who did not ask for that.
    symlink("nowhere", world.root().join("nothing")).unwrap();
    let code = tool.code("fs.write", json!({"path": "nothing", "content": "x"}));
    assert!([0, -32602].contains(&code), "{code}");
    let params = json!({"path": "nothing", "content": "x", "create_new": true});
    assert_eq!(tool.code("fs.write", params), -32003);
}

// D11-059: the rule of the place, not of the name.
#[test]
fn the_rules_are_about_where_a_path_leads() {
    let world = World::on_disk().rules(".=rcud private= private/open=r");
    world.put("private/secret", "s");
    world.put("private/open/hello", "h");
    symlink("private/secret", world.root().join("link")).unwrap();
    symlink("private", world.root().join("dir")).unwrap();
    check(
        &mut world.start(),
        &[
            ("D11-059", "fs.read", json!({"path": "link"}), json!(-32001)),
            ("D11-059", "fs.write", json!({"path": "link", "content": "x"}), json!(-32001)),
            ("D11-059", "fs.exists", json!({"path": "link"}), json!(-32001)),
            ("D11-059", "fs.metadata", json!({"path": "dir/secret"}), json!(-32001)),
            ("D11-059", "fs.list_dir", json!({"path": "dir"}), json!(-32001)),
            (
                "and what is granted there",
                "fs.read",
                json!({"path": "dir/open/hello"}),
                json!({"content": "h", "size": 1}),
            ),
        ],
    );
    assert_eq!(world.text("private/secret"), "s");
}

// D11-061
#[test]
fn a_hard_link_to_what_is_denied_is_denied() {
    let world = World::on_disk().rules(".=rcud private=");
    world.put("private/secret", "s");
    world.put("one", "o");
    let root = world.root();
    fs::hard_link(root.join("private/secret"), root.join("alias")).unwrap();
    fs::hard_link(root.join("one"), root.join("two")).unwrap();
    check(
        &mut world.start(),
        &[
            ("D11-061", "fs.read", json!({"path": "alias"}), json!(-32001)),
            ("D11-061", "fs.write", json!({"path": "alias", "content": "x"}), json!(-32001)),
            (
                "others are served",
                "fs.read",
                json!({"path": "two"}),
                json!({"content": "o", "size": 1}),
            ),
            ("others are served", "fs.write", json!({"path": "two", "content": "t"}), json!({})),
            (
                "D11-061",
                "fs.grep",
                json!({"pattern": "."}),
                json!({"matches": [
                    {"path": "one", "lines": [{"line_number": 1, "content": "t", "is_match": true}]},
                    {"path": "two", "lines": [{"line_number": 1, "content": "t", "is_match": true}]},
                ]}),
            ),
        ],
    );
    assert_eq!(world.text("private/secret"), "s");
}
