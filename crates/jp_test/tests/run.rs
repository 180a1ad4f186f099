//! Runs with pipes: what is captured, how it prints, and that nothing hangs.

use std::time::{Duration, Instant};

use crate::{env, failure};
use jp_test::{Run, Signal, TestEnv};

fn sh<'env>(env: &'env TestEnv, script: &str) -> Run<'env> {
    env.jp(["-c", script])
}

#[test]
fn a_run_prints_as_a_snapshot() {
    let env = env();
    let output = sh(&env, "pwd; echo $HOME >&2; exit 3").run().code(3);
    insta::assert_snapshot!(output, @r"
    $ sh -c 'pwd; echo $HOME >&2; exit 3'
    exit code: 3
    --- stdout
    $PROJECT
    --- stderr
    $HOME
    ");
}

#[test]
fn silence_and_a_missing_newline_are_shown() {
    let env = env();
    insta::assert_snapshot!(sh(&env, ":").run(), @r"
    $ sh -c :
    exit code: 0
    ");
    insta::assert_snapshot!(sh(&env, "printf x").run(), @r"
    $ sh -c 'printf x'
    exit code: 0
    --- stdout
    x
    [no newline at end]
    ");
}

#[test]
fn ids_and_times_are_hidden_on_request() {
    let env = env();
    let output = sh(&env, "echo 17127583920 2026-11-15T19:42:07Z word").run().success();
    assert_eq!(output.stdout(), "17127583920 2026-11-15T19:42:07Z word\n");
    let output = output.hide_ids().hide_times().replace("word", "<word>");
    assert_eq!(output.normalized_stdout(), "<id> <time> <word>\n");
}

#[test]
fn directory_variables_and_input_can_be_set() {
    let env = env();
    env.write("sub/here", "");
    let output = sh(&env, "ls; echo $A ${HOME-none}; cat")
        .cwd("sub")
        .env("A", "b")
        .env_remove("HOME")
        .stdin("typed\n")
        .run()
        .success();
    assert_eq!(output.stdout(), "here\nb none\ntyped\n");
}

#[test]
fn input_is_empty_unless_given() {
    let env = env();
    assert_eq!(sh(&env, "cat; echo end").run().success().stdout(), "end\n");
}

#[test]
fn large_input_and_output_do_not_block_each_other() {
    let env = env();
    let text = "0123456789abcde\n".repeat(100_000);
    let output = sh(&env, "tee /dev/stderr").stdin(text.clone()).run().success();
    assert!(output.stdout() == text && output.stderr() == text);
}

#[test]
fn bytes_are_kept() {
    let env = env();
    let output = sh(&env, r"printf '\377\000a'").run().success();
    assert_eq!(output.stdout_bytes(), b"\xff\0a");
    assert_eq!(output.stdout(), "\u{fffd}\0a");
    assert_eq!(output.stderr_bytes(), b"");
}

#[test]
fn a_wrong_exit_code_shows_the_run() {
    let env = env();
    let message = failure(|| sh(&env, "echo reason >&2; exit 4").run().success());
    assert!(message.contains("expected exit code 0"), "{message}");
    assert!(message.contains("exit code: 4\n--- stderr\nreason"), "{message}");
}

#[test]
fn a_hanging_program_is_killed_with_its_children() {
    let env = env();
    let script = "echo before; sleep 1000 & echo $! > pid; wait";
    let start = Instant::now();
    let message = failure(|| sh(&env, script).timeout(Duration::from_secs(1)).run());
    assert!(start.elapsed() < Duration::from_secs(20));
    assert!(message.contains("not finished in time"), "{message}");
    assert!(message.contains("--- stdout\nbefore"), "{message}");
    assert_gone(env.read("pid").trim());
}

#[test]
fn a_program_left_behind_is_reported_and_killed() {
    let env = env();
    let script = "sleep 1000 & echo $! > pid";
    let message = failure(|| sh(&env, script).timeout(Duration::from_secs(1)).run());
    assert!(message.contains("kept its output open"), "{message}");
    assert_gone(env.read("pid").trim());
}

#[test]
fn a_running_program_can_be_watched_and_signalled() {
    let env = env();
    let running =
        sh(&env, "trap 'echo caught; exit 7' TERM; echo ready; while :; do sleep 0.05; done")
            .spawn();
    running.expect_stdout("ready");
    assert_eq!(running.stdout_so_far(), "ready\n");
    assert!(running.id() > 1);
    running.signal(Signal::TERM);
    let output = running.wait();
    assert_eq!(output.exit_code(), Some(7), "{output}");
    assert_eq!(output.stdout(), "ready\ncaught\n");
}

#[test]
fn waiting_for_words_that_never_come_fails_at_the_end() {
    let env = env();
    let running = sh(&env, "echo something else").spawn();
    let message = failure(|| running.expect_stdout("ready"));
    assert!(message.contains("`ready` was not printed"), "{message}");
}

#[test]
fn a_killed_program_says_so() {
    let env = env();
    let output = sh(&env, "kill -9 $$").run();
    assert_eq!((output.exit_code(), output.signal()), (None, Some(9)));
    assert!(output.to_string().contains("ended by signal 9"));
}

#[test]
fn dropping_a_running_program_kills_it() {
    let env = env();
    let running = sh(&env, "sleep 1000 & echo $! > pid; echo ready; wait").spawn();
    running.expect_stdout("ready");
    drop(running);
    assert_gone(env.read("pid").trim());
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let env = env();
    let message = failure(|| env.command("/no/such/program", ["x"]).run());
    assert!(message.contains("cannot start `$ program x`"), "{message}");
}

/// A killed process may stay visible for a moment, until its new parent has looked.
#[track_caller]
fn assert_gone(pid: &str) {
    let env = env();
    let script = format!(
        "for i in $(seq 200); do kill -0 {pid} || exit 0; grep -q '^State:.Z' /proc/{pid}/status && exit 0; sleep 0.05; done; exit 1"
    );
    let _ = sh(&env, &script).run().success();
}
