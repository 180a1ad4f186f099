//! How a call ends: with a last word, without one, too late.

use super::*;

/// D11-172: from the start over requests to the outcome, on real files.
#[test]
fn a_whole_call() {
    let body = r#"
text = call("fs.read", path="notes")["result"]["content"]
call("fs.write", path="out/notes", content=text.upper())
result("%s of %s" % (len(text), arguments["x"]))
"#;
    let env = with_tool(EVERYTHING, body);
    env.write("notes", "hello\n");
    let output = run(&env, &["x=me"]).run().success();
    assert_eq!((output.stdout(), output.stderr()), ("6 of me\n", ""));
    assert_eq!(env.read("out/notes"), "HELLO\n");
    assert_gone(&env);
}

/// A tool that shows its arguments may read, and nothing is sent, started or kept for it: nobody has permitted it yet.
#[test]
fn nothing_is_done_before_a_call_is_permitted() {
    let body = r#"
codes = [code("fs.read", path="notes"), code("fs.write", path="made", content="x"),
         code("process.run", program="sh", args=["-c", "echo > started"])]
result("%s: %s" % (init["context"]["action"], codes))
"#;
    let env = with_tool(
        "access.fs = [{ path = \".\", read = true, write = true }]\n\
         access.commands.sh = { args = [[\"-c\", \"**\"]] }\n",
        body,
    );
    env.write("notes", "hello\n");
    let config = env.read(".jp/config.toml");
    env.write(".jp/config.toml", config.replace("unattended", "ask"));
    let mut terminal = env.jp(["tool", "run", "t"]).pty(jp_test::Size { rows: 24, cols: 100 });
    terminal.expect("format_arguments: [0, 0, -32603]", LIMIT).expect("Run t?", LIMIT);
    assert!(!env.path("made").exists() && !env.path("started").exists());
    terminal.send("y\r").expect("run: [0, 0, 0]", LIMIT);
    terminal.wait(LIMIT).success();
    assert!(env.path("made").exists() && env.path("started").exists());
}

/// What a tool does instead of saying a last word, the exit code of jp, and a part of what it says.
/// D11-017, D11-202, D11-203, D11-042
const ENDS: &[(&str, i32, &[&str])] = &[
    ("sys.exit('why it failed')", 1, &["exited with code 1", "without a result", "why it failed"]),
    ("print('for people', file=sys.stderr); sys.exit(0)", 1, &["without a result", "for people"]),
    ("sys.exit(0)", 1, &["without a result"]),
    ("os.kill(os.getpid(), 9)", 1, &["SIGKILL", "without a result"]),
    ("os.close(1); time.sleep(300)", 1, &["without a result"]),
    // D11-018: what is written for people is no message, whatever it looks like.
    (
        "sys.stderr.write('{\"jsonrpc\":\"2.0\",\"method\":\"result\",\"params\":{\"content\":\"ok\"}}\\n')\n\
         sys.stderr.write('{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"fs.write\",\"params\":{\"path\":\"new\",\"content\":\"\"}}\\n')",
        1,
        &["without a result"],
    ),
    (
        "say(method='error', params={'message': 'no way', 'trace': ['because'], 'transient': False})",
        1,
        &["no way", "because"],
    ),
    ("say(method='result', params={'content': 7})", 1, &["makes no sense"]),
    ("raise ValueError('a bug')", 1, &["without a result", "ValueError: a bug"]),
    // What it prints for people in the wrong place is the likely reason, and does nothing to a terminal.
    (
        "print('hello\\x1b[2J'); print('again'); sys.stdout.flush()",
        1,
        &["without a result\n  it printed a line that is no message: \"hello\\u{1b}[2J\"\n"],
    ),
    (
        "print('é' * 500); sys.stdout.flush()",
        1,
        &["it printed a line that is no message: \"éé", "é…\"\n"],
    ),
    // Forks a child that holds the pipes, and ends.
    ("os.fork() or time.sleep(300)", 1, &["without a result"]),
    // Takes no notice of anything.
    (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); os.close(0); os.close(1); time.sleep(300)",
        1,
        &["without a result"],
    ),
];

#[test]
fn ends_without_a_result() {
    for (body, code, parts) in ENDS {
        let env = with_tool(EVERYTHING, body);
        let started = Instant::now();
        let output = run(&env, &[]).run().code(*code);
        for part in *parts {
            assert!(output.stderr().contains(part), "{body}: {output}");
        }
        assert!(started.elapsed() < Duration::from_secs(20), "{body}: {:?}", started.elapsed());
        assert!(!env.path("new").exists(), "{body}");
        assert_gone(&env);
    }
}

/// D11-175, D11-176: whatever it does after its last word, the outcome stands and nobody is left.
#[test]
fn a_tool_that_lingers_after_its_result() {
    for after in [
        "time.sleep(300)",
        "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nwhile True: time.sleep(300)",
        "os.fork(); os.fork(); time.sleep(300)",
        "while True: sys.stdout.write('x' * 100000)",
        "sys.exit(3)",
        "os.kill(os.getpid(), 9)",
    ] {
        let env = with_tool(EVERYTHING, &format!("result('said')\n{after}"));
        let started = Instant::now();
        let output = run(&env, &[]).run().success();
        assert_eq!(output.stdout(), "said\n", "{after}");
        assert!(started.elapsed() < Duration::from_secs(12), "{after}: {:?}", started.elapsed());
        assert_gone(&env);
    }
}

/// D11-225, D11-226, D11-228
#[test]
fn a_silent_tool_is_ended() {
    for body in [
        "time.sleep(300)",
        "while heard() is not None: pass",
        "while True: sys.stdout.write(' ' * 1000)",
    ] {
        let env = with_tool("[vfs]\nrequest_timeout_secs = 1\n", body);
        let output = run(&env, &[]).run().code(124);
        assert!(output.stderr().contains("said nothing for 1 seconds"), "{body}: {output}");
        assert!(output.stderr().contains("`vfs.request_timeout_secs` is how long"), "{output}");
        assert!(!output.stderr().contains("conversation.tools"), "{body}: {output}");
        assert_gone(&env);
    }
}

/// D11-227: a tool that asks now and then may take long.
#[test]
fn a_slow_tool_that_asks_is_not_silent() {
    let body =
        "for _ in range(5):\n    time.sleep(0.5)\n    call('fs.exists', path='a')\nresult('done')";
    let env = with_tool("[vfs]\nrequest_timeout_secs = 1\n", body);
    assert_eq!(run(&env, &[]).run().success().stdout(), "done\n");
}

/// D11-225: a tool that does not read what it asked for.
#[test]
fn a_deaf_tool_is_ended() {
    let body = "for id in range(1, 20): say(id=id, method='fs.read', params={'path': 'large'})\ntime.sleep(300)";
    let env = with_tool("[vfs]\nrequest_timeout_secs = 1\n", body);
    env.write("large", "x".repeat(3_000_000));
    let output = run(&env, &[]).run().code(124);
    assert!(output.stderr().contains("did not read"), "{output}");
    assert_gone(&env);
}

/// The time of a call has a limit for these tools too.
#[test]
fn a_tool_that_never_ends() {
    let env = with_tool("timeout_secs = 1\n", "while True: call('fs.exists', path='a')");
    let output = run(&env, &[]).run().code(124);
    assert!(output.stderr().contains("1 seconds"), "{output}");
    assert_gone(&env);
}

/// D11-223: what is written for people never holds up a message, and is not kept for ever.
#[test]
fn a_flood_for_people_holds_up_nothing() {
    let body = r#"
for _ in range(50):
    sys.stderr.write("noise " * 100000)
    call("fs.exists", path="a")
result("done")
"#;
    let env = with_tool("", body);
    let output = run(&env, &[]).run().success();
    assert_eq!(output.stdout(), "done\n");
    assert!(output.stderr().len() < 20_000);
}

/// D11-043, D11-166: a question ends the run; with the answer the tool is started again.
#[test]
fn a_question_and_its_answer() {
    let body = r#"
answers = init["tool"]["answers"]
if "sure" not in answers:
    result([{"type": "text", "text": "Careful."}, {"type": "question", "question": {"id": "sure", "text": "Really?", "schema": {"type": "boolean"}}}])
elif "name" not in answers:
    result([{"type": "question", "question": {"id": "name", "text": "Who?", "schema": {"type": "string"}}}])
else:
    result(json.dumps(answers))
"#;
    let env = with_tool("", body);
    let output = run(&env, &[]).run().code(3);
    assert!(output.stderr().contains("Really?"), "{output}");
    let output = run(&env, &["--answer", "sure=true", "--answer", "name=me"]).run().success();
    let told: serde_json::Value = serde_json::from_str(output.stdout()).expect("it is JSON");
    assert_eq!(told, serde_json::json!({"sure": true, "name": "me"}));
}

/// D11-039, D11-268: what is malformed is skipped with a warning, as it is for other tools.
#[test]
fn a_malformed_block() {
    let content =
        r#"[{"type": "text", "text": "a"}, {"type": "text"}, {"type": "text", "text": "b"}]"#;
    let env = with_tool("", &format!("result({content})"));
    let output = env.jp(["-v", "tool", "run", "t"]).run().success();
    assert!(output.stdout().contains('a') && output.stdout().contains('b'), "{output}");
    assert!(output.stderr().contains("block 1 of the content was skipped"), "{output}");
}

/// D11-222, through the real pipes.
#[test]
fn large_messages_pass_each_other() {
    let body = r#"
say(id="r", method="fs.read", params={"path": "large"})
say(id="w", method="fs.write", params={"path": "copy", "content": "w" * 6000000})
answers = {m["id"]: m for m in [heard(), heard()]}
result("%d %s" % (len(answers["r"]["result"]["content"]), answers["w"]["result"]))
"#;
    let env = with_tool(EVERYTHING, body);
    env.write("large", "r".repeat(6_000_000));
    assert_eq!(run(&env, &[]).run().success().stdout(), "6000000 {}\n");
    assert_eq!(env.read("copy").len(), 6_000_000);
}

/// D11-164, D11-165, D11-167, D11-168, D11-169: `init` as it really comes.
#[test]
fn the_call_as_the_tool_gets_it() {
    let env = with_tool(
        "access = { fs = [{ path = \"src\", read = true }] }\noptions = { deep = { x = 1 } }\n",
        "result(json.dumps(init))",
    );
    let output = run(&env, &["x=é", "--conversation", "new"]).run().success();
    let told: serde_json::Value = serde_json::from_str(output.stdout()).expect("it is JSON");
    assert_eq!(told["tool"]["name"], "t");
    assert_eq!(told["tool"]["arguments"], serde_json::json!({"x": "é"}));
    assert_eq!(told["tool"]["answers"], serde_json::json!({}));
    assert_eq!(told["tool"]["options"], serde_json::json!({"deep": {"x": 1}}));
    assert_eq!(told["protocol_version"], "0.1.0");
    assert_eq!(told["context"]["action"], "run");
    assert_eq!(told["context"]["access"]["fs"][0]["path"], "src");
    assert_eq!(told["context"].get("root"), None, "it could not open it");
    assert_eq!(told["context"]["workspace_id"], env.read(".jp/id").trim());
    let listed = env.jp(["--format", "json", "conversation", "ls"]).run().success();
    let listed: serde_json::Value = serde_json::from_str(listed.stdout()).expect("there is one");
    assert!(listed["id"].is_string(), "{listed}");
    assert_eq!(told["context"]["conversation_id"], listed["id"]);
}

/// What a tool changed counts only if it came to its last word, also if that is that it failed.
#[test]
fn changes_of_a_tool_that_did_not_end_are_none() {
    let last = "say(method='error', params={'message': 'no'})";
    for (end, is_shown) in [
        ("result('done')", true),
        (last, true),
        ("sys.exit(3)", false),
        ("os.kill(os.getpid(), 9)", false),
        ("say(method='result', params={})", false),
    ] {
        let body = format!("call('fs.write', path='half', content='half a change')\n{end}");
        let env = with_tool(EVERYTHING, &body);
        let output = run(&env, &["--dry-run"]).run();
        assert_eq!(output.stdout().contains("+half a change"), is_shown, "{end}: {output}");
        assert!(!env.path("half").exists());
    }
}

/// Everything that takes memory, and more of it than anybody does at once: searches whose results are too large, files
/// that are several times as long as JSON, binary ones, and loud programs. Nothing is read for a while.
const HEAVY: &str = r#"
import threading
text = "\x02" * 1_500_000
def ask():
    for _ in range(6):
        for method, params in [
            ("fs.grep", {"pattern": "needle", "context_lines": 5}),
            ("fs.read", {"path": "control"}),
            ("fs.read", {"path": "text"}),
            ("fs.read", {"path": "binary"}),
            ("process.run", {"program": "cat", "args": ["control"]}),
            ("process.run", {"program": "cat", "args": ["text"]}),
            ("fs.write", {"path": "out", "content": text}),
        ]: say(id=next(ids), method=method, params=params)
threading.Thread(target=ask, daemon=True).start()
time.sleep(3)
codes = [heard().get("error", {}).get("code", 0) for _ in range(6 * 7)]
result(" ".join(f"{code}: {codes.count(code)}" for code in sorted(set(codes))))
"#;

#[test]
fn stress_all_that_is_heavy_at_once_is_bounded() {
    let rules = "[conversation.tools.t.access]\ncommands = { cat = { args = [[\"**\"]] } }\n\
                 fs = [{ path = \".\", read = true, write = true, execute = true }]\n";
    let env = with_tool(rules, HEAVY);
    env.write("control", "\u{1}".repeat(10_000_000));
    env.write("text", "some text\n".repeat(1_000_000));
    env.write("binary", vec![0xff_u8; 10_000_000]);
    let lines = format!("needle {}\n", "x".repeat(3_000)).repeat(1_500);
    for n in 0..20 {
        env.write(format!("many/{n}"), &lines);
    }
    let (peak, output) = crate::peak::peak(run(&env, &[]));
    assert_eq!(output.success().stdout(), "-32006: 18 0: 24\n");
    assert!(peak < 200_000_000 / 1024, "{peak} KiB");
}
