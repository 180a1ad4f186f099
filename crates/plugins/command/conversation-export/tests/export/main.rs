//! `jp conversation export` and `jp export` through the real program.

mod files;
mod many;
mod printed;

use std::time::Duration;

use camino::{Utf8Path, Utf8PathBuf};
use jp_test::{Run, TestEnv, find_bin};

/// The conversation with every kind of event.
const EVERY: &str = include_str!("../../../../every_event.jsonl");
const ID: &str = "17127583920";

/// A workspace with one conversation.
fn workspace() -> TestEnv {
    let env = TestEnv::new(find_bin("jp"));
    env.write(".jp/config.toml", "");
    conversation(&env, ID, r#""Where is *main*?""#, EVERY);
    env
}

/// Makes a conversation; its title is written as JSON.
fn conversation(env: &TestEnv, id: &str, title: &str, events: &str) {
    let metadata = format!(r#"{{"title":{title},"last_activated_at":"2026-03-18T13:19:00Z"}}"#);
    env.write(format!(".jp/conversations/{id}/metadata.json"), metadata);
    env.write(format!(".jp/conversations/{id}/events.jsonl"), events);
}

/// Runs `jp` with the plugins of this package, which the user trusts.
fn jp<'a>(env: &'a TestEnv, words: &[&str]) -> Run<'a> {
    let bin = Utf8PathBuf::from(env!("CARGO_BIN_EXE_jp-conversation-export"));
    let bin = bin.parent().map_or("", Utf8Path::as_str);
    let trust = [
        "--cfg",
        "plugins.command.conversation-export.run=unattended",
        "--cfg",
        "plugins.command.export.run=unattended",
    ];
    env.jp([&trust, words].concat()).env("PATH", format!("{bin}:/usr/bin:/bin"))
}

/// Both programs keep to the protocol, whatever a host does.
#[test]
fn the_protocol_is_kept() {
    let env = workspace();
    let programs = [env!("CARGO_BIN_EXE_jp-conversation-export"), env!("CARGO_BIN_EXE_jp-export")];
    for program in programs {
        let words = ["plugin", "check", "--timeout", "60", "--arg", "--html", "--", program];
        let output = env.jp(words).timeout(Duration::from_mins(5)).run().success();
        assert!(output.stdout().contains(" 0 warnings, 0 failed, 0 skipped"), "{output}");
    }
}
