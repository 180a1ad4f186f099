//! A tool without rules: it may look at the project, and has to ask for everything else.

use jp_vfs::Approval;
use serde_json::json;

use crate::{
    tool::{check, code_of},
    world::World,
};

// D11-247
#[test]
fn without_rules_everything_is_read() {
    for world in [World::on_disk(), World::in_memory()] {
        world.put("src/deep/a", "x\n");
        let world = world.no_rules();
        check(
            &mut world.start(),
            &[
                (
                    "D11-247",
                    "fs.read",
                    json!({"path": "src/deep/a"}),
                    json!({"content": "x\n", "size": 2}),
                ),
                (
                    "D11-247",
                    "fs.list_dir",
                    json!({"path": "src"}),
                    json!({"entries": [{"path": "deep", "kind": "dir"}]}),
                ),
                (
                    "D11-247",
                    "fs.grep",
                    json!({"pattern": "x"}),
                    json!({"matches": [{"path": "src/deep/a", "lines": [{"line_number": 1, "content": "x", "is_match": true}]}]}),
                ),
                // D11-248 D11-250: nobody is there.
                ("D11-248", "fs.write", json!({"path": "b", "content": "x"}), json!(-32001)),
                (
                    "D11-248",
                    "fs.write",
                    json!({"path": "src/deep/a", "content": "y"}),
                    json!(-32001),
                ),
                ("D11-248", "fs.create_dir", json!({"path": "d"}), json!(-32001)),
                ("D11-248", "fs.delete", json!({"path": "src/deep/a"}), json!(-32001)),
                ("D11-248", "fs.delete", json!({"path": "src", "recursive": true}), json!(-32001)),
                ("D11-248", "fs.rename", json!({"from": "src/deep/a", "to": "b"}), json!(-32001)),
                ("D11-250", "process.run", json!({"program": "true"}), json!(-32001)),
            ],
        );
        assert_eq!(world.text("src/deep/a"), "x\n");
        assert!(!world.has("b") && !world.has("d"));
    }
}

// D11-254: and the guide says what the test below shows.
#[test]
fn the_guide_says_who_is_asked() {
    let guide = include_str!("../../../../docs/vfs.md");
    let (_, rest) = guide.split_once("## What it may do without rules\n").unwrap();
    let (told, _) = rest.split_once("\n## ").unwrap();
    for sentence in [
        "A tool without `access` may read everything in the project",
        "writing a file, fetching a URL, running a program, is covered by no rule.",
        "Where somebody can be asked, the person is asked",
        "Where nobody can be asked, with `--no-interaction` for example, the request is refused at once with the code -32001.",
        "About variables nobody is asked.",
    ] {
        assert!(told.contains(sentence), "{sentence}");
    }
}

// D11-248 D11-250 D11-254: with somebody there, it is asked.
#[test]
fn without_rules_the_rest_is_asked_about() {
    let mut world = World::on_disk().no_rules();
    let person = world.person();
    let mut tool = world.start();
    person.says(Approval::Once);
    assert_eq!(tool.code("fs.write", json!({"path": "b", "content": "x"})), 0);
    person.says(Approval::No);
    assert_eq!(tool.code("fs.delete", json!({"path": "b"})), -32001);
    person.says(Approval::No);
    assert_eq!(tool.code("process.run", json!({"program": "rm", "args": ["b"]})), -32001);
    person.says(Approval::No);
    assert_eq!(tool.code("http.get", json!({"url": "https://example.org/"})), -32001);
    assert_eq!(
        person.heard(),
        ["create b", "delete b", "run rm b", "request https://example.org/"]
    );
    assert!(world.has("b"));
}

// A yes for a place does not take away what the default gives there.
#[test]
fn a_yes_leaves_the_default_as_it_is() {
    let mut world = World::on_disk().no_rules();
    world.put("a", "x");
    let person = world.person();
    let mut tool = world.start();
    person.says(Approval::Run);
    assert_eq!(tool.code("fs.write", json!({"path": "a", "content": "y"})), 0);
    assert_eq!(tool.code("fs.read", json!({"path": "a"})), 0);
    assert_eq!(person.heard(), ["update a"]);
}

// D11-252: rules for programs leave files at the default, and the other way round.
#[test]
fn rules_for_one_kind_leave_the_others_alone() {
    let world = World::on_disk().policy(json!({"commands": {"cargo": {}}}));
    world.put("a", "x");
    check(
        &mut world.start(),
        &[
            ("D11-252", "fs.read", json!({"path": "a"}), json!({"content": "x", "size": 1})),
            ("D11-252", "fs.write", json!({"path": "a", "content": "y"}), json!(-32001)),
        ],
    );
    let mut world = World::on_disk().rules(".=rcud");
    let person = world.person();
    person.says(Approval::No);
    let mut tool = world.start();
    let answer = tool.call("process.run", json!({"program": "true"}));
    assert_eq!(code_of(&answer), -32001, "{answer}");
    assert_eq!(person.heard(), ["run true"]);
}

// D11-015: let in here and kept out there, request by request.
#[test]
fn each_request_is_judged_by_itself() {
    let world = World::on_disk().rules("src=r .env=");
    world.put("src/a", "a");
    world.put(".env", "TOKEN=1");
    let mut tool = world.start();
    for _ in 0..3 {
        assert_eq!(tool.code("fs.read", json!({"path": "src/a"})), 0);
        assert_eq!(tool.code("fs.read", json!({"path": ".env"})), -32001);
    }
}
