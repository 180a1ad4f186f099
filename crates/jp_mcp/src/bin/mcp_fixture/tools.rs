//! What the server does in a call, by the name of the tool.

use std::{io::Write as _, path::Path, process::exit, thread, time::Duration};

use serde_json::{Value, json};

use super::{MODERN, Server, answers};

impl Server {
    pub(super) fn call(&mut self, id: &Value, params: &Value) {
        let arguments = &params["arguments"];
        let number = |name: &str| arguments[name].as_u64().unwrap_or(0);
        match params["name"].as_str().unwrap_or_default() {
            "echo" => self.out.answer(id, &answers::text(&params.to_string())),
            "die" | "die_safely" => die(),
            "die_once" | "die_once_safely" => self.die_once(id),
            "answer_and_leave" => {
                self.out.answer(id, &answers::text("goodbye"));
                exit(0);
            }
            "batch" => self.batch(id),
            "withdraw" => self.withdraw(id),
            "deaf" => self.deaf(id),
            "pings" => self.pings(id, number("messages")),
            "garbage" => self.garbage(id),
            "broken" => self.out.line(&format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"#)),
            "huge" => self.huge(id, number("bytes"), arguments["late_id"].as_bool()),
            "flood" => self.flood(id, number("messages")),
            "blocks" => self.out.answer(id, &answers::blocks()),
            "silent" => {}
            "slow" => self.slow(id, params, number("steps"), number("every")),
            "ask" => self.ask(id, false),
            "ask_for_ever" => self.ask(id, true),
            "roots" => self.ask_client("roots/list", &json!({}), id, false),
            "sample" => self.ask_client("sampling/createMessage", &json!({}), id, false),
            "round" => self.out.answer(id, &answers::round(params)),
            "state_only" => self.out.answer(id, &answers::state_only(params)),
            "round_for_ever" => self.out.answer(id, &answers::state_for_ever()),
            "round_roots" => self.out.answer(id, &answers::round_roots(params)),
            "round_sample" => self.out.answer(id, &answers::round_sample()),
            "change" => self.change(id),
            "nonsense" => self.out.answer(id, &arguments["answer"]),
            "no_id" => self.out.refuse(&Value::Null, -32600, "Invalid Request"),
            other => self.out.refuse(id, -32602, &format!("Unknown tool: {other}")),
        }
    }

    /// Dies the first time, and leaves a mark so that the next process knows.
    fn die_once(&mut self, id: &Value) {
        let mark = self.words.get("mark").cloned().unwrap_or_default();
        if !Path::new(&mark).exists() {
            std::fs::write(&mark, "").expect("the mark can be made");
            die();
        }
        self.out.answer(id, &answers::text("second life"));
    }

    /// Answers, and reads nothing from then on.
    fn deaf(&mut self, id: &Value) {
        self.out.answer(id, &answers::text("the last thing I heard"));
        thread::sleep(Duration::from_mins(10));
    }

    /// Several messages in one line, as one revision of the protocol had it.
    fn batch(&mut self, id: &Value) {
        let log = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": {} });
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": answers::text("one of two") });
        self.out.send(&json!([log, answer]));
    }

    /// Asks, does not want to know any more, and answers a little later.
    fn withdraw(&mut self, id: &Value) {
        self.ask(id, false);
        let (out, id, question) =
            (self.out.clone(), id.clone(), format!("question-{}", self.questions));
        self.asked.clear();
        thread::spawn(move || {
            thread::sleep(Duration::from_millis(200));
            let params = json!({ "requestId": question });
            out.send(
                &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }),
            );
            thread::sleep(Duration::from_millis(200));
            out.answer(&id, &answers::text("never mind"));
        });
    }

    /// Asks for signs of life without end, reads none of them, and answers at last.
    fn pings(&mut self, id: &Value, messages: u64) {
        for number in 0..messages {
            self.out
                .send(&json!({ "jsonrpc": "2.0", "id": format!("p{number}"), "method": "ping" }));
        }
        self.out.answer(id, &answers::text("alive"));
    }

    fn garbage(&mut self, id: &Value) {
        for line in ["Listening on port 3000", "", "{", "[1, 2", "42", r#"{"jsonrpc":"2.0"}"#] {
            self.out.line(line);
        }
        if let Ok(mut out) = self.out.0.lock() {
            let _ = out.write_all(b"\xff\xfe\x00 not text\n");
        }
        self.out.answer(id, &answers::text("among garbage"));
    }

    fn huge(&mut self, id: &Value, bytes: u64, late_id: Option<bool>) {
        let Ok(mut out) = self.out.0.lock() else { return };
        let (before, after) = if late_id == Some(true) {
            (
                r#"{"result":{"content":[{"type":"text","text":""#.to_owned(),
                format!(r#""}}]}},"id":{id}}}"#),
            )
        } else {
            (
                format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#
                ),
                r#""}]}}"#.to_owned(),
            )
        };
        let chunk = vec![b'x'; 64 * 1024];
        let mut write = || -> std::io::Result<()> {
            out.write_all(before.as_bytes())?;
            for _ in 0..bytes / chunk.len() as u64 {
                out.write_all(&chunk)?;
            }
            out.write_all(after.as_bytes())?;
            out.write_all(b"\n")?;
            out.flush()
        };
        let _ = write();
    }

    fn flood(&mut self, id: &Value, messages: u64) {
        let log = json!({
            "jsonrpc": "2.0",
            "method": "notifications/message",
            "params": { "level": "info", "data": "x".repeat(1000) },
        });
        for number in 0..messages {
            self.out.send(&log);
            eprintln!("line {number} {}", "x".repeat(1000));
        }
        self.out.answer(id, &answers::text("after the flood"));
    }

    fn slow(&mut self, id: &Value, params: &Value, steps: u64, every: u64) {
        let (out, id, token) =
            (self.out.clone(), id.clone(), params["_meta"]["progressToken"].clone());
        thread::spawn(move || {
            for step in 1..=steps {
                thread::sleep(Duration::from_millis(every));
                if !token.is_null() {
                    let progress = json!({ "progressToken": token, "progress": step, "total": steps, "message": format!("step {step}") });
                    out.send(&json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": progress }));
                }
            }
            out.answer(&id, &answers::text("slow but done"));
        });
    }

    /// Has one more tool from now on, and says so.
    fn change(&mut self, id: &Value) {
        self.has_new_tool = true;
        let mut notice = json!({ "jsonrpc": "2.0", "method": "notifications/tools/list_changed" });
        if let Some(subscription) = &self.subscription {
            notice["params"] =
                json!({ "_meta": { "io.modelcontextprotocol/subscriptionId": subscription } });
        }
        let is_modern = !self.is("era", "legacy");
        if !is_modern || self.subscription.is_some() {
            self.out.send(&notice);
        }
        self.out.answer(id, &answers::text(MODERN));
    }
}

fn die() -> ! {
    eprintln!("thread 'main' panicked: out of ideas");
    exit(3);
}
