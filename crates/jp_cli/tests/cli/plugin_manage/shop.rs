//! A registry on this machine with plugins to download, and a user who wants some.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::disallowed_methods, reason = "tests look at what was installed")]

use std::{
    collections::HashMap,
    os::unix::fs::PermissionsExt as _,
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use camino::{Utf8Path, Utf8PathBuf};
use jp_plugin_registry::Sha256;
use jp_test::{Answer, Https, Run, TestEnv};
use serde_json::{Value, json};

/// What binaries here are for.
const TARGET: &str = if cfg!(target_arch = "aarch64") {
    "aarch64-unknown-linux-musl"
} else {
    "x86_64-unknown-linux-musl"
};

pub(super) struct Shop {
    pub(super) env: TestEnv,
    server: Https,
    answers: Arc<Mutex<HashMap<String, Answer>>>,
    entries: Mutex<serde_json::Map<String, Value>>,
}

/// An entry of an official plugin; its binary is added when it is offered.
pub(super) fn official(id: &str, requires: &[&str]) -> Value {
    json!({ "id": id, "description": format!("Does {id}"), "official": true, "requires": requires })
}

/// The same of somebody else.
pub(super) fn other(id: &str, requires: &[&str]) -> Value {
    let repository = format!("https://example.org/{id}");
    json!({ "id": id, "description": format!("Does {id}"), "repository": repository, "requires": requires })
}

impl Shop {
    pub(super) fn new() -> Self {
        let answers = Arc::new(Mutex::new(HashMap::new()));
        let known: Arc<Mutex<HashMap<String, Answer>>> = answers.clone();
        let server = Https::start(move |path| {
            known.lock().unwrap().get(path).cloned().unwrap_or(Answer::Status(404))
        });
        let env = jp_test::env!();
        let shop = Self { env, server, answers, entries: Mutex::default() };
        shop.configure("");
        shop.publish();
        shop
    }

    /// The user's settings, with the registry in front.
    pub(super) fn configure(&self, more: &str) {
        let url = self.server.url("/plugins.json");
        let text = format!("# Mine.\nplugins.registry = \"{url}\"\n{more}");
        self.env.write(self.settings(), text);
    }

    pub(super) fn settings(&self) -> Utf8PathBuf {
        self.env.config_home().join("jp/config.toml")
    }

    /// Puts a plugin into the registry. What is no group has a script to download.
    pub(super) fn offer(&self, command: &str, entry: &Value) {
        let id = entry["id"].as_str().unwrap();
        let script = format!("#!/bin/sh\necho {id}\n");
        if entry["kind"] == "command_group" || id == "far" {
            self.entries.lock().unwrap().insert(command.to_owned(), entry.clone());
            self.publish();
        } else {
            self.offer_bytes(command, entry, script.as_bytes());
        }
    }

    pub(super) fn offer_bytes(&self, command: &str, entry: &Value, bytes: &[u8]) {
        let path = format!("/jp-{}", entry["id"].as_str().unwrap());
        let sha256 = Sha256::of(bytes).unwrap();
        let mut entry = entry.clone();
        entry["binaries"] = json!({ TARGET: { "url": self.server.url(&path), "sha256": sha256 } });
        self.entries.lock().unwrap().insert(command.to_owned(), entry);
        self.answer(&path, Answer::File(bytes.to_vec()));
        self.publish();
    }

    pub(super) fn registry_text(&self) -> String {
        json!({ "version": 1, "plugins": *self.entries.lock().unwrap() }).to_string()
    }

    fn publish(&self) {
        self.answer("/plugins.json", Answer::File(self.registry_text().into_bytes()));
    }

    pub(super) fn answer(&self, path: &str, answer: Answer) {
        self.answers.lock().unwrap().insert(path.to_owned(), answer);
    }

    pub(super) fn url(&self, path: &str) -> String {
        self.server.url(path)
    }

    /// Everything that was fetched.
    pub(super) fn requests(&self) -> Vec<String> {
        self.server.requests()
    }

    pub(super) fn jp<const N: usize>(&self, args: [&str; N]) -> Run<'_> {
        self.env.jp(args).env("SSL_CERT_FILE", self.server.ca_file())
    }

    /// Where plugins are installed.
    pub(super) fn dir(&self) -> Utf8PathBuf {
        self.env.data_home().join("jp/plugins/command")
    }

    /// The names of what is there, without the lock.
    pub(super) fn files(&self) -> Vec<String> {
        let Ok(entries) = self.dir().read_dir_utf8() else { return Vec::new() };
        let mut names: Vec<_> = entries.map(|it| it.unwrap().file_name().to_owned()).collect();
        names.retain(|name| name != ".lock");
        names.sort_unstable();
        names
    }

    pub(super) fn mode(&self, file: &Utf8Path) -> u32 {
        std::fs::metadata(self.env.path(file)).unwrap().permissions().mode() & 0o777
    }
}

/// Waits for something that has to happen soon.
pub(super) fn wait_until(is_so: impl Fn() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(20), "it does not happen");
        thread::sleep(Duration::from_millis(20));
    }
}
