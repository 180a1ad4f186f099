//! What a call changes, before it has changed it.

use super::*;

fn writer(end: &str) -> TestEnv {
    let env = with_script(&format!(
        "{}echo new > made; echo changed > old; rm -f gone; echo done; {end}",
        described("{}")
    ));
    env.write("old", "old\n");
    env.write("gone", "still here\n");
    env
}

fn is_unchanged(env: &TestEnv) -> bool {
    !env.path("made").exists() && env.read("old") == "old\n" && env.path("gone").exists()
}

#[test]
fn a_dry_run_shows_and_changes_nothing() {
    let env = writer("");
    insta::assert_snapshot!(run(&env, &["t", "--dry-run"]).run(), @"
    $ jp tool run t --dry-run
    exit code: 0
    --- stdout
    - gone: file removed, 11 bytes
    @@ -1 +0,0 @@
    -still here
    + made: new file, 4 bytes, mode 644
    @@ -0,0 +1 @@
    +new
    ~ old: changed, 8 bytes
    @@ -1 +1 @@
    -old
    +changed
    done

    This was a dry run: nothing was changed.
    ");
    assert!(is_unchanged(&env));
    insta::assert_snapshot!(run(&env, &["t", "--dry-run", "--stat"]).run(), @"
    $ jp tool run t --dry-run --stat
    exit code: 0
    --- stdout
    - gone: file removed, 11 bytes (+0 -1)
    + made: new file, 4 bytes, mode 644 (+1 -0)
    ~ old: changed, 8 bytes (+1 -1)
    done

    This was a dry run: nothing was changed.
    ");
    let env = with_script(&(described("{}") + "echo done"));
    insta::assert_snapshot!(run(&env, &["t", "--dry-run"]).run(), @"
    $ jp tool run t --dry-run
    exit code: 0
    --- stdout
    done

    This was a dry run: nothing was changed.
    --- stderr
    It would change nothing.
    ");
    run(&writer("exit 3"), &["t", "--dry-run"]).run().code(1);
}

#[test]
fn a_review_asks() {
    let env = writer("");
    insta::assert_snapshot!(run(&env, &["t", "--review"]).run(), @"
    $ jp tool run t --review
    exit code: 3
    --- stderr
    error: nobody can be asked whether to make the changes
    hint: --dry-run shows them without making them
    ");
    assert!(is_unchanged(&env));
    let mut terminal = run(&env, &["t", "--review"]).pty(SIZE);
    terminal.expect("+changed", LIMIT).expect("Make these changes?", LIMIT).send("n\r");
    let output = terminal.wait(LIMIT).code(5);
    assert!(output.screen().contains("t: its changes were declined and not made"), "{output}");
    assert!(is_unchanged(&env));
    let mut terminal = run(&env, &["t", "--review"]).pty(SIZE);
    terminal.expect("Make these changes?", LIMIT).expect_keys(LIMIT).send("\u{3}");
    terminal.wait(LIMIT).code(130);
    assert!(is_unchanged(&env));
    // What was held back is gone at once, and not only after the next call.
    let kept = env.cache_home().join("jp/changes").read_dir_utf8().into_iter().flatten().count();
    assert_eq!(kept, 0);
    let mut terminal = run(&env, &["t", "--review"]).pty(SIZE);
    terminal.expect("Make these changes?", LIMIT).send("y\r");
    terminal.wait(LIMIT).success();
    assert_eq!((env.read("made"), env.read("old")), ("new\n".into(), "changed\n".into()));
    assert!(!env.path("gone").exists());
    // Where there is nothing to look at, nobody has to.
    let env = with_script(&(described("{}") + "echo done"));
    let output = run(&env, &["t", "--review"]).pty(SIZE).wait(LIMIT).success();
    assert!(output.screen().contains("It would change nothing."), "{output}");
}

/// Who wants to see changes first must not get them made.
#[test]
fn without_a_sandbox_there_is_no_dry_run() {
    let env = writer("");
    env.write(".jp/config.toml", local("t", "./t.sh") + "[sandbox]\ndefault = \"off\"\n");
    insta::assert_snapshot!(run(&env, &["t", "--dry-run"]).run(), @r#"
    $ jp tool run t --dry-run
    exit code: 4
    --- stderr
    error: changes cannot be kept apart, so they cannot be shown before they are made
      the sandbox is turned off: `[sandbox] default = "off"`
    "#);
    assert!(is_unchanged(&env));
    let stateful = r#"read -r line
case $line in *'"action":"schema"'*) echo '{"tools":[{"name":"t","actions":["spawn"],"parameters":{}}]}'; exit;; esac
echo new > made; echo '{"type":"stopped","result":"done"}'"#;
    program(&env, "t.sh", stateful);
    run(&env, &["t", "--dry-run"]).run().code(4);
    assert!(is_unchanged(&env));
    run(&env, &["t", "--review"]).pty(SIZE).wait(LIMIT).code(4);
    assert!(is_unchanged(&env));
    run(&env, &["t"]).run().success();
    assert_eq!(env.read("made"), "new\n");
}

/// A tool that stays alive is called once under the same conditions.
#[test]
fn a_dry_run_of_a_tool_that_stays_alive() {
    let env = with_script(
        r#"read -r line
case $line in *'"action":"schema"'*) echo '{"tools":[{"name":"t","actions":["spawn","fetch","abort"],"parameters":{}}]}'; exit;; esac
echo new > made; echo '{"type":"stopped","result":"done"}'"#,
    );
    let output = run(&env, &["t", "--dry-run"]).run().success();
    assert!(output.stdout().contains("+new"), "{output}");
    assert!(!env.path("made").exists());
    // One that outlives the call cannot be held back, so it is not started.
    let spawn = r#"{"action":"spawn","id":"a"}"#;
    let output = run(&env, &["t", "--dry-run", "--json", spawn]).run().code(2);
    assert!(output.stderr().contains("call it without `action`"), "{output}");
    assert!(!env.path("made").exists());
    run(&env, &["t"]).run().success();
    assert_eq!(env.read("made"), "new\n");
}
