//! A registry of the plugins of this repository, and a user who has none of them.

use std::{sync::OnceLock, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};
use jp_test::{Run, TestEnv, find_bin};
use serde_json::Value;

/// The programs of a debug build are large.
const PATIENCE: Duration = Duration::from_mins(2);

/// The title of the only conversation.
pub(crate) const TITLE: &str = "Where is main?";
/// What was said in it.
pub(crate) const ANSWER: &str = "It is in src/main.rs";

/// A user in a workspace with one conversation, who knows the registry and has installed nothing.
pub(crate) struct User {
    pub(crate) env: TestEnv,
}

/// One command of the registry.
#[derive(Debug, Clone)]
pub(crate) struct Listed {
    pub(crate) command: String,
    pub(crate) id: String,
    pub(crate) description: String,
}

/// The registry, made once for all tests of this process.
pub(crate) fn registry() -> &'static Utf8Path {
    static MADE: OnceLock<(TestEnv, Utf8PathBuf)> = OnceLock::new();
    let make = || {
        let env = TestEnv::new(find_bin("jp"));
        let out = env.root().join("registry");
        let words = ["registry", "--no-build", "--out", out.as_str()];
        let output = env.command(find_bin("xtask"), words).timeout(PATIENCE).run().success();
        assert!(output.stderr().contains("registry.json is fine."), "{output}");
        let path = out.join("registry.json");
        (env, path)
    };
    &MADE.get_or_init(make).1
}

/// Every command in the registry that has a program.
pub(crate) fn listed() -> Vec<Listed> {
    let text = std::fs::read_to_string(registry()).unwrap();
    let registry: Value = serde_json::from_str(&text).unwrap();
    let plugins = registry["plugins"].as_object().unwrap().iter();
    let commands = plugins.filter(|(_, entry)| entry["kind"] == "command");
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    commands
        .map(|(command, entry)| Listed {
            command: command.clone(),
            id: text(&entry["id"]),
            description: text(&entry["description"]),
        })
        .collect()
}

impl User {
    pub(crate) fn new() -> Self {
        let env = TestEnv::new(find_bin("jp"));
        let settings = format!("plugins.registry = \"file://{}\"\n", registry());
        env.write(env.config_home().join("jp/config.toml"), settings);
        env.write(".jp/config.toml", "");
        let dir = ".jp/conversations/17127583920";
        let metadata =
            format!(r#"{{"title":"{TITLE}","last_activated_at":"2026-03-18T13:19:00Z"}}"#);
        env.write(format!("{dir}/metadata.json"), metadata);
        let events = format!(
            r#"{{"timestamp":"2026-03-18T13:19:00Z","type":"turn_start"}}
{{"timestamp":"2026-03-18T13:19:01Z","type":"chat_request","content":"{TITLE}"}}
{{"timestamp":"2026-03-18T13:19:02Z","type":"chat_response","message":"{ANSWER}"}}
"#
        );
        env.write(format!("{dir}/events.jsonl"), events);
        let user = Self { env };
        user.jp("plugin update").run().success();
        user
    }

    /// The same with a plugin installed.
    pub(crate) fn with(plugin: &Listed) -> Self {
        let user = Self::new();
        let words = ["plugin", "install", &plugin.command];
        let output = user.env.jp(words).timeout(PATIENCE).run().success();
        assert!(user.installed().contains(&format!("jp-{}", plugin.id)), "{output}");
        user
    }

    /// `jp` with these words.
    pub(crate) fn jp(&self, words: &str) -> Run<'_> {
        self.env.jp(words.split(' ')).timeout(PATIENCE)
    }

    /// What lies in the directory of plugins.
    pub(crate) fn installed(&self) -> Vec<String> {
        let dir = self.env.data_home().join("jp/plugins/command");
        let entries = dir.read_dir_utf8().into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name().to_owned()).collect();
        names.sort();
        names
    }
}
