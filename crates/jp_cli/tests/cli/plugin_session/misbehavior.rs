//! What no plugin should do, and what becomes of jp meanwhile: it ends in time and stays small.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::time::{Duration, Instant};

use super::{configure, fake, jp, plugin};

/// What jp may need, in kibibytes.
pub(super) const MOST: u64 = 200 << 10;

#[test]
fn closed_pipes_do_not_matter() {
    let env = fake();
    configure(&env, "[plugins]\nshutdown_timeout_secs = 1\n");
    for what in ["closed-stdin", "closed-stderr"] {
        assert_eq!(jp(&env, &["fake", what]).run().code(7).stdout(), "still here\n");
    }
    let start = Instant::now();
    let output = jp(&env, &["fake", "closed-stdout"]).run().code(1);
    assert!(start.elapsed() < Duration::from_secs(6), "{output}");
    assert!(output.stderr().contains("closed its output before it said `exit`"), "{output}");
}

#[test]
fn jp_stays_small_whatever_it_is_asked() {
    let env = fake();
    configure(&env, "[plugins]\nshutdown_timeout_secs = 1\n");
    for what in ["unread", "dense", "endless", "longest", "exit-flood", "loud"] {
        let (peak, _) = peak(&env, &["fake", what]);
        assert!(peak < MOST, "{what}: {peak} KiB");
    }
}

#[test]
fn jp_stays_small_while_it_is_told_much() {
    // As many events as a message can have, messages as long as they can be; then all that at once.
    let env = plugin(
        r#"
import threading
made = ask(type="create_conversation")["conversation"]
small = [{"type": "turn_start"}] * 60000
answer = ask(type="push_events", conversation=made, events=small)
assert answer["type"] == "pushed", answer
big = [{"type": "chat_response", "message": "x" * 1000000}] * 15
for _ in range(2):
    answer = ask(type="push_events", conversation=made, events=big)
    assert answer["type"] == "pushed", answer
for n in range(4):
    say(type="read_events", conversation=made, id=str(n))
time.sleep(1)
for n in range(4):
    sys.stdin.readline()
"#,
    );
    let (peak, output) = peak(&env, &["p"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    assert!(peak < MOST, "{peak} KiB");
}

#[test]
fn jp_stays_small_whatever_it_is_to_show() {
    let env = plugin(
        r#"
size = 10 << 20
text = {
    "table": "|a|b|\n|-|-|\n" + "|x|y|\n" * (size // 6),
    "tables": "|a|b|\n|-|-|\n|x|y|\n\n" * (size // 19),
    "rules": "***\n\n" * (size // 5),
    "lists": "- a\n" * (size // 4),
    "links": "[a](b) " * (size // 7),
}[init["args"][0]]
say(type="print", format="markdown", text=text)
"#,
    );
    for what in ["table", "tables", "rules", "lists", "links"] {
        let (peak, output) = peak(&env, &["p", what]);
        assert_eq!(output.exit_code(), Some(0), "{what}");
        assert!(peak < MOST, "{what}: {peak} KiB");
    }
}

/// What is refused is repeated in the answer, and nobody reads the answers.
#[test]
fn jp_stays_small_whatever_it_refuses() {
    let env = plugin(
        r#"
if init["args"] == ["long"]:
    wrong = json.dumps({"type": "push_events", "conversation": "x", "events": "A" * (15 << 20), "id": "i"})
    count, more = 12, 1
else:
    wrong = json.dumps({"type": "\U0001F600" * 64, "id": "\u00e9" * 512}, ensure_ascii=False)
    count, more = 300, 100
    # It is not read from any more at some point.
    import threading
    threading.Timer(5, lambda: os._exit(0)).start()
for _ in range(count):
    line("\n".join([wrong] * more))
"#,
    );
    configure(&env, "[plugins]\nshutdown_timeout_secs = 1\n");
    for what in ["long", "many"] {
        let (peak, output) = peak(&env, &["p", what]);
        assert!(peak < MOST, "{what}: {peak} KiB\n{output}");
    }
}

/// As much as a message can hold, to eight conversations at once, in fields that are stored as base64; then to one
/// that is larger than all the memory jp may need.
#[test]
fn jp_stays_small_whatever_is_pushed() {
    let env = plugin(
        r#"
content = "x" * (15 << 20)
made = [ask(type="create_conversation")["conversation"] for _ in range(8)]
for n, ident in enumerate(made):
    say(type="push_events", conversation=ident, id=str(n), events=[
        {"type": "tool_call_request", "id": "t", "name": "n", "arguments": {"a": content}}])
show([hear()["type"] for _ in made])
ask(type="unlock", conversation=made[0])
event = json.dumps({"timestamp": "2026-03-18T13:19:13Z", "type": "chat_response", "message": "x" * (1 << 20)})
with open(init["workspace"]["storage"] + "/conversations/" + made[0] + "/events.jsonl", "a") as file:
    for _ in range(220):
        file.write(event + "\n")
ask(type="lock", conversation=made[0])
late = {"type": "tool_call_response", "id": "t", "content": "", "is_error": False}
show(ask(type="push_events", conversation=made[0], events=[late])["type"])
show(sorted(it["events_count"] for it in ask(type="list_conversations")["data"]))
"#,
    );
    let (peak, output) = peak(&env, &["p"]);
    assert_eq!(output.exit_code(), Some(0), "{output}");
    let pushed = ["\"pushed\""; 8].join(", ");
    let expected = format!("[{pushed}]\n\"pushed\"\n[1, 1, 1, 1, 1, 1, 1, 222]\n");
    assert_eq!(output.stdout(), expected);
    assert!(peak < MOST, "{peak} KiB");
}

/// Whoever minds a plugin is a process of the same user, so a plugin can stop it. That makes nobody wait.
#[test]
fn a_plugin_that_stops_its_supervisor_gains_nothing() {
    let env = plugin(
        r#"
if os.fork() == 0:
    os.setsid()
    time.sleep(100)
time.sleep(0.3)
os.kill(os.getppid(), signal.SIGSTOP)
say(type="exit", code=4)
time.sleep(100)
"#,
    );
    configure(&env, "[plugins]\nshutdown_timeout_secs = 1\n");
    let start = Instant::now();
    let output = jp(&env, &["p"]).run().code(4);
    assert!(start.elapsed() < Duration::from_secs(10), "{output}");
    assert_eq!(running(&env), 0, "{output}");
}

/// How many processes run the plugin `p` of this environment.
#[expect(clippy::disallowed_methods, reason = "tests look at processes")]
fn running(env: &jp_test::TestEnv) -> usize {
    let file = env.root().join("bin/jp-p").to_string();
    let of = |entry: std::fs::DirEntry| std::fs::read(entry.path().join("cmdline")).ok();
    let all = std::fs::read_dir("/proc").unwrap().flatten().filter_map(of);
    all.filter(|words| String::from_utf8_lossy(words).contains(&file)).count()
}

pub(super) fn peak(env: &jp_test::TestEnv, words: &[&str]) -> (u64, jp_test::Output) {
    crate::peak::peak(jp(env, words))
}
