//! How changes are shown: once, on standard output, in a length that somebody can read.

use std::time::Duration;

use insta::assert_snapshot;
use jp_test::{Size, TestEnv};

use super::{script, world};

const LIMIT: Duration = Duration::from_secs(20);
const SIZE: Size = Size { rows: 60, cols: 100 };

fn workspace() -> TestEnv {
    let env = world();
    env.write("old", "as it was\n");
    env
}

#[test]
fn a_line_for_each_change() {
    let env = workspace();
    let work =
        "seq 3 > made; echo changed > old; mkdir d; ln -s old link; head -c 9 /dev/zero > zero";
    let output = script(&env, &["--dry-run", "--stat"], work).run().success();
    assert_snapshot!(output.stdout(), @"
    + d: new directory
    + link: new link to old
    + made: new file, 6 bytes, mode 644 (+3 -0)
    ~ old: changed, 8 bytes (+1 -1)
    + zero: new file, 9 bytes, mode 644
    ");
    assert_snapshot!(script(&env, &["--stat"], "true").run().code(2).stderr(), @"
    error: --stat needs --dry-run or --review
    hint: a run that changes things shows nothing of them
    ");
}

#[test]
fn quiet_leaves_the_result() {
    let env = workspace();
    let output = script(&env, &["-q", "--dry-run"], "echo changed > old").run().success();
    assert_eq!(output.stdout(), "~ old: changed, 8 bytes\n@@ -1 +1 @@\n-as it was\n+changed\n");
    let output = script(&env, &["-q", "--dry-run"], "true").run().success();
    assert_eq!((output.stdout(), output.stderr()), ("", ""));
}

#[test]
fn much_is_shown_in_part_and_counted() {
    let env = workspace();
    let output = script(&env, &["--dry-run"], "seq 300 > long").run().success();
    assert_eq!(output.stdout().lines().count(), 203, "{output}");
    assert!(output.stdout().ends_with("+200\n  (100 more lines are not shown)\n"), "{output}");
    let many = "for n in $(seq 100 159); do echo $n > f$n; done";
    let output = script(&env, &["--dry-run"], many).run().success();
    let rest = "+149\n… and 10 more changes not shown (--stat shows a line for each)\n";
    assert!(output.stdout().ends_with(rest), "{output}");
    let output = script(&env, &["--dry-run", "--stat"], many).run().success();
    assert_eq!(output.stdout().lines().count(), 60, "{output}");
    let both = "for n in $(seq 30); do seq 300 > f$n; done";
    let output = script(&env, &["--dry-run"], both).run().success();
    assert!((2_000..2_300).contains(&output.stdout().lines().count()), "{output}");
    // Who says yes is told of what he has not seen.
    let mut terminal = script(&env, &["--review"], many).pty(SIZE);
    terminal.expect("Make these 60 changes (10 of them not shown)?", LIMIT).send("n\r");
    terminal.wait(LIMIT).code(5);
}

/// Each reason calls for another answer.
#[test]
fn what_is_not_made_is_told_by_its_kind_and_once() {
    let env = workspace();
    env.write("theirs", "before\n");
    env.write(
        "policy.toml",
        "[access]\nfs = [{ path = \".\", read = true, create = true, update = true }]\n",
    );
    let work = "echo ready; read line; rm old; ln -s /etc/shadow link; mkfifo pipe; echo x > .jp.toml; \
                echo mine > theirs; mkdir -p d; echo made > d/made";
    let work = format!("{work}; mv old2 d/old2");
    env.write("old2", "moved\n");
    let running = script(&env, &["--policy", "policy.toml", "--dry-run"], &work).stdin("\n");
    let running = script_with_conflict(&env, running);
    assert_snapshot!(running, @"
    Some(4)
    ready
    + d: new directory
    + d/made: new file, 5 bytes, mode 644
    @@ -0,0 +1 @@
    +made
    + d/old2: new file, 6 bytes, mode 644
    @@ -0,0 +1 @@
    +moved
    ---

    Refused by the policy, and would not be made:
      old: the rule for `.` does not grant delete
      old2: the rule for `.` does not grant delete

    Protected, and would not be made:
      .jp.toml: it holds settings of jp, and no rule names it

    Links that lead elsewhere, and would not be made:
      link: the link leads out of the workspace, to `/etc/shadow`

    Changed by somebody else meanwhile, and left as it is:
      theirs: it was changed by somebody else while the tool ran

    Left out, because it is no file:
      pipe
    ");
}

/// Somebody saves a file while the program runs.
fn script_with_conflict(env: &TestEnv, run: jp_test::Run<'_>) -> String {
    let running = run.spawn();
    running.expect_stdout("ready");
    env.write("theirs", "theirs\n");
    let output = running.wait();
    format!("{:?}\n{}---\n{}", output.exit_code(), output.stdout(), output.normalized_stderr())
}

#[test]
fn a_review_is_seen_while_the_output_goes_into_a_file() {
    let env = workspace();
    let jp = env!("CARGO_BIN_EXE_jp");
    let line =
        format!("{jp} sandbox run --review -- sh -c 'echo new > old; echo printed' > out 2> err");
    let mut terminal = env.command("/bin/sh", ["-c", &line]).pty(SIZE);
    terminal.expect("+new", LIMIT).expect("Make this change?", LIMIT).send("y\r");
    terminal.wait(LIMIT).success();
    assert_eq!((env.read("out"), env.read("err")), ("printed\n".to_owned(), String::new()));
    assert_eq!(env.read("old"), "new\n");
}

#[test]
fn a_diff_on_a_terminal_has_colors() {
    let env = workspace();
    let output = script(&env, &["--dry-run"], "echo new > old").pty(SIZE).wait(LIMIT).success();
    assert!(output.raw().contains("\u{1b}["), "{}", output.raw());
    assert!(output.screen().contains("+new"), "{}", output.screen());
}
