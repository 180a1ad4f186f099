//! Bad input and bad files: an answer of one line, whatever comes.

use std::{
    fs,
    io::Write,
    os::unix::fs::{FileTypeExt, symlink},
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Instant,
};

use serde_json::{Value, json};

use crate::support::World;

#[test]
fn invocations_that_are_none() {
    let world = World::new(&[]);
    for stdin in [
        b"".as_slice(),
        b"\n\n",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"{\"tool\":{\"name\":\"fs_read_file\"}}",
        b"{\"tool\":{\"name\":\"fs_read_file\",\"arguments\":[]},\"context\":{\"root\":\"/\"}}",
        b"{\"tool\":{\"name\":\"fs_read_file\",\"arguments\":{\"path\":\"a\"}},\"context\":{\"root\":\"relative\"}}",
        b"{\"tool\":{\"name\":\"fs_read_file\",\"arguments\":{\"path\":\"a\"}},\"context\":{\"root\":\"/no/such/root\"}}",
    ] {
        assert!(world.send(stdin).is_error(), "{}", String::from_utf8_lossy(stdin));
    }
    assert!(world.send("x".repeat(17 << 20)).is_error());
}

#[test]
fn arguments_of_ten_megabytes() {
    let world = World::new(&[("a.txt", "a\n")]);
    let big = "a".repeat(10 << 20);
    let before = world.everything();
    let edits =
        |old: &str, new: &str, regex: bool| json!([{ "old": old, "new": new, "regex": regex }]);
    let start = Instant::now();
    for (tool, arguments) in [
        ("fs_read_file", json!({ "path": big })),
        ("fs_list_files", json!({ "path": big })),
        ("fs_list_files", json!({ "globs": [big] })),
        ("fs_grep_files", json!({ "pattern": big })),
        ("fs_grep_files", json!({ "pattern": "a", "paths": [big] })),
        ("fs_create_file", json!({ "path": big })),
        ("fs_modify_file", json!({ "path": "a.txt", "edits": edits(&big, "x", false) })),
        ("fs_modify_file", json!({ "path": "a.txt", "edits": edits(&big, "x", true) })),
        ("fs_delete_file", json!({ "path": big })),
        ("fs_move_file", json!({ "source": "a.txt", "target": big })),
        ("unix_utils", json!({ "util": big })),
        ("unix_utils", json!({ "util": "wc", "args": [big] })),
    ] {
        let call = world.tool(tool).only_beside("the time that it takes is measured");
        let answer = call.run(arguments);
        let length = answer.error().len();
        assert!(length < 100 << 10, "{}: an error of {length} bytes", &tool[..tool.len().min(20)]);
    }
    assert_eq!(world.everything(), before);
    assert!(start.elapsed().as_secs() < 50, "{:?}", start.elapsed());
    // Where it makes sense it works.
    let call = world.tool("fs_create_file").only_beside("a host writes ten megabytes at most");
    let written = call.run(json!({ "path": "big", "content": big }));
    assert_eq!(written.text(), "Created big (1 line).");
    let counted =
        world.tool("unix_utils").run(json!({ "util": "wc", "args": ["-c"], "stdin": big }));
    assert_eq!(counted.text().trim(), big.len().to_string());
}

#[test]
fn names_with_control_characters_stay_on_their_line() {
    let world = World::new(&[("a\nb\u{1b}[31m.txt", "needle\n"), ("täg ✓.txt", "needle\n")]);
    let list = world.tool("fs_list_files").run(json!({}));
    assert_eq!(list.text(), "a\\nb\\u{1b}[31m.txt\ntäg ✓.txt\n\n2 files.");
    let grep = world.tool("fs_grep_files").run(json!({ "pattern": "needle", "files_only": true }));
    assert_eq!(grep.text(), list.text());
    let read = world.tool("fs_read_file").run(json!({ "path": "a\nb\u{1b}[31m.txt" }));
    assert_eq!(read.text(), "needle\n");
}

#[test]
fn what_is_no_file_is_never_opened() {
    let world = World::new(&[("a.txt", "needle\n")]);
    world.command("mkfifo", &["fifo"]);
    symlink("fifo", world.path("to-fifo")).unwrap();
    symlink("/dev/zero", world.path("to-zero")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(world.path("socket")).unwrap();
    assert!(fs::metadata(world.path("fifo")).unwrap().file_type().is_fifo());
    let edits = json!([{ "old": "a", "new": "b" }]);
    for path in ["fifo", "to-fifo", "to-zero", "socket"] {
        for (tool, arguments) in [
            ("fs_read_file", json!({ "path": path })),
            ("fs_grep_files", json!({ "pattern": "a", "paths": [path] })),
            ("fs_modify_file", json!({ "path": path, "edits": edits })),
            ("fs_create_file", json!({ "path": path, "content": "x" })),
            ("unix_utils", json!({ "util": "cat", "args": [path] })),
        ] {
            let answer = world.tool(tool).answer("overwrite_file", true).run(arguments);
            assert!(answer.is_error(), "{tool} {path}: {}", answer.value);
        }
    }
    let grep = world.tool("fs_grep_files").run(json!({ "pattern": "needle" }));
    assert_eq!(grep.text(), "a.txt\n1:needle\n\n1 matching line in 1 file.");
}

#[test]
fn huge_files_take_no_memory() {
    let world = World::new(&[]);
    let file = fs::File::create(world.path("sparse")).unwrap();
    file.set_len(200 << 30).unwrap();
    let mut text = fs::File::create(world.path("text")).unwrap();
    let block = "a line of text\n".repeat(70_000);
    for _ in 0..64 {
        text.write_all(block.as_bytes()).unwrap();
    }
    let read = |arguments: Value| world.tool("fs_read_file").run(arguments);
    let sparse = read(json!({ "path": "sparse" }));
    assert_eq!(sparse.text(), "sparse is a binary file (unknown kind) of 214748364800 bytes.");
    let text = read(json!({ "path": "text" }));
    assert!(text.text().contains("[lines 1 to 2000 of 4480000;"));
    let edits = json!([{ "old": "a", "new": "b" }]);
    for path in ["sparse", "text"] {
        let change = world.tool("fs_modify_file").run(json!({ "path": path, "edits": edits }));
        assert!(change.error().contains("files up to 16777216 bytes"), "{}", change.error());
    }
    let grep = world.tool("fs_grep_files").run(json!({ "pattern": "^a", "limit": 1 }));
    assert!(grep.text().contains("4480000 matching lines in 1 file."), "{}", grep.text());
}

#[test]
fn patterns_that_take_others_for_ever() {
    let world = World::new(&[]);
    world.write("a.txt", "a".repeat(1 << 20));
    let start = Instant::now();
    for pattern in ["(a+)+$", "(a|a)*b", "(.*)*x", "((a?){20}){20}x", r"^(\w+\s?)*$"] {
        world.tool("fs_grep_files").run(json!({ "pattern": pattern })).text();
        let edits = json!([{ "old": pattern, "new": "x", "regex": true }]);
        let change = world.tool("fs_modify_file").run(json!({ "path": "a.txt", "edits": edits }));
        assert_ne!(change.value["type"], "success");
    }
    assert!(start.elapsed().as_secs() < 150, "{:?}", start.elapsed());
}

#[test]
fn results_that_would_not_fit() {
    let world = World::new(&[]);
    world.write("a.txt", "a".repeat(1 << 20));
    let before = world.everything();
    let edits = json!([{ "old": "a", "new": "b".repeat(100_000), "regex": true, "all": true }]);
    let answer = world.tool("fs_modify_file").run(json!({ "path": "a.txt", "edits": edits }));
    assert!(answer.error().contains("more than 100000 times"), "{}", answer.error());
    world.write("a.txt", "a".repeat(50_000));
    let answer = world.tool("fs_modify_file").run(json!({ "path": "a.txt", "edits": edits }));
    assert!(answer.error().contains("larger than"), "{}", answer.error());
    assert_eq!(world.everything().len(), before.len());
    // A diff of a million lines is shown in part.
    world.write("b.txt", "x\n".repeat(500_000));
    let edits = json!([{ "old": "(?s).*", "new": "y\n", "regex": true, "all": true }]);
    let asked = world.tool("fs_modify_file").run(json!({ "path": "b.txt", "edits": edits }));
    let shown = asked.question("apply_changes")["pre_amble"].as_str().unwrap();
    assert!(shown.len() < 100_000 && shown.ends_with("lines more]\n"), "{}", shown.len());
}

#[test]
fn deep_and_wide_trees() {
    let world = World::new(&[]);
    let mut dir = String::new();
    for _ in 0..230 {
        dir.push_str("d/");
    }
    world.write(&format!("{dir}deep.txt"), "needle\n");
    for number in 0..3_000 {
        world.write(&format!("wide/{number}/f.txt"), "needle\n");
    }
    let grep = world.tool("fs_grep_files").run(json!({ "pattern": "needle", "limit": 1 }));
    assert!(grep.text().contains("3000 matching lines in 3000 files."), "{}", grep.text());
    assert!(grep.text().ends_with(" 1 directory too deep and left out."));
    let call = world.tool("fs_grep_files").only_beside("a host takes paths of 200 names at most");
    let deep = call.run(json!({ "pattern": "needle", "paths": [dir] }));
    assert!(deep.text().contains("1 matching line in 1 file."));
}

#[test]
fn a_tree_that_changes_gives_nothing_from_outside() {
    let world = World::new(&[("dir/a.txt", "inside\n"), ("secret/a.txt", "outside\n")]);
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("a.txt"), "outside\n").unwrap();
    let done = AtomicBool::new(false);
    let rules = json!([
        { "path": ".", "read": true, "write": true },
        { "path": "secret" },
    ]);
    thread::scope(|scope| {
        scope.spawn(|| {
            // What is a directory at one moment is a link at the next.
            let (dir, away) = (world.path("dir"), world.path("away"));
            while !done.load(Ordering::Relaxed) {
                fs::rename(&dir, &away).unwrap();
                symlink(outside.path(), &dir).unwrap();
                fs::remove_file(&dir).unwrap();
                symlink("secret", &dir).unwrap();
                fs::remove_file(&dir).unwrap();
                fs::rename(&away, &dir).unwrap();
            }
        });
        for _ in 0..40 {
            let grep = json!({ "pattern": "outside|inside" });
            let edits = json!([{ "old": "outside", "new": "changed" }]);
            for (tool, arguments) in [
                ("fs_grep_files", grep),
                ("fs_read_file", json!({ "path": "dir/a.txt" })),
                ("fs_modify_file", json!({ "path": "dir/a.txt", "edits": edits })),
            ] {
                let call = world.tool(tool).rules(rules.clone()).answer("apply_changes", true);
                let call = call.only_beside("a tree that changes cannot be copied");
                let answer = call.run(arguments);
                assert!(!answer.value.to_string().contains("1:outside"), "{}", answer.value);
                assert_ne!(answer.value["content"], "outside\n");
            }
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(fs::read_to_string(outside.path().join("a.txt")).unwrap(), "outside\n");
    assert_eq!(world.read("secret/a.txt"), "outside\n");
}

#[test]
fn a_file_that_somebody_else_writes_is_whole() {
    let world = World::new(&[("a.txt", "0000\n")]);
    let done = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                let text = world.read("a.txt");
                assert!(text.len() == 5 && text.ends_with('\n'), "{text:?}");
            }
        });
        for number in 1..40 {
            let edits = json!([{ "old": r"\d{4}", "new": format!("{number:04}"), "regex": true }]);
            let call = world.tool("fs_modify_file").answer("apply_changes", true);
            call.run(json!({ "path": "a.txt", "edits": edits })).text();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(world.read("a.txt"), "0039\n");
}
