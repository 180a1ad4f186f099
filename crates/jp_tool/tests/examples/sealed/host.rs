//! A small host: it serves files of a directory, keeps no rules, and answers one request at a time.
//!
//! It is written by hand against the document, so that the examples are not judged by the code that they
//! are made of. Every wait has a limit.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{self, Receiver, RecvTimeoutError},
    thread,
    time::Duration,
};

use camino::{Utf8Path, Utf8PathBuf};
use serde_json::{Value, json};

const LIMIT: Duration = Duration::from_secs(30);

/// A tool that was started, and the directory that it sees.
pub(super) struct Host {
    child: Child,
    stdin: ChildStdin,
    lines: Receiver<String>,
    root: Utf8PathBuf,
    /// The methods that were called.
    pub(super) called: Vec<String>,
}

impl Host {
    pub(super) fn start(command: &[Utf8PathBuf], root: &Utf8Path) -> Self {
        let mut child = Command::new(&command[0])
            .args(&command[1..])
            // Where it stands has nothing to do with what it sees.
            .current_dir("/")
            .env_clear()
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || stdout.lines().try_for_each(|line| sender.send(line.unwrap())));
        let stdin = child.stdin.take().unwrap();
        Self { child, stdin, lines, root: root.to_owned(), called: Vec::new() }
    }

    pub(super) fn say(&mut self, message: &Value) {
        let line = json!({ "jsonrpc": "2.0" }).as_object().unwrap().clone();
        let line: serde_json::Map<_, _> =
            line.into_iter().chain(message.as_object().unwrap().clone()).collect();
        self.say_line(&Value::Object(line).to_string());
    }

    pub(super) fn say_line(&mut self, line: &str) {
        writeln!(self.stdin, "{line}").unwrap();
    }

    /// Serves requests until the tool says something that is none. `None`: it ended without a word.
    pub(super) fn serve(&mut self) -> Option<(String, Value)> {
        loop {
            let line = match self.lines.recv_timeout(LIMIT) {
                Ok(line) => line,
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) => {
                    self.child.kill().unwrap();
                    panic!("the tool says nothing; it called {:?}", self.called)
                }
            };
            let message: Value = serde_json::from_str(&line).unwrap();
            assert_eq!(message["jsonrpc"], "2.0", "{line}");
            let method = message["method"].as_str().unwrap().to_owned();
            let Some(id) = message.get("id") else {
                return Some((method, message["params"].clone()));
            };
            // News that every tool has to bear.
            let reason = "awaiting user approval";
            self.say(
                &json!({ "method": "pending", "params": { "request_id": id, "reason": reason } }),
            );
            self.say(&json!({ "method": "weather", "params": {} }));
            match answer(&self.root, &method, &message["params"]) {
                Ok(result) => self.say(&json!({ "id": id, "result": result })),
                Err((code, message)) => {
                    self.say(&json!({ "id": id, "error": { "code": code, "message": message } }));
                }
            }
            self.called.push(method);
        }
    }

    /// Closes the streams without an answer, and waits for the end of the tool.
    pub(super) fn leave(self) -> Option<i32> {
        let Self { mut child, stdin, lines, .. } = self;
        drop(stdin);
        while lines.recv_timeout(LIMIT).is_ok() {}
        child.wait().unwrap().code()
    }

    /// Waits for the end of the tool.
    pub(super) fn exit_code(mut self) -> Option<i32> {
        let end = self.lines.recv_timeout(LIMIT);
        assert_eq!(end, Err(RecvTimeoutError::Disconnected), "more after the end");
        // It has closed stdout, which it does by ending.
        self.child.wait().unwrap().code()
    }
}

fn answer(root: &Utf8Path, method: &str, params: &Value) -> Result<Value, (i64, String)> {
    let name = params["path"].as_str().unwrap_or(".");
    if name.starts_with('/') || name.split('/').any(|part| part == "..") {
        return Err((-32602, format!("the path {name:?} leads out")));
    }
    if name.contains("secret") {
        return Err((-32001, format!("fs: read {name:?} is denied; granted is read in \".\"")));
    }
    let path = root.join(name);
    let missing = |_| (-32002, format!("there is no {name:?}"));
    match method {
        "fs.read" => {
            let text = fs::read_to_string(path).map_err(missing)?;
            Ok(json!({ "content": text, "size": text.len() }))
        }
        "fs.write" => {
            fs::write(path, params["content"].as_str().unwrap()).unwrap();
            Ok(json!({}))
        }
        "fs.metadata" => {
            let metadata = fs::metadata(path).map_err(missing)?;
            let file = json!({ "kind": "file", "size": metadata.len() });
            Ok(if metadata.is_dir() { json!({ "kind": "dir" }) } else { file })
        }
        "fs.list_dir" => {
            let tells_links = params["links"] == true;
            let mut entries: Vec<(String, bool, bool)> = path
                .read_dir_utf8()
                .map_err(missing)?
                .map(|entry| entry.unwrap())
                .map(|entry| {
                    let is_link = tells_links && entry.path().is_symlink();
                    (entry.file_name().to_owned(), entry.path().is_dir(), is_link)
                })
                .collect();
            entries.sort();
            let entry = |(path, is_dir, is_link): (String, bool, bool)| {
                let kind = if is_dir { "dir" } else { "file" };
                let mut entry = json!({ "path": path, "kind": kind });
                if is_link {
                    entry["link"] = json!(true);
                }
                entry
            };
            Ok(json!({ "entries": entries.into_iter().map(entry).collect::<Vec<_>>() }))
        }
        "fs.grep" => Ok(json!({ "matches": grep(root, params) })),
        _ => Err((-32601, format!("there is no method `{method}`"))),
    }
}

/// Plain text and words, which is all that the examples look for.
fn grep(root: &Utf8Path, params: &Value) -> Vec<Value> {
    let pattern = params["pattern"].as_str().unwrap().replace("\\b", "");
    let mut matches = Vec::new();
    for (path, bytes) in super::super::snapshot(root) {
        let path = path.strip_prefix(root).unwrap();
        let extensions = params["extensions"].as_array();
        let fits = extensions.is_none_or(|list| list.contains(&json!(path.extension())));
        let text = String::from_utf8(bytes).unwrap();
        let lines: Vec<Value> = (1..)
            .zip(text.lines())
            .filter(|(_, line)| line.contains(&pattern))
            .map(|(at, line)| json!({ "line_number": at, "content": line, "is_match": true }))
            .collect();
        if fits && !lines.is_empty() {
            matches.push(json!({ "path": path, "lines": lines }));
        }
    }
    matches
}
