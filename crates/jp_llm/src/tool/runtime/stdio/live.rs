//! A program that stays alive: commands on stdin, one line each, and one line of state on stdout for
//! each of them.

use std::{sync::Arc, time::Duration};

use jp_confine::Running;
use jp_process::Stop;
use jp_tool::{Action, Outcome, Question, Tool, ToolCommand, ToolError, ToolState};
use serde_json::{Map, Value};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::unix::pipe,
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::failure;
use crate::tool::{
    context::tool_context,
    held::Held,
    live::{Alive, LiveRuntime, LiveTool, Spawn, Started},
    local::LocalProgram,
    outcome::{Cause, Failure, ended_early, shortened},
    runtime::{BoxFuture, messages},
};

/// The longest line that a tool may answer with.
const LONGEST_LINE: u64 = 10 * 1024 * 1024;

/// How long a program that has stopped may take to end.
const GRACE: Stop =
    Stop { terminate_after: Duration::from_secs(2), kill_after: Duration::from_secs(2) };

/// The same for one that cannot be talked to any more.
const LOST: Stop =
    Stop { terminate_after: Duration::from_millis(500), kill_after: Duration::from_millis(500) };

/// Starts programs that stay alive.
#[derive(Debug)]
pub struct StdioLive {
    program: Arc<LocalProgram>,
}

impl StdioLive {
    pub(crate) fn new(program: Arc<LocalProgram>) -> Self {
        Self { program }
    }

    async fn start(&self, spawn: Spawn<'_>) -> Result<Started<Alive>, Failure> {
        let command = ToolCommand::Spawn { id: spawn.id.to_owned(), args: spawn.arguments.clone() };
        let tool = Tool {
            name: spawn.name.to_owned(),
            arguments: object(&command)?,
            answers: spawn.answers.clone(),
            options: spawn.options.clone(),
        };
        let invocation = tool_context(&self.program.place, tool, Action::Run);
        let started = self.program.start(&invocation, spawn.hold).await;
        let (running, warnings) = started.map_err(|error| failure(&error))?;
        let mut live = Process::new(running, self.program.timeout, spawn.name)?;
        let first =
            serde_json::to_vec(&invocation).map_err(|error| ToolError::from_error(&error))?;
        match live.exchange(first, spawn.cancel).await? {
            Said::State(state) => {
                Ok(Started::Alive(Alive { tool: Box::new(live), state, warnings }))
            }
            Said::Question(question) => {
                // It ends by itself; whatever is left of it must not meet its next start.
                let _ = Box::new(live).end().await?;
                Ok(Started::Asks(Box::new(question.into())))
            }
        }
    }
}

impl LiveRuntime for StdioLive {
    fn spawn<'a>(&'a self, spawn: Spawn<'a>) -> BoxFuture<'a, Result<Started<Alive>, Failure>> {
        Box::pin(self.start(spawn))
    }
}

/// What a tool answers with, unless it failed.
#[derive(Debug)]
enum Said {
    State(ToolState),
    /// It has ended, and wants to be started again with the answer.
    Question(Question),
}

#[derive(Debug)]
struct Process {
    running: Running,
    stdin: pipe::Sender,
    stdout: BufReader<pipe::Receiver>,
    /// Reads what the program writes for people, so that it never has to wait for a reader.
    messages: JoinHandle<String>,
    patience: Duration,
}

impl Process {
    fn new(mut running: Running, patience: Duration, tool: &str) -> Result<Self, ToolError> {
        let child = &mut running.child;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(ToolError::new("the program has no streams"));
        };
        let messages = tokio::spawn(messages::collect(stderr, tool.to_owned()));
        Ok(Self { running, stdin, stdout: BufReader::new(stdout), messages, patience })
    }

    /// One line to the program, one line back. When that fails the program is gone, with everything that
    /// it started.
    async fn exchange(
        &mut self,
        line: Vec<u8>,
        cancel: &CancellationToken,
    ) -> Result<Said, Failure> {
        let said = self.talk_in_time(line, cancel).await;
        if said.is_err() {
            let _ = self.running.child.stop(LOST).await;
        }
        said
    }

    async fn talk_in_time(
        &mut self,
        mut line: Vec<u8>,
        cancel: &CancellationToken,
    ) -> Result<Said, Failure> {
        line.push(b'\n');
        self.listen_first().await?;
        let patience = self.patience;
        let talk = cancel.run_until_cancelled(timeout(patience, self.talk(&line)));
        match talk.await {
            None => Err(ToolError::new("the call was cancelled").into()),
            Some(Err(_)) => {
                let seconds = patience.as_secs();
                let message = format!("the tool did not answer within {seconds} seconds");
                Err(Failure::new(Cause::Time, message))
            }
            Some(Ok(answer)) => match answer {
                Ok(Some(line)) => read(&line),
                Ok(None) => Err(self.gone().await.into()),
                Err(error) => Err(ToolError::from_error(&error).into()),
            },
        }
    }

    /// What a tool says without being asked would be taken for the answer to what comes next.
    async fn listen_first(&mut self) -> Result<(), Failure> {
        let heard = match timeout(Duration::ZERO, self.stdout.fill_buf()).await {
            Ok(Ok(heard)) => heard.trim_ascii(),
            // Nothing, or a pipe that the answer will not come through either.
            Ok(Err(_)) | Err(_) => return Ok(()),
        };
        if heard.is_empty() {
            return Ok(());
        }
        let printed = format!("it printed: {}", shortened(&String::from_utf8_lossy(heard)));
        Err(ToolError::new("the tool said more than it was asked for").because(printed).into())
    }

    /// The answer to a line; `None` if there is none because the program is gone.
    async fn talk(&mut self, line: &[u8]) -> std::io::Result<Option<Vec<u8>>> {
        // A program that ended does not read; what it said before can still be heard.
        let _ = self.stdin.write_all(line).await;
        let mut answer = Vec::new();
        loop {
            let length =
                (&mut self.stdout).take(LONGEST_LINE).read_until(b'\n', &mut answer).await?;
            if length == 0 {
                return Ok(None);
            }
            if !answer.trim_ascii().is_empty() {
                return Ok(Some(answer));
            }
            answer.clear();
        }
    }

    /// Why nothing comes any more.
    async fn gone(&mut self) -> ToolError {
        let exit = self.running.child.stop(GRACE).await;
        let mut error = match exit {
            Ok(exit) => ToolError::new(ended_early(&exit)),
            Err(error) => ToolError::from_error(&error),
        };
        if let Ok(messages) = (&mut self.messages).await
            && !messages.trim().is_empty()
        {
            error.trace.push(format!("stderr: {}", shortened(messages.trim())));
        }
        error
    }
}

impl LiveTool for Process {
    fn tell<'a>(
        &'a mut self,
        command: &'a ToolCommand,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ToolState, Failure>> {
        Box::pin(async move {
            let line =
                serde_json::to_vec(command).map_err(|error| ToolError::from_error(&error))?;
            match self.exchange(line, cancel).await? {
                Said::State(state) => Ok(state),
                Said::Question(question) => {
                    let message = "the tool ended with a question, which only a start can do";
                    Err(ToolError::new(message).because(question.text).into())
                }
            }
        })
    }

    fn end(self: Box<Self>) -> BoxFuture<'static, Result<Option<Held>, ToolError>> {
        let Self { mut running, stdin, .. } = *self;
        Box::pin(async move {
            // The end of its input is the sign to go.
            drop(stdin);
            let exit = match timeout(GRACE.terminate_after, running.child.wait()).await {
                Ok(exit) => exit,
                Err(_) => running.child.stop(Stop::default()).await,
            };
            let exit = exit.map_err(|error| ToolError::from_error(&error))?;
            let settled = running.end(&exit).map_err(|error| ToolError::from_error(&error))?;
            Ok(settled.pending.map(Held::Process))
        })
    }
}

fn read(line: &[u8]) -> Result<Said, Failure> {
    let text = String::from_utf8_lossy(line);
    match Outcome::parse(text.trim()) {
        Ok(Outcome::Error(error)) => return Err(error.into()),
        Ok(Outcome::NeedsInput { question }) => return Ok(Said::Question(question)),
        Ok(Outcome::Success { .. }) | Err(_) => {}
    }
    let state = ToolState::parse(text.trim()).map_err(|error| {
        let printed = format!("it printed: {}", shortened(text.trim()));
        ToolError::from_error(&error).because(printed)
    })?;
    Ok(Said::State(state))
}

fn object(command: &ToolCommand) -> Result<Map<String, Value>, ToolError> {
    match serde_json::to_value(command) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) | Err(_) => Err(ToolError::new("the command cannot be written")),
    }
}
