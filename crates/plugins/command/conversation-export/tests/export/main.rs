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
/// What is said of its line that is no JSON.
const LEFT_OUT: &str =
    "warning: 1 event of conversation 17127583920 is damaged, and was left out; `jp -v` says why\n";

const PROGRAMS: [&str; 2] =
    [env!("CARGO_BIN_EXE_jp-conversation-export"), env!("CARGO_BIN_EXE_jp-export")];

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
    let trust = [
        "--cfg",
        "plugins.command.conversation-export.run=unattended",
        "--cfg",
        "plugins.command.export.run=unattended",
    ];
    let run = env.jp([&trust, words].concat()).env("PATH", format!("{}:/usr/bin:/bin", bin(env)));
    run.timeout(Duration::from_mins(2))
}

/// A directory with the two programs and nothing else, because jp looks at every plugin on `$PATH`.
fn bin(env: &TestEnv) -> Utf8PathBuf {
    let bin = env.root().join("bin");
    env.write(bin.join("README"), "");
    for program in PROGRAMS.map(Utf8Path::new) {
        let here = bin.join(program.file_name().unwrap_or_default());
        if !here.exists() {
            std::fs::hard_link(program, &here)
                .or_else(|_| std::fs::copy(program, &here).map(drop))
                .expect("the program can be put into another directory");
        }
    }
    bin
}

/// Both programs keep to the protocol, whatever a host does.
#[test]
fn the_protocol_is_kept() {
    let env = workspace();
    for program in PROGRAMS {
        let words = ["plugin", "check", "--timeout", "60", "--arg", "--html", "--", program];
        let output = env.jp(words).timeout(Duration::from_mins(5)).run().success();
        assert!(output.stdout().contains(" 0 warnings, 0 failed, 0 skipped"), "{output}");
    }
}
