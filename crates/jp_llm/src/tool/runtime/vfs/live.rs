//! A sealed program that stays alive: it reports its state when it likes, and is given input by `apply`.

use jp_tool::{Action, Content, Tool, ToolCommand, ToolError, ToolState};
use jp_vfs::End;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::{Ground, VfsTool, served::Served};
use crate::tool::{
    held::Held,
    live::{Alive, LiveRuntime, LiveTool, Spawn, Started},
    outcome::{ExecutionOutcome, Failure},
    runtime::BoxFuture,
};

/// Starts sealed programs that stay alive.
#[derive(Debug)]
pub struct VfsLive {
    tool: VfsTool,
}

impl VfsLive {
    pub(crate) fn new(tool: VfsTool) -> Self {
        Self { tool }
    }

    async fn start(&self, spawn: Spawn<'_>) -> Result<Started<Alive>, Failure> {
        let command = ToolCommand::Spawn { id: spawn.id.to_owned(), args: spawn.arguments.clone() };
        let tool = Tool {
            name: spawn.name.to_owned(),
            arguments: object(&command)?,
            answers: spawn.answers.clone(),
            options: spawn.options.clone(),
        };
        let ground = Ground::new(&self.tool.world, spawn.hold);
        let started = self.tool.start(tool, Action::Run, &ground, true);
        let Some(started) = spawn.cancel.run_until_cancelled(started).await else {
            return Err(ToolError::new("the call was cancelled").into());
        };
        let (served, warnings) = started?;
        let mut process = Process { served, ground, patience: self.tool.program.timeout };
        match process.next_state(0, spawn.cancel).await? {
            Heard::State(state) => {
                Ok(Started::Alive(Alive { tool: Box::new(process), state, warnings }))
            }
            Heard::Asks(asked) => Ok(Started::Asks(Box::new(asked))),
        }
    }
}

impl LiveRuntime for VfsLive {
    fn spawn<'a>(&'a self, spawn: Spawn<'a>) -> BoxFuture<'a, Result<Started<Alive>, Failure>> {
        Box::pin(self.start(spawn))
    }
}

#[derive(Debug)]
struct Process {
    served: Served,
    ground: Ground,
    patience: std::time::Duration,
}

/// What a tool says, unless it failed.
enum Heard {
    State(ToolState),
    /// It has ended, and wants to be started again with the answer.
    Asks(crate::tool::outcome::Asked),
}

impl Process {
    /// The next state after so many. When that fails the program is gone.
    async fn next_state(
        &mut self,
        states: u64,
        cancel: &CancellationToken,
    ) -> Result<Heard, Failure> {
        tokio::select! {
            heard = self.served.session.state_after(states) => match heard {
                Ok(state) => Ok(Heard::State(state)),
                Err(end) => self.ended(end).await,
            },
            () = self.served.late(self.patience) => {
                self.served.stop().await;
                Err(Failure::late(self.patience))
            }
            () = cancel.cancelled() => {
                self.served.cancel().await;
                Err(ToolError::new("the call was cancelled").into())
            }
        }
    }

    async fn ended(&mut self, end: End) -> Result<Heard, Failure> {
        match self.served.outcome(end).await.outcome {
            // A tool that ends with a result has stopped.
            ExecutionOutcome::Completed(Ok(blocks)) => {
                Ok(Heard::State(ToolState::Stopped { result: Content::Blocks(blocks) }))
            }
            ExecutionOutcome::Completed(Err(failure)) => Err(failure),
            ExecutionOutcome::NeedsInput(asked) => Ok(Heard::Asks(asked)),
            ExecutionOutcome::Cancelled => Err(ToolError::new("the call was cancelled").into()),
        }
    }

    async fn carry_out(
        &mut self,
        command: &ToolCommand,
        cancel: &CancellationToken,
    ) -> Result<ToolState, Failure> {
        let before = self.served.session.states();
        let after = match command {
            ToolCommand::Apply { input, .. } => {
                self.served.session.apply(input.clone());
                before
            }
            // What it said before its end does not hold any more.
            ToolCommand::Fetch { .. } if self.served.session.has_ended() => before,
            // Where it stands is what it said last; one that said nothing yet is waited for.
            ToolCommand::Fetch { .. } => before.saturating_sub(1),
            ToolCommand::Abort { .. } | ToolCommand::Spawn { .. } => {
                self.served.cancel().await;
                return Ok(ToolState::Stopped { result: "aborted".into() });
            }
        };
        match self.next_state(after, cancel).await? {
            Heard::State(state) => Ok(state),
            Heard::Asks(asked) => {
                let message = "the tool ended with a question, which only a start can do";
                Err(ToolError::new(message).because(asked.text).into())
            }
        }
    }
}

impl LiveTool for Process {
    fn tell<'a>(
        &'a mut self,
        command: &'a ToolCommand,
        cancel: &'a CancellationToken,
    ) -> BoxFuture<'a, Result<ToolState, Failure>> {
        Box::pin(self.carry_out(command, cancel))
    }

    fn end(mut self: Box<Self>) -> BoxFuture<'static, Result<Option<Held>, ToolError>> {
        Box::pin(async move {
            self.served.cancel().await;
            Ok(self.ground.held())
        })
    }
}

fn object(command: &ToolCommand) -> Result<Map<String, Value>, ToolError> {
    match serde_json::to_value(command) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) | Err(_) => Err(ToolError::new("the command cannot be written")),
    }
}
