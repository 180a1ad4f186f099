//! However a run ends, nothing is left of it: no process, no file, no change set.

#![expect(clippy::disallowed_methods, reason = "tests look at what is left on the machine")]

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    time::{Duration, Instant},
};

use jp_test::{Size, TestEnv};
use rustix::process::{Pid, Signal, kill_process};

use super::{script, world};

const LIMIT: Duration = Duration::from_secs(20);
const SIZE: Size = Size { rows: 24, cols: 80 };

/// Leaves a child, a daemon in a session of its own and a file behind, and waits.
fn busy(mark: &str) -> String {
    format!(
        "sleep {mark} & setsid sleep {mark} & echo changed > old; echo made > made; echo ready; wait"
    )
}

/// A time to sleep that no other test uses.
fn mark(env: &TestEnv) -> String {
    let name = env.root().file_name().unwrap_or_default();
    let digits: String = name.bytes().map(|byte| (byte % 10).to_string()).collect();
    format!("300.{digits}")
}

fn workspace() -> TestEnv {
    let env = world();
    env.write("old", "as it was");
    env.write("bin/\u{e9}", [0, 159, 146, 150]);
    env
}

#[test]
fn what_a_program_leaves_behind_ends_with_it() {
    let env = workspace();
    let mark = mark(&env);
    let script = script(&env, &[], &busy(&mark).replace("wait", "exit 6"));
    script.run().code(6);
    assert_eq!(processes(&mark), Vec::<String>::new());
}

#[test]
fn ctrl_c_ends_the_program() {
    let env = workspace();
    let mark = mark(&env);
    let mut terminal = script(&env, &["--dry-run"], &busy(&mark)).pty(SIZE);
    terminal.expect("ready", LIMIT).send("\u{3}");
    terminal.wait(LIMIT).code(130);
    assert_eq!(processes(&mark), Vec::<String>::new());
    assert_eq!(change_sets(&env), Vec::<String>::new());
}

/// Half of a job is not what anybody asked for, so what was kept apart is thrown away.
#[test]
fn an_interrupted_call_changes_nothing() {
    let env = workspace();
    env.write(".env", "TOKEN=1");
    let before = bytes_of(&env);
    let mark = mark(&env);
    let mut terminal = script(&env, &[], &busy(&mark)).pty(SIZE);
    terminal.expect("ready", LIMIT).send("\u{3}");
    let output = terminal.wait(LIMIT).code(130);
    let said = "Interrupted: 2 changes thrown away, nothing was changed.";
    assert!(output.screen().contains(said), "{}", output.screen());
    assert_eq!(bytes_of(&env), before);
    // Also when the program calls it a success.
    let polite = "trap 'exit 0' TERM; echo made > made; echo ready; while :; do sleep 0.01; done";
    let running = script(&env, &[], polite).spawn();
    running.expect_stdout("ready");
    running.signal(Signal::TERM);
    let output = running.wait().code(143);
    assert!(output.stderr().contains("1 change thrown away"), "{output}");
    assert_eq!(bytes_of(&env), before);
    assert_eq!(change_sets(&env), Vec::<String>::new());
}

#[test]
fn a_program_may_answer_ctrl_c_and_not_the_second() {
    let env = workspace();
    let polite = "trap 'echo; echo asked; exit 3' INT; echo ready; while :; do sleep 0.01; done";
    let mut terminal = script(&env, &[], polite).pty(SIZE);
    terminal.expect("ready", LIMIT).send("\u{3}");
    terminal.expect("asked", LIMIT);
    terminal.wait(LIMIT).code(3);
    let deaf = "trap 'echo heard' INT; echo ready; while :; do sleep 0.01; done";
    let mut terminal = script(&env, &[], deaf).pty(SIZE);
    terminal.expect("ready", LIMIT).send("\u{3}");
    terminal.expect("heard", LIMIT).send("\u{3}");
    terminal.wait(LIMIT).code(137);
}

#[test]
fn a_program_reads_what_is_typed() {
    let env = workspace();
    let mut terminal = script(&env, &[], "echo ready; read line; echo \"got $line\"").pty(SIZE);
    terminal.expect("ready", LIMIT).send("hello\r");
    terminal.expect("got hello", LIMIT);
    terminal.wait(LIMIT).success();
}

/// Nothing can be cleaned up by a program that is killed, so the kernel has to, and the next run.
#[test]
fn sigkill_leaves_no_process_and_a_clean_workspace() {
    let env = workspace();
    let mark = mark(&env);
    let before = bytes_of(&env);
    let running = script(&env, &["--dry-run"], &busy(&mark)).spawn();
    running.expect_stdout("ready");
    until(&mark, 2);
    assert_ne!(change_sets(&env), Vec::<String>::new());
    kill_process(Pid::from_raw(running.id().cast_signed()).unwrap(), Signal::KILL).unwrap();
    // Waits for the end of everything that has its output open.
    assert_eq!(running.wait().signal(), Some(9));
    until(&mark, 0);
    assert_eq!(bytes_of(&env), before);
    script(&env, &["--dry-run"], "true").run().success();
    assert_eq!(change_sets(&env), Vec::<String>::new());
    assert_eq!(bytes_of(&env), before);
}

/// The names of what is kept in the cache until it is judged.
pub(super) fn change_sets(env: &TestEnv) -> Vec<String> {
    let store = env.cache_home().join("jp/changes");
    let entries = store.read_dir_utf8().into_iter().flatten().flatten();
    entries.map(|entry| entry.file_name().to_owned()).collect()
}

/// Waits until so many processes sleep for this time.
fn until(mark: &str, count: usize) {
    let deadline = Instant::now() + LIMIT;
    while processes(mark).len() != count {
        assert!(Instant::now() < deadline, "{:?}", processes(mark));
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The command lines of all processes that sleep for this time.
fn processes(mark: &str) -> Vec<String> {
    let entries = fs::read_dir("/proc").expect("there is a /proc").flatten();
    let lines = entries.filter_map(|entry| fs::read(entry.path().join("cmdline")).ok());
    let lines = lines.map(|line| String::from_utf8_lossy(&line).replace('\0', " "));
    lines.filter(|line| line.starts_with("sleep") && line.contains(mark)).collect()
}

/// Every file of the workspace.
fn bytes_of(env: &TestEnv) -> BTreeMap<String, Vec<u8>> {
    fn walk(directory: &Path, all: &mut BTreeMap<String, Vec<u8>>) {
        for entry in fs::read_dir(directory).expect("it can be listed").flatten() {
            let path = entry.path();
            if path.is_dir() {
                walk(&path, all);
            }
            all.insert(path.display().to_string(), fs::read(&path).unwrap_or_default());
        }
    }
    let mut all = BTreeMap::new();
    walk(env.project().as_std_path(), &mut all);
    all
}
