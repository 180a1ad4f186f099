//! A call that is interrupted, terminated, or not read to its end.

use jp_test::Signal;

use super::*;

/// Says that it is there, leaves children everywhere, and waits.
fn busy(more: &str) -> (TestEnv, String) {
    let env = with_script("");
    let mark = mark(&env);
    let script = format!(
        "{more}\nsetsid sleep {mark} & echo half > half; : > ready; while :; do sleep {mark}; done"
    );
    program(&env, "t.sh", &(described("{}") + &script));
    (env, mark)
}

/// Waits until the tool is at work. What it writes is there at once, because nothing is held back.
fn until_ready(env: &TestEnv) {
    let deadline = std::time::Instant::now() + LIMIT;
    while !env.path("ready").exists() {
        assert!(std::time::Instant::now() < deadline, "it did not start");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits for what the kernel ends when jp itself is gone already.
fn until_gone(mark: &str) {
    let deadline = std::time::Instant::now() + LIMIT;
    while !sleepers(mark).is_empty() {
        assert!(std::time::Instant::now() < deadline, "{:?}", sleepers(mark));
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn control_c_ends_the_tool() {
    let (env, mark) = busy("");
    let mut terminal = run(&env, &["t", "--conversation", "new"]).pty(SIZE);
    until_ready(&env);
    terminal.send("\u{3}");
    let output = terminal.wait(LIMIT).code(130);
    assert!(output.screen().contains("t was cancelled"), "{output}");
    assert_eq!(sleepers(&mark), Vec::<String>::new());
    // The conversation knows how it ended.
    let shown = env.jp(["--format", "json", "conversation", "show", "last"]).run().success();
    let last = objects(&shown).pop().unwrap();
    assert_eq!((&last["type"], &last["is_error"]), (&"tool_call_response".into(), &true.into()));
}

#[test]
fn a_second_control_c_does_not_wait() {
    let (env, mark) = busy("trap '' TERM INT HUP");
    let mut terminal = run(&env, &["t"]).pty(SIZE);
    until_ready(&env);
    let started = std::time::Instant::now();
    terminal.send("\u{3}");
    std::thread::sleep(Duration::from_millis(200));
    terminal.send("\u{3}");
    terminal.wait(LIMIT).code(130);
    assert!(started.elapsed() < Duration::from_secs(5));
    until_gone(&mark);
}

#[test]
fn a_termination_ends_the_tool() {
    let (env, mark) = busy("");
    let running = run(&env, &["t"]).spawn();
    until_ready(&env);
    running.signal(Signal::TERM);
    running.wait().code(130);
    assert_eq!(sleepers(&mark), Vec::<String>::new());
}

/// Nobody can clean up after being killed, so the kernel does.
#[test]
fn a_killed_jp_takes_its_tool_along() {
    let (env, mark) = busy("");
    let running = run(&env, &["t"]).spawn();
    until_ready(&env);
    running.signal(Signal::KILL);
    assert_eq!(running.wait().signal(), Some(9));
    until_gone(&mark);
}

/// What is held back is thrown away with the call.
#[test]
fn an_interrupted_dry_run_changes_nothing() {
    let (env, mark) = busy("");
    let running = run(&env, &["t", "--dry-run"]).spawn();
    let deadline = std::time::Instant::now() + LIMIT;
    while sleepers(&mark).len() < 2 {
        assert!(std::time::Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(10));
    }
    running.signal(Signal::INT);
    running.wait().code(130);
    assert!(!env.path("half").exists());
    assert_eq!(sleepers(&mark), Vec::<String>::new());
}

/// A question about a program that is slow to describe itself can be interrupted.
#[test]
fn an_interrupted_list() {
    let env = with_script("");
    let mark = mark(&env);
    program(&env, "t.sh", &format!("setsid sleep {mark} & sleep {mark}"));
    let running = env.jp(["tool", "list"]).spawn();
    let deadline = std::time::Instant::now() + LIMIT;
    while sleepers(&mark).len() < 2 {
        assert!(std::time::Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(5));
    }
    running.signal(Signal::INT);
    let output = running.wait();
    assert!(output.exit_code() == Some(130) || output.signal() == Some(2), "{output}");
    until_gone(&mark);
}

/// Arguments that do not come can be waited for no longer.
#[test]
fn reading_arguments_can_be_interrupted() {
    let env = with_script(&(described("{}") + "echo ran"));
    env.command("/usr/bin/mkfifo", ["fifo"]).run().success();
    let jp = env!("CARGO_BIN_EXE_jp");
    for json in ["@fifo", "- < fifo"] {
        // It is the process that is signalled, and not a shell around it.
        let script = format!("exec 3<>fifo; exec {jp} tool run t --json {json}");
        let running = env.command("/bin/bash", ["-c", &script]).spawn();
        std::thread::sleep(Duration::from_millis(500));
        running.signal(Signal::INT);
        let output = running.wait();
        assert!(output.exit_code() == Some(130) || output.signal() == Some(2), "{json}: {output}");
        assert!(!output.stdout().contains("ran"), "{json}: {output}");
    }
}

/// Whoever reads one line wants no more, and that is no failure.
#[test]
fn a_reader_that_goes_away() {
    let env = with_script(&(described("{}") + "seq 200000"));
    let jp = env!("CARGO_BIN_EXE_jp");
    for command in ["tool run t", "--format json tool run t", "tool list", "tool show t"] {
        let script = format!("set -o pipefail; {jp} {command} | head -1");
        let output = env.command("/bin/bash", ["-c", &script]).run().success();
        assert_eq!(output.stderr(), "", "{command}");
        assert_eq!(output.stdout().lines().count(), 1);
    }
}

/// The same for a session: nobody is told anything any more, so it ends, and its tool with it.
#[test]
fn a_reader_of_a_session_that_goes_away() {
    let body = r#"read -r line
case $line in *'"action":"schema"'*) echo '{"tools":[{"name":"t","actions":["spawn","fetch","abort"],"parameters":{}}]}'; exit;; esac
echo '{"type":"running","content":"here"}'
while read -r line; do case $line in *abort*) echo '{"type":"stopped","result":""}'; exit;; esac; echo '{"type":"running","content":"here"}'; done"#;
    let env = with_script(body);
    let jp = env!("CARGO_BIN_EXE_jp");
    let script = format!(
        "(echo spawn; for i in 1 2 3 4 5 6 7 8 9; do echo fetch; sleep 0.1; done) | {jp} tool session t | head -1; exit ${{PIPESTATUS[1]}}"
    );
    let output = env.command("/bin/bash", ["-c", &script]).run().success();
    assert_eq!((output.stdout(), output.stderr()), ("[session: running]\n", ""));
}

/// A sign of life for what takes longer than a second, and only where somebody sees it.
#[test]
fn a_sign_of_life() {
    let env = with_script(&(described("{}") + "sleep 1.6; echo done"));
    let output = run(&env, &["t"]).pty(SIZE).wait(LIMIT).success();
    assert!(output.raw().contains("t 1s"), "{:?}", output.raw());
    assert!(!output.screen().contains("1s"), "{output}");
    assert_eq!(run(&env, &["t"]).run().success().stderr(), "");
}
