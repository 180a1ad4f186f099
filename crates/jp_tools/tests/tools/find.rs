//! `fs_list_files` and `fs_grep_files`.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::World;

fn grep(world: &World, arguments: Value) -> String {
    world.tool("fs_grep_files").run(arguments).text().to_owned()
}

fn list(world: &World, arguments: Value) -> String {
    world.tool("fs_list_files").run(arguments).text().to_owned()
}

fn project() -> World {
    let world = World::new(&[
        (".gitignore", "*.log\n/target/\n!keep.log\n"),
        (".ignore", "vendor\n"),
        (".hidden", "fn hidden() {}\n"),
        (".git/config", "fn git() {}\n"),
        (".jp/state", "fn jp() {}\n"),
        ("src/main.rs", "// start\nfn main() {\n    run();\n}\n"),
        ("src/lib.rs", "pub fn run() {\n    // FN\n}\n"),
        ("src/sub/.gitignore", "!important.log\nlocal.*\n"),
        ("src/sub/important.log", "fn important() {}\n"),
        ("src/sub/local.rs", "fn local() {}\n"),
        ("src/sub/target/x.rs", "fn target() {}\n"),
        ("src-gen/a.rs", "fn generated() {}\n"),
        ("vendor/v.rs", "fn vendored() {}\n"),
        ("target/out.rs", "fn out() {}\n"),
        ("debug.log", "fn log() {}\n"),
        ("keep.log", "fn keep() {}\n"),
        ("nested/.git/HEAD", "ref\n"),
        ("nested/own.log", "fn nested() {}\n"),
        ("notes.md", "no functions\n"),
    ]);
    world.write("blob.bin", b"fn blob() {}\n\0");
    world
}

#[test]
fn lists_are_sorted_and_leave_out_what_is_ignored() {
    insta::assert_snapshot!(list(&project(), json!({})), @"
    .gitignore
    .hidden
    .ignore
    blob.bin
    keep.log
    nested/own.log
    notes.md
    src/lib.rs
    src/main.rs
    src/sub/.gitignore
    src/sub/important.log
    src/sub/target/x.rs
    src-gen/a.rs

    13 files.
    ");
}

#[test]
fn lists_are_narrowed() {
    let world = project();
    for (arguments, expected) in [
        (
            json!({ "path": "src", "max_depth": 1 }),
            "src/lib.rs\nsrc/main.rs\nsrc/sub/\n\n2 files, 1 directory.",
        ),
        (json!({ "prefix": "src/m" }), "src/main.rs\n\n1 file."),
        (json!({ "prefix": "src" , "max_depth": 1}), "src/\nsrc-gen/\n\n0 files, 2 directories."),
        (
            json!({ "extensions": ["md", ".log"] }),
            "keep.log\nnested/own.log\nnotes.md\nsrc/sub/important.log\n\n4 files.",
        ),
        (
            json!({ "path": "src", "max_depth": 1, "extensions": ["rs"] }),
            "src/lib.rs\nsrc/main.rs\n\n2 files.",
        ),
        (json!({ "globs": ["main.*"] }), "src/main.rs\n\n1 file."),
        (json!({ "globs": ["src/*.rs", "!lib.rs"] }), "src/main.rs\n\n1 file."),
        (json!({ "globs": ["src/**/*.rs", "!sub"] }), "src/lib.rs\nsrc/main.rs\n\n2 files."),
        (
            json!({ "path": "src", "limit": 1 }),
            "src/lib.rs\n\n5 files. Only the first 1 are shown: narrow the list, or raise `limit`.",
        ),
        (json!({ "path": "target" }), "target/out.rs\n\n1 file."),
        (json!({ "path": "notes.md" }), "notes.md\n\n1 file."),
        (json!({ "extensions": ["none"] }), "No files."),
    ] {
        assert_eq!(list(&world, arguments.clone()), expected, "{arguments}");
    }
}

#[test]
fn matches_are_sorted_by_path_and_line() {
    insta::assert_snapshot!(grep(&project(), json!({ "pattern": r"\bfn\b" })), @"
    .hidden
    1:fn hidden() {}

    keep.log
    1:fn keep() {}

    nested/own.log
    1:fn nested() {}

    src/lib.rs
    1:pub fn run() {

    src/main.rs
    2:fn main() {

    src/sub/important.log
    1:fn important() {}

    src/sub/target/x.rs
    1:fn target() {}

    src-gen/a.rs
    1:fn generated() {}

    8 matching lines in 8 files. 1 binary file was not searched.
    ");
}

#[test]
fn searches_are_narrowed() {
    let world = project();
    for (arguments, expected) in [
        (
            json!({ "pattern": "fn", "paths": ["src/lib.rs", "src/main.rs", "src"], "ignore_case": true, "globs": ["*.rs", "!x.rs"] }),
            "src/lib.rs\n1:pub fn run() {\n2:    // FN\n\nsrc/main.rs\n2:fn main() {\n\n3 matching lines in 2 files.",
        ),
        (
            json!({ "pattern": "run()", "fixed": true, "types": ["rust"], "files_only": true }),
            "src/lib.rs\nsrc/main.rs\n\n2 files.",
        ),
        (json!({ "pattern": "ru", "word": true }), "No matches. 1 binary file was not searched."),
        (
            json!({ "pattern": "main", "paths": ["src"], "context": 1 }),
            "src/main.rs\n1-// start\n2:fn main() {\n3-    run();\n\n1 matching line in 1 file.",
        ),
        (
            json!({ "pattern": "start|}", "paths": ["src/main.rs"], "context": 1 }),
            "src/main.rs\n1:// start\n2-fn main() {\n3-    run();\n4:}\n\n2 matching lines in 1 file.",
        ),
        (
            json!({ "pattern": "^", "paths": ["src/main.rs"], "limit": 2 }),
            "src/main.rs\n1:// start\n2:fn main() {\n\n4 matching lines in 1 file. Only the first 2 of them are shown: narrow the search, or raise `limit`.",
        ),
        (
            json!({ "pattern": "out", "paths": ["target"] }),
            "target/out.rs\n1:fn out() {}\n\n1 matching line in 1 file.",
        ),
        (json!({ "pattern": "ref", "paths": [".git"] }), "No matches."),
    ] {
        assert_eq!(grep(&world, arguments.clone()), expected, "{arguments}");
    }
}

#[test]
fn wrong_conditions_are_named() {
    let world = project();
    for (arguments, expected) in [
        (json!({ "pattern": "(" }), "argument `pattern`"),
        (json!({ "pattern": r"a\nb" }), "argument `pattern`"),
        (json!({ "pattern": "(a{1000}){1000}" }), "argument `pattern`"),
        (json!({ "pattern": "x".repeat(100_000) }), "longer than 65536 bytes"),
        (json!({ "pattern": "x", "globs": ["{a"] }), "`globs`"),
        (json!({ "pattern": "x", "types": ["klingon"] }), "`types`"),
        (json!({ "pattern": "x", "paths": ["none"] }), "none: No such file"),
        (json!({ "pattern": "x", "paths": vec!["src"; 2_000] }), "more than 1000 paths"),
        (json!({ "pattern": "x", "globs": vec!["src"; 2_000] }), "`globs` has more than"),
    ] {
        let answer = world.tool("fs_grep_files").run(arguments);
        assert!(answer.error().contains(expected), "{}", answer.error());
    }
}

#[test]
fn the_same_beginning_is_shown_every_time() {
    let world = World::new(&[]);
    for number in 0..600 {
        let lines = "needle\n".repeat(1 + number % 7);
        world.write(&format!("{}/{}/f{number}.txt", number % 5, number % 11), lines);
    }
    let arguments = json!({ "pattern": "needle", "limit": 40 });
    let first = grep(&world, arguments.clone());
    assert!(first.contains(" in 600 files. Only the first 40 of them are shown"), "{first}");
    let paths: Vec<&str> = first.lines().filter(|line| line.contains('/')).collect();
    assert!(paths.is_sorted_by_key(camino::Utf8Path::new));
    for _ in 0..5 {
        assert_eq!(grep(&world, arguments.clone()), first);
    }
    let all = grep(&world, json!({ "pattern": "needle", "limit": 5000 }));
    let cut = first.rsplit_once("\n\n").unwrap().0;
    assert!(all.starts_with(cut.trim_end()), "{cut}");
    let files = list(&world, json!({ "limit": 10 }));
    let everything = list(&world, json!({}));
    assert!(everything.starts_with(files.split_once("\n\n").unwrap().0), "{files}");
}

#[test]
fn links_are_not_followed() {
    let world = World::new(&[("real/a.txt", "needle\n"), ("secret/s.txt", "needle\n")]);
    symlink("real", world.path("linked")).unwrap();
    symlink("real/a.txt", world.path("file-link")).unwrap();
    symlink("/etc", world.path("out")).unwrap();
    symlink("/etc/passwd", world.path("out-file")).unwrap();
    symlink("secret/s.txt", world.path("to-secret")).unwrap();
    symlink(".", world.path("real/loop")).unwrap();
    assert_eq!(
        grep(&world, json!({ "pattern": "needle|root", "paths": ["real", "linked"] })),
        "real/a.txt\n1:needle\n\n1 matching line in 1 file."
    );
    let rules = json!([{ "path": ".", "read": true }, { "path": "secret" }]);
    let listed = world.tool("fs_list_files").rules(rules).run(json!({}));
    // The names of links that lead out, or to what may not be read, say something about it.
    assert_eq!(listed.text(), "file-link\nlinked\nreal/a.txt\nreal/loop\n\n4 files.");
}

#[test]
fn peculiar_files_are_searched() {
    let world = World::new(&[("empty", ""), ("no-newline", "needle"), ("crlf", "needle\r\nx\r\n")]);
    world.write("bom", b"\xef\xbb\xbfneedle\n");
    world.write("latin1", b"caf\xe9 needle\n");
    world.write("utf16", b"\xff\xfen\0e\0e\0d\0l\0e\0\n\0");
    world.write("late.bin", [b"needle\n".repeat(20_000).as_slice(), b"\0"].concat());
    world.write("wide", format!("{}needle{}", "a".repeat(1 << 20), "b".repeat(1 << 20)));
    let found = grep(&world, json!({ "pattern": "needle" }));
    let wide = format!("1:… {}needle{}… [line of 2097158 bytes]", "a".repeat(100), "b".repeat(394));
    assert_eq!(
        found.replace(&wide, "1:WIDE"),
        "bom\n1:needle\n\ncrlf\n1:needle\n\nlatin1\n1:caf\u{fffd} needle\n\nno-newline\n1:needle\n\n\
         utf16\n1:needle\n\nwide\n1:WIDE\n\n6 matching lines in 6 files. 1 binary file was not searched."
    );
}
