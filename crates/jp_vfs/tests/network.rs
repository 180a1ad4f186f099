//! Requests that have to be waited for, from the other end of the pipes: they hold nobody up, and nothing
//! of them goes on when nobody wants them any more.

#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "helpers of tests have nobody to hand an error to")]
#![expect(clippy::disallowed_methods, reason = "tests build their own files")]

use std::{
    fs::File,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
        mpsc,
    },
    thread,
    time::{Duration, Instant},
};

use camino::Utf8PathBuf;
use jp_fetch::{FetchSettings, Fetcher};
use jp_project::{MemoryProjectFiles, ProjectFiles, ProjectPath, WriteMode};
use jp_tool::vfs::{Init, PROTOCOL_VERSION};
use jp_vfs::{
    BoxFuture, Decided, Host, HostParts, Limits, Nobody, Pipes, Record, Recorder, Session,
    ToolAccess,
    gate::Gate,
    process::{ProgramError, ProgramRun, Programs, Ran},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{runtime::Runtime, sync::Notify};

/// How long a test waits for anything.
const LIMIT: Duration = Duration::from_secs(30);

/// D11-279, D11-280
#[test]
fn a_slow_server_delays_nobody_else() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut tool = Tool::start(&rules(&server), Arc::default());
    tool.send(1, "http.get", &json!({ "url": url(&server, "/") }));
    let mut stream = accepted(&server);
    tool.send(2, "fs.read", &json!({ "path": "a" }));
    assert_eq!(tool.line()["id"], 2);
    stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi").unwrap();
    let want = json!({ "jsonrpc": "2.0", "id": 1, "result": { "status": 200, "body": "hi" } });
    assert_eq!(tool.line(), want);
}

/// D11-229, D11-230: what the tool does not want any more is not waited for.
#[test]
fn a_request_that_is_called_off_closes_its_connection() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut tool = Tool::start(&rules(&server), Arc::default());
    tool.send(1, "http.get", &json!({ "url": url(&server, "/") }));
    let mut stream = accepted(&server);
    tool.notify("cancel", &json!({ "request_id": 1 }));
    let answer = tool.line();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32005)));
    until_closed(&mut stream);
    // The channel goes on.
    tool.send(2, "fs.exists", &json!({ "path": "a" }));
    assert_eq!(tool.line()["result"], json!({ "exists": true }));
}

/// D11-204, D11-176: with the session ends what it waits for.
#[test]
fn nothing_goes_on_without_the_session() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let programs = Arc::<Waiting>::default();
    let mut tool = Tool::start(&rules(&server), programs.clone());
    tool.send(1, "http.get", &json!({ "url": url(&server, "/") }));
    tool.send(2, "process.run", &json!({ "program": "p" }));
    let mut stream = accepted(&server);
    until("the program runs", || programs.started.load(Ordering::SeqCst) == 1);
    drop(tool.session.take());
    until_closed(&mut stream);
    until("the program is ended", || programs.dropped.load(Ordering::SeqCst) == 1);
}

/// D11-230
#[test]
fn a_program_that_is_called_off_is_ended() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let programs = Arc::<Waiting>::default();
    let mut tool = Tool::start(&rules(&server), programs.clone());
    tool.send(7, "process.run", &json!({ "program": "p" }));
    until("the program runs", || programs.started.load(Ordering::SeqCst) == 1);
    tool.notify("cancel", &json!({ "request_id": 7 }));
    let answer = tool.line();
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(7), &json!(-32005)));
    until("the program is ended", || programs.dropped.load(Ordering::SeqCst) == 1);
}

/// D11-157, D11-158, D11-200: the place is made before the tool starts, and made again when it is old.
#[test]
fn a_program_finds_the_files_as_they_are() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let programs = Arc::<Waiting>::default();
    programs.ends.store(true, Ordering::SeqCst);
    let mut tool = Tool::start(&rules(&server), programs.clone());
    assert_eq!(tool.places(), 1, "it is there before anything is asked for");
    let run = json!({ "program": "p", "args": ["x y", "$z"], "envs": ["LET", "NOT", "MISSING"] });
    tool.send(1, "process.run", &run);
    assert_eq!(tool.line()["result"], json!({ "stdout": "a=1", "stderr": "", "exit_code": 0 }));
    tool.send(2, "fs.write", &json!({ "path": "a", "content": "2" }));
    assert_eq!(tool.line()["result"], json!({}));
    tool.send(3, "process.run", &run);
    assert_eq!(tool.line()["result"]["stdout"], "a=2");
    let seen = programs.seen.lock().unwrap().clone();
    assert_eq!(seen[0], r#"p ["x y", "$z"] [("LET", "value")]"#);
    drop(tool.session.take());
    until("the copies are gone", || tool.places() == 0);
}

/// D11-158: what the tool writes while a program runs is not undone by what that one brings back.
#[test]
fn a_program_does_not_undo_what_was_written_meanwhile() {
    for (written, code) in [("a", -32603), ("c", 0)] {
        let server = TcpListener::bind("127.0.0.1:0").unwrap();
        let programs = Arc::<Waiting>::default();
        let mut tool = Tool::start(&rules(&server), programs.clone());
        tool.send(1, "process.run", &json!({ "program": "p" }));
        until("the program runs", || programs.started.load(Ordering::SeqCst) == 1);
        tool.send(2, "fs.write", &json!({ "path": written, "content": "by the tool" }));
        assert_eq!(tool.line()["id"], 2);
        programs.release.notify_one();
        let answer = tool.line();
        assert_eq!(answer["error"]["code"].as_i64().unwrap_or(0), code, "{answer}");
        tool.send(3, "fs.read", &json!({ "path": written }));
        assert_eq!(tool.line()["result"]["content"], "by the tool");
        tool.send(4, "fs.exists", &json!({ "path": "b" }));
        assert_eq!(tool.line()["result"]["exists"], code == 0);
    }
}

/// What is mostly control characters is six times as long as JSON. It is refused before it is made, and what is long
/// is made one by one.
#[test]
fn stress_loud_programs_take_no_more_memory_than_there_is() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let programs = Arc::<Waiting>::default();
    programs.ends.store(true, Ordering::SeqCst);
    let mut tool = Tool::start(&rules(&server), programs);
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    let before = memory("VmRSS:");
    for id in 0..8 {
        tool.send(
            id,
            "process.run",
            &json!({ "program": "p", "args": ["repeat", "\u{1}", "10000000"] }),
        );
    }
    for _ in 0..8 {
        assert_eq!(tool.line()["error"]["code"], -32006);
    }
    let grown = memory("VmHWM:") - before;
    assert!(grown < 180_000_000, "it took {grown} bytes");
    // As much as may be printed, of what is text, is told.
    tool.send(9, "process.run", &json!({ "program": "p", "args": ["repeat", "x\n", "5000000"] }));
    assert_eq!(tool.line()["result"]["stderr"].as_str().unwrap().len(), 10_000_000);
}

/// The same of what a server sends.
#[test]
fn a_body_that_is_far_longer_as_json_is_refused() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut tool = Tool::start(&rules(&server), Arc::default());
    for (id, body, code) in [
        (1, vec![1; 9_000_000], -32006),
        (2, vec![b'\n'; 9_000_000], 0),
        (3, vec![255; 9_000_000], 0),
    ] {
        tool.send(id, "http.get", &json!({ "url": url(&server, "/") }));
        let mut stream = accepted(&server);
        let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n", body.len());
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&body).unwrap();
        assert_eq!(tool.line()["error"]["code"].as_i64().unwrap_or(0), code, "{id}");
    }
}

/// What is said about the memory of this process, in bytes.
fn memory(what: &str) -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(what)).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1_024
}

/// D11-208: what is written down has no secrets in it.
#[test]
fn records_tell_where_it_went_and_no_more() {
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    let programs = Arc::<Waiting>::default();
    programs.ends.store(true, Ordering::SeqCst);
    let mut tool = Tool::start(&rules(&server), programs);
    let denied = format!("http://user:word@127.0.0.1:{}/p?key=1#f", port(&server));
    tool.send(1, "http.get", &json!({ "url": denied }));
    assert!(tool.line().get("error").is_some());
    tool.send(2, "http.get", &json!({ "url": "http://127.0.0.1:1/p?key=1#f" }));
    assert_eq!(tool.line()["error"]["code"], -32001);
    tool.send(3, "process.run", &json!({ "program": "p", "args": ["key=1"], "envs": ["LET"] }));
    assert!(tool.line().get("result").is_some());
    tool.send(4, "process.run", &json!({ "program": "q", "args": ["key=1"] }));
    assert_eq!(tool.line()["error"]["code"], -32001);
    let records = tool.records.0.lock().unwrap().clone();
    let shown = serde_json::to_string(&records).unwrap();
    for secret in ["key", "user", "word", "value"] {
        assert!(!shown.contains(secret), "{shown}");
    }
    let decisions: Vec<_> = records[1..].iter().map(|record| record.decision).collect();
    assert_eq!(decisions, [Decided::Denied, Decided::Allowed, Decided::Denied]);
    assert_eq!(records[1].target.as_deref(), Some("http://127.0.0.1:1/p"));
    assert_eq!(records[2].target.as_deref(), Some("p"));
}

/// The far ends of both pipes.
struct Tool {
    lines: mpsc::Receiver<String>,
    output: File,
    session: Option<Session>,
    records: Arc<Records>,
    dir: TempDir,
    _runtime: Runtime,
}

impl Tool {
    fn start(policy: &Value, programs: Arc<Waiting>) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let project = MemoryProjectFiles::new();
        project.write(&ProjectPath::new("a").unwrap(), b"1", WriteMode::CreateNew).unwrap();
        let policy = serde_json::from_value(policy.clone()).unwrap();
        let access = ToolAccess::new("t", "conversation.tools.t", Some(policy), None);
        let scratch = Utf8PathBuf::from_path_buf(dir.path().to_owned()).unwrap();
        let gate = Arc::new(Gate::new(Arc::new(access), Arc::new(project), scratch));
        let records = Arc::<Records>::default();
        let host = Host::new(HostParts {
            network: Some(Arc::new(Fetcher::new(FetchSettings::default()))),
            programs: Some(programs),
            approver: Arc::new(Nobody),
            recorder: Some(records.clone()),
            limits: Limits::default(),
            variables: [("LET", "value"), ("NOT", "value")]
                .map(|(name, value)| (name.into(), value.into()))
                .into(),
        });
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(gate.prepare());
        let (input, to_tool) = rustix::pipe::pipe().unwrap();
        let (from_tool, output) = rustix::pipe::pipe().unwrap();
        let inside = runtime.enter();
        let pipes = Pipes { to_tool, from_tool };
        let session = Session::start(pipes, init(), gate, Arc::new(host), false).unwrap();
        drop(inside);
        let (sender, lines) = mpsc::channel();
        thread::spawn(move || {
            let mut lines = BufReader::new(File::from(input)).lines();
            while let Some(Ok(line)) = lines.next() {
                // The test may have ended.
                let _ = sender.send(line);
            }
        });
        let (output, session) = (File::from(output), Some(session));
        let mut tool = Self { lines, output, session, records, dir, _runtime: runtime };
        assert_eq!(tool.line()["method"], "init");
        tool
    }

    fn send(&mut self, id: u64, method: &str, params: &Value) {
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        writeln!(self.output, "{message}").unwrap();
    }

    fn notify(&mut self, method: &str, params: &Value) {
        let message = json!({ "jsonrpc": "2.0", "method": method, "params": params });
        writeln!(self.output, "{message}").unwrap();
    }

    #[track_caller]
    fn line(&mut self) -> Value {
        let line = self.lines.recv_timeout(LIMIT).expect("a line comes in time");
        serde_json::from_str(&line).unwrap()
    }

    /// How many copies of the project there are.
    fn places(&self) -> usize {
        self.dir.path().read_dir().unwrap().count()
    }
}

/// Programs that say at once what is in the file `a`, or wait until they may write to it.
#[derive(Debug, Default)]
struct Waiting {
    ends: AtomicBool,
    release: Notify,
    started: AtomicUsize,
    dropped: Arc<AtomicUsize>,
    /// Program, arguments and variables of each.
    seen: Mutex<Vec<String>>,
}

impl Programs for Waiting {
    fn run<'a>(&'a self, run: ProgramRun<'a>) -> BoxFuture<'a, Result<Ran, ProgramError>> {
        let dropped = Counted(self.dropped.clone());
        Box::pin(async move {
            let _dropped = dropped;
            self.started.fetch_add(1, Ordering::SeqCst);
            if !self.ends.load(Ordering::SeqCst) {
                self.release.notified().await;
                std::fs::write(run.directory.join("a"), "by the program").unwrap();
                std::fs::write(run.directory.join("b"), "by the program").unwrap();
            }
            let seen = format!("{} {:?} {:?}", run.program, run.args, run.variables);
            self.seen.lock().unwrap().push(seen);
            if let ["repeat", word, times] =
                *run.args.iter().map(String::as_str).collect::<Vec<_>>()
            {
                let output = || word.repeat(times.parse().unwrap()).into_bytes();
                return Ok(Ran { stdout: output(), stderr: output(), exit_code: 0, lost: None });
            }
            let content = std::fs::read_to_string(run.directory.join("a")).unwrap();
            let stdout = format!("a={content}").into_bytes();
            Ok(Ran { stdout, stderr: Vec::new(), exit_code: 0, lost: None })
        })
    }
}

struct Counted(Arc<AtomicUsize>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

#[derive(Debug, Default)]
struct Records(Mutex<Vec<Record>>);

impl Recorder for Records {
    fn record(&self, record: &Record) -> std::io::Result<()> {
        self.0.lock().unwrap().push(record.clone());
        Ok(())
    }
}

fn init() -> Init {
    let tool = json!({ "name": "t", "arguments": {}, "answers": {}, "options": {} });
    serde_json::from_value(json!({ "tool": tool, "protocol_version": PROTOCOL_VERSION })).unwrap()
}

/// Everything with files, this server, and the program `p`.
fn rules(server: &TcpListener) -> Value {
    json!({
        "fs": [{ "path": ".", "read": true, "create": true, "update": true, "delete": true }],
        "net": [{ "host": "127.0.0.1", "port": port(server), "allow": true }],
        "env": [],
        "commands": { "p": { "envs": ["LET", "MISSING"] } },
    })
}

fn port(server: &TcpListener) -> u16 {
    server.local_addr().unwrap().port()
}

fn url(server: &TcpListener, path: &str) -> String {
    format!("http://127.0.0.1:{}{path}", port(server))
}

/// The next connection, whose request has come.
fn accepted(server: &TcpListener) -> TcpStream {
    server.set_nonblocking(true).unwrap();
    let mut found = None;
    until("somebody connects", || {
        found = server.accept().ok();
        found.is_some()
    });
    let (mut stream, _) = found.unwrap();
    stream.set_nonblocking(false).unwrap();
    stream.set_read_timeout(Some(LIMIT)).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    stream
}

/// Waits until the other end is gone.
fn until_closed(stream: &mut TcpStream) {
    let read = stream.read(&mut [0; 16]);
    let is_closed = match &read {
        Ok(count) => *count == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    };
    assert!(is_closed, "{read:?}");
}

#[track_caller]
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + LIMIT;
    while !is_so() {
        assert!(Instant::now() < deadline, "it does not come to it that {what}");
        thread::sleep(Duration::from_millis(2));
    }
}
