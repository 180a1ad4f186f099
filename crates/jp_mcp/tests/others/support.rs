//! Starting a server without confinement, and short words for what the tests do again and again.

use std::{
    process::Stdio,
    sync::{Arc, Mutex},
    time::{Duration, Instant},
};

use camino::Utf8PathBuf;
use jp_mcp::{
    BoxFuture, Call, CallResult, Called, Client, Connect, ElicitAnswer, Elicitor, Era, Form, Http,
    Launch, LaunchError, Launched, McpError, Process, Progress, ServerSpec,
};
use jp_test::mcp::Program;
use jp_tool::ContentBlock;
use serde_json::{Map, Value};
use tokio::process::{Child, Command};
use tokio_util::sync::CancellationToken;

/// No test waits longer for something that has to come.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// What is known about a server before it is used: one process, no roots, no era remembered.
pub(crate) fn spec(connect: Connect) -> ServerSpec {
    ServerSpec {
        name: "other".to_owned(),
        connect,
        stateful: true,
        startup: PATIENCE,
        patience: PATIENCE,
        roots: Vec::new(),
        era: None,
    }
}

pub(crate) fn program(program: Program) -> Connect {
    Connect::Program(Arc::new(Start(program)))
}

pub(crate) fn http(url: &str) -> Connect {
    Connect::Http(Http { url: url.parse().unwrap(), headers: Vec::new(), authorizer: None })
}

/// A client of a program that knows nothing yet.
pub(crate) fn client(server: Program) -> Client {
    Client::new(spec(program(server)))
}

/// The same, told in which era to begin.
pub(crate) fn client_in(era: Era, server: Program) -> Client {
    Client::new(ServerSpec { era: Some(era), ..spec(program(server)) })
}

/// Calls a tool that asks nothing.
#[track_caller]
pub(crate) fn call<'a>(
    client: &'a Client,
    tool: &'a str,
    arguments: Value,
) -> impl Future<Output = CallResult> + 'a {
    let place = std::panic::Location::caller();
    async move {
        match try_call(client, tool, arguments).await {
            Ok(Called::Done(result)) => result,
            other => panic!("{place}: `{tool}` gave {other:?}"),
        }
    }
}

/// Calls a tool that asks nothing, and may fail.
pub(crate) async fn try_call(
    client: &Client,
    tool: &str,
    arguments: Value,
) -> Result<Called, McpError> {
    call_with(client, tool, arguments, &Answers::none(), None, &CancellationToken::new()).await
}

/// Calls a tool with everything that a call can have.
pub(crate) async fn call_with(
    client: &Client,
    tool: &str,
    arguments: Value,
    elicitor: &dyn Elicitor,
    progress: Option<&(dyn Fn(Progress) + Send + Sync)>,
    cancel: &CancellationToken,
) -> Result<Called, McpError> {
    let arguments = object(arguments);
    let call =
        Call { tool, arguments: &arguments, meta: None, resume: None, elicitor, progress, cancel };
    tokio::time::timeout(2 * PATIENCE, client.call_tool(call)).await.expect("a call has an end")
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}

/// All text of a result.
pub(crate) fn text(result: &CallResult) -> String {
    let texts = result.content.blocks.iter().filter_map(|block| match block {
        ContentBlock::Text { text, .. } => Some(text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n")
}

/// Asks again and again until it is so.
pub(crate) async fn until<F: Future<Output = bool>>(what: &str, mut is_so: impl FnMut() -> F) {
    let start = Instant::now();
    while !is_so().await {
        assert!(start.elapsed() < PATIENCE, "it took too long: {what}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

/// Gives every question the same answer, and keeps the questions.
#[derive(Debug)]
pub(crate) struct Answers {
    answer: Option<ElicitAnswer>,
    pub(crate) asked: Mutex<Vec<Form>>,
}

impl Answers {
    /// A question is a failure of the test.
    pub(crate) fn none() -> Self {
        Self { answer: None, asked: Mutex::default() }
    }

    pub(crate) fn always(answer: ElicitAnswer) -> Self {
        Self { answer: Some(answer), asked: Mutex::default() }
    }
}

impl Elicitor for Answers {
    fn elicit(&self, form: Form) -> BoxFuture<'_, ElicitAnswer> {
        Box::pin(async move {
            let answer = self.answer.clone();
            let answer = answer.unwrap_or_else(|| panic!("nobody expected the question {form:?}"));
            self.asked.lock().unwrap().push(form);
            answer
        })
    }
}

/// Starts a program as it is.
#[derive(Debug)]
struct Start(Program);

impl Launch for Start {
    fn launch(&self) -> BoxFuture<'_, Result<Launched, LaunchError>> {
        Box::pin(async move {
            let Program { program, arguments, variables, .. } = &self.0;
            let mut command = Command::new(program);
            command.args(arguments).env_clear().env("PATH", "/usr/bin:/bin");
            command.envs(variables.iter().map(|(name, value)| (name, value)));
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
            command.kill_on_drop(true);
            let failed = |error| LaunchError::new(format!("cannot start {program}")).because(error);
            let mut child = command.spawn().map_err(failed)?;
            Ok(Launched {
                stdin: Box::new(child.stdin.take().unwrap()),
                stdout: Box::new(child.stdout.take().unwrap()),
                stderr: Box::new(child.stderr.take().unwrap()),
                process: Box::new(Running(child)),
                warnings: Vec::new(),
            })
        })
    }
}

/// A program that runs. These servers start no programs of their own.
struct Running(Child);

impl Process for Running {
    fn stop(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let _ = self.0.kill().await;
        })
    }
}

/// A directory that goes away with the test.
pub(crate) fn temp_dir() -> (tempfile::TempDir, Utf8PathBuf) {
    let dir = tempfile::tempdir().unwrap();
    let path = Utf8PathBuf::try_from(dir.path().canonicalize().unwrap()).unwrap();
    (dir, path)
}
