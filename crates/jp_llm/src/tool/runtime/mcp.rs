//! Tools of MCP servers.
//!
//! A call goes like this: the context of the call is put into `_meta` (see `meta` below), the server is called,
//! and what it answers is told apart in `outcome/mcp.rs`. A server can ask in three ways, and all of them
//! lead to the same questions:
//!
//! - by an envelope: the call is over, and is made again with the answers in `_meta`;
//! - by a round: the call is over, and is made again with the answers and the state that the server gave;
//! - in the middle of the call, which waits: it runs in a task of its own meanwhile, and goes on when the
//!   answers are there.

mod links;

use std::{collections::HashSet, sync::Arc, time::Duration};

use indexmap::IndexMap;
use jp_confine::ConfineError;
use jp_mcp::{
    BoxFuture, Call, Called, ElicitAnswer, Elicitor, Form, MAX_QUESTIONS, McpError, Progress,
    Resume, Round,
};
use jp_tool::{Action, Invocation, ToolError};
use serde_json::{Map, Value};
use tokio::{
    sync::{mpsc, oneshot},
    task::JoinHandle,
    time::timeout,
};
use tokio_util::sync::CancellationToken;

use super::{Execution, Request, ToolRuntime};
use crate::tool::{
    context::{Place, tool_context},
    mcp::{ProgramError, Server, ServerError, forms::Forms, media},
    outcome::{Asked, Cause, ExecutionOutcome, Failure, mcp as heard},
};

/// How long a call that was cancelled may take to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// Calls one tool of a server.
#[derive(Debug)]
pub struct McpRuntime {
    server: Arc<Server>,
    /// The tool as it was when it was resolved.
    tool: jp_mcp::Tool,
    place: Place,
}

/// A call that waits for answers.
#[derive(Debug)]
pub(crate) struct Open {
    forms: Forms,
    then: Then,
    so_far: Rounds,
}

/// What happens when all answers are there.
#[derive(Debug)]
enum Then {
    /// The call is made again.
    Again(Round),
    /// The call that waits goes on.
    GoOn(Running, oneshot::Sender<ElicitAnswer>),
}

/// The questions that were asked by forms since the call was last begun.
#[derive(Debug, Default)]
struct Rounds {
    /// Their ids.
    ids: HashSet<String>,
    count: usize,
}

/// A call that is under way. Dropped, it is cancelled.
#[derive(Debug)]
struct Running {
    task: JoinHandle<Result<Called, McpError>>,
    questions: mpsc::Receiver<Question>,
    cancel: CancellationToken,
}

/// A question in the middle of a call.
#[derive(Debug)]
struct Question {
    form: Form,
    reply: oneshot::Sender<ElicitAnswer>,
}

/// The key of the only form of a question in the middle of a call.
const ONLY: &str = "";

impl McpRuntime {
    pub(crate) fn new(server: Arc<Server>, tool: jp_mcp::Tool, place: Place) -> Self {
        Self { server, tool, place }
    }

    async fn run(&self, request: Request<'_>) -> Result<Execution, Failure> {
        let mut warnings = Vec::new();
        let mut so_far = Rounds::default();
        let mut running = match request.memory.take() {
            None => {
                let looked = request.cancel.run_until_cancelled(self.is_unchanged()).await;
                let Some(unchanged) = looked else { return Ok(ExecutionOutcome::Cancelled.into()) };
                unchanged?;
                self.start(request, None)
            }
            Some(open) => match self.go_on(request, open) {
                Ok((running, before)) => {
                    so_far = before;
                    running
                }
                Err(asked) => return Ok(ExecutionOutcome::NeedsInput(*asked).into()),
            },
        };
        loop {
            let (forms, then) = match running.next(request.cancel).await {
                Next::Cancelled => return Ok(ExecutionOutcome::Cancelled.into()),
                Next::Done(Err(error)) => return Ok(self.failed(&error, warnings).await),
                Next::Done(Ok(Called::Done(result))) => {
                    let heard = heard::of_server(result);
                    warnings.extend(heard.warnings);
                    let (outcome, unread) = self.followed(heard.outcome, request.cancel).await;
                    warnings.extend(unread);
                    return Ok(self.ended(outcome, warnings).await);
                }
                Next::Done(Ok(Called::InputRequired(round))) => {
                    (round.forms.clone(), Then::Again(round))
                }
                Next::Asks(Question { form, reply }) => {
                    let forms = IndexMap::from([(ONLY.to_owned(), form)]);
                    (forms, Then::GoOn(running, reply))
                }
            };
            so_far.count += 1;
            if so_far.count > MAX_QUESTIONS {
                let server = self.server.name();
                return Err(ToolError::new(format!(
                    "the MCP server `{server}` asked more than {MAX_QUESTIONS} times in one call of `{}`",
                    self.tool.name
                ))
                .into());
            }
            let (forms, notices) = Forms::new(forms, &mut so_far.ids);
            warnings.extend(notices);
            request.memory.note_forms(forms.ids());
            match self.go_on(request, Open { forms, then, so_far }) {
                Ok((next, before)) => (running, so_far) = (next, before),
                Err(asked) => {
                    let asks = ExecutionOutcome::NeedsInput(*asked);
                    return Ok(Execution { warnings, ..asks.into() });
                }
            }
        }
    }

    /// Goes on with a call whose answers are there; otherwise asks for the next one.
    fn go_on(&self, request: Request<'_>, open: Open) -> Result<(Running, Rounds), Box<Asked>> {
        let answers = &request.tool.answers;
        if let Some(asked) = open.forms.next(answers) {
            let asked = Box::new(asked.clone());
            request.memory.put(open);
            return Err(asked);
        }
        let Open { forms, then, so_far } = open;
        let mut replies = forms.replies(answers);
        let running = match then {
            Then::Again(round) => self.start(request, Some(round.resume(replies))),
            Then::GoOn(running, reply) => {
                let answer = replies.swap_remove(ONLY).unwrap_or(ElicitAnswer::Cancel);
                // A call that has ended meanwhile says so when it is looked at.
                let _ = reply.send(answer);
                running
            }
        };
        Ok((running, so_far))
    }

    fn start(&self, request: Request<'_>, resume: Option<Resume>) -> Running {
        let mut tool = request.tool.clone();
        let arguments = tool.arguments.clone();
        // What was answered in a form was sent as its answer. Nobody else asked for it.
        tool.answers.retain(|id, _| !request.memory.is_of_form(id));
        let meta = meta(tool_context(&self.place, tool, request.action));
        let (to_us, questions) = mpsc::channel(1);
        let cancel = request.cancel.child_token();
        let (server, name) = (self.server.clone(), self.tool.name.clone());
        let token = cancel.clone();
        let task = tokio::spawn(async move {
            let listener = server.progress();
            let tell = |progress: Progress| {
                if let Some(listener) = &listener {
                    listener(&name, &progress);
                }
            };
            let call = Call {
                tool: &name,
                arguments: &arguments,
                meta,
                resume,
                elicitor: &Asking(to_us),
                progress: listener.is_some().then_some(&tell),
                cancel: &token,
            };
            server.client().call_tool(call).await
        });
        Running { task, questions, cancel }
    }

    /// A server that stays may have changed its mind since the tool was looked at.
    async fn is_unchanged(&self) -> Result<(), Failure> {
        if !self.server.is_stateful() {
            return Ok(());
        }
        let refused = |what: &str| {
            let (server, tool) = (self.server.name(), &self.tool.name);
            let message = format!(
                "the MCP server `{server}` has {what} the tool `{tool}` since it was looked at"
            );
            let mut failure = Failure::new(Cause::Refused, message);
            failure.error.trace.push(format!("`jp mcp inspect {server}` shows what it offers now"));
            failure
        };
        let tools = self.server.tools().await.map_err(|error| match &error {
            ServerError::Mcp(error) => failure(&**error),
            other => failure(other),
        })?;
        let now = tools.get(&self.tool.name).ok_or_else(|| refused("taken back"))?;
        let is_same = now.description == self.tool.description
            && now.title == self.tool.title
            && now.input_schema == self.tool.input_schema;
        if is_same { Ok(()) } else { Err(refused("changed")) }
    }

    /// With what its links lead to.
    async fn followed(
        &self,
        outcome: ExecutionOutcome,
        cancel: &CancellationToken,
    ) -> (ExecutionOutcome, Vec<String>) {
        let ExecutionOutcome::Completed(Ok(content)) = outcome else {
            return (outcome, Vec::new());
        };
        let (content, warnings) = links::follow(self.server.client(), content, cancel).await;
        (ExecutionOutcome::Completed(Ok(content)), warnings)
    }

    async fn ended(&self, outcome: ExecutionOutcome, warnings: Vec<String>) -> Execution {
        let outcome = match outcome {
            ExecutionOutcome::Completed(Ok(content)) => {
                let saved = media::save(self.server.media(), content).await;
                ExecutionOutcome::Completed(saved.map_err(|error| failure(&error)))
            }
            other => other,
        };
        let warnings = self.server.status().warnings.into_iter().chain(warnings).collect();
        Execution { warnings, ..outcome.into() }
    }

    async fn failed(&self, error: &McpError, warnings: Vec<String>) -> Execution {
        let outcome = match error {
            McpError::Cancelled { .. } => ExecutionOutcome::Cancelled,
            error => ExecutionOutcome::Completed(Err(failure(error))),
        };
        self.ended(outcome, warnings).await
    }
}

impl ToolRuntime for McpRuntime {
    fn execute<'a>(&'a self, request: Request<'a>) -> super::BoxFuture<'a, Execution> {
        Box::pin(async move {
            if request.action != Action::Run {
                return ExecutionOutcome::text("").into();
            }
            if request.hold {
                let message = "what an MCP server changes cannot be shown before it is made";
                let failure = Failure::new(Cause::Refused, message);
                return ExecutionOutcome::Completed(Err(failure)).into();
            }
            let failed = |error| ExecutionOutcome::Completed(Err(error)).into();
            self.run(request).await.unwrap_or_else(failed)
        })
    }
}

impl Open {
    /// Declines the form that a question belongs to; whether there is one.
    pub(crate) fn decline(&mut self, id: &str) -> bool {
        self.forms.decline(id)
    }
}

/// What a call does next.
enum Next {
    Done(Result<Called, McpError>),
    Asks(Question),
    Cancelled,
}

impl Running {
    async fn next(&mut self, cancel: &CancellationToken) -> Next {
        tokio::select! {
            Some(question) = self.questions.recv() => Next::Asks(question),
            done = &mut self.task => match done {
                Ok(done) => Next::Done(done),
                // A task of ours that was ended, or that failed; there is no answer to wait for.
                Err(_) => Next::Cancelled,
            },
            () = cancel.cancelled() => {
                // The server is told; what it says to that is of no interest.
                let _ = timeout(FAREWELL, &mut self.task).await;
                Next::Cancelled
            }
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.cancel.cancel();
        self.task.abort();
    }
}

/// Hands questions in the middle of a call to whoever executes it.
struct Asking(mpsc::Sender<Question>);

impl Elicitor for Asking {
    fn elicit(&self, form: Form) -> BoxFuture<'_, ElicitAnswer> {
        Box::pin(async move {
            let (reply, answer) = oneshot::channel();
            if self.0.send(Question { form, reply }).await.is_err() {
                return ElicitAnswer::Cancel;
            }
            answer.await.unwrap_or(ElicitAnswer::Cancel)
        })
    }
}

/// The two keys of `_meta` that a server which knows jp reads. Nothing is sent where there is nothing to
/// say beside the arguments: most servers do not know jp.
pub(crate) fn meta(invocation: Invocation) -> Option<Map<String, Value>> {
    if invocation.tool.answers.is_empty() && invocation.tool.options.is_empty() {
        return None;
    }
    let Ok(Value::Object(mut halves)) = serde_json::to_value(invocation) else { return None };
    let keys = [("tool", jp_mcp::meta::TOOL), ("context", jp_mcp::meta::CONTEXT)];
    let meta = keys
        .into_iter()
        .filter_map(|(half, key)| Some((key.to_owned(), halves.swap_remove(half)?)));
    Some(meta.collect())
}

/// An error of a server as a failure of the call. It is never tried again by itself: the server may have
/// done what it was asked before it died.
fn failure(error: &(dyn std::error::Error + 'static)) -> Failure {
    let mut made = Failure::from(ToolError::from_error(error));
    let causes = std::iter::successors(Some(error), |cause| cause.source());
    for cause in causes {
        if let Some(McpError::Timeout { server, .. }) = cause.downcast_ref() {
            made.cause = Cause::Time;
            let key = format!("providers.mcp.{server}.timeout_secs");
            made.error.trace.push(format!("`{key}` is how long it may take"));
        }
        if let Some(McpError::Login { .. }) = cause.downcast_ref() {
            // Nobody was asked to log in, and nobody is in the middle of a call.
            made.cause = Cause::Unanswered;
        }
        if let Some(ProgramError::Confine(ConfineError::Refused(refusal))) = cause.downcast_ref() {
            made.cause = Cause::Refused;
            made.error.trace.extend(refusal.hints.iter().map(ToString::to_string));
        }
        if let Some(ProgramError::Checksum { .. }) = cause.downcast_ref() {
            made.cause = Cause::Refused;
        }
    }
    made
}

#[cfg(test)]
mod tests;
