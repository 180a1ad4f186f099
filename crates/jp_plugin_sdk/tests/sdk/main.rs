//! Plugins on the SDK, with a test that plays the host at the other end of real pipes.

#![expect(clippy::unwrap_used, reason = "a test has nobody to hand an error to")]

mod asynchronous;
mod each;
mod entry;
mod layer;
mod locks;
mod session;

use std::{
    io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _, pipe},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread::{self, JoinHandle},
    time::Duration,
};

use jp_plugin_sdk::{Failure, Plugin, Session};
use serde_json::{Value, json};

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(20);

fn plugin() -> Plugin {
    Plugin::new("probe", "0.1.0", "Tries the SDK")
}

/// The host of one plugin.
struct Host {
    to: Option<PipeWriter>,
    lines: Receiver<String>,
    plugin: JoinHandle<u8>,
}

impl Host {
    /// Starts a plugin and greets it.
    fn run(plugin: impl FnOnce(&Session) -> Result<(), Failure> + Send + 'static) -> Self {
        let mut host = Self::start(|reader, writer| {
            self::plugin().run_on(BufReader::new(reader), writer, plugin)
        });
        host.greet(1);
        host
    }

    fn start(plugin: impl FnOnce(PipeReader, PipeWriter) -> u8 + Send + 'static) -> Self {
        let (reader, to) = pipe().unwrap();
        let (from, writer) = pipe().unwrap();
        let plugin = thread::spawn(move || plugin(reader, writer));
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let lines = BufReader::new(from).lines().map_while(Result::ok);
            lines.for_each(|line| drop(sender.send(line)));
        });
        Self { to: Some(to), lines, plugin }
    }

    fn greet(&mut self, log_level: u8) {
        self.say(&init(log_level));
        assert_eq!(self.hear(), json!({"type": "ready"}));
    }

    fn say(&mut self, message: &Value) {
        self.say_line(&message.to_string());
    }

    fn say_line(&mut self, line: &str) {
        writeln!(self.to.as_ref().expect("stdin is open"), "{line}").unwrap();
    }

    /// The next message.
    fn hear(&self) -> Value {
        let line = self.lines.recv_timeout(PATIENCE).expect("a line in time");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{line}: {error}"))
    }

    /// What is said until `exit`, or until there is nothing more.
    fn hear_all(&self) -> Vec<Value> {
        let mut all: Vec<Value> = Vec::new();
        while all.last().is_none_or(|last| last["type"] != "exit") {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => all.push(serde_json::from_str(&line).unwrap()),
                Err(RecvTimeoutError::Disconnected) => return all,
                Err(RecvTimeoutError::Timeout) => panic!("no end after {} messages", all.len()),
            }
        }
        all
    }

    /// So many bytes of plain text, in messages that are no longer than a host reads.
    fn printed(&self, bytes: usize) -> String {
        let mut printed = String::new();
        while printed.len() < bytes {
            let line = self.lines.recv_timeout(PATIENCE).unwrap();
            assert!(line.len() <= 16 << 20);
            let print: Value = serde_json::from_str(&line).unwrap();
            assert_eq!((&print["type"], &print["format"]), (&json!("print"), &Value::Null));
            printed.push_str(print["text"].as_str().unwrap());
        }
        printed
    }

    /// Whether nothing is said for a moment.
    fn is_silent(&self) -> bool {
        self.lines.recv_timeout(Duration::from_millis(100)).is_err()
    }

    /// Hears a request of this type and answers it with these fields.
    fn answer(&mut self, kind: &str, answer: Value) -> Value {
        let asked = self.hear();
        assert_eq!(asked["type"], kind, "{asked}");
        self.reply(&asked, answer);
        asked
    }

    fn reply(&mut self, asked: &Value, mut answer: Value) {
        if let Some(id) = asked.get("id") {
            answer["id"] = id.clone();
        }
        self.say(&answer);
    }

    /// Hears the end, and returns the code of the message, which is that of the program.
    fn end(self) -> Value {
        let exit = self.hear();
        assert_eq!(exit["type"], "exit", "{exit}");
        let code = self.plugin.join().unwrap();
        assert_eq!(exit["code"], code);
        exit
    }
}

fn init(log_level: u8) -> Value {
    json!({
        "type": "init", "version": 1,
        "workspace": {"root": "/w", "storage": "/w/.jp", "id": "ab12c"},
        "config": {"assistant": {"name": "JP"}}, "args": ["--all", "x y"], "log_level": log_level,
        "of a later version": [1],
    })
}
