//! A server for the tests: it speaks JSON lines in either era, without any library, and misbehaves on
//! request.
//!
//! How it greets is set by its arguments (`era=legacy`, `probe=exit`, …); what it does in a call, by the
//! name of the tool. `log=FILE` writes down every line that it is sent, which is how tests see the wire.
#![expect(clippy::disallowed_methods, reason = "it writes the log that a test reads")]
#![expect(clippy::print_stderr, reason = "stderr of a server is what is tested")]

mod answers;
mod tools;

use std::{
    collections::HashMap,
    fs::{File, OpenOptions},
    io::{self, BufRead as _, Write as _},
    process::exit,
    sync::{Arc, Mutex},
    thread,
    time::Duration,
};

use serde_json::{Value, json};

/// The version of the newer era.
const MODERN: &str = "2026-07-28";

fn main() {
    let mut server = Server::new();
    if server.is("hello", "die") {
        eprintln!("cannot import name 'x'");
        exit(1);
    }
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        server.log(&line);
        if server.is("hello", "silent") {
            continue;
        }
        if let Ok(message) = serde_json::from_str(&line) {
            server.hear(&message);
        }
    }
    // Its input has ended: a good server leaves now.
    if server.is("leave", "never") {
        thread::sleep(Duration::from_mins(10));
    }
}

/// A server, and what it has to remember.
struct Server {
    words: HashMap<String, String>,
    log: Option<File>,
    out: Out,
    /// Its own questions, and the calls that wait for them.
    asked: HashMap<String, Waiting>,
    questions: u64,
    /// The id of the subscription to changes of the tools.
    subscription: Option<Value>,
    /// A tool that was not there from the beginning.
    has_new_tool: bool,
}

/// A call that waits for an answer of the client.
struct Waiting {
    call: Value,
    asks_for_ever: bool,
}

/// The output, which calls in other threads use as well.
#[derive(Clone)]
struct Out(Arc<Mutex<io::Stdout>>);

impl Out {
    fn line(&self, line: &str) {
        if let Ok(mut out) = self.0.lock()
            && writeln!(out, "{line}").and_then(|()| out.flush()).is_err()
        {
            exit(0);
        }
    }

    fn send(&self, message: &Value) {
        self.line(&message.to_string());
    }

    fn answer(&self, id: &Value, result: &Value) {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    fn refuse(&self, id: &Value, code: i64, message: &str) {
        let error = json!({ "code": code, "message": message });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
    }
}

impl Server {
    fn new() -> Self {
        let words = std::env::args().skip(1);
        let words: HashMap<_, _> = words
            .filter_map(|word| word.split_once('=').map(|(a, b)| (a.to_owned(), b.to_owned())))
            .collect();
        let log = words.get("log").map(|path| {
            let mut options = OpenOptions::new();
            options.create(true).append(true).open(path).expect("the log can be opened")
        });
        let out = Out(Arc::new(Mutex::new(io::stdout())));
        let (asked, subscription) = (HashMap::new(), None);
        Self { words, log, out, asked, questions: 0, subscription, has_new_tool: false }
    }

    fn is(&self, word: &str, value: &str) -> bool {
        self.words.get(word).is_some_and(|found| found == value)
    }

    fn log(&mut self, line: &str) {
        if let Some(log) = &mut self.log {
            writeln!(log, "{line}").expect("the log can be written");
        }
    }

    fn hear(&mut self, message: &Value) {
        let id = message.get("id").cloned();
        let params = message.get("params").cloned().unwrap_or_default();
        match (message["method"].as_str(), id) {
            (Some(method), Some(id)) => self.request(method, &id, &params),
            (Some(_), None) => {}
            (None, id) => self.reply(&id.unwrap_or_default(), message),
        }
    }

    fn request(&mut self, method: &str, id: &Value, params: &Value) {
        match method {
            "server/discover" => self.discover(id),
            "initialize" => self.initialize(id, params),
            "ping" => self.out.answer(id, &json!({})),
            "tools/list" => self.list(id, params),
            "tools/call" => self.call(id, params),
            "resources/read" => self.out.answer(id, &answers::resource(params)),
            "subscriptions/listen" => self.listen(id, params),
            other => self.out.refuse(id, -32601, &format!("Method not found: {other}")),
        }
    }

    fn discover(&mut self, id: &Value) {
        match self.words.get("probe").map(String::as_str) {
            Some("silent") => return,
            Some("exit") => {
                eprintln!("unknown method server/discover");
                exit(2);
            }
            Some("garbage") => return self.out.line("Traceback (most recent call last):"),
            Some("slow") => thread::sleep(Duration::from_secs(4)),
            _ => {}
        }
        if self.is("era", "legacy") {
            return self.out.refuse(id, -32601, "Method not found");
        }
        let result = json!({
            "resultType": "complete",
            "supportedVersions": [MODERN],
            "capabilities": { "tools": { "listChanged": true }, "resources": {} },
            "ttlMs": 0,
            "cacheScope": "private",
            "_meta": { "io.modelcontextprotocol/serverInfo": { "name": "fixture", "version": "1.2.3" } },
        });
        self.out.answer(id, &result);
    }

    fn initialize(&mut self, id: &Value, params: &Value) {
        if self.is("era", "modern") {
            return self.out.refuse(id, -32602, "initialize is not supported any more");
        }
        let result = json!({
            "protocolVersion": params["protocolVersion"],
            "capabilities": { "tools": { "listChanged": true }, "resources": {} },
            "serverInfo": { "name": "fixture", "version": "1.2.3" },
            "instructions": "Be careful.",
        });
        self.out.answer(id, &result);
    }

    fn list(&mut self, id: &Value, params: &Value) {
        let cursor = params["cursor"].as_str();
        self.out.answer(
            id,
            &match self.words.get("pages").map(String::as_str) {
                Some("circle") => answers::circle(cursor),
                Some("endless") => answers::endless(cursor),
                Some("crowd") => answers::crowd(),
                Some("malformed") => answers::malformed_tools(),
                Some("many") => answers::page(cursor),
                _ => answers::tools(self.has_new_tool),
            },
        );
    }

    /// The newer era has to be told that somebody wants to know about changes.
    fn listen(&mut self, id: &Value, params: &Value) {
        self.subscription = Some(id.clone());
        let meta = json!({ "io.modelcontextprotocol/subscriptionId": id });
        self.out.send(&json!({
            "jsonrpc": "2.0",
            "method": "notifications/subscriptions/acknowledged",
            "params": { "_meta": meta, "notifications": params["notifications"] },
        }));
    }

    /// An answer of the client to a question of ours.
    fn reply(&mut self, id: &Value, message: &Value) {
        let Some(Waiting { call, asks_for_ever }) = self.asked.remove(&id.to_string()) else {
            return;
        };
        if asks_for_ever {
            return self.ask(&call, true);
        }
        let answer = message.get("result").or(message.get("error")).cloned().unwrap_or_default();
        self.out.answer(&call, &answers::text(&answer.to_string()));
    }

    /// A question, in the middle of a call.
    fn ask(&mut self, call: &Value, asks_for_ever: bool) {
        let params = json!({
            "message": "Who are you?",
            "requestedSchema": {
                "type": "object",
                "properties": { "name": { "type": "string" }, "age": { "type": "integer", "x-odd": [] } },
                "required": ["name"],
            },
        });
        self.ask_client("elicitation/create", &params, call, asks_for_ever);
    }

    fn ask_client(&mut self, method: &str, params: &Value, call: &Value, asks_for_ever: bool) {
        self.questions += 1;
        let id = json!(format!("question-{}", self.questions));
        self.asked.insert(id.to_string(), Waiting { call: call.clone(), asks_for_ever });
        self.out.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
    }
}
