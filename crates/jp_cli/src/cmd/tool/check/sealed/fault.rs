//! What a host may do to a tool, and what can happen to a host: data, and what it does to the answers.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use jp_tool::vfs::ErrorCode;
use serde_json::{Value, json};

/// How long an answer takes when the host is slow, and how many do.
const SLOW: (Duration, usize) = (Duration::from_millis(300), 10);

/// How long it is waited for more requests before answers are given in another order.
const GATHERING: Duration = Duration::from_millis(200);

/// How much longer a long answer is, in bytes.
const LARGE: usize = 3_000_000;

/// What is different from a good host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    None,
    /// There are fields in the answers that nobody knows.
    Fields,
    /// There are notifications before each answer: one that nobody knows, and `pending`.
    News,
    /// Answers come in another order than requests, where there are several.
    Reversed,
    /// The first answer is very long.
    Large,
    /// Answers take long.
    Slow,
    /// Requests are refused, from this one on; the first is 1.
    Refused {
        code: ErrorCode,
        from: usize,
    },
    /// The call is called off at the first request.
    Cancel,
    /// The input ends at the first request.
    HangUp,
    /// There is no input at all.
    NoInput,
}

/// Answers on their way to the tool.
#[derive(Debug)]
pub(super) struct Answers {
    fault: Fault,
    given: usize,
    /// Those that have to wait.
    later: VecDeque<(Instant, Vec<u8>)>,
    /// Whether some came in another order than their requests.
    pub(super) reordered: bool,
}

impl Fault {
    /// Whether the tool is there until its last word.
    pub(super) fn lets_answer(self) -> bool {
        !matches!(self, Self::Cancel | Self::HangUp | Self::NoInput)
    }
}

impl Answers {
    pub(super) fn new(fault: Fault) -> Self {
        Self { fault, given: 0, later: VecDeque::new(), reordered: false }
    }

    /// What is sent now, when the host gives this answer.
    pub(super) fn take(&mut self, line: Vec<u8>, now: Instant) -> Vec<Vec<u8>> {
        self.given += 1;
        match self.fault {
            Fault::Fields => vec![changed(&line, with_fields)],
            Fault::Large if self.given == 1 => vec![changed(&line, lengthened)],
            Fault::News => news(&line).into_iter().chain([line]).collect(),
            Fault::Slow if self.given <= SLOW.1 => {
                let start = self.later.back().map_or(now, |(due, _)| *due);
                self.later.push_back((start + SLOW.0, line));
                Vec::new()
            }
            Fault::Reversed => {
                self.later.push_front((now + GATHERING, line));
                for (due, _) in &mut self.later {
                    *due = now + GATHERING;
                }
                Vec::new()
            }
            _ => vec![line],
        }
    }

    /// When the next one is due that waits.
    pub(super) fn due(&self) -> Option<Instant> {
        self.later.front().map(|(due, _)| *due)
    }

    /// Those that are due.
    pub(super) fn give(&mut self, now: Instant) -> Vec<Vec<u8>> {
        let count = self.later.iter().take_while(|(due, _)| *due <= now).count();
        self.reordered |= self.fault == Fault::Reversed && count > 1;
        self.later.drain(..count).map(|(_, line)| line).collect()
    }
}

/// A message after this was done to it, on one line.
pub(super) fn changed(line: &[u8], change: fn(&mut Value)) -> Vec<u8> {
    let Ok(mut message) = serde_json::from_slice(line) else { return line.to_vec() };
    change(&mut message);
    let mut line = message.to_string().into_bytes();
    line.push(b'\n');
    line
}

/// Adds fields that nobody knows, after those that somebody does: a shell counts on the order.
fn with_fields(message: &mut Value) {
    if let Some(Value::Object(result)) = message.get_mut("result") {
        result.insert("jp_check".to_owned(), json!({ "newer": [1, 2, 3] }));
        message["jp_check"] = json!("newer");
    }
}

/// Makes an answer long. White space at the end of a file means nothing to most.
fn lengthened(message: &mut Value) {
    let Some(Value::Object(result)) = message.get_mut("result") else { return };
    let line = format!("{:99}\n", "");
    let blank = line.repeat(LARGE / line.len());
    let is_text = !result.contains_key("encoding");
    match result.get_mut("content") {
        Some(Value::String(content)) if is_text => {
            content.push_str(&blank);
            result.insert("size".to_owned(), json!(result["content"].as_str().map(str::len)));
        }
        _ => {
            result.insert("jp_check".to_owned(), json!(blank));
        }
    }
}

/// What can be heard before an answer.
fn news(line: &[u8]) -> Vec<Vec<u8>> {
    let id = serde_json::from_slice::<Value>(line).map(|message| message["id"].clone());
    let news = [
        json!({ "jsonrpc": "2.0", "method": "jp_check", "params": { "newer": true } }),
        json!({
            "jsonrpc": "2.0", "method": "pending",
            "params": { "request_id": id.unwrap_or_default(), "reason": "awaiting user approval" },
        }),
    ];
    news.map(|message| format!("{message}\n").into_bytes()).into()
}
