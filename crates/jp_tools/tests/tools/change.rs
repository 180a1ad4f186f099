//! `fs_create_file`, `fs_modify_file`, `fs_delete_file`, `fs_move_file`.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
};

use serde_json::{Value, json};

use crate::support::{Answer, World};

fn modify(world: &World, arguments: Value) -> Answer {
    world.tool("fs_modify_file").answer("apply_changes", true).run(arguments)
}

fn edit(path: &str, old: &str, new: &str) -> Value {
    json!({ "path": path, "edits": [{ "old": old, "new": new }] })
}

#[test]
fn a_file_is_created_with_its_directories() {
    let world = World::new(&[]);
    let create = |path: &str| {
        world
            .tool("fs_create_file")
            .run(json!({ "path": path, "content": "a\nb\n" }))
            .text()
            .to_owned()
    };
    assert_eq!(create("new/dir/a.txt"), "Created new/dir/a.txt (2 lines).");
    assert_eq!(world.read("new/dir/a.txt"), "a\nb\n");
    assert_eq!(create("top.txt"), "Created top.txt (2 lines).");
    assert_eq!(create("top.txt"), "top.txt has this content already.");
    let slash = world.tool("fs_create_file").run(json!({ "path": "new/" }));
    assert_eq!(slash.error(), "new/ names a directory: give the name of the file too");
    let names: Vec<_> = world.everything().into_keys().collect();
    assert_eq!(names.len(), 4, "nothing is left beside them: {names:?}");
}

#[test]
fn an_existing_file_is_overwritten_when_a_person_says_so() {
    let world = World::new(&[("a.txt", "old\n")]);
    let arguments = json!({ "path": "a.txt", "content": "new\n" });
    let asked = world.tool("fs_create_file").run(arguments.clone());
    let question = asked.question("overwrite_file");
    assert_eq!(question["answer_type"], "Boolean");
    insta::assert_snapshot!(question["pre_amble"].as_str().unwrap(), @"
    --- a/a.txt
    +++ b/a.txt
    @@ -1 +1 @@
    -old
    +new
    ");
    assert_eq!(world.read("a.txt"), "old\n");
    let no = world.tool("fs_create_file").answer("overwrite_file", false).run(arguments.clone());
    assert_eq!(
        (no.error(), world.read("a.txt").as_str()),
        ("a.txt exists and was not overwritten", "old\n")
    );
    let yes = world.tool("fs_create_file").answer("overwrite_file", true).run(arguments.clone());
    assert_eq!((yes.text(), world.read("a.txt").as_str()), ("Overwrote a.txt (1 line).", "new\n"));
    let odd = world
        .tool("fs_create_file")
        .answer("overwrite_file", "perhaps")
        .run(json!({ "path": "a.txt", "content": "x" }));
    assert!(odd.error().contains("overwrite_file"), "{}", odd.error());
}

#[test]
fn a_change_is_shown_and_asked_about() {
    let world = World::new(&[("a.txt", "one\ntwo\nthree\n")]);
    let arguments = edit("a.txt", "two", "2");
    let asked = world.tool("fs_modify_file").run(arguments.clone());
    let question = asked.question("apply_changes");
    assert_eq!(question["answer_type"], "Boolean");
    insta::assert_snapshot!(question["pre_amble"].as_str().unwrap(), @"
    --- a/a.txt
    +++ b/a.txt
    @@ -1,3 +1,3 @@
     one
    -two
    +2
     three
    ");
    assert_eq!(world.read("a.txt"), "one\ntwo\nthree\n");
    let no = world.tool("fs_modify_file").answer("apply_changes", false).run(arguments.clone());
    assert_eq!(no.error(), "the changes were not accepted; nothing was changed");
    assert_eq!(world.read("a.txt"), "one\ntwo\nthree\n");
    assert_eq!(modify(&world, arguments).text(), "Made 1 replacement in a.txt.");
    assert_eq!(world.read("a.txt"), "one\n2\nthree\n");
    assert_eq!(world.everything().len(), 1);
}

#[test]
fn edits_are_made_one_after_the_other() {
    let world = World::new(&[("a.rs", "fn a() {}\nfn b() {}\nlet x = 1;\n"), ("b.rs", "b\n")]);
    let done = modify(
        &world,
        json!({ "path": "a.rs", "edits": [
        { "old": "fn a", "new": "fn c" },
        { "old": "fn c() {}", "new": "fn d() {}" },
        { "old": r"^fn (\w)\(\)", "new": "pub fn ${1}()", "regex": true, "all": true },
        { "old": "b\n", "new": "B\n", "path": "b.rs" },
    ] }),
    );
    assert_eq!(done.text(), "Made 5 replacements in a.rs, b.rs.");
    assert_eq!(world.read("a.rs"), "pub fn d() {}\npub fn b() {}\nlet x = 1;\n");
    assert_eq!(world.read("b.rs"), "B\n");
}

#[test]
fn one_edit_that_fails_is_no_change_at_all() {
    let world = World::new(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    let before = world.everything();
    let last =
        |edit: Value| json!({ "path": "a.txt", "edits": [{ "old": "a", "new": "x" }, edit] });
    for (arguments, expected) in [
        (
            last(json!({ "old": "nowhere", "new": "x" })),
            "edit 2 in a.txt: `old` does not occur; nothing was changed",
        ),
        (last(json!({ "old": "", "new": "x" })), "edit 2 in a.txt: `old` is empty"),
        (
            last(json!({ "old": "(", "new": "x", "regex": true })),
            "edit 2 in a.txt: regex parse error",
        ),
        (last(json!({ "old": "b", "new": "x", "path": "c.txt" })), "c.txt: No such file"),
        (last(json!({ "old": "x", "new": "x", "path": "./a.txt" })), "named in two ways"),
        (json!({ "path": "a.txt", "edits": [] }), "argument `edits`"),
        (
            json!({ "path": "a.txt", "edits": vec![json!({ "old": "a", "new": "a" }); 1_001] }),
            "argument `edits`",
        ),
    ] {
        let answer = modify(&world, arguments);
        assert!(answer.error().contains(expected), "{}", answer.error());
        assert_eq!(world.everything(), before);
    }
    assert!(modify(&world, edit("a.txt", "a", "a")).text().starts_with("Nothing to change"));
}

#[test]
fn several_matches_are_asked_about() {
    let world = World::new(&[("a.txt", "x = 1\ny = 1\nx = 1\n")]);
    let arguments = edit("a.txt", "x = 1", "x = 2");
    let asked = modify(&world, arguments.clone());
    let question = asked.question("ambiguous_edit_1");
    assert_eq!(
        question["answer_type"],
        json!({ "Select": { "options": ["all", "1", "2", "none"] } })
    );
    assert_eq!(question["pre_amble"], "1: line 1: x = 1\n2: line 3: x = 1\n");
    let answered = |answer: &str| {
        let call = world.tool("fs_modify_file").answer("apply_changes", true);
        call.answer("ambiguous_edit_1", answer).run(arguments.clone())
    };
    for answer in ["none", "7", ""] {
        assert!(answered(answer).error().contains("matches 2 places"), "{answer}");
    }
    assert_eq!(answered("2").text(), "Made 1 replacement in a.txt.");
    assert_eq!(world.read("a.txt"), "x = 1\ny = 1\nx = 2\n");
    world.write("a.txt", "x = 1\ny = 1\nx = 1\n");
    answered("all").text();
    assert_eq!(world.read("a.txt"), "x = 2\ny = 1\nx = 2\n");
}

#[test]
fn changes_that_git_does_not_know_are_asked_about() {
    let world = World::new(&[("a.txt", "a\n"), ("b.txt", "b\n")]);
    world.command("git", &["init", "-q"]);
    world.command("git", &["-c", "user.name=t", "-c", "user.email=t@t", "add", "a.txt"]);
    let commit = ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "first"];
    world.command("git", &commit);
    // Neither a clean file nor one that git does not know is asked about.
    modify(&world, edit("b.txt", "b", "B")).text();
    modify(&world, edit("a.txt", "a", "one")).text();
    let asked = modify(&world, edit("a.txt", "one", "two"));
    let question = asked.question("modify_dirty_file");
    assert_eq!(question["text"], "a.txt has changes that are not committed. Change anyway?");
    let answered = |answer: bool| {
        let call = world.tool("fs_modify_file").answer("apply_changes", true);
        call.answer("modify_dirty_file", answer).run(edit("a.txt", "one", "two"))
    };
    assert!(answered(false).error().contains("uncommitted changes; nothing was changed"));
    assert_eq!(world.read("a.txt"), "one\n");
    answered(true).text();
    assert_eq!(world.read("a.txt"), "two\n");
}

#[test]
fn a_repository_cannot_make_the_question_start_programs() {
    let world = World::new(&[("a.txt", "a\n")]);
    world.command("git", &["init", "-q"]);
    let trap = world.path("trap.sh");
    world.write("trap.sh", format!("#!/bin/sh\ntouch {}\n", world.path("sprung")));
    fs::set_permissions(&trap, fs::Permissions::from_mode(0o755)).unwrap();
    world.command("git", &["add", "a.txt"]);
    world.command("git", &["config", "core.fsmonitor", trap.as_str()]);
    world.write("a.txt", "aa\n");
    modify(&world, edit("a.txt", "aa", "b")).question("modify_dirty_file");
    assert!(!world.path("sprung").exists());
}

#[test]
fn what_is_not_edited_stays_as_it_is() {
    let world = World::new(&[]);
    for (before, old, new, after) in [
        (b"a\r\nb\r\nc\r\n".as_slice(), "a\nb", "x\ny\nz", b"x\r\ny\r\nz\r\nc\r\n".as_slice()),
        (b"a\r\nb\r\n", "a\r\nb", "x\r\ny", b"x\r\ny\r\n"),
        (b"a\r\nb\nc\n", "b", "x\ny", b"a\r\nx\ny\nc\n"),
        (b"\xef\xbb\xbfa\nb\n", "a", "x", b"\xef\xbb\xbfx\nb\n"),
        (b"a\nb", "b", "x", b"a\nx"),
        (b"a\nb\n", "b", "x", b"a\nx\n"),
    ] {
        world.write("f", before);
        fs::set_permissions(world.path("f"), fs::Permissions::from_mode(0o750)).unwrap();
        modify(&world, edit("f", old, new)).text();
        assert_eq!(world.bytes("f"), after);
        assert_eq!(fs::metadata(world.path("f")).unwrap().mode() & 0o777, 0o750);
    }
    // A pattern at the beginning of a line sees no CR and no byte order mark.
    world.write("f", b"\xef\xbb\xbfa\r\nb\r\n");
    let edits = json!([{ "old": "^(.)$", "new": "<$1>", "regex": true, "all": true }]);
    modify(&world, json!({ "path": "f", "edits": edits })).text();
    assert_eq!(world.bytes("f"), b"\xef\xbb\xbf<a>\r\n<b>\r\n");
}

#[test]
fn what_is_no_text_is_not_changed() {
    let world = World::new(&[("dir/x", "")]);
    world.write("latin1", b"caf\xe9 a\n");
    world.write("bin", b"a\0");
    let before = world.everything();
    for (path, expected) in
        [("latin1", "not UTF-8"), ("bin", "binary file"), ("dir", "Is a directory")]
    {
        let answer = modify(&world, edit(path, "a", "b"));
        assert!(answer.error().contains(expected), "{}", answer.error());
    }
    assert_eq!(world.everything(), before);
}

#[test]
fn a_link_and_another_name_still_lead_to_the_file() {
    let world = World::new(&[("real/a.txt", "a\n"), ("b.txt", "b\n")]);
    symlink("real/a.txt", world.path("link")).unwrap();
    fs::hard_link(world.path("b.txt"), world.path("c.txt")).unwrap();
    modify(&world, edit("link", "a", "x")).text();
    assert_eq!(world.read("real/a.txt"), "x\n");
    assert!(world.path("link").is_symlink());
    modify(&world, edit("b.txt", "b", "y")).text();
    assert_eq!(world.read("c.txt"), "y\n");
}

#[test]
fn without_the_right_to_make_files_the_file_itself_is_written() {
    let world = World::new(&[("a.txt", "a\nb\n")]);
    let inode = || fs::metadata(world.path("a.txt")).unwrap().ino();
    let before = inode();
    let rules = json!([{ "path": ".", "read": true, "update": true }]);
    let call = world.tool("fs_modify_file").rules(rules).answer("apply_changes", true);
    call.run(edit("a.txt", "a\n", "")).text();
    assert_eq!((world.read("a.txt").as_str(), inode()), ("b\n", before));
    modify(&world, edit("a.txt", "b", "c")).text();
    assert_ne!(inode(), before);
}

#[test]
fn files_and_empty_directories_are_deleted() {
    let world = World::new(&[("a.txt", "a\n"), ("full/x", ""), ("empty/x", "")]);
    fs::remove_file(world.path("empty/x")).unwrap();
    symlink("a.txt", world.path("link")).unwrap();
    let delete = |path: &str| world.tool("fs_delete_file").run(json!({ "path": path }));
    assert_eq!(delete("link").text(), "Deleted the file link.");
    assert_eq!(delete("a.txt").text(), "Deleted the file a.txt.");
    assert_eq!(delete("empty").text(), "Deleted the directory empty.");
    for path in ["a.txt", "full", "."] {
        assert!(delete(path).is_error(), "{path}");
    }
    assert_eq!(world.everything().len(), 2);
}

#[test]
fn files_and_directories_are_moved() {
    let world = World::new(&[("a.txt", "a\n"), ("dir/x", "x\n"), ("b.txt", "b\n")]);
    let move_to = |source: &str, target: &str| {
        world.tool("fs_move_file").run(json!({ "source": source, "target": target }))
    };
    assert_eq!(move_to("a.txt", "new/deep/a.txt").text(), "Moved a.txt to new/deep/a.txt.");
    assert_eq!(move_to("dir", "new/dir").text(), "Moved dir to new/dir.");
    assert_eq!(world.read("new/dir/x"), "x\n");
    let before = world.everything();
    let asked = move_to("new/deep/a.txt", "b.txt");
    assert_eq!(
        asked.question("overwrite_file")["text"],
        "b.txt exists. Replace it by new/deep/a.txt?"
    );
    assert!(move_to("b.txt", "new").error().contains("is a directory"));
    assert!(move_to("none", "made/c.txt").error().contains("none: No such file"));
    let no = world.tool("fs_move_file").answer("overwrite_file", false);
    assert!(no.run(json!({ "source": "new/deep/a.txt", "target": "b.txt" })).is_error());
    assert_eq!(world.everything(), before);
    let yes = world.tool("fs_move_file").answer("overwrite_file", true);
    yes.run(json!({ "source": "new/deep/a.txt", "target": "b.txt" })).text();
    assert_eq!(world.read("b.txt"), "a\n");
}
