//! A tool that stays alive, called as if it did not: started, asked until it has stopped, and gone.

use std::{sync::Arc, time::Duration};

use jp_tool::{Action, Content, Question, ToolCommand, ToolError, ToolState};
use tokio_util::sync::CancellationToken;

use super::{LiveRuntime, LiveTool, Spawn};
use crate::tool::{
    outcome::{Asked, ExecutionOutcome},
    runtime::{BoxFuture, Execution, Request, ToolRuntime},
};

/// The id under which the tool is alive; nobody else sees it.
const ID: &str = "call";

/// How long a tool that is at work is left alone before it is asked again: at first, and at most.
const FIRST_PAUSE: Duration = Duration::from_millis(5);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Runs a tool that stays alive from its start to its end.
#[derive(Debug)]
pub struct Once {
    runtime: Arc<dyn LiveRuntime>,
}

impl Once {
    /// On top of what can start the tool.
    pub fn new(runtime: Arc<dyn LiveRuntime>) -> Self {
        Self { runtime }
    }

    async fn run(&self, request: Request<'_>) -> Result<Execution, ToolError> {
        let spawn = Spawn {
            name: &request.tool.name,
            id: ID,
            arguments: &request.tool.arguments,
            options: &request.tool.options,
            hold: request.hold,
            cancel: request.cancel,
        };
        let (mut live, mut state) = self.runtime.spawn(spawn).await?;
        let mut pause = FIRST_PAUSE;
        loop {
            let command = match state {
                ToolState::Stopped { result } => {
                    let outcome = ExecutionOutcome::Completed(Ok(result.into_blocks()));
                    let pending = live.end().await?;
                    return Ok(Execution { pending, ..outcome.into() });
                }
                ToolState::Waiting { content, question } => {
                    let Some(answer) = request.tool.answers.get(&question.id) else {
                        abort(live, request.cancel).await;
                        return Ok(ExecutionOutcome::NeedsInput(asked(content, question)).into());
                    };
                    ToolCommand::Apply { id: ID.to_owned(), input: answer.clone() }
                }
                ToolState::Running { .. } => {
                    let rest = tokio::time::sleep(pause);
                    if request.cancel.run_until_cancelled(rest).await.is_none() {
                        abort(live, request.cancel).await;
                        return Ok(ExecutionOutcome::Cancelled.into());
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    ToolCommand::Fetch { id: ID.to_owned() }
                }
            };
            state = live.tell(&command, request.cancel).await?;
        }
    }
}

impl ToolRuntime for Once {
    fn execute<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Execution> {
        Box::pin(async move {
            // Such a tool is not asked how it shows its arguments: it would start to work.
            if request.action != Action::Run {
                return ExecutionOutcome::failed("the tool can only be run").into();
            }
            match self.run(request).await {
                Ok(execution) => execution,
                Err(_) if request.cancel.is_cancelled() => ExecutionOutcome::Cancelled.into(),
                Err(error) => ExecutionOutcome::Completed(Err(error.into())).into(),
            }
        })
    }
}

/// The question, with what the tool said before it. The tool is ended meanwhile and started again when
/// there is an answer: one that waited for a person could wait for ever.
fn asked(said: Option<Content>, question: Question) -> Asked {
    let mut asked = Asked::from(question);
    if let Some(said) = said {
        let mut before = said.into_blocks();
        before.blocks.append(&mut asked.preamble.blocks);
        asked.preamble = before;
    }
    asked
}

/// Ends a tool; what it says to that does not matter, and what it changed is thrown away.
async fn abort(mut live: Box<dyn LiveTool>, cancel: &CancellationToken) {
    let command = ToolCommand::Abort { id: ID.to_owned() };
    if live.tell(&command, cancel).await.is_ok() {
        let _ = live.end().await;
    }
}
