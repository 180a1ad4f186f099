//! The tool of a test: the far ends of both pipes, and a limit to every wait.

use std::{
    collections::VecDeque,
    os::fd::{AsFd, OwnedFd},
    sync::Arc,
    time::{Duration, Instant},
};

use jp_tool::ToolState;
use jp_vfs::{End, Session};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

/// How long a test waits for anything.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// Every code that the host may send.
const CODES: [i64; 11] =
    [-32700, -32600, -32601, -32602, -32603, -32001, -32002, -32003, -32004, -32005, -32006];

/// A tool that is this test.
pub(crate) struct Tool {
    input: Option<OwnedFd>,
    output: Option<OwnedFd>,
    session: Option<Session>,
    runtime: Arc<Runtime>,
    /// What has arrived after the last line.
    arrived: Vec<u8>,
    /// Lines that came while something else was waited for.
    kept: VecDeque<Value>,
    last_id: i64,
}

impl Tool {
    pub(crate) fn new(
        input: OwnedFd,
        output: OwnedFd,
        session: Session,
        runtime: Arc<Runtime>,
    ) -> Self {
        for end in [&input, &output] {
            rustix::io::ioctl_fionbio(end, true).unwrap();
        }
        let (arrived, kept) = (Vec::new(), VecDeque::new());
        let (input, output, session) = (Some(input), Some(output), Some(session));
        Self { input, output, session, runtime, arrived, kept, last_id: 1_000 }
    }

    /// Writes bytes as they are, reading nothing meanwhile.
    pub(crate) fn write(&mut self, bytes: impl AsRef<[u8]>) {
        let mut rest = bytes.as_ref();
        let deadline = Instant::now() + LIMIT;
        while !rest.is_empty() {
            assert!(Instant::now() < deadline, "{} bytes are not taken", rest.len());
            rest = &rest[self.try_write(rest)..];
        }
    }

    /// Writes what the pipe takes within a tenth of a second.
    pub(crate) fn try_write(&mut self, bytes: &[u8]) -> usize {
        let output = self.output.as_ref().expect("the output is open");
        if !is_ready(output, PollFlags::OUT, Duration::from_millis(100)) {
            return 0;
        }
        match rustix::io::write(output, bytes) {
            Ok(count) => count,
            Err(rustix::io::Errno::AGAIN) => 0,
            Err(error) => panic!("cannot write: {error}"),
        }
    }

    /// Writes a message.
    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n"));
    }

    /// Sends a request and does not wait for the answer.
    pub(crate) fn request(&mut self, id: impl Into<Value>, method: &str, params: Value) {
        let id = id.into();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// Sends a notification.
    pub(crate) fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// The answer to one request; what else comes is kept.
    pub(crate) fn call(&mut self, method: &str, params: Value) -> Value {
        self.last_id += 1;
        let id = self.last_id;
        self.request(id, method, params);
        self.answer(id)
    }

    /// The code with which a request is refused; 0 if it is done.
    pub(crate) fn code(&mut self, method: &str, params: Value) -> i64 {
        code_of(&self.call(method, params))
    }

    /// The answer to a request that was sent; what else comes is kept.
    pub(crate) fn answer(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        let is_answer = |line: &Value| line.get("id") == Some(&id);
        if let Some(at) = self.kept.iter().position(is_answer) {
            return self.kept.remove(at).unwrap();
        }
        loop {
            let line = self.fresh_line();
            if is_answer(&line) {
                return line;
            }
            self.kept.push_back(line);
        }
    }

    /// The next line that was not looked at yet, which has to be a message of the host.
    pub(crate) fn line(&mut self) -> Value {
        self.kept.pop_front().unwrap_or_else(|| self.fresh_line())
    }

    fn fresh_line(&mut self) -> Value {
        self.line_within(LIMIT).expect("a line comes within the limit")
    }

    /// The next line, if one comes in time.
    pub(crate) fn line_within(&mut self, limit: Duration) -> Option<Value> {
        self.raw_within(limit).map(|line| checked(&line))
    }

    /// The next line as it came, if one comes in time.
    pub(crate) fn raw_within(&mut self, limit: Duration) -> Option<Vec<u8>> {
        let deadline = Instant::now() + limit;
        let mut searched = 0;
        loop {
            if let Some(at) = self.arrived[searched..].iter().position(|byte| *byte == b'\n') {
                let rest = self.arrived.split_off(searched + at + 1);
                return Some(std::mem::replace(&mut self.arrived, rest));
            }
            searched = self.arrived.len();
            if self.read(deadline.saturating_duration_since(Instant::now()))? == 0 {
                return None;
            }
        }
    }

    /// Reads over one line, and gives its length.
    pub(crate) fn skip_line(&mut self) -> usize {
        let mut length = 0;
        loop {
            if let Some(at) = self.arrived.iter().position(|byte| *byte == b'\n') {
                self.arrived.drain(..=at);
                return length + at;
            }
            length += std::mem::take(&mut self.arrived).len();
            assert_ne!(self.read(LIMIT), None, "more comes within the limit");
        }
    }

    /// Reads not more than this of what is there.
    pub(crate) fn read_some(&mut self, most: usize) {
        let input = self.input.as_ref().expect("the input is open");
        if is_ready(input, PollFlags::IN, Duration::ZERO) {
            let mut bytes = vec![0; most];
            let count = rustix::io::read(input, &mut bytes[..]).unwrap();
            self.arrived.extend_from_slice(&bytes[..count]);
        }
    }

    /// Reads once. `None` when nothing came in time, 0 at the end.
    fn read(&mut self, limit: Duration) -> Option<usize> {
        let input = self.input.as_ref().expect("the input is open");
        if !is_ready(input, PollFlags::IN, limit) {
            return None;
        }
        let mut bytes = vec![0; 1 << 20];
        let count = rustix::io::read(input, &mut bytes[..]).unwrap();
        self.arrived.extend_from_slice(&bytes[..count]);
        Some(count)
    }

    /// Reads to the end of the input, which has to come.
    pub(crate) fn drained(&mut self) -> Vec<Value> {
        let mut lines: Vec<_> = self.kept.drain(..).collect();
        while let Some(line) = self.line_within(LIMIT) {
            lines.push(line);
        }
        assert_eq!(self.read(LIMIT), Some(0), "the input ends");
        lines
    }

    /// Shows that nothing comes for a while.
    pub(crate) fn hears_nothing(&mut self) {
        let line = self.kept.pop_front().or_else(|| self.line_within(Duration::from_millis(150)));
        assert_eq!(line, None, "nothing was to come");
    }

    pub(crate) fn close_output(&mut self) {
        self.output = None;
    }

    pub(crate) fn close_input(&mut self) {
        self.input = None;
    }

    pub(crate) fn session(&self) -> &Session {
        self.session.as_ref().expect("the session is not given up")
    }

    /// Gives the session up, as a host does that has no more use for the tool.
    pub(crate) fn give_up(&mut self) {
        self.session = None;
    }

    /// Why nothing more is served.
    pub(crate) fn end(&self) -> End {
        self.wait(self.session().end())
    }

    /// Whether it is still served.
    pub(crate) fn is_served(&self) -> bool {
        let end =
            async { tokio::time::timeout(Duration::from_millis(50), self.session().end()).await };
        self.runtime.block_on(end).is_err()
    }

    /// The state that is reported after so many.
    pub(crate) fn state_after(&self, states: u64) -> Option<ToolState> {
        self.wait(self.session().state_after(states)).ok()
    }

    fn wait<T>(&self, future: impl Future<Output = T>) -> T {
        self.runtime
            .block_on(async { tokio::time::timeout(LIMIT, future).await })
            .expect("it comes within the limit")
    }
}

/// The code of a response; 0 for one with a result.
pub(crate) fn code_of(response: &Value) -> i64 {
    response.get("error").map_or(0, |error| error["code"].as_i64().unwrap())
}

/// One request a row: what it shows, the method, its params, and the result or the code that comes.
pub(crate) type Row<'a> = (&'a str, &'a str, Value, Value);

/// Sends one request after the other and compares the answers.
pub(crate) fn check(tool: &mut Tool, rows: &[Row<'_>]) {
    for (shows, method, params, expected) in rows {
        let answer = tool.call(method, params.clone());
        let got =
            if expected.is_i64() { json!(code_of(&answer)) } else { answer["result"].clone() };
        assert_eq!(&got, expected, "{shows}: {method} {params}: {answer}");
    }
}

/// A line, if it is a message as the host may write it.
fn checked(line: &[u8]) -> Value {
    let text = str::from_utf8(line).expect("lines are UTF-8");
    let value: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    assert!(value.is_object(), "D11-020: {text}");
    assert_eq!(value["jsonrpc"], "2.0", "D11-028: {text}");
    let has = |name: &str| value.get(name).is_some();
    if has("method") {
        assert!(!has("id") && !has("result") && !has("error"), "D11-019: {text}");
        let known = ["init", "apply", "cancel", "pending"].map(Value::from);
        assert!(known.contains(&value["method"]), "D11-273: {text}");
        return value;
    }
    assert!(has("id"), "{text}");
    assert!(has("result") != has("error"), "D11-033 D11-034: {text}");
    if let Some(error) = value.get("error") {
        assert!(error["message"].is_string(), "D11-034: {text}");
        assert!(CODES.map(Value::from).contains(&error["code"]), "D11-236: {text}");
    }
    value
}

fn is_ready(end: &OwnedFd, flags: PollFlags, limit: Duration) -> bool {
    let mut polled = [PollFd::from_borrowed_fd(end.as_fd(), flags)];
    let limit = Timespec {
        tv_sec: limit.as_secs().try_into().unwrap(),
        tv_nsec: limit.subsec_nanos().into(),
    };
    poll(&mut polled, Some(&limit)).unwrap() > 0
}
