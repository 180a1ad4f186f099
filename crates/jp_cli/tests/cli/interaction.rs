//! Questions on a real terminal.

use std::time::Duration;

use jp_test::Size;

use super::{conversation, workspace};

const LIMIT: Duration = Duration::from_secs(20);
const SIZE: Size = Size { rows: 24, cols: 80 };

#[test]
fn removing_asks_and_does_what_is_answered() {
    let env = workspace();
    let id = conversation(&env);
    let mut terminal = env.jp(["conversation", "rm", id]).pty(SIZE);
    terminal.expect("Remove 17127583920, “Where is *main*?”?", LIMIT).send("n\r");
    terminal.wait(LIMIT).success();
    env.jp(["conversation", "path", id]).run().success();
    let mut terminal = env.jp(["conversation", "rm", id]).pty(SIZE);
    terminal.expect("Remove", LIMIT).send("y\r");
    terminal.wait(LIMIT).success();
    env.jp(["conversation", "path", id]).run().code(1);
}

#[test]
fn a_question_is_seen_while_both_streams_go_into_files() {
    let env = workspace();
    let id = conversation(&env);
    let jp = env!("CARGO_BIN_EXE_jp");
    let script = format!("{jp} conversation rm {id} < /dev/null > out 2> err");
    let mut terminal = env.command("/bin/sh", ["-c", &script]).pty(SIZE);
    terminal.expect("Remove", LIMIT).send("y\r");
    terminal.wait(LIMIT).success();
    assert_eq!(env.read("err"), "removed 17127583920\n");
    env.jp(["conversation", "path", id]).run().code(1);
}

#[test]
fn nobody_is_asked_when_the_user_forbids_it() {
    let env = workspace();
    let id = conversation(&env);
    let terminal = env.jp(["--no-interaction", "conversation", "rm", id]).pty(SIZE);
    terminal.wait(LIMIT).code(3);
}

#[test]
fn ctrl_c_at_a_question_ends_the_program_and_changes_nothing() {
    let env = workspace();
    let id = conversation(&env);
    let jp = env!("CARGO_BIN_EXE_jp");
    // The shell says how it ended, as it would to a person.
    let script = format!("{jp} conversation rm {id}; echo \"code $?\"");
    let mut terminal = env.command("/bin/bash", ["-c", &format!("trap : INT; {script}")]).pty(SIZE);
    terminal.expect("Remove", LIMIT).send("\u{3}");
    terminal.expect("code 130", LIMIT);
    terminal.wait(LIMIT).success();
    env.jp(["conversation", "path", id]).run().success();
}

#[test]
fn init_offers_tools_on_a_terminal() {
    let env = jp_test::env!();
    let mut terminal = env.jp(["init"]).pty(SIZE);
    // The first tool is given up, the others stay.
    terminal.expect("unix_utils", LIMIT).send(" ").send("\r");
    terminal.wait(LIMIT).success();
    let config = env.read(".jp/config.toml");
    assert!(!config.contains("fs_read_file") && config.contains("fs_list_files"), "{config}");
}
