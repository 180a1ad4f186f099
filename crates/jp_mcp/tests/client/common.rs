//! A server of the tests, a client for it, and what was said on the wire.

use std::{
    path::PathBuf,
    process::Stdio,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use jp_mcp::{
    BoxFuture, Call, CallResult, Called, Client, Connect, ElicitAnswer, Elicitor, Era, Form,
    Launch, LaunchError, Launched, McpError, Process, ServerSpec,
};
use jp_tool::ContentBlock;
use serde_json::{Map, Value};
use tempfile::TempDir;
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// Both eras, for what has to be the same in both.
pub(crate) const ERAS: [Era; 2] = [Era::Legacy, Era::Modern];

/// A server with its log.
pub(crate) struct Scene {
    pub(crate) client: Client,
    pub(crate) program: Arc<Program>,
    dir: TempDir,
}

impl Scene {
    /// With these words for the server.
    pub(crate) fn new(words: &[&str]) -> Self {
        Self::with(words, |_| {})
    }

    /// A server of one era.
    pub(crate) fn of(era: Era) -> Self {
        Self::new(&[&format!("era={}", era.name())])
    }

    /// And with another specification.
    pub(crate) fn with(words: &[&str], change: impl FnOnce(&mut ServerSpec)) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        words.push(format!("log={}", dir.path().join("log").display()));
        words.push(format!("mark={}", dir.path().join("mark").display()));
        let program = Arc::new(Program { words, starts: AtomicUsize::new(0) });
        let mut spec = ServerSpec {
            name: "fixture".to_owned(),
            connect: Connect::Program(program.clone()),
            stateful: true,
            startup: Duration::from_secs(20),
            patience: Duration::from_secs(20),
            roots: Vec::new(),
            era: None,
        };
        change(&mut spec);
        Self { client: Client::new(spec), program, dir }
    }

    /// How often the program was started.
    pub(crate) fn starts(&self) -> usize {
        self.program.starts.load(Ordering::SeqCst)
    }

    /// Everything the server was sent, in all its lives.
    pub(crate) fn sent(&self) -> Vec<Value> {
        let log = std::fs::read_to_string(self.path("log")).unwrap_or_default();
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// Those with this method.
    pub(crate) fn sent_with(&self, method: &str) -> Vec<Value> {
        self.sent().into_iter().filter(|message| message["method"] == method).collect()
    }

    /// Waits until the server was sent something with this method.
    pub(crate) async fn until_sent(&self, method: &str) -> Value {
        for _ in 0..1000 {
            if let Some(found) = self.sent_with(method).pop() {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{method} was not sent: {:#?}", self.sent());
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// A call without anything special.
    pub(crate) async fn call(&self, tool: &str, arguments: Value) -> Result<CallResult, McpError> {
        match self.called(tool, arguments, &Never).await? {
            Called::Done(result) => Ok(result),
            Called::InputRequired(round) => panic!("unexpected questions: {round:?}"),
        }
    }

    /// A call with somebody who answers questions.
    pub(crate) async fn called(
        &self,
        tool: &str,
        arguments: Value,
        elicitor: &dyn Elicitor,
    ) -> Result<Called, McpError> {
        let cancel = CancellationToken::new();
        let arguments = object(arguments);
        self.client.call_tool(call(tool, &arguments, elicitor, &cancel)).await
    }
}

/// A call with nothing but what it needs.
pub(crate) fn call<'a>(
    tool: &'a str,
    arguments: &'a Map<String, Value>,
    elicitor: &'a dyn Elicitor,
    cancel: &'a CancellationToken,
) -> Call<'a> {
    Call { tool, arguments, meta: None, resume: None, elicitor, progress: None, cancel }
}

/// The text of the only block.
pub(crate) fn text(result: &CallResult) -> &str {
    match &result.content.blocks[..] {
        [ContentBlock::Text { text, .. }] => text,
        other => panic!("not one text: {other:?}"),
    }
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("not an object: {other}"),
    }
}

/// Starts the fixture.
#[derive(Debug)]
pub(crate) struct Program {
    words: Vec<String>,
    starts: AtomicUsize,
}

impl Launch for Program {
    fn launch(&self) -> BoxFuture<'_, Result<Launched, LaunchError>> {
        Box::pin(async {
            self.starts.fetch_add(1, Ordering::SeqCst);
            let mut child = Command::new(env!("CARGO_BIN_EXE_mcp_fixture"))
                .args(&self.words)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .kill_on_drop(true)
                .spawn()
                .map_err(|error| LaunchError::new("cannot start the fixture").because(error))?;
            Ok(Launched {
                stdin: Box::new(child.stdin.take().unwrap()),
                stdout: Box::new(child.stdout.take().unwrap()),
                stderr: Box::new(child.stderr.take().unwrap()),
                process: Box::new(Started(child)),
                warnings: vec!["started by a test".to_owned()],
            })
        })
    }
}

struct Started(Child);

impl Process for Started {
    fn stop(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let _ = self.0.kill().await;
        })
    }
}

/// Nobody expects a question.
pub(crate) struct Never;

impl Elicitor for Never {
    fn elicit(&self, form: Form) -> BoxFuture<'_, ElicitAnswer> {
        panic!("unexpected question: {form:?}")
    }
}

/// Answers every question the same way, after some time, and keeps it.
pub(crate) struct Answers {
    pub(crate) answer: ElicitAnswer,
    pub(crate) after: Duration,
    pub(crate) asked: Mutex<Vec<Form>>,
}

impl Answers {
    pub(crate) fn with(answer: ElicitAnswer) -> Self {
        Self { answer, after: Duration::ZERO, asked: Mutex::default() }
    }

    pub(crate) fn count(&self) -> usize {
        self.asked.lock().unwrap().len()
    }
}

impl Elicitor for Answers {
    fn elicit(&self, form: Form) -> BoxFuture<'_, ElicitAnswer> {
        self.asked.lock().unwrap().push(form);
        Box::pin(async {
            tokio::time::sleep(self.after).await;
            self.answer.clone()
        })
    }
}
