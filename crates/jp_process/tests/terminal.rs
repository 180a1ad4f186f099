//! A terminal that is lent to a process.
#![cfg(target_os = "linux")]

use std::time::Duration;

use jp_test::{Size, TestEnv};

const SOON: Duration = Duration::from_secs(20);

#[test]
fn whoever_is_lent_the_terminal_gets_the_keys_and_it_comes_back_as_it_was() {
    let fixture = env!("CARGO_BIN_EXE_process_fixture");
    let env = TestEnv::new(fixture);
    let mut pty = env.jp(["parent", "lend", fixture, "-"]).pty(Size::default());
    pty.expect("lent", SOON).send("one\r").expect("child got one", SOON);
    // Control-C is for the child alone: its parent goes on, and can read lines again.
    pty.send("\x03").expect("child interrupted", SOON);
    pty.expect("back: was ended by SIGKILL", SOON).send("two\r").expect("parent got two", SOON);
    let _ = pty.wait(SOON).success();
}
