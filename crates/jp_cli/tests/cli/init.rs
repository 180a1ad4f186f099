//! `jp init`, and how a workspace is found.

use insta::assert_snapshot;

#[test]
fn makes_a_workspace_and_asks_nothing_without_a_terminal() {
    let env = jp_test::env!();
    let output = env.jp(["init"]).run().success();
    assert_snapshot!(output, @"
    $ jp init
    exit code: 0
    --- stdout
    $PROJECT is a workspace. Made:
      .jp/config.toml
      .jp/config.schema.json
      .jp/id
    --- stderr

    See what is configured with `jp config show --origin`.
    ");
    let config = env.read(".jp/config.toml");
    assert!(config.starts_with("#:schema ./config.schema.json\n"), "{config}");
    assert!(config.contains("[conversation.tools.fs_grep_files]"), "{config}");
    let schema: serde_json::Value =
        serde_json::from_str(&env.read(".jp/config.schema.json")).unwrap();
    assert_eq!(schema["type"], "object");
    // What it wrote loads.
    env.jp(["config", "show"]).run().success();
}

#[test]
fn a_second_time_changes_nothing() {
    let env = jp_test::env!();
    env.jp(["init"]).run().success();
    let id = env.read(".jp/id");
    env.write(".jp/config.toml", "# mine\n");
    let output = env.jp(["init"]).run().success();
    assert_snapshot!(output, @"
    $ jp init
    exit code: 0
    --- stdout
    $PROJECT is a workspace already; nothing to do
    ");
    assert_eq!(env.read(".jp/config.toml"), "# mine\n");
    assert_eq!(env.read(".jp/id"), id);
}

#[test]
fn a_workspace_can_be_made_elsewhere() {
    let env = jp_test::env!();
    env.write("sub/file", "");
    env.jp(["init", "sub/new"]).run().success();
    env.jp(["-C", "sub", "init"]).run().success();
    assert_ne!(env.read("sub/.jp/id"), env.read("sub/new/.jp/id"));
}

#[test]
fn a_workspace_is_found_from_below() {
    let env = super::workspace();
    env.write("a/b/file", "");
    for cwd in ["", "a", "a/b"] {
        env.jp(["conversation", "ls"]).cwd(cwd).run().success();
    }
}

#[test]
fn outside_a_workspace_there_is_a_hint() {
    let env = jp_test::env!();
    let output = env.jp(["conversation", "ls"]).run().code(2);
    assert_snapshot!(output, @"
    $ jp conversation ls
    exit code: 2
    --- stderr
    error: no workspace in $PROJECT or any directory above it
    hint: run `jp init` in the directory that should be a workspace
    ");
}

#[test]
fn as_json() {
    let env = jp_test::env!();
    let output = env.jp(["init", "--format", "json"]).run().success();
    let line: serde_json::Value = serde_json::from_str(output.stdout()).unwrap();
    assert_eq!(line["created"][0], ".jp/config.toml");
    assert_eq!(line["id"].as_str().unwrap(), env.read(".jp/id").trim());
}

#[test]
fn something_in_the_way_is_named() {
    let env = jp_test::env!();
    env.write(".jp", "a file");
    let output = env.jp(["init"]).run().code(1);
    assert_snapshot!(output, @"
    $ jp init
    exit code: 1
    --- stderr
    error: cannot create $PROJECT/.jp: File exists (os error 17)
    hint: $PROJECT/.jp has to be a directory; move away what is there
    ");
    let output = env.jp(["-C", "nowhere", "init"]).run().code(2);
    assert_snapshot!(output, @"
    $ jp -C nowhere init
    exit code: 2
    --- stderr
    error: -C nowhere: No such file or directory (os error 2)
    ");
}

#[test]
fn a_broken_id_is_named() {
    let env = super::workspace();
    env.write(".jp/id", "../..\n");
    let output = env.jp(["conversation", "ls"]).run().code(1);
    assert_snapshot!(output, @"
    $ jp conversation ls
    exit code: 1
    --- stderr
    error: $PROJECT/.jp/id does not hold the id of a workspace (letters and digits, at most 64)
    hint: remove $PROJECT/.jp/id; a new id is made
    ");
}
