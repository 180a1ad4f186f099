//! A sealed tool that wants what no rule covers, and the person who is asked; with a trace of it.

use std::{os::unix::fs::PermissionsExt as _, time::Duration};

use jp_test::{Size, TestEnv};
use serde_json::Value;

const LIMIT: Duration = Duration::from_mins(1);
const SIZE: Size = Size { rows: 40, cols: 100 };

const CONFIG: &str = "\
[conversation.tools.writer]
source = \"local\"
command = \"python3 writer.py\"
runtime = \"vfs\"
run = \"unattended\"
parameters.paths = { type = \"array\", items = { type = \"string\" } }
parameters.at_once = { type = \"boolean\", default = false }
";

/// Writes to the paths it is given, one after the other or all at once, and says what came of each.
const WRITER: &str = r#"
import sys, json

def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

arguments = json.loads(sys.stdin.readline())["params"]["tool"]["arguments"]
paths, answers = arguments["paths"], {}

def wait(number):
    while number not in answers:
        message = json.loads(sys.stdin.readline())
        if message.get("id") is not None:
            answers[message["id"]] = "yes" if "result" in message else "no"

for number, path in enumerate(paths):
    content = {"path": path, "content": "x"}
    send({"id": number, "method": "fs.write", "params": content})
    if not arguments["at_once"]:
        wait(number)
for number in range(len(paths)):
    wait(number)
text = " ".join(answers[number] for number in range(len(paths)))
send({"method": "result", "params": {"content": "said: " + text}})
"#;

fn workspace() -> TestEnv {
    let env = jp_test::env!();
    env.write(".jp/config.toml", CONFIG);
    env.write("writer.py", WRITER);
    env
}

fn call<'a>(env: &'a TestEnv, paths: &str, more: &[&str]) -> jp_test::Run<'a> {
    let paths = format!("paths:={paths}");
    env.jp(["tool", "run", "writer", &paths].into_iter().chain(more.iter().copied()))
}

#[test]
fn no_once_and_for_the_run_mean_what_they_say() {
    let env = workspace();
    let paths = r#"["a", "a", "b", "b", "c", "c"]"#;
    let mut terminal = call(&env, paths, &["--trace", "trace"]).pty(SIZE);
    terminal.expect("writer wants to create a", LIMIT).expect("[n/o/r/a]", LIMIT).send("o\r");
    // It is there now, and writing to it is another thing.
    terminal.expect("writer wants to update a", LIMIT).expect("[n/o/r/a]", LIMIT).send("n\r");
    terminal.expect("writer wants to create b", LIMIT).expect("[n/o/r/a]", LIMIT).send("r\r");
    terminal.expect("writer wants to update b", LIMIT).expect("[n/o/r/a]", LIMIT).send("x\r");
    terminal.expect("One of the letters, please", LIMIT).send("o\r");
    terminal.expect("writer wants to create c", LIMIT).expect("[n/o/r/a]", LIMIT).send("\r");
    // The same no is not asked for twice.
    terminal.expect("said: yes no yes yes no no", LIMIT);
    terminal.wait(LIMIT).success();
    assert_eq!(env.read(".jp/config.toml"), CONFIG);
    let decisions: Vec<String> = env
        .read("trace")
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["decision"].to_string())
        .collect();
    let wanted = ["asked_once", "asked_no", "asked_run", "asked_once", "asked_no"];
    assert_eq!(decisions[..5], wanted.map(|it| format!("\"{it}\"")));
    let mode = env.path("trace").metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let shown = env.jp(["tool", "trace", "trace", "--denied"]).run().success();
    assert!(shown.stdout().contains("asked: no"), "{}", shown.stdout());
}

// D11-217, 076-074
#[test]
fn always_is_a_rule_from_then_on() {
    let env = workspace();
    let mut terminal = call(&env, r#"["a"]"#, &[]).pty(SIZE);
    terminal.expect("always: adds to `conversation.tools.writer.access.fs`", LIMIT);
    terminal.expect("[n/o/r/a]", LIMIT).send("a\r");
    terminal.expect("Written to .jp/config.toml", LIMIT).expect("said: yes", LIMIT);
    terminal.wait(LIMIT).success();
    assert!(env.read(".jp/config.toml").starts_with(CONFIG));
    env.command("/bin/rm", ["a"]).run().success();
    let output = call(&env, r#"["a", "b"]"#, &[]).run().success();
    assert_eq!(output.stdout(), "said: yes no\n");
}

#[test]
fn questions_that_come_at_once_are_put_one_by_one() {
    let env = workspace();
    let mut terminal = call(&env, r#"["a", "b", "c"]"#, &["at_once=true"]).pty(SIZE);
    for _ in 0..3 {
        terminal.expect("[n/o/r/a]", LIMIT).send("o\r");
    }
    terminal.expect("said: yes yes yes", LIMIT);
    terminal.wait(LIMIT).success();
}

#[test]
fn keys_that_were_pressed_before_answer_nothing() {
    let env = workspace();
    let mut terminal = call(&env, r#"["a"]"#, &[]).pty(SIZE);
    terminal.send("a\r");
    terminal.expect("[n/o/r/a]", LIMIT).send("n\r");
    terminal.expect("said: no", LIMIT);
    terminal.wait(LIMIT).success();
    assert_eq!(env.read(".jp/config.toml"), CONFIG);
}

/// Wants one thing until somebody reads that, and then another.
const SWAPPER: &str = r#"
import sys, json, time

def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)

def write(number, path):
    params = {"path": path, "content": "x"}
    send({"id": number, "method": "fs.write", "params": params})

def heard(found):
    while True:
        message = json.loads(sys.stdin.readline())
        if found(message):
            return message

heard(lambda message: message.get("method") == "init")
write(0, "harmless")
heard(lambda message: message.get("method") == "pending")
time.sleep(1)
send({"method": "cancel", "params": {"request_id": 0}})
write(1, "other")
said = heard(lambda message: message.get("id") == 1)
send({"method": "result", "params": {"content": "said: " + ("yes" if "result" in said else "no")}})
"#;

#[test]
fn the_answer_to_a_question_that_was_taken_back_answers_no_other() {
    let env = workspace();
    env.write("writer.py", SWAPPER);
    let mut terminal = call(&env, "[]", &[]).pty(SIZE);
    terminal.expect("writer wants to create harmless", LIMIT).expect("[n/o/r/a]", LIMIT);
    terminal.expect("(not asked any more)", LIMIT);
    // So long does it take to read that.
    std::thread::sleep(Duration::from_millis(300));
    terminal.send("o\r");
    terminal.expect("writer wants to create other", LIMIT).expect("[n/o/r/a]", LIMIT).send("n\r");
    terminal.expect("said: no", LIMIT);
    terminal.wait(LIMIT).success();
    assert!(!env.path("other").exists());
}

#[test]
fn ctrl_c_at_a_question_ends_the_call() {
    let env = workspace();
    let mut terminal = call(&env, r#"["a"]"#, &[]).pty(SIZE);
    terminal.expect("[n/o/r/a]", LIMIT).send("\u{3}");
    terminal.wait(LIMIT).code(130);
    assert!(!env.path("a").exists());
}

#[test]
fn with_nobody_to_ask_it_is_denied() {
    let env = workspace();
    let output = call(&env, r#"["a"]"#, &["--trace", "trace"]).run().success();
    assert_eq!(output.stdout(), "said: no\n");
    assert!(env.read("trace").contains("\"decision\":\"denied\""));
    let mut terminal = call(&env, r#"["a"]"#, &["--no-interaction"]).pty(SIZE);
    terminal.expect("said: no", LIMIT);
    terminal.wait(LIMIT).success();
}

#[test]
fn a_trace_that_cannot_be_written_ends_the_call() {
    let env = workspace();
    let output = call(&env, r#"["a"]"#, &["--trace", "no/such/place"]).run().code(2);
    insta::assert_snapshot!(output.stderr(), @"error: --trace no/such/place: No such file or directory (os error 2)");
    call(&env, r#"["a"]"#, &["--trace", "/dev/full"]).run().code(4);
    assert!(!env.path("a").exists());
    env.write(".jp/config.toml", CONFIG.replace("vfs", "stdio"));
    let output = call(&env, r#"["a"]"#, &["--trace", "trace"]).run().code(2);
    insta::assert_snapshot!(output.stderr(), @r#"
    error: --trace: `writer` has the runtime `stdio` and asks for nothing
    hint: only tools with `runtime = "vfs"` ask jp for what they use
    "#);
    assert!(!env.path("trace").exists());
}
