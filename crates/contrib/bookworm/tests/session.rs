//! The program, talked to line by line.

use std::{
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

pub(crate) use jp_test::rmcp_client::{ERAS, Era};
use serde_json::{Value, json};

/// Making documentation compiles, and the machine may be busy.
const LIMIT: Duration = Duration::from_mins(5);

/// A running server and its client.
pub(crate) struct Session {
    pub(crate) child: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<String>,
    era: Era,
    asks: bool,
    next: u32,
}

impl Session {
    /// Starts a program and greets it; `asks`: the client declares that it has forms.
    pub(crate) fn start(command: &mut Command, era: Era, asks: bool) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let (sender, lines) = channel();
        let stdout = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line))
        });
        let stdin = child.stdin.take();
        let mut session = Self { child, stdin, lines, era, asks, next: 0 };
        if era == Era::Legacy {
            let hello = session.request(
                "initialize",
                json!({ "protocolVersion": "2025-06-18", "capabilities": session.capabilities(),
                    "clientInfo": { "name": "test", "version": "1" } }),
            );
            assert_eq!(hello["result"]["serverInfo"]["name"], "bookworm");
            session.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        }
        session
    }

    pub(crate) fn send(&mut self, message: &Value) {
        writeln!(self.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    pub(crate) fn receive(&mut self) -> Value {
        let line = self.lines.recv_timeout(LIMIT).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// Sends a request without waiting for its answer.
    pub(crate) fn ask(&mut self, method: &str, mut params: Value) -> u32 {
        self.next += 1;
        if self.era == Era::Modern {
            let capabilities = self.capabilities();
            let meta = params.as_object_mut().unwrap().entry("_meta").or_insert(json!({}));
            meta["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
            meta["io.modelcontextprotocol/clientInfo"] = json!({ "name": "test", "version": "1" });
            meta["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        }
        let id = self.next;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub(crate) fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.ask(method, params);
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The result of a call.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Value {
        self.call_with(tool, arguments, &json!({}))
    }

    /// The result of a call with more params.
    pub(crate) fn call_with(&mut self, tool: &str, arguments: &Value, more: &Value) -> Value {
        let mut params = json!({ "name": tool, "arguments": arguments });
        params.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let answer = self.request("tools/call", params);
        assert!(answer.get("error").is_none(), "{answer}");
        answer["result"].clone()
    }

    /// Closes the input, and waits for the end.
    pub(crate) fn finish(mut self, limit: Duration) -> std::process::ExitStatus {
        drop(self.stdin.take());
        self.wait(limit)
    }

    pub(crate) fn wait(&mut self, limit: Duration) -> std::process::ExitStatus {
        let deadline = Instant::now() + limit;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < deadline, "the server did not end");
            thread::sleep(Duration::from_millis(10));
        }
    }

    fn capabilities(&self) -> Value {
        if self.asks { json!({ "elicitation": {} }) } else { json!({}) }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// All texts of a result, whatever they are in.
pub(crate) fn text(result: &Value) -> String {
    let blocks = result["content"].as_array().into_iter().flatten();
    let of_block = |block: &Value| {
        let text = block.get("text").or_else(|| block.pointer("/resource/text"));
        text.and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    blocks.map(of_block).collect::<Vec<_>>().join("\n")
}

/// The URIs of a result, of resources and of links.
pub(crate) fn uris(result: &Value) -> Vec<String> {
    let blocks = result["content"].as_array().into_iter().flatten();
    let uri = |block: &Value| block.pointer("/resource/uri").or_else(|| block.get("uri")).cloned();
    blocks.filter_map(uri).map(|uri| uri.as_str().unwrap_or_default().to_owned()).collect()
}
