//! Changes that are kept apart: shown, asked about, judged, made or thrown away.

use std::time::Duration;

use insta::assert_snapshot;
use jp_test::{Size, TestEnv};

use super::{script, world};

const LIMIT: Duration = Duration::from_secs(20);
const SIZE: Size = Size { rows: 40, cols: 100 };

/// Makes, changes and removes something.
const WORK: &str = "echo new > made; echo changed > old; rm gone; mkdir -p d/e; cat made old";

fn workspace() -> TestEnv {
    let env = world();
    env.write("old", "as it was\n");
    env.write("gone", "soon\n");
    env
}

/// What is in the workspace, in one line.
fn state(env: &TestEnv) -> String {
    let list =
        "find . -not -path './.jp*' -type d; grep -r . --exclude-dir=.jp --exclude=*.toml . | sort";
    let output = env.command("/bin/sh", ["-c", list]).run();
    output.stdout().trim_end().replace('\n', " ")
}

#[test]
fn a_dry_run_shows_everything_and_changes_nothing() {
    let env = workspace();
    let before = state(&env);
    assert_snapshot!(script(&env, &["--dry-run"], WORK).run().success(), @"
    $ jp sandbox run --dry-run -- /bin/sh -c 'echo new > made; echo changed > old; rm gone; mkdir -p d/e; cat made old'
    exit code: 0
    --- stdout
    new
    changed
    + d: new directory
    + d/e: new directory
    - gone: file removed, 5 bytes
    @@ -1 +0,0 @@
    -soon
    + made: new file, 4 bytes, mode 644
    @@ -0,0 +1 @@
    +new
    ~ old: changed, 8 bytes
    @@ -1 +1 @@
    -as it was
    +changed
    ");
    assert_eq!(state(&env), before);
    assert_snapshot!(script(&env, &["--dry-run"], "true").run().success(), @"
    $ jp sandbox run --dry-run -- /bin/sh -c true
    exit code: 0
    --- stderr
    It would change nothing.
    ");
    // The program's own code stays.
    script(&env, &["--dry-run"], "echo > x; exit 5").run().code(5);
    assert_eq!(state(&env), before);
    assert_eq!(left_over(&env), 0);
}

#[test]
fn a_review_does_what_is_answered() {
    let env = workspace();
    let before = state(&env);
    let mut terminal = script(&env, &["--review"], WORK).pty(SIZE);
    terminal.expect("~ old", LIMIT).expect("Make these 5 changes?", LIMIT).send("n\r");
    let output = terminal.wait(LIMIT).code(5);
    assert!(output.screen().contains("Declined: 5 changes thrown away."), "{}", output.screen());
    assert_eq!(state(&env), before);
    let mut terminal = script(&env, &["--review"], WORK).pty(SIZE);
    terminal.expect("Make these 5 changes?", LIMIT).send("y\r");
    terminal.wait(LIMIT).success();
    assert_snapshot!(state(&env), @". ./d ./d/e ./made:new ./old:changed");
    assert_eq!(left_over(&env), 0);
}

#[test]
fn ctrl_c_at_the_question_changes_nothing() {
    let env = workspace();
    let before = state(&env);
    let mut terminal = script(&env, &["--review"], WORK).pty(SIZE);
    terminal.expect("Make these 5 changes?", LIMIT).send("\u{3}");
    terminal.wait(LIMIT).code(130);
    assert_eq!(state(&env), before);
    script(&env, &["--dry-run"], "true").run().success();
    assert_eq!(left_over(&env), 0);
}

#[test]
fn a_review_with_nobody_to_ask_changes_nothing() {
    let env = workspace();
    let before = state(&env);
    let output = script(&env, &["--review"], "echo changed > old").run().code(3);
    assert_snapshot!(output, @"
    $ jp sandbox run --review -- /bin/sh -c 'echo changed > old'
    exit code: 3
    --- stderr
    error: nobody can be asked whether to make the changes, so nothing was run
    hint: use --dry-run to only see them, or run it in a terminal
    ");
    assert_eq!(state(&env), before);
}

#[test]
fn refused_changes_are_named_and_the_others_made() {
    let env = workspace();
    env.write(
        "policy.toml",
        "[access]\nfs = [{ path = \".\", read = true, create = true }, { path = \"d\", read = true, write = true }]\n",
    );
    let output = script(&env, &["--policy", "policy.toml"], WORK).run().code(4);
    assert_snapshot!(output, @"
    $ jp sandbox run --policy policy.toml -- /bin/sh -c 'echo new > made; echo changed > old; rm gone; mkdir -p d/e; cat made old'
    exit code: 4
    --- stdout
    new
    changed
    --- stderr

    Refused by the policy, and not made:
      gone: the rule for `.` does not grant delete
      old: the rule for `.` does not grant update
    ");
    assert_snapshot!(state(&env), @". ./d ./d/e ./gone:soon ./made:new ./old:as it was");
    // The program's own code comes first, because whoever called it knows what it means.
    script(&env, &["--policy", "policy.toml"], "rm gone; exit 9").run().code(9);
    assert_eq!(env.read("gone"), "soon\n");
}

/// What the program itself cannot see is told to the person, also when it thinks that all went well.
#[test]
fn refused_changes_are_named_where_nothing_is_seen() {
    let env = workspace();
    env.write(
        "policy.toml",
        "[access]\nfs = [{ path = \".\", read = true, write = true }, { path = \"private\" }]\n",
    );
    let work = "mkdir private; echo x > private/key; echo x > made";
    let output = script(&env, &["--policy", "policy.toml"], work).run().code(4);
    assert_snapshot!(output, @"
    $ jp sandbox run --policy policy.toml -- /bin/sh -c 'mkdir private; echo x > private/key; echo x > made'
    exit code: 4
    --- stderr

    Refused by the policy, and not made:
      private: the rule for `private` does not grant create
      private/key: the rule for `private` does not grant create
    ");
    assert!(!env.path("private").exists() && env.read("made") == "x\n");
}

#[test]
fn secrets_are_neither_read_nor_written() {
    let env = workspace();
    env.write(".env", "TOKEN=1\n");
    let output = script(&env, &[], "cat .env; rm -f .env; echo TOKEN=2 > .env").run().code(4);
    assert_snapshot!(output, @"
    $ jp sandbox run -- /bin/sh -c 'cat .env; rm -f .env; echo TOKEN=2 > .env'
    exit code: 4
    --- stderr
    cat: .env: Permission denied

    Protected, and not made:
      .env: it is sensitive, and nobody said yes to it
      to allow what is sensitive: --allow-sensitive PATH
    ");
    assert_eq!(env.read(".env"), "TOKEN=1\n");
}

/// How many change sets lie in the cache.
fn left_over(env: &TestEnv) -> usize {
    super::endings::change_sets(env).len()
}
