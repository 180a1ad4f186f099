//! `jp tool allow`: the rule that `jp tool explain` suggests, written.

use std::time::Duration;

use jp_test::Size;

const LIMIT: Duration = Duration::from_secs(20);
const SIZE: Size = Size { rows: 24, cols: 100 };

const CONFIG: &str = "\
# Ours.
[conversation.tools.lint]
source = \"local\"   # here
command = \"lint\"
runtime = \"vfs\"
";

fn workspace() -> jp_test::TestEnv {
    let env = jp_test::env!();
    env.write(".jp/config.toml", CONFIG);
    env
}

#[test]
fn it_writes_what_explain_suggests() {
    let env = workspace();
    env.jp(["tool", "explain", "lint", "--create", "out"]).run().code(4);
    let words = ["tool", "allow", "lint", "--create", "out", "--yes"];
    let output = env.jp(words).run().success();
    insta::assert_snapshot!(output.stderr(), @r#"
    .jp/config.toml, `conversation.tools.lint.access.fs`:
      { path = ".", read = true }
      { path = "out", read = true, create = true }
    It covers everything below `out` as well.
    What is covered then and not granted is denied, and no longer asked about.
    Written to .jp/config.toml.
    "#);
    insta::assert_snapshot!(env.read(".jp/config.toml"), @r#"
    # Ours.
    [conversation.tools.lint]
    source = "local"   # here
    command = "lint"
    runtime = "vfs"

    [[conversation.tools.lint.access.fs]]
    path = "."
    read = true

    [[conversation.tools.lint.access.fs]]
    path = "out"
    read = true
    create = true
    "#);
    env.jp(["tool", "explain", "lint", "--create", "out"]).run().success();
    let output = env.jp(words).run().success();
    assert_eq!(output.stderr(), "create on out is allowed already.\n");
    let words = ["tool", "allow", "lint", "--url", "https://a.example/x", "-y", "--format", "json"];
    let output = env.jp(words).run().success();
    insta::assert_snapshot!(output.stdout(), @r#"{"file":".jp/config.toml","key":"conversation.tools.lint.access.net","toml":["{ host = \"a.example\", allow = true }"]}"#);
}

#[test]
fn a_person_is_asked_first() {
    let env = workspace();
    let words = ["tool", "allow", "lint", "--command", "cargo check"];
    let mut terminal = env.jp(words).pty(SIZE);
    terminal.expect("Write this?", LIMIT).send("n\r");
    terminal.wait(LIMIT).code(5);
    assert_eq!(env.read(".jp/config.toml"), CONFIG);
    insta::assert_snapshot!(env.jp(words).run().code(3).stderr(), @"
    error: nobody can be asked: Write this?
    hint: --yes writes it without asking
    ");
    let mut terminal = env.jp(words).pty(SIZE);
    terminal.expect("Write this?", LIMIT).send("y\r");
    terminal.wait(LIMIT).success();
    assert!(env.read(".jp/config.toml").ends_with("args = [[\"check\"]]\n"));
}

#[test]
fn what_it_cannot_write_it_says() {
    let env = workspace();
    env.write(".env", "SECRET=1");
    let output = env.jp(["tool", "allow", "lint", "--read", ".env", "-y"]).run().code(4);
    insta::assert_snapshot!(format!("{}{}", output.stdout(), output.stderr()), @"
    It is sensitive (`**/.env`): a person is asked once per run, whatever the rules say.
    error: nothing was written
    ");
    let output = env.jp(["tool", "allow", "lint", "-y"]).run().code(2);
    insta::assert_snapshot!(output.stderr(), @"
    error: nothing is to be allowed
    hint: name one thing, for example `--read PATH`; --help lists them
    ");
    let output = env.jp(["tool", "allow", "lint", "--read", "../x", "-y"]).run().code(4);
    insta::assert_snapshot!(format!("{}{}", output.stdout(), output.stderr()), @"
    No rule can allow it: path escapes the workspace: ../x.
    error: nothing was written
    ");
    env.write(".jp/config.toml", format!("{CONFIG}sandbox.filesystem.allow = ['src']\n"));
    let output = env.jp(["tool", "allow", "lint", "--create", "src/a", "-y"]).run().code(4);
    insta::assert_snapshot!(format!("{}{}", output.stdout(), output.stderr()), @r#"
    To allow it, write this instead of `conversation.tools.lint.sandbox`, which cannot say it:

      [conversation.tools.lint.access]
      fs = [
        { path = "src", read = true },
        { path = "src/a", read = true, create = true },
      ]

    It covers everything below `src/a` as well.
    error: nothing was written
    "#);
}
