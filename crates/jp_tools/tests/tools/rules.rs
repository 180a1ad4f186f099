//! Each row of the table of tools and capabilities, with a call that is allowed and one that is not.
//!
//! A call that is denied names the capability and what is granted, and leaves every byte as it was.

use serde_json::{Value, json};

use crate::support::World;

fn world() -> World {
    World::new(&[
        ("README.md", "top needle\n"),
        ("src/a.txt", "needle a\n"),
        ("src/deep/b.txt", "needle b\n"),
        ("secret/key.txt", "needle key\n"),
        (".config/jp/tools/x.toml", "x = 1\n"),
    ])
}

struct Case {
    /// The line of the specification.
    line: &'static str,
    tool: &'static str,
    rules: Value,
    arguments: Value,
    answers: &'static [&'static str],
    /// What the refusal says; empty if there is none.
    denied: &'static str,
}

#[track_caller]
fn check(case: Case) {
    let Case { line, tool, rules, arguments, answers, denied } = case;
    let world = world();
    let before = world.everything();
    let mut call = world.tool(tool).rules(rules.clone());
    for id in answers {
        call = call.answer(id, true);
    }
    let answer = call.run(arguments.clone());
    let context = format!("{line} {tool} {arguments} under {rules}: {}", answer.value);
    if denied.is_empty() {
        assert_eq!(answer.value["type"], "success", "{context}");
        return;
    }
    assert!(answer.is_error(), "{context}");
    // 076-265: the capability, 076-266: the grants, 076-267: no byte is changed.
    assert!(answer.error().starts_with(&format!("access denied: {denied}")), "{context}");
    for rule in rules.as_array().unwrap() {
        let grants = rule.as_object().unwrap().values().any(|value| value == &json!(true));
        let path = rule["path"].as_str().unwrap();
        let granted = answer.error().split_once("(granted: ").unwrap().1;
        let is_named = granted.trim_end_matches(')').split(", ").any(|name| name == path);
        assert_eq!(is_named, grants, "{context}");
    }
    assert_eq!(world.everything(), before, "{context}");
}

/// One capability on the whole workspace.
fn all(capability: &str) -> Value {
    json!([{ "path": ".", capability: true }])
}

/// One capability on the whole workspace besides reading.
fn all_and_read(capability: &str) -> Value {
    json!([{ "path": ".", "read": true, capability: true }])
}

#[test]
fn reading_needs_read() {
    // 076-102, 076-103, 076-104
    for (line, tool, arguments) in [
        ("076-102", "fs_read_file", json!({ "path": "src/a.txt" })),
        ("076-103", "fs_list_files", json!({ "path": "src" })),
        ("076-104", "fs_grep_files", json!({ "paths": ["src"], "pattern": "needle" })),
        ("076-104", "fs_grep_files", json!({ "paths": ["src/a.txt"], "pattern": "needle" })),
    ] {
        let case = |rules, denied| Case {
            line,
            tool,
            rules,
            arguments: arguments.clone(),
            answers: &[],
            denied,
        };
        check(case(all("read"), ""));
        check(case(json!([{ "path": "src", "read": true }]), ""));
        check(case(all("write"), "read on src"));
        check(case(json!([{ "path": ".", "read": true }, { "path": "src" }]), "read on src"));
        check(case(json!([{ "path": "docs", "read": true }]), "read on src"));
    }
}

#[test]
fn creating_needs_create_or_update() {
    // 076-105, 076-106, and 076-016 to 076-018 for the example of the document
    let new = json!({ "path": "src/new.txt", "content": "x\n" });
    let nested = json!({ "path": "src/more/new.txt", "content": "x\n" });
    let old = json!({ "path": "src/a.txt", "content": "x\n" });
    let example = json!([
        { "path": ".", "read": true },
        { "path": ".config/jp/tools", "read": true, "write": true },
    ]);
    for (line, rules, arguments, denied) in [
        ("076-105", all("create"), &new, ""),
        ("076-105", all("create"), &nested, ""),
        ("076-105", all_and_read("update"), &new, "create on src/new.txt"),
        ("076-105", all_and_read("update"), &nested, "create on src/more/new.txt"),
        ("076-106", all("update"), &old, ""),
        ("076-106", all_and_read("update"), &old, ""),
        ("076-106", all_and_read("write"), &old, ""),
        ("076-106", all_and_read("create"), &old, "update on src/a.txt"),
        ("076-106", all("create"), &old, "update on src/a.txt"),
        (
            "076-017",
            example.clone(),
            &json!({ "path": "README.md", "content": "x" }),
            "update on README.md",
        ),
        ("076-017", example.clone(), &json!({ "path": "NEW.md" }), "create on NEW.md"),
        ("076-018", example, &json!({ "path": ".config/jp/tools/y.toml" }), ""),
    ] {
        let arguments = arguments.clone();
        let tool = "fs_create_file";
        check(Case { line, tool, rules, arguments, answers: &["overwrite_file"], denied });
    }
}

#[test]
fn every_directory_on_the_way_needs_create_too() {
    let rules = json!([
        { "path": ".", "read": true },
        { "path": "src", "read": true, "create": true },
        { "path": "src/one/two" },
        { "path": "src/one/two/three", "create": true },
    ]);
    check(Case {
        line: "076-267",
        tool: "fs_create_file",
        rules,
        arguments: json!({ "path": "src/one/two/three/new.txt" }),
        answers: &[],
        denied: "create on src/one/two",
    });
}

#[test]
fn modifying_needs_update_on_every_target() {
    // 076-107, 076-108, 076-019
    let one = json!({ "path": "src/a.txt", "edits": [{ "old": "needle", "new": "pin" }] });
    let two = json!({ "path": "src/a.txt", "edits": [
        { "old": "needle", "new": "pin" },
        { "path": "README.md", "old": "needle", "new": "pin" },
    ] });
    let src = json!([
        { "path": ".", "read": true },
        { "path": "src", "read": true, "update": true },
    ]);
    let example =
        |path: &str| json!({ "path": path, "edits": [{ "old": "e", "new": "f", "all": true }] });
    let rules = json!([
        { "path": ".", "read": true },
        { "path": ".config/jp/tools", "read": true, "write": true },
    ]);
    for (line, rules, arguments, denied) in [
        ("076-107", all_and_read("update"), &one, ""),
        ("076-107", all_and_read("write"), &one, ""),
        ("076-107", all_and_read("create"), &one, "update on src/a.txt"),
        ("076-107", all_and_read("delete"), &one, "update on src/a.txt"),
        ("076-107", all("update"), &one, "read on src/a.txt"),
        ("076-108", all_and_read("update"), &two, ""),
        ("076-108", src.clone(), &one, ""),
        ("076-108", src, &two, "update on README.md"),
        ("076-019", rules.clone(), &example("README.md"), "update on README.md"),
        (
            "076-019",
            rules,
            &json!({ "path": ".config/jp/tools/x.toml", "edits": [{ "old": "1", "new": "2" }] }),
            "",
        ),
    ] {
        let arguments = arguments.clone();
        let tool = "fs_modify_file";
        check(Case { line, tool, rules, arguments, answers: &["apply_changes"], denied });
    }
}

#[test]
fn deleting_needs_delete() {
    // 076-109
    let arguments = json!({ "path": "src/a.txt" });
    for (rules, denied) in [
        (all("delete"), ""),
        (all("write"), ""),
        (all_and_read("update"), "delete on src/a.txt"),
        (json!([{ "path": ".", "write": true, "delete": false }]), "delete on src/a.txt"),
        (json!([{ "path": ".", "write": true }, { "path": "src/a.txt" }]), "delete on src/a.txt"),
    ] {
        let (line, tool) = ("076-109", "fs_delete_file");
        check(Case { line, tool, rules, arguments: arguments.clone(), answers: &[], denied });
    }
}

#[test]
fn moving_needs_delete_here_and_create_or_update_there() {
    // 076-110, 076-111, 076-112
    let new = json!({ "source": "src/a.txt", "target": "docs/a.txt" });
    let old = json!({ "source": "src/a.txt", "target": "README.md" });
    let both = |source: &str, target: &str, path: &str| {
        json!([
            { "path": "src", "read": true, source: true },
            { "path": path, "read": true, target: true },
        ])
    };
    for (line, rules, arguments, denied) in [
        ("076-110", both("delete", "create", "docs"), &new, ""),
        ("076-110", both("update", "create", "docs"), &new, "delete on src/a.txt"),
        ("076-110", both("create", "create", "docs"), &new, "delete on src/a.txt"),
        ("076-111", both("delete", "update", "docs"), &new, "create on docs/a.txt"),
        ("076-111", both("delete", "delete", "docs"), &new, "create on docs/a.txt"),
        ("076-112", both("delete", "update", "README.md"), &old, ""),
        ("076-112", both("delete", "create", "README.md"), &old, "update on README.md"),
        ("076-112", both("delete", "delete", "README.md"), &old, "update on README.md"),
    ] {
        let arguments = arguments.clone();
        let tool = "fs_move_file";
        check(Case { line, tool, rules, arguments, answers: &["overwrite_file"], denied });
    }
}

#[test]
fn what_may_not_be_read_is_not_there() {
    // 076-103, 076-104: no line and no name of what is denied
    let world = world();
    let rules = json!([
        { "path": ".", "read": true },
        { "path": "secret" },
        { "path": "src/deep", "write": true },
    ]);
    let list = world.tool("fs_list_files").rules(rules.clone()).run(json!({}));
    assert_eq!(list.text(), ".config/jp/tools/x.toml\nREADME.md\nsrc/a.txt\n\n3 files.");
    let list = world.tool("fs_list_files").rules(rules.clone()).run(json!({ "max_depth": 1 }));
    assert_eq!(list.text(), ".config/\nREADME.md\nsrc/\n\n1 file, 2 directories.");
    let grep = world.tool("fs_grep_files").rules(rules).run(json!({ "pattern": "needle" }));
    assert_eq!(
        grep.text(),
        "README.md\n1:top needle\n\nsrc/a.txt\n1:needle a\n\n2 matching lines in 2 files."
    );
}

#[test]
fn what_may_be_read_below_what_may_not_is_found() {
    let world = world();
    let rules = json!([
        { "path": ".", "read": true },
        { "path": "src" },
        { "path": "src/deep", "read": true },
        { "path": "src/gone", "read": true },
    ]);
    let list =
        world.tool("fs_list_files").rules(rules.clone()).run(json!({ "extensions": ["txt"] }));
    assert_eq!(list.text(), "secret/key.txt\nsrc/deep/b.txt\n\n2 files.");
    let only = json!([{ "path": "src/deep", "read": true }, { "path": "README.md", "read": true }]);
    let list = world.tool("fs_list_files").rules(only.clone()).run(json!({}));
    assert_eq!(list.text(), "README.md\nsrc/deep/b.txt\n\n2 files.");
    // Who names a directory is told why it cannot be listed.
    let list = world.tool("fs_list_files").rules(only).run(json!({ "path": "." }));
    assert_eq!(list.error(), "access denied: read on . (granted: src/deep, README.md)");
    let none = world.tool("fs_list_files").rules(json!([{ "path": "src" }])).run(json!({}));
    assert_eq!(none.error(), "access denied: read on . (granted: nothing)");
    for (arguments, expected) in [
        (
            json!({ "max_depth": 2 }),
            ".config/jp/\nREADME.md\nsecret/key.txt\n\n2 files, 1 directory.",
        ),
        (json!({ "max_depth": 3, "prefix": "src/deep/b" }), "src/deep/b.txt\n\n1 file."),
        (json!({ "globs": ["!deep"], "extensions": ["txt"] }), "secret/key.txt\n\n1 file."),
    ] {
        let list = world.tool("fs_list_files").rules(rules.clone()).run(arguments);
        assert_eq!(list.text(), expected);
    }
    let below = json!([
        { "path": "src", "read": true },
        { "path": "src/deep" },
        { "path": "src/deep/b.txt", "read": true },
    ]);
    let list = world.tool("fs_list_files").rules(below.clone()).run(json!({ "path": "src" }));
    assert_eq!(list.text(), "src/a.txt\nsrc/deep/b.txt\n\n2 files.");
    let list = world.tool("fs_list_files").rules(below).run(json!({ "path": "src/a.txt" }));
    assert_eq!(list.text(), "src/a.txt\n\n1 file.");
    let src = world.tool("fs_list_files").rules(rules).run(json!({ "path": "src" }));
    assert!(src.error().starts_with("access denied: read on src "), "{}", src.error());
}

#[test]
fn a_hard_link_to_what_is_denied_is_not_searched() {
    let world = world();
    std::fs::hard_link(world.path("secret/key.txt"), world.path("src/innocent.txt")).unwrap();
    let rules = json!([{ "path": ".", "read": true }, { "path": "secret" }]);
    let grep = world.tool("fs_grep_files").rules(rules.clone()).run(json!({ "pattern": "needle" }));
    assert!(
        !grep.text().contains("innocent") && !grep.text().contains("could not"),
        "{}",
        grep.text()
    );
    let read = world.tool("fs_read_file").rules(rules).run(json!({ "path": "src/innocent.txt" }));
    assert!(read.error().starts_with("access denied: read on "), "{}", read.error());
}

#[test]
fn without_rules_everything_inside_is_allowed_and_nothing_outside() {
    // 076-264: all go through the same check, so all refuse what leads out
    let world = world();
    std::os::unix::fs::symlink("/etc", world.path("out")).unwrap();
    let edits = json!([{ "old": "root", "new": "x", "all": true }]);
    for path in ["../x", "/etc/passwd", "out/passwd", "src/../../x", "src/\0x", ""] {
        for (tool, arguments) in [
            ("fs_read_file", json!({ "path": path })),
            ("fs_list_files", json!({ "path": path })),
            ("fs_grep_files", json!({ "pattern": "root", "paths": [path] })),
            ("fs_create_file", json!({ "path": path, "content": "x" })),
            ("fs_modify_file", json!({ "path": path, "edits": edits })),
            ("fs_delete_file", json!({ "path": path })),
            ("fs_move_file", json!({ "source": path, "target": "y" })),
            ("fs_move_file", json!({ "source": "src/a.txt", "target": path })),
        ] {
            let before = world.everything();
            let answer = world
                .tool(tool)
                .answer("overwrite_file", true)
                .answer("apply_changes", true)
                .run(arguments.clone());
            let error = answer.error();
            let reasons = ["outside the workspace", "escapes the workspace", "cannot be resolved"];
            assert!(
                reasons.iter().any(|reason| error.contains(reason)),
                "{tool} {path:?}: {error}"
            );
            assert_eq!(world.everything(), before, "{tool} {path:?}");
        }
    }
}

#[test]
fn the_policy_is_the_one_in_the_context() {
    // 076-260, 076-263: as an object with the three lists; lists without rules restrict nothing
    let world = world();
    let access = json!({ "fs": [{ "path": "src", "read": true }], "net": [], "env": [] });
    let read = |access: &Value, path: &str| {
        let answer = world.tool("fs_read_file").access(access.clone()).run(json!({ "path": path }));
        !answer.is_error()
    };
    assert!(read(&access, "src/a.txt") && !read(&access, "README.md"));
    let open = json!({ "fs": [], "net": [{ "host": "example.org" }], "env": [{ "name": "A" }] });
    assert!(
        read(&open, "README.md")
            && read(&json!({}), "README.md")
            && read(&json!(null), "README.md")
    );
}
