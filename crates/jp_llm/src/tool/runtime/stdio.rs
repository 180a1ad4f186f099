//! Tools that are programs: the call on stdin, the result on stdout, everything else out of reach
//! unless the rules of the tool allow it.

pub mod live;

use std::sync::Arc;

use jp_confine::ConfineError;
use jp_process::{Bounds, Finished};
use jp_tool::{Action, ToolError};

use super::{BoxFuture, Execution, Request, ToolRuntime};
use crate::tool::{
    context::tool_context,
    held::Held,
    local::{LocalProgram, StartError},
    outcome::{self, Cause, ExecutionOutcome, Failure},
};

/// Executes a program once for each call.
#[derive(Debug)]
pub struct StdioRuntime {
    program: Arc<LocalProgram>,
}

impl StdioRuntime {
    pub(crate) fn new(program: Arc<LocalProgram>) -> Self {
        Self { program }
    }

    async fn run(&self, request: Request<'_>) -> Result<Execution, Failure> {
        let program = &self.program;
        let invocation = tool_context(&program.place, request.tool.clone(), request.action);
        let mut input =
            serde_json::to_vec(&invocation).map_err(|error| ToolError::from_error(&error))?;
        input.push(b'\n');
        let started = request.cancel.run_until_cancelled(program.start(&invocation, request.hold));
        let Some(started) = started.await else {
            return Ok(ExecutionOutcome::Cancelled.into());
        };
        let (running, warnings) = started.map_err(|error| failure(&error))?;
        let bounds = Bounds { time: Some(program.timeout), ..Bounds::default() };
        let ended = running.finish(input, bounds, request.cancel.cancelled()).await;
        let (finished, settled) = ended.map_err(|error| ToolError::from_error(&error))?;
        forward(&request.tool.name, &finished);
        let outcome = outcome::of_program(&finished, program.timeout);
        let warnings = warnings.into_iter().chain(left(&settled)).collect();
        // What shows arguments changes nothing, whatever it did.
        let pending = settled.pending.filter(|_| request.action == Action::Run).map(Held::Process);
        Ok(Execution { outcome, pending, advice: settled.advice, warnings })
    }
}

impl ToolRuntime for StdioRuntime {
    fn execute<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Execution> {
        Box::pin(async move {
            let failed = |error| ExecutionOutcome::Completed(Err(error)).into();
            self.run(request).await.unwrap_or_else(failed)
        })
    }

    fn leaves_nothing(&self) -> bool {
        self.program.leaves_nothing()
    }
}

/// What of the changes is lost, whatever is decided about the others.
fn left(settled: &jp_confine::Outcome) -> Vec<String> {
    let abandoned = settled.abandoned.as_ref().map(jp_confine::Abandoned::judged);
    let count = abandoned.map_or(0, |judged| judged.allowed().len() + judged.refused().len());
    let mut lost = Vec::new();
    if count > 0 {
        lost.push("the tool did not come to its end; what it changed is thrown away".to_owned());
    }
    let pending = settled.pending.iter().flat_map(|pending| pending.judged().left_out());
    lost.extend(pending.map(|change| format!("{} is no file and is left out", change.path)));
    lost
}

/// What the program wrote for people, line by line.
fn forward(tool: &str, finished: &Finished) {
    for line in String::from_utf8_lossy(&finished.stderr.bytes).lines() {
        tracing::info!(tool, "{line}");
    }
}

/// An error of ours as a failure of the call, with what led to it.
pub(crate) fn failure(error: &StartError) -> Failure {
    let mut made = Failure::from(ToolError::from_error(error));
    match error {
        StartError::Confine(ConfineError::Refused(refusal)) => {
            made.cause = Cause::Refused;
            made.error.trace.extend(refusal.hints.iter().map(ToString::to_string));
        }
        StartError::NotApart { off } => {
            made.cause = Cause::Refused;
            made.error.trace.push(String::from(if *off {
                "the sandbox is turned off: `[sandbox] default = \"off\"`"
            } else {
                "`jp sandbox doctor` shows what is missing"
            }));
        }
        // The command as such was checked before; what cannot be filled in came with the call.
        StartError::Template(_) => made.cause = Cause::Arguments,
        _ => {}
    }
    made
}
