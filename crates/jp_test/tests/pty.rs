//! Runs on a terminal: prompts, keys, sizes, and that nothing hangs.

use std::time::Duration;

use crate::{env, failure};
use jp_test::{Pty, Signal, Size, TestEnv};

const SOON: Duration = Duration::from_secs(20);

fn sh(env: &TestEnv, script: &str) -> Pty {
    env.jp(["-c", script]).pty(Size::default())
}

#[test]
fn a_prompt_is_answered_through_the_controlling_terminal() {
    let env = env();
    let script = "printf 'Remove? ' > /dev/tty; read answer < /dev/tty; echo got $answer in $PWD";
    let mut pty = sh(&env, script);
    pty.expect("Remove?", SOON).send("y\r");
    insta::assert_snapshot!(pty.wait(SOON).success(), @r"
    $ sh -c 'printf '\''Remove? '\'' > /dev/tty; read answer < /dev/tty; echo got $answer in $PWD'
    exit code: 0
    --- screen
    Remove? y
    got y in $PROJECT
    ");
}

#[test]
fn all_three_streams_are_the_terminal() {
    let env = env();
    let pty = sh(&env, "test -t 0 && test -t 1 && test -t 2 && echo $TERM");
    assert_eq!(pty.wait(SOON).success().screen(), "xterm-256color");
}

#[test]
fn the_window_has_the_size_that_was_asked_for() {
    let env = env();
    let size = Size { rows: 10, cols: 33 };
    let mut pty = env.jp(["-c", "stty size; read go; stty size"]).pty(size);
    pty.expect("10 33", SOON);
    pty.resize(Size { rows: 11, cols: 44 });
    pty.send("go\r").expect("11 44", SOON);
    let _ = pty.wait(SOON).success();
}

#[test]
fn control_c_interrupts() {
    let env = env();
    let mut pty = sh(&env, "trap 'exit 130' INT; echo ready; while :; do sleep 0.05; done");
    pty.expect("ready", SOON).send("\x03");
    let _ = pty.wait(SOON).code(130);
}

#[test]
fn expectations_go_forward_only() {
    let env = env();
    let mut pty = sh(&env, "echo one; echo two; read end");
    pty.expect("two", SOON);
    let message = failure(|| {
        pty.expect("one", Duration::from_millis(200));
    });
    assert!(message.contains("`one` did not appear"), "{message}");
    assert!(message.contains("--- screen\none\ntwo"), "{message}");
}

#[test]
fn the_end_of_the_program_ends_an_expectation() {
    let env = env();
    let mut pty = sh(&env, "echo over");
    let message = failure(|| {
        pty.expect("more", SOON);
    });
    assert!(message.contains("`more` did not appear"), "{message}");
}

#[test]
fn a_hanging_program_is_killed() {
    let env = env();
    let mut pty = sh(&env, "echo $$; sleep 1000");
    pty.expect("\n", SOON);
    let pid = pty.screen();
    let message = failure(|| pty.wait(Duration::from_millis(200)));
    assert!(message.contains("not finished in time"), "{message}");
    let _ = env.jp(["-c", &format!("! kill -0 {pid}")]).run().success();
}

#[test]
fn signals_reach_the_program() {
    let env = env();
    let mut pty = sh(&env, "trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done");
    pty.expect("ready", SOON);
    pty.signal(Signal::TERM);
    let _ = pty.wait(SOON).code(7);
}
