//! A host that answers when the test wants it to.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, channel},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// How long anything may take.
const LIMIT: Duration = Duration::from_secs(30);

/// The plugin, and this side of its pipes.
pub(crate) struct Host {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<Value>,
    /// Where it listens.
    pub(crate) address: String,
}

impl Host {
    /// Starts the plugin for a workspace at this path, which the plugin has no business to look at.
    pub(crate) fn start(root: &str) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_jp-serve-web"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdin = child.stdin.take().unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in stdout.lines().map_while(Result::ok) {
                let _ = sender.send(serde_json::from_str(&line).unwrap());
            }
        });
        let mut host = Self { child, stdin, lines, address: String::new() };
        host.say(&json!({
            "type": "init", "version": 1,
            "workspace": { "root": root, "storage": format!("{root}/.jp"), "id": "a1b2c" },
            "config": { "server": { "web": { "bind": "127.0.0.1", "port": 0 } } },
            "args": ["--no-token"], "log_level": 0,
        }));
        // 072-267
        assert_eq!(host.hear(), json!({ "type": "ready" }));
        let printed = host.hear();
        assert_eq!(printed["type"], "print");
        let url = printed["text"].as_str().unwrap().trim();
        let address = url.trim_start_matches("http://").trim_end_matches('/');
        address.clone_into(&mut host.address);
        assert_eq!(host.hear()["channel"], "chrome");
        host
    }

    /// Sends a message.
    pub(crate) fn say(&mut self, message: &Value) {
        writeln!(self.stdin, "{message}").unwrap();
    }

    /// The next message.
    #[track_caller]
    pub(crate) fn hear(&self) -> Value {
        self.lines.recv_timeout(LIMIT).expect("the plugin said nothing")
    }

    /// The next request, which has to be of this type.
    #[track_caller]
    pub(crate) fn hear_request(&self, kind: &str) -> Value {
        let request = self.hear();
        assert_eq!(request["type"], kind, "{request}");
        request
    }

    /// Answers a request with these fields and its id.
    pub(crate) fn answer(&mut self, request: &Value, mut answer: Value) {
        answer["id"] = request["id"].clone();
        self.say(&answer);
    }

    /// Answers whatever is asked with these conversations, each with one message, until nothing was
    /// asked for a while. Returns the types of the requests.
    pub(crate) fn serve(&mut self, ids: &[&str], quiet: Duration) -> Vec<String> {
        let mut kinds = Vec::new();
        loop {
            let request = match self.lines.recv_timeout(quiet) {
                Ok(request) => request,
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return kinds,
            };
            let kind = request["type"].as_str().unwrap().to_owned();
            let answer = match &*kind {
                "list_conversations" => listing(ids),
                "read_events" => events(request["conversation"].as_str().unwrap()),
                other => panic!("the plugin asked for `{other}`"),
            };
            self.answer(&request, answer);
            kinds.push(kind);
        }
    }

    /// Waits until the plugin is gone; its code.
    pub(crate) fn wait(mut self) -> Option<i32> {
        for _ in 0..600 {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            thread::sleep(Duration::from_millis(50));
        }
        panic!("the plugin did not end");
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A listing of conversations that are called like their ids.
pub(crate) fn listing(ids: &[&str]) -> Value {
    let summary = |id: &&str| json!({ "id": id, "title": format!("title of {id}"), "last_activated_at": "2026-03-18T13:19:13Z", "events_count": 2 });
    json!({ "type": "conversations", "data": ids.iter().map(summary).collect::<Vec<_>>() })
}

/// What was said in one of them.
pub(crate) fn events(id: &str) -> Value {
    let events = [
        json!({ "type": "turn_start", "timestamp": "2026-03-18T13:19:13Z" }),
        json!({ "type": "chat_response", "message": format!("said in {id}"), "timestamp": "2026-03-18T13:19:13Z" }),
    ];
    json!({ "type": "events", "conversation": id, "data": events })
}
