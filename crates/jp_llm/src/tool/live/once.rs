//! A tool that stays alive, called as if it did not: started, asked until it has stopped, and gone.

use std::{
    collections::HashSet,
    sync::Arc,
    time::{Duration, Instant},
};

use jp_tool::{Action, Content, Question, SessionAction, ToolCommand, ToolState};

use super::{Alive, LiveRuntime, Spawn, Started, abort};
use crate::tool::{
    outcome::{Asked, Cause, ExecutionOutcome, Failure},
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
    actions: Vec<SessionAction>,
    patience: Duration,
}

impl Once {
    /// On top of what can start the tool, which can be told these things and may take so long.
    pub fn new(
        runtime: Arc<dyn LiveRuntime>,
        actions: Vec<SessionAction>,
        patience: Duration,
    ) -> Self {
        Self { runtime, actions, patience }
    }

    async fn run(&self, request: Request<'_>) -> Result<Execution, Failure> {
        let started = Instant::now();
        let spawn = Spawn {
            name: &request.tool.name,
            id: ID,
            arguments: &request.tool.arguments,
            answers: &request.tool.answers,
            options: &request.tool.options,
            actions: &self.actions,
            hold: request.hold,
            cancel: request.cancel,
        };
        let Alive { tool: mut live, mut state, warnings } = match self.runtime.spawn(spawn).await? {
            Started::Alive(alive) => alive,
            Started::Asks(asked) => return Ok(ExecutionOutcome::NeedsInput(*asked).into()),
        };
        let ended = |outcome: ExecutionOutcome| Execution { warnings, ..outcome.into() };
        let (mut pause, mut answered) = (FIRST_PAUSE, HashSet::new());
        loop {
            let command = match state {
                ToolState::Stopped { result } => {
                    let pending = live.end().await?;
                    let outcome = ExecutionOutcome::Completed(Ok(result.into_blocks()));
                    return Ok(Execution { pending, ..ended(outcome) });
                }
                ToolState::Waiting { content, question } => {
                    let Some(answer) = request.tool.answers.get(&question.id) else {
                        abort(live, ID.to_owned(), &self.actions, request.cancel).await;
                        return Ok(ended(ExecutionOutcome::NeedsInput(asked(content, question))));
                    };
                    // The answer would be the same again, and so would the question.
                    if !answered.insert(question.id.clone()) {
                        abort(live, ID.to_owned(), &self.actions, request.cancel).await;
                        return Err(asked_again(&question.id));
                    }
                    ToolCommand::Apply { id: ID.to_owned(), input: answer.clone() }
                }
                ToolState::Running { .. } => {
                    if started.elapsed() > self.patience {
                        abort(live, ID.to_owned(), &self.actions, request.cancel).await;
                        return Err(Failure::late(self.patience));
                    }
                    let rest = tokio::time::sleep(pause);
                    if request.cancel.run_until_cancelled(rest).await.is_none() {
                        abort(live, ID.to_owned(), &self.actions, request.cancel).await;
                        return Ok(ended(ExecutionOutcome::Cancelled));
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                    ToolCommand::Fetch { id: ID.to_owned() }
                }
            };
            if !self.actions.contains(&command.action()) {
                abort(live, ID.to_owned(), &self.actions, request.cancel).await;
                return Err(Failure::new(Cause::Tool, cannot_go_on(&command)));
            }
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
                Err(failure) => ExecutionOutcome::Completed(Err(failure)).into(),
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

fn asked_again(id: &str) -> Failure {
    let message = format!("the tool asked `{id}` again though it has the answer");
    Failure::new(Cause::Tool, message)
}

fn cannot_go_on(command: &ToolCommand) -> &'static str {
    match command {
        ToolCommand::Fetch { .. } => {
            "the tool is at work, and does not take `fetch`, so nobody learns when it is done"
        }
        _ => "the tool waits for an answer, and does not take `apply`, so nobody can give it",
    }
}
