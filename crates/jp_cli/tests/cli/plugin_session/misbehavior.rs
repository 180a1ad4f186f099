//! What no plugin should do, and what becomes of jp meanwhile: it ends in time and stays small.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::time::{Duration, Instant};

use super::{configure, fake, jp, plugin};

/// What jp may need, in kibibytes.
const MOST: u64 = 200 << 10;

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

/// The most memory that jp itself had, in kibibytes. It is looked at while it runs.
#[expect(clippy::disallowed_methods, reason = "tests look at processes")]
fn peak(env: &jp_test::TestEnv, words: &[&str]) -> (u64, jp_test::Output) {
    let running = jp(env, words).timeout(Duration::from_mins(1)).spawn();
    let status = format!("/proc/{}/status", running.id());
    let watcher = std::thread::spawn(move || {
        let (mut peak, start) = (0, Instant::now());
        // The kernel keeps the peak, so it is enough to have looked shortly before the end.
        while start.elapsed() < Duration::from_mins(1) {
            let text = std::fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let Some(line) = line else { break };
            let number = line.split_whitespace().next().and_then(|number| number.parse().ok());
            peak = peak.max(number.unwrap_or(0));
            std::thread::sleep(Duration::from_millis(2));
        }
        peak
    });
    let output = running.wait();
    (watcher.join().unwrap(), output)
}
