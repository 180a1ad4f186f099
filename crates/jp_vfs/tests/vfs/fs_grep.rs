//! `fs.grep`.

use serde_json::{Value, json};

use crate::{
    tool::{check, code_of},
    world::World,
};

const POEM: &str = "One\ntwo one\r\nthree\nfour\nfive one\n";

/// A line: its number, what is in it, and whether it is a hit.
type Line<'a> = (u64, &'a str, bool);

fn matches(files: &[(&str, &[Line<'_>])]) -> Value {
    let line = |(number, content, is_match): &Line<'_>| json!({"line_number": number, "content": content, "is_match": is_match});
    let file = |(path, lines): &(&str, &[_])| json!({"path": path, "lines": lines.iter().map(line).collect::<Vec<_>>()});
    json!({"matches": files.iter().map(file).collect::<Vec<_>>()})
}

fn poems() -> [World; 2] {
    [World::on_disk(), World::in_memory()].map(|world| {
        for path in ["b.rs", "a/poem.txt", "a/b/c.rs", ".hidden.rs"] {
            world.put(path, if path.ends_with("txt") { POEM } else { "one\n" });
        }
        world
    })
}

#[test]
fn searching() {
    let one: &[Line<'_>] = &[(1, "one", true)];
    let hits: &[Line<'_>] = &[(2, "two one", true), (5, "five one", true)];
    let everywhere =
        matches(&[(".hidden.rs", one), ("a/b/c.rs", one), ("a/poem.txt", hits), ("b.rs", one)]);
    let rust = matches(&[(".hidden.rs", one), ("a/b/c.rs", one), ("b.rs", one)]);
    let poem = |lines: &[Line<'_>]| matches(&[("a/poem.txt", lines)]);
    let context = poem(&[
        (1, "One", false),
        (2, "two one", true),
        (3, "three", false),
        (4, "four", false),
        (5, "five one", true),
    ]);
    for world in poems() {
        let grep = |params: Value| params;
        let rows = [
            ("D11-109", grep(json!({})), json!(-32602)),
            ("D11-109", grep(json!({"pattern": 7})), json!(-32602)),
            (
                "D11-110 to D11-112 D11-114 D11-116 D11-118 D11-125 D11-129",
                grep(json!({"pattern": "one"})),
                everywhere.clone(),
            ),
            (
                "D11-113",
                grep(json!({"pattern": "one", "paths": ["a/poem.txt"], "context": 1})),
                context.clone(),
            ),
            (
                "D11-113",
                grep(json!({"pattern": "five", "paths": ["a/poem.txt"], "context": 1})),
                poem(&[(4, "four", false), (5, "five one", true)]),
            ),
            (
                "D11-115",
                grep(json!({"pattern": "one", "paths": ["b.rs", "a/b"]})),
                matches(&[("a/b/c.rs", one), ("b.rs", one)]),
            ),
            ("D11-115", grep(json!({"pattern": "one", "paths": []})), matches(&[])),
            ("D11-117", grep(json!({"pattern": "one", "extensions": ["rs"]})), rust.clone()),
            ("D11-117", grep(json!({"pattern": "one", "extensions": []})), matches(&[])),
            ("D11-119", grep(json!({"pattern": "nothing like it"})), matches(&[])),
            ("D11-120", grep(json!({"pattern": "(("})), json!(-32602)),
            ("D11-120", grep(json!({"pattern": "((", "paths": []})), json!(-32602)),
            ("D11-121", grep(json!({"pattern": "o.e", "fixed": true})), matches(&[])),
            ("D11-121", grep(json!({"pattern": "o.e"})), everywhere.clone()),
            ("D11-121", grep(json!({"pattern": "((", "fixed": true})), matches(&[])),
            (
                "D11-122",
                grep(json!({"pattern": "ONE", "paths": ["a/poem.txt"], "case_insensitive": true})),
                poem(&[(1, "One", true), (2, "two one", true), (5, "five one", true)]),
            ),
            ("D11-122", grep(json!({"pattern": "ONE"})), matches(&[])),
            (
                "D11-123",
                grep(json!({"pattern": "one", "paths": ["a/poem.txt"], "max_matches": 1})),
                poem(&hits[..1]),
            ),
            ("D11-123", grep(json!({"pattern": "one", "max_matches": 0})), matches(&[])),
            ("D11-053", grep(json!({"pattern": "one", "paths": [""]})), json!(-32602)),
            ("no such file", grep(json!({"pattern": "one", "paths": ["missing"]})), json!(-32002)),
        ];
        let rows = rows.map(|(shows, params, expected)| (shows, "fs.grep", params, expected));
        check(&mut world.start(), &rows);
    }
}

// D11-124 D11-126 D11-127 D11-130: and the same on both.
#[test]
fn what_is_not_searched() {
    let answers = [World::on_disk(), World::in_memory()].map(|world| {
        world.put(".gitignore", "*.log\n/build/\n!keep.log\n");
        world.put(".ignore", "vendored/\n");
        world.put("sub/.gitignore", "own\n");
        for path in [
            "a.log",
            "keep.log",
            "build/x",
            "vendored/x",
            "sub/own",
            "sub/build/x",
            "seen",
            ".git/x",
            ".jp/x",
            "sub/.git/x",
        ] {
            world.put(path, "needle\n");
        }
        world.put("binary", b"needle\n\0\x01\xff");
        let answer = world.start().call("fs.grep", json!({"pattern": "needle"}));
        let found = answer["result"]["matches"].as_array().unwrap().iter();
        found.map(|file| file["path"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    });
    assert_eq!(answers[0], ["keep.log", "seen", "sub/build/x"]);
    assert_eq!(answers[0], answers[1]);
}

// D11-128: no line and no context of what may not be read.
#[test]
fn nothing_is_told_of_what_is_denied() {
    for world in poems() {
        world.put("private/x", "secret one\nanother secret\n");
        let world = world.rules(".=rcud private= a/b=");
        let mut tool = world.start();
        for params in [
            json!({"pattern": "one|secret"}),
            json!({"pattern": "one|secret", "context": 5}),
            json!({"pattern": "one|secret", "paths": [".", "private"]}),
            json!({"pattern": "one|secret", "paths": ["private/x"]}),
            json!({"pattern": "one|secret", "paths": ["a/b/c.rs"]}),
        ] {
            let answer = tool.call("fs.grep", params.clone());
            let text = answer.to_string();
            assert!(
                !text.contains("secret one")
                    && !text.contains("another")
                    && !text.contains("c.rs\",\"lines"),
                "{params}: {answer}"
            );
        }
        let denied = tool.call("fs.grep", json!({"pattern": "x", "paths": ["private"]}));
        assert!(code_of(&denied) == -32001 || denied["result"] == matches(&[]), "{denied}");
    }
}

// More than fits is said, unless a part was asked for.
#[test]
fn more_than_fits_is_not_passed_over() {
    let mut world = World::in_memory();
    world.limits.file_bytes = 10_000;
    world.put("long", "a line of the file\n".repeat(2_000));
    let mut tool = world.start();
    assert_eq!(tool.code("fs.grep", json!({"pattern": "line"})), -32006);
    let some = tool.call("fs.grep", json!({"pattern": "line", "max_matches": 10}));
    assert_eq!(some["result"]["matches"][0]["lines"].as_array().unwrap().len(), 10);
}

// Short lines in many files with long paths: it is the paths that do not fit.
#[test]
fn paths_are_a_part_of_the_answer() {
    let mut world = World::in_memory();
    world.limits.file_bytes = 100_000;
    let dir = vec!["d".repeat(200); 5].join("/");
    for n in 0..500 {
        world.put(&format!("{dir}/{n:03}"), "x\n");
    }
    let mut tool = world.start();
    assert_eq!(tool.code("fs.grep", json!({"pattern": "x"})), -32006);
    let some = tool.call("fs.grep", json!({"pattern": "x", "max_matches": 50}));
    let files = some["result"]["matches"].as_array().map(Vec::as_slice).unwrap_or_default();
    assert_eq!(files.len(), 50, "{some}");
    assert!(files[49]["path"].as_str().is_some_and(|path| path.ends_with("/049")));
}

// A number that is larger than what is ever told asks for no part.
#[test]
fn a_large_number_hides_nothing() {
    let world = World::in_memory();
    world.put("long", "x\n".repeat(100_001));
    let mut tool = world.start();
    for most in [200_000, u64::MAX] {
        let code = tool.code("fs.grep", json!({"pattern": "x", "max_matches": most}));
        assert_eq!(code, -32006, "{most}");
    }
    let some = tool.call("fs.grep", json!({"pattern": "x", "max_matches": 100_000}));
    assert_eq!(some["result"]["matches"][0]["lines"].as_array().map(Vec::len), Some(100_000));
}

#[test]
fn a_path_is_searched_once_however_often_it_is_named() {
    let world = World::on_disk();
    world.put("d/a", "x\n");
    let mut tool = world.start();
    let answer = tool.call("fs.grep", json!({"pattern": "x", "paths": vec!["."; 1_000]}));
    assert_eq!(answer["result"], matches(&[("d/a", &[(1, "x", true)])]));
    assert_eq!(tool.code("fs.grep", json!({"pattern": "x", "paths": vec!["."; 1_001]})), -32602);
}

// Numbers that nobody means.
#[test]
fn numbers_without_measure() {
    for world in poems() {
        let mut tool = world.start();
        for params in [
            json!({"pattern": "five", "context": u32::MAX}),
            json!({"pattern": "five", "max_matches": u64::MAX}),
        ] {
            let answer = tool.call("fs.grep", params.clone());
            assert_eq!(code_of(&answer), 0, "{params}: {answer}");
        }
        assert_eq!(tool.code("fs.grep", json!({"pattern": "five", "context": -1})), -32602);
        assert_eq!(tool.code("fs.grep", json!({"pattern": "five", "context": u64::MAX})), -32602);
        // A pattern that would take the memory of the host.
        let answer = tool.call("fs.grep", json!({"pattern": "((a{1000}){1000}){1000}"}));
        assert_eq!(code_of(&answer), -32602, "{answer}");
    }
}
