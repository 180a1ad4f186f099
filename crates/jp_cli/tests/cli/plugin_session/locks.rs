//! Locks that are held for a plugin, and who is kept out by them.

use std::{
    os::unix::fs::MetadataExt as _,
    thread,
    time::{Duration, Instant},
};

use jp_test::{Signal, TestEnv};
use serde_json::json;

use super::{configure, jp, plugin, shown};
use crate::conversation;

/// Whether another process can write to the conversation.
fn is_free(env: &TestEnv, id: &str) -> bool {
    let output = env.jp(["conversation", "rename", id, "t"]).run();
    let is_locked = output.stderr().contains("is locked by another process");
    assert!(is_locked || output.exit_code() == Some(0), "{output}");
    !is_locked
}

/// The number of the file that is the lock. One that was unlinked and made again has another.
fn lock_file(env: &TestEnv, id: &str) -> u64 {
    let path = env.path(format!(".jp/conversations/{id}/events.jsonl"));
    std::fs::metadata(path).unwrap().ino()
}

/// Waits until something is so.
fn wait_until(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(20));
    }
}

/// Holds the lock of `17127583920` until it is told to go on by the file `go`.
const HOLDER: &str = r#"
show(ask(type="lock", conversation="17127583920"))
show(ask(type="lock", conversation="17127583920"))
while not os.path.exists("go"):
    time.sleep(0.01)
"#;

#[test]
fn a_lock_keeps_others_out_until_it_is_given_back() {
    let env = plugin(
        r#"
ident = "17127583920"
answers = [ask(type="lock", conversation=ident), ask(type="lock", conversation=ident)]
say(type="print", text="held\n")
while not os.path.exists("freed"):
    if os.path.exists("free") and answers[-1]["type"] == "locked":
        answers.append(ask(type="unlock", conversation=ident))
        say(type="print", text="freed\n")
    time.sleep(0.01)
answers.append(ask(type="unlock", conversation=ident))
show(answers)
"#,
    );
    let id = conversation(&env);
    let before = lock_file(&env, id);
    let running = jp(&env, &["p"]).spawn();
    running.expect_stdout("held");
    // 072-190
    assert!(!is_free(&env, id));
    env.write("free", "");
    running.expect_stdout("freed");
    // 072-196
    assert_eq!(lock_file(&env, id), before);
    // 072-192
    assert!(is_free(&env, id));
    env.write("freed", "");
    let output = running.wait().success();
    let answers: serde_json::Value =
        serde_json::from_str(output.stdout().lines().last().unwrap()).unwrap();
    // 072-187, 072-195
    let locked = json!({ "type": "locked", "conversation": id });
    assert_eq!((&answers[0], &answers[1]), (&locked, &locked));
    // 072-191
    assert_eq!(answers[2], json!({ "type": "unlocked", "conversation": id }));
    // 072-198
    assert_eq!((&answers[3]["type"], &answers[3]["request"]), (&json!("error"), &json!("unlock")));
}

#[test]
fn exit_frees_the_locks_before_the_plugin_is_gone() {
    // 072-193: it has said its last word and is still there.
    let env = plugin(
        r#"
show(ask(type="lock", conversation="17127583920"))
while not os.path.exists("go"):
    time.sleep(0.01)
say(type="exit", code=0)
while not os.path.exists("end"):
    time.sleep(0.01)
os._exit(0)
"#,
    );
    configure(&env, "[plugins]\nshutdown_timeout_secs = 120\n");
    let id = conversation(&env);
    let before = lock_file(&env, id);
    let running = jp(&env, &["p"]).spawn();
    running.expect_stdout("locked");
    assert!(!is_free(&env, id));
    env.write("go", "");
    wait_until("the lock is given back", || is_free(&env, id));
    assert!(super::is_alive(running.id()), "jp waits for the plugin");
    // 072-196
    assert_eq!(lock_file(&env, id), before);
    env.write("end", "");
    running.wait().success();
}

#[test]
fn a_lock_of_somebody_else_is_an_error_at_once() {
    let env = plugin(HOLDER);
    super::add(
        &env,
        "jp-other",
        format!(
            "{}{}",
            super::HEAD,
            r#"
ident = "17127583920"
path = init["workspace"]["storage"] + "/conversations/" + ident + "/events.jsonl"
before = open(path, "rb").read()
show(ask(type="lock", conversation=ident))
show(ask(type="push_events", conversation=ident, events=[{"type": "turn_start"}]))
show(ask(type="unlock", conversation=ident))
show(open(path, "rb").read() == before)
say(type="exit", code=0)
"#
        ),
    );
    let id = conversation(&env);
    let running = jp(&env, &["p"]).spawn();
    running.expect_stdout("locked");
    let start = Instant::now();
    let values = super::values(&jp(&env, &["other"]).run().success());
    assert!(start.elapsed() < Duration::from_secs(10));
    // 072-188, 072-189
    let expected = json!({
        "type": "error",
        "request": "lock",
        "conversation": id,
        "message": "conversation is locked by another process",
    });
    assert_eq!(values[0], expected);
    // 072-202, 072-203
    assert_eq!(
        (&values[1]["type"], &values[1]["request"]),
        (&json!("error"), &json!("push_events"))
    );
    // 072-198
    assert_eq!((&values[2]["type"], &values[3]), (&json!("error"), &json!(true)));
    assert!(!is_free(&env, id), "the lock of the other is untouched");
    env.write("go", "");
    running.wait().success();
    assert!(is_free(&env, id));
}

#[test]
fn a_new_conversation_is_locked_by_its_maker() {
    // 072-229
    let env = plugin(
        r#"
say(type="print", text=ask(type="create_conversation")["conversation"] + "\n")
while not os.path.exists("go"):
    time.sleep(0.01)
"#,
    );
    let running = jp(&env, &["p"]).spawn();
    running.expect_stdout("\n");
    let id = running.stdout_so_far().trim().to_owned();
    assert!(!is_free(&env, &id));
    env.write("go", "");
    running.wait().success();
    assert!(is_free(&env, &id));
}

#[test]
fn every_end_frees_the_locks() {
    // 072-194, 072-196: a crash, a framing error, no last word, killed after the grace period, and jp itself killed.
    for (last, signal) in [
        ("os.kill(os.getpid(), signal.SIGKILL)", None),
        ("line('no message')\ntime.sleep(100)", None),
        ("os._exit(0)", None),
        ("time.sleep(100)", Some(Signal::INT)),
        ("time.sleep(100)", Some(Signal::KILL)),
    ] {
        let body = format!("show(ask(type='lock', conversation='17127583920'))\n{last}");
        let env = plugin(&body);
        configure(&env, "[plugins]\nshutdown_timeout_secs = 1\n");
        let id = conversation(&env);
        let before = lock_file(&env, id);
        let running = jp(&env, &["p"]).spawn();
        if let Some(signal) = signal {
            running.expect_stdout("locked");
            running.signal(signal);
        }
        let output = running.wait();
        assert_ne!(output.exit_code(), Some(0), "{last}");
        let is_late = output.stderr().contains("did not end within 1 seconds");
        assert_eq!(is_late, matches!(signal, Some(Signal::INT)), "{output}");
        assert!(is_free(&env, id), "{last}");
        assert_eq!(lock_file(&env, id), before, "{last}");
    }
}

#[test]
fn a_lock_sees_what_others_wrote_before() {
    // 072-197: the request is written by another process between two locks.
    let env = plugin(
        r#"
ident = "17127583920"
push = lambda *events: ask(type="push_events", conversation=ident, events=list(events))["type"]
response = {"type": "tool_call_response", "id": "new", "content": "", "is_error": False}
ask(type="lock", conversation=ident)
show(push(response))
ask(type="unlock", conversation=ident)
path = init["workspace"]["storage"] + "/conversations/" + ident + "/events.jsonl"
with open(path, "a") as file:
    file.write('{"timestamp":"2026-03-18T13:19:13Z","type":"tool_call_request","id":"new",'
               '"name":"n","arguments":{}}\n')
ask(type="lock", conversation=ident)
show(push(response))
"#,
    );
    conversation(&env);
    assert_eq!(shown(&env, &[]), [json!("error"), json!("pushed")]);
}

#[test]
fn a_lock_and_a_push_can_be_sent_together() {
    let env = plugin(
        r#"
ident = "17127583920"
say(type="lock", conversation=ident, id="a")
say(type="push_events", conversation=ident, events=[{"type": "turn_start"}], id="b")
say(type="unlock", conversation=ident, id="c")
show(sorted(hear()["type"] for _ in range(3)))
"#,
    );
    conversation(&env);
    assert_eq!(shown(&env, &[]), [json!(["locked", "pushed", "unlocked"])]);
}

#[test]
fn a_plugin_cannot_lock_what_is_not_there() {
    let env = plugin(
        r#"
for name in ["../../etc", "", "17127583920", "17127583920/../17127583920"]:
    show(ask(type="lock", conversation=name))
    show(ask(type="unlock", conversation=name)["type"])
"#,
    );
    let files = || {
        let found = std::fs::read_dir(env.path(".jp/conversations")).into_iter().flatten();
        found.flatten().map(|entry| entry.file_name()).collect::<Vec<_>>()
    };
    let before = files();
    let answers = shown(&env, &[]);
    for (pair, name) in
        answers.chunks(2).zip(["../../etc", "", "17127583920", "17127583920/../17127583920"])
    {
        let expected = json!({
            "type": "error",
            "request": "lock",
            "conversation": name,
            "message": format!("conversation not found: {name}"),
        });
        assert_eq!(pair, [expected, json!("error")]);
    }
    assert_eq!(files(), before);
}
