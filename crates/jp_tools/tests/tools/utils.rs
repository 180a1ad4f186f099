//! `unix_utils`.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use crate::support::{Answer, World};

fn run(world: &World, util: &str, args: &[&str], stdin: &str) -> Answer {
    world.tool("unix_utils").run(json!({ "util": util, "args": args, "stdin": stdin }))
}

#[test]
fn programs_work_on_files_and_on_text() {
    let world = World::new(&[("a.txt", "b\na\nb\n")]);
    for (util, args, stdin, expected) in [
        ("sort", ["-u", "a.txt"].as_slice(), "", "a\nb\n"),
        ("wc", &["-l", "a.txt"], "", "3 a.txt\n"),
        ("tr", &["a-z", "A-Z"], "abc", "ABC"),
        ("head", &["-1", "a.txt"], "", "b\n"),
        ("cut", &["-d,", "-f2"], "1,2,3\n", "2\n"),
        ("date", &["-u", "-d", "@0", "+%F"], "", "1970-01-01\n"),
        ("seq", &["3", "-1", "1"], "", "3\n2\n1\n"),
        ("cmp", &["a.txt", "-"], "b\na\nb\n", "[no output]"),
        ("basename", &["/x/y.rs", ".rs"], "", "y\n"),
    ] {
        assert_eq!(run(&world, util, args, stdin).text(), expected, "{util} {args:?}");
    }
    assert!(run(&world, "cmp", &["a.txt", "-"], "x").text().ends_with("[exit code 1]"));
    let failed = run(&world, "expr", &["1", "/", "0"], "");
    assert!(failed.error().contains("expr failed with exit code 2"), "{}", failed.error());
}

#[test]
fn what_leads_out_of_the_workspace_is_refused() {
    // 076-268
    let world = World::new(&[("a.txt", "a\n")]);
    symlink("/etc/passwd", world.path("link")).unwrap();
    symlink("/etc", world.path("dir-link")).unwrap();
    for (util, args) in [
        ("sort", ["/etc/passwd"].as_slice()),
        ("sort", &["../x"]),
        ("sort", &["link"]),
        ("sort", &["dir-link/passwd"]),
        ("sort", &["--", "/etc/passwd"]),
        ("sort", &["-n", "a.txt", "/etc/passwd"]),
        ("cat", &["/proc/self/environ"]),
        ("jq", &[".", "/etc/passwd"]),
        ("diff", &["a.txt", "/etc/passwd"]),
        ("diff", &["--unified", "/etc/passwd", "a.txt"]),
        ("uniq", &["--all-repeated", "/etc/passwd"]),
        ("sort", &["--check", "/etc/passwd"]),
        ("od", &["-c", "-w", "/etc/passwd"]),
        ("od", &["-cw", "/etc/passwd"]),
        ("od", &["-w8", "/etc/passwd"]),
        ("od", &["--width", "/etc/passwd"]),
        ("od", &["--width=8", "/etc/passwd"]),
        ("strings", &["-n", "4", "/etc/passwd"]),
    ] {
        let answer = run(&world, util, args, "");
        assert!(answer.error().contains("the workspace"), "{util} {args:?}: {}", answer.error());
    }
    for (util, args) in [("cat", ["."].as_slice()), ("diff", &[".", "."]), ("cat", &["none"])] {
        assert!(run(&world, util, args, "").is_error(), "{util} {args:?}");
    }
    // Words that would be replaced by the content of a file, and the names of options cut short.
    world.write("names", "/etc/passwd\n");
    for (util, args) in [
        ("strings", ["@/etc/passwd"].as_slice()),
        ("strings", &["-n", "@/etc/passwd"]),
        ("strings", &["-n", "@/etc/passwd", "a.txt"]),
        ("strings", &["--bytes", "@/etc/passwd"]),
        ("strings", &["-fn", "@names"]),
        ("strings", &["-n@/etc/passwd", "a.txt"]),
        ("strings", &["--bytes=@/etc/passwd", "a.txt"]),
        ("strings", &["@names"]),
        ("strings", &["--", "@names"]),
        ("od", &["--wid", "/etc/passwd"]),
        ("od", &["--strings", "/etc/passwd"]),
        ("wc", &["--files0", "names"]),
        ("wc", &["--files0-from=names"]),
        ("sort", &["--files0-from", "names"]),
        ("file", &["-f", "names"]),
        ("file", &["-bf", "names"]),
        ("date", &["-f", "/etc/passwd"]),
        ("date", &["-r", "/etc/passwd"]),
        ("date", &["--ref", "/etc/passwd"]),
        ("date", &["-Id", "010203042020"]),
        ("md5sum", &["-c", "names"]),
        ("diff", &["--from-file", "/etc/passwd", "a.txt"]),
        ("jq", &["-n", "\"/etc/passwd\" | modulemeta"]),
    ] {
        let answer = run(&world, util, args, "");
        let error = answer.error();
        assert!(!error.contains("root:"), "{util} {args:?}: {error}");
    }
}

#[test]
fn only_listed_programs_and_options_run() {
    let world = World::new(&[("a.txt", "a\n")]);
    let before = world.everything();
    for (util, args) in [
        ("sh", ["-c", "touch x"].as_slice()),
        ("/bin/sort", &["a.txt"]),
        ("../sort", &["a.txt"]),
        ("", &[]),
        ("sort", &["-o", "x", "a.txt"]),
        ("sort", &["-ox", "a.txt"]),
        ("sort", &["--compress-program=touch", "a.txt"]),
        ("uniq", &["a.txt", "x"]),
        ("tail", &["-f", "a.txt"]),
        ("jq", &["import \"a\" as a; ."]),
        ("sort", &["a\0b"]),
    ] {
        assert!(run(&world, util, args, "").is_error(), "{util} {args:?}");
    }
    assert_eq!(world.everything(), before);
    let unknown = run(&world, "rm", &["-rf", "."], "");
    assert!(
        unknown.error().starts_with("no program \"rm\" here, only base64, "),
        "{}",
        unknown.error()
    );
}

#[test]
fn rules_for_files_are_left_to_the_sandbox() {
    // 076-269
    let world = World::new(&[("a.txt", "a\n")]);
    let arguments = json!({ "util": "cat", "args": ["a.txt"] });
    let rules = json!([{ "path": "nowhere", "read": true }]);
    assert_eq!(world.tool("unix_utils").rules(rules).run(arguments.clone()).text(), "a\n");
    // Rules for programs are not.
    let commands = |commands: Value| {
        world.tool("unix_utils").access(json!({ "commands": commands })).run(arguments.clone())
    };
    assert_eq!(commands(json!({ "cat": {} })).text(), "a\n");
    assert!(commands(json!({ "wc": {} })).error().contains("(granted: wc)"));
}

#[test]
fn too_much_is_cut() {
    let world = World::new(&[]);
    let answer = run(&world, "seq", &["1000000000"], "");
    assert!(answer.text().ends_with("[cut after 131072 bytes]"));
    assert!(answer.text().starts_with("1\n2\n3\n"));
}
