//! Sealed tools that stay alive. D11-290

use super::*;

/// Says who it is and what it was given, and waits; what it is given is written down by the host.
const TALKER: &str = r#"
if init["context"]["action"] == "schema":
    result({"tools": [{"name": "t", "actions": ["spawn", "fetch", "apply", "abort"], "parameters": {}}]})
    sys.exit()
me = os.urandom(4).hex()
def waits(content):
    question = {"id": "next", "text": "Next?", "answer_type": "Text"}
    say(method="state", params={"type": "waiting", "content": content, "question": question})
log = "spawned " + me + "\n"
call("fs.write", path="log", content=log)
waits("ready")
while True:
    message = heard()
    if message is None:
        sys.exit()
    if message["method"] == "cancel":
        sys.exit()
    assert message["method"] == "apply" and "id" not in message, message
    word = message["params"]["input"]
    log = call("fs.read", path="log")["result"]["content"] + "%s %s\n" % (word, me)
    call("fs.write", path="log", content=log)
    if word == "stop":
        say(method="state", params={"type": "stopped", "result": "bye"})
        time.sleep(300)
    elif word == "work":
        say(method="state", params={"type": "running", "content": "working"})
    elif word == "die":
        say(method="state", params={"type": "running", "content": "working"})
        sys.exit("it broke later")
    elif word == "deaf":
        waits("deaf")
        time.sleep(300)
    elif word == "fail":
        sys.exit("it broke")
    else:
        waits("heard " + word)
"#;

fn talker(settings: &str) -> TestEnv {
    with_raw(&format!("{EVERYTHING}{settings}"), TALKER)
}

fn session<'env>(env: &'env TestEnv, lines: &str) -> Run<'env> {
    env.jp(["tool", "session", "t"]).stdin(lines)
}

/// D11-186 to D11-193: one process, served between and after its inputs.
#[test]
fn a_tool_that_stays_alive() {
    let env = talker("");
    let output = session(&env, "spawn\napply a\nfetch\napply work\nfetch\napply stop\n").run();
    insta::assert_snapshot!(output, @"
    $ jp tool session t
    exit code: 0
    --- stdout
    [session: waiting]
    ready
    Next? (apply TEXT)
    [session: waiting]
    heard a
    Next? (apply TEXT)
    [session: waiting]
    heard a
    Next? (apply TEXT)
    [session: running]
    working
    [session: running]
    working
    [session: stopped]
    bye
    ");
    let log = env.read("log");
    let words: Vec<_> = log.lines().map(|line| line.split(' ').collect::<Vec<_>>()).collect();
    assert_eq!(
        words.iter().map(|line| line[0]).collect::<Vec<_>>(),
        ["spawned", "a", "work", "stop"]
    );
    assert!(words.iter().all(|line| line[1] == words[0][1]), "it is one process: {log}");
    assert_gone(&env);
}

/// D11-194: told to end, and ended at once.
#[test]
fn an_abort_tells_the_tool_to_end() {
    let env = talker("[vfs]\ncancel_grace_secs = 20\n");
    let started = Instant::now();
    let output = session(&env, "spawn\napply a\nabort\nfetch\n").run().code(1);
    assert!(output.stdout().contains("[session: stopped]"), "{output}");
    assert!(output.stderr().contains("no tool is alive"), "{output}");
    assert!(started.elapsed() < Duration::from_secs(10), "{:?}", started.elapsed());
    assert_gone(&env);
}

/// D11-195: what is alive at the end is ended.
#[test]
fn the_end_of_the_session_ends_the_tool() {
    let env = talker("");
    session(&env, "spawn\nspawn b\napply a\n").run().success();
    assert!(env.read("log").contains("spawned"));
    assert_gone(&env);
}

/// D11-196
#[test]
fn an_id_that_is_alive() {
    let env = talker("");
    let output = session(&env, "spawn x\nspawn x\napply x a\napply x stop\n").run().code(1);
    assert!(output.stderr().contains("`x` is already alive"), "{output}");
    assert!(output.stdout().contains("heard a") && output.stdout().contains("bye"), "{output}");
    assert_eq!(env.read("log").matches("spawned").count(), 1);
}

/// D11-197
#[test]
fn permission_is_asked_for_once() {
    let env = talker("");
    let config = env.read(".jp/config.toml").replace("unattended", "ask");
    env.write(".jp/config.toml", config);
    let output = session(&env, "spawn\n").run().code(1);
    assert!(output.stderr().contains("--yes lets it run"), "{output}");
    let lines = "spawn\nfetch\napply a\napply stop\n";
    env.jp(["tool", "session", "--yes", "t"]).stdin(lines).run().success();
}

/// D11-198: idle for longer than a request may take to come.
#[test]
fn a_tool_may_idle_between_inputs() {
    let env = talker("[vfs]\nrequest_timeout_secs = 1\n");
    let jp = env!("CARGO_BIN_EXE_jp");
    let script = format!(
        "(echo spawn; sleep 2.5; echo apply a; sleep 1.5; echo apply stop) | {jp} tool session t"
    );
    let output = env.command("/bin/sh", ["-c", &script]).run().success();
    assert!(output.stdout().contains("heard a") && output.stdout().contains("bye"), "{output}");
}

/// D11-202 for a tool that was alive.
#[test]
fn a_tool_that_breaks_while_it_is_alive() {
    let env = talker("");
    let output = session(&env, "spawn\napply fail\nfetch\n").run().code(1);
    assert!(output.stderr().contains("it broke"), "{output}");
    assert!(output.stderr().contains("no tool is alive"), "{output}");
    assert_gone(&env);
}

/// D11-202 for one that breaks when nobody waits for it: what it said before is not where it stands.
#[test]
fn a_tool_that_breaks_between_two_inputs() {
    let env = talker("");
    let jp = env!("CARGO_BIN_EXE_jp");
    let script = format!("(echo spawn; echo apply die; sleep 3; echo fetch) | {jp} tool session t");
    let output = env.command("/bin/sh", ["-c", &script]).run().code(1);
    assert!(output.stdout().contains("working"), "{output}");
    assert!(output.stderr().contains("it broke later"), "{output}");
    assert_gone(&env);
}

/// D11-194: one that does not listen is ended by signals, after its grace and not later.
#[test]
fn an_abort_ends_a_tool_that_does_not_listen() {
    for (lines, is_aborted) in
        [("spawn\napply deaf\nabort\n", true), ("spawn\napply deaf\n", false)]
    {
        let env = talker("[vfs]\ncancel_grace_secs = 4\n");
        let started = Instant::now();
        let output = session(&env, lines).run().success();
        let took = started.elapsed();
        assert_eq!(output.stdout().contains("[session: stopped]"), is_aborted, "{output}");
        assert!(took >= Duration::from_secs(4) && took < Duration::from_secs(30), "{took:?}");
        assert_gone(&env);
    }
}

/// D11-185: without an action it is one call from its start to its end.
#[test]
fn one_call_from_its_start_to_its_end() {
    let env = talker("");
    let output = run(&env, &["--answer", "next=stop"]).run().success();
    assert_eq!(output.stdout(), "bye\n");
    assert_gone(&env);
}
