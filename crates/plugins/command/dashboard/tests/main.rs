//! `jp dashboard` through the real `jp`, on a terminal of its own.
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod ends;
mod shown;

use std::os::unix::fs::PermissionsExt as _;
use std::time::Duration;

use jp_test::{Pty, Run, Size, TestEnv, find_bin};

const SOON: Duration = Duration::from_secs(20);

/// Appends what it is told to a conversation, as any other program that uses jp does.
const APPEND: &str = r#"#!/usr/bin/python3
import json, sys
init = json.loads(sys.stdin.readline())
conversation, *texts = init["args"]
def ask(**message):
    print(json.dumps(message), flush=True)
    answer = json.loads(sys.stdin.readline())
    assert answer["type"] != "error", answer
print('{"type":"ready"}')
ask(type="lock", conversation=conversation)
events = [{"type": "chat_request", "content": text} for text in texts]
ask(type="push_events", conversation=conversation, events=[{"type": "turn_start"}] + events)
print('{"type":"exit","code":0}')
"#;

/// A workspace with three conversations, the dashboard and a plugin that appends.
fn workspace() -> TestEnv {
    let env = TestEnv::new(find_bin("jp"));
    env.write(".jp/config.toml", "");
    let settings = "[plugins.command.dashboard]\nrun = 'unattended'\n[plugins.command.append]\nrun = 'unattended'\n";
    env.write(env.config_home().join("jp/config.toml"), settings);
    for (name, content) in [
        ("jp-dashboard", std::fs::read(env!("CARGO_BIN_EXE_jp-dashboard")).unwrap()),
        ("jp-append", APPEND.into()),
    ] {
        let path = env.root().join("bin").join(name);
        env.write(&path, content);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    conversation(
        &env,
        "17127583920",
        "Refactor the configuration",
        "2025-03-18",
        &["Make it shorter.", "Shorter still."],
    );
    conversation(&env, "17127583921", "A question about locks", "2025-03-17", &["Who holds it?"]);
    conversation(
        &env,
        "17127583922",
        "<b>\u{1b}[2J\u{1b}]0;owned\u{7}",
        "2025-03-16",
        &["\u{1b}[2Jgone\u{1b}]0;owned\u{7}"],
    );
    env
}

fn conversation(env: &TestEnv, id: &str, title: &str, day: &str, requests: &[&str]) {
    let quoted = |text: &str| serde_json::to_string(text).unwrap();
    let events: String = requests
        .iter()
        .map(|text| {
            let text = quoted(text);
            format!(
                "{{\"timestamp\":\"{day}T13:19:00Z\",\"type\":\"turn_start\"}}\n\
                 {{\"timestamp\":\"{day}T13:19:01Z\",\"type\":\"chat_request\",\"content\":{text}}}\n"
            )
        })
        .collect();
    env.write(format!(".jp/conversations/{id}/events.jsonl"), events);
    let title = quoted(title);
    let metadata = format!("{{\"title\":{title},\"last_activated_at\":\"{day}T13:19:00Z\"}}");
    env.write(format!(".jp/conversations/{id}/metadata.json"), metadata);
}

fn jp<'a>(env: &'a TestEnv, words: &[&str]) -> Run<'a> {
    let path = format!("{}:/usr/bin:/bin", env.root().join("bin"));
    env.jp(words.iter().copied()).env("PATH", path)
}

/// The dashboard, once its first conversation can be read.
fn dashboard(env: &TestEnv, size: Size) -> Pty {
    let pty = jp(env, &["dashboard"]).pty(size);
    pty.expect_screen("Refactor", SOON);
    pty
}

/// The number of the process of the dashboard.
fn plugin_pid(env: &TestEnv) -> rustix::process::Pid {
    let program = env.root().join("bin/jp-dashboard");
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(pid) = entry.file_name().to_string_lossy().parse::<i32>() else { continue };
        let words = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
        if words.split(|&byte| byte == 0).next() == Some(program.as_str().as_bytes()) {
            found.push(pid);
        }
    }
    assert_eq!(found.len(), 1, "{found:?}");
    rustix::process::Pid::from_raw(found[0]).unwrap()
}
