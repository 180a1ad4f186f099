//! However it ends, the terminal is as it was.

use jp_test::{PtyOutput, Signal, Size};
use rustix::process::{Signal as ToOne, kill_process};

use crate::{SOON, dashboard, jp, plugin_pid, workspace};

/// The main screen is back, and so are the cursor and the modes in which people type.
#[track_caller]
fn restored(output: &PtyOutput) {
    let raw = output.raw();
    let last = |on: &str, off: &str| raw.rfind(on) > raw.rfind(off);
    assert!(last("\x1b[?1049l", "\x1b[?1049h"), "the alternate screen stayed: {output}");
    assert!(last("\x1b[?25h", "\x1b[?25l"), "the cursor stayed away: {output}");
    assert!(!output.screen().contains("Refactor"), "{output}");
}

#[test]
fn by_keys() {
    for key in ["q", "\x03"] {
        let env = workspace();
        let mut pty = dashboard(&env, Size::default());
        pty.expect_keys(SOON).send(key);
        restored(&pty.wait(SOON).success());
    }
}

#[test]
fn by_a_shutdown_of_the_host() {
    let env = workspace();
    let pty = dashboard(&env, Size::default());
    pty.signal(Signal::TERM);
    restored(&pty.wait(SOON).success());
}

#[test]
fn by_a_signal_to_the_plugin() {
    let env = workspace();
    let pty = dashboard(&env, Size::default());
    kill_process(plugin_pid(&env), ToOne::TERM).unwrap();
    restored(&pty.wait(SOON).code(143));
}

#[test]
fn by_a_kill_of_the_plugin() {
    // Nobody can draw any more, but the host puts back the modes: what is typed is seen.
    let env = workspace();
    let shell = format!(
        "{} dashboard; stty -a | tr ' ' '\\n' | grep -x -e icanon -e echo",
        jp_test::find_bin("jp")
    );
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    let mut pty = env.command("/bin/sh", ["-c", &shell]).env("PATH", path).pty(Size::default());
    pty.expect_screen("Refactor", SOON);
    kill_process(plugin_pid(&env), ToOne::KILL).unwrap();
    pty.expect("icanon", SOON).expect("echo", SOON);
    let _ = pty.wait(SOON).success();
}

#[test]
fn without_a_terminal_there_is_nothing_to_draw_on() {
    let env = workspace();
    // In a session of its own it has no terminal.
    let jp = jp(&env, &["dashboard"]);
    let output = jp.run().code(1);
    assert!(output.stderr().contains("draws on a terminal, and there is none"), "{output}");
    assert_eq!(output.stdout(), "");
}

#[test]
fn started_by_hand_it_explains_itself() {
    // 072-112, 072-113
    let env = workspace();
    let shell = format!("{} 2> stderr > stdout", env.root().join("bin/jp-dashboard"));
    let output = env.command("/bin/sh", ["-c", &shell]).pty(Size::default()).wait(SOON).code(2);
    assert_eq!((output.screen(), env.read("stdout").as_str()), ("", ""));
    let said = env.read("stderr");
    assert!(said.contains("Usage: jp dashboard") && said.contains("run `jp dashboard`"), "{said}");
}
