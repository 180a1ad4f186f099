//! Calls of which the two ways could easily differ: what the protocol has no word for, what only the
//! system can tell, what is judged by somebody else. That they do not is checked by every call.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use crate::support::World;

fn world() -> World {
    let world = World::new(&[
        (".gitignore", "*.log\n/out/\n"),
        (".hidden", "needle hidden\n"),
        ("a.log", "needle log\n"),
        ("out/o.txt", "needle out\n"),
        ("src/a.txt", "one needle\ntwo\nthree\nfour needle\nfive\n"),
        ("src/b.rs", "fn needle() {}\n"),
        ("src/deep/c.txt", "needles\nneedle\n"),
        ("src/repo/.git/HEAD", "ref\n"),
        ("src/repo/kept.log", "needle kept\n"),
        ("shut/s.txt", "needle shut\n"),
        ("täg ✓.txt", "närrisch needle ✓\n"),
        ("empty", ""),
        ("crlf.txt", "needle\r\nb\r\r\n"),
    ]);
    world.write("long.txt", format!("{}needle{}\nb\n", "ä".repeat(300), "b".repeat(700)));
    world.write("longer.txt", format!("{}needle{}\nb\n", "ä".repeat(9_000), "b".repeat(9_000)));
    world.write("latin1.txt", [b"\xe9".repeat(400).as_slice(), b"needle\n\xe9needle\n"].concat());
    world.write("image.bin", b"needle\0");
    for dir in ["void", "nearly"] {
        fs::create_dir(world.path(dir)).unwrap();
    }
    for (link, target) in [
        ("to-file", "src/a.txt"),
        ("to-dir", "src"),
        ("to-link", "to-file"),
        ("to-shut", "shut/s.txt"),
        ("to-log", "a.log"),
        ("outside", "/etc/passwd"),
        ("nowhere", "gone"),
        ("circle", "circle"),
        ("src/deep/up", "../.."),
    ] {
        symlink(target, world.path(link)).unwrap();
    }
    world
}

/// The same with a file that does not fit into one part, nor its lines into one answer.
fn large_world() -> World {
    let world = world();
    let many: String = (0..120_000).map(|number| format!("line {number} öäü\n")).collect();
    world.write("many.txt", many);
    world
}

/// Paths of all kinds.
const PATHS: &[&str] = &[
    ".",
    "./src/../src/a.txt",
    "src/a.txt",
    "src/a.txt/x",
    "src/",
    "src/none",
    "none/none",
    "a.log",
    "empty",
    "crlf.txt",
    "latin1.txt",
    "longer.txt",
    "image.bin",
    "täg ✓.txt",
    "void",
    "shut/s.txt",
    "shut/none",
    "..",
    "/etc/passwd",
    "",
    "a\0b",
];

/// Paths with links on them.
const LINKS: &[&str] = &[
    "to-file",
    "to-link",
    "to-dir/b.rs",
    "to-dir/none",
    "to-shut",
    "outside",
    "nowhere",
    "circle",
    "src/deep/up/empty",
];

/// Everything but what is in `shut`.
fn nearly_all() -> Value {
    json!([{ "path": ".", "read": true, "write": true }, { "path": "shut" }])
}

/// Reading alone, or only in one place.
fn little() -> [Value; 2] {
    [
        json!([{ "path": ".", "read": true }]),
        json!([{ "path": "src", "read": true, "write": true }]),
    ]
}

/// Calls a tool with every path, each on files as they were.
fn every_path(
    tool: &str,
    answer: &str,
    rules: &Value,
    paths: &[&str],
    call: impl Fn(&str) -> Value,
) {
    let mut world = world();
    let before = world.everything();
    for path in paths {
        let tool = world.tool(tool).rules(rules.clone()).answer(answer, true);
        tool.run(call(path));
        if world.everything() != before {
            world = self::world();
        }
    }
}

#[test]
fn reading() {
    for rules in little().into_iter().chain([nearly_all()]) {
        every_path("fs_read_file", "", &rules, PATHS, |path| json!({ "path": path }));
        every_path("fs_read_file", "", &rules, LINKS, |path| json!({ "path": path }));
    }
    let world = large_world();
    for lines in [
        json!({ "path": "many.txt", "start_line": 60_000, "end_line": 60_002 }),
        json!({ "path": "many.txt", "start_line": 119_999, "line_numbers": true }),
        json!({ "path": "many.txt", "start_line": 120_001 }),
    ] {
        world.tool("fs_read_file").run(lines);
    }
}

#[test]
fn listing() {
    // A link that is asked for is listed under its own name by a sealed tool, which cannot know where it
    // leads.
    every_path("fs_list_files", "", &nearly_all(), PATHS, |path| json!({ "path": path }));
    let world = world();
    for rules in little().into_iter().chain([nearly_all()]) {
        for arguments in [
            json!({}),
            json!({ "max_depth": 1 }),
            json!({ "max_depth": 2, "prefix": "src" }),
            json!({ "globs": ["*.txt", "!deep"] }),
            json!({ "extensions": ["log"], "path": "src" }),
            json!({ "limit": 3 }),
        ] {
            world.tool("fs_list_files").rules(rules.clone()).run(arguments);
        }
    }
}

#[test]
fn searching() {
    for rules in little().into_iter().chain([nearly_all()]) {
        let search = |path: &str| json!({ "pattern": "needle", "paths": [path] });
        every_path("fs_grep_files", "", &rules, PATHS, search);
        every_path("fs_grep_files", "", &rules, LINKS, search);
    }
    let world = world();
    for rules in little().into_iter().chain([nearly_all()]) {
        for arguments in [
            json!({ "pattern": "needle" }),
            json!({ "pattern": "needle", "context": 1 }),
            json!({ "pattern": "needle|two", "context": 3, "limit": 2, "paths": ["src"] }),
            json!({ "pattern": "needle", "word": true }),
            json!({ "pattern": "needle", "types": ["rust"] }),
            json!({ "pattern": "needle", "globs": ["!deep", "*.txt"] }),
            json!({ "pattern": "needle", "extensions": ["txt"], "files_only": true }),
            json!({ "pattern": "NEEDLE", "ignore_case": true, "limit": 4, "context": 1 }),
            json!({ "pattern": "needle()", "fixed": true }),
            json!({ "pattern": "^", "limit": 7, "context": 2 }),
            json!({ "pattern": "nothing of that" }),
            json!({ "pattern": "needle", "paths": ["src", "src/a.txt", "a.log", "image.bin", "."] }),
            json!({ "pattern": "needle", "paths": ["src", "none"] }),
            json!({ "pattern": "needle", "paths": ["src", "shut"] }),
            json!({ "pattern": "ref", "paths": ["src/repo/.git"] }),
            json!({ "pattern": "(" }),
        ] {
            world.tool("fs_grep_files").rules(rules.clone()).run(arguments);
        }
    }
    large_world().tool("fs_grep_files").run(json!({ "pattern": "line", "limit": 5 }));
}

#[test]
fn creating() {
    // Whether something is there that may be neither read nor made, a sealed tool cannot know, and so not
    // whether changing or making it is denied.
    let is_told = |path: &&str| !path.contains("shut");
    let paths: Vec<&str> = PATHS.iter().chain(LINKS).copied().filter(is_told).collect();
    for answer in ["overwrite_file", ""] {
        let create = |path: &str| json!({ "path": path, "content": "x\n" });
        every_path("fs_create_file", answer, &nearly_all(), &paths, create);
    }
}

#[test]
fn changing() {
    let edit = |path: &str| json!({ "path": path, "edits": [{ "old": "needle", "new": "pin" }] });
    let two = |path: &str| {
        json!({ "path": "src/deep/c.txt", "edits": [
            { "old": "needles", "new": "pins" },
            { "old": "needle", "new": "pin", "all": true, "path": path },
        ] })
    };
    for answer in ["apply_changes", ""] {
        every_path("fs_modify_file", answer, &nearly_all(), PATHS, edit);
        every_path("fs_modify_file", answer, &nearly_all(), LINKS, edit);
    }
    every_path("fs_modify_file", "apply_changes", &nearly_all(), PATHS, two);
    let [read_only, _] = little();
    every_path("fs_modify_file", "apply_changes", &read_only, PATHS, edit);
}

#[test]
fn deleting() {
    for rules in [nearly_all(), little()[0].clone()] {
        every_path("fs_delete_file", "", &rules, PATHS, |path| json!({ "path": path }));
    }
    every_path("fs_delete_file", "", &nearly_all(), LINKS, |path| json!({ "path": path }));
}

#[test]
fn moving() {
    for target in ["new/deep/x.txt", "crlf.txt", "empty/x"] {
        let from = |path: &str| json!({ "source": path, "target": target });
        every_path("fs_move_file", "overwrite_file", &nearly_all(), PATHS, from);
    }
    let to = |path: &str| json!({ "source": "src/b.rs", "target": path });
    every_path("fs_move_file", "overwrite_file", &nearly_all(), PATHS, to);
}
