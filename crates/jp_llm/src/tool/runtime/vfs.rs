//! Tools that touch nothing by themselves: sealed programs whose every request jp carries out.
//!
//! A call goes like this: the directory for programs is made, unless the tool is to stay alive, the tool is
//! started where it sees nothing but itself, it gets `init`, and from then on [`jp_vfs`] answers what it asks. Its
//! last word is the outcome.

pub mod live;
pub(crate) mod served;

use std::sync::Arc;

use camino::Utf8PathBuf;
use jp_confine::ResolveError;
use jp_project::{OverlayProjectFiles, ProjectFiles};
use jp_tool::{
    Action, Invocation, SchemaResponse, ToolError, ToolResult, ToolState,
    vfs::{Answer, Init, InitContext, PROTOCOL_VERSION},
};
use jp_vfs::{
    End, Host, ToolAccess,
    gate::{Changes, Gate},
};

use self::served::Served;
use super::{BoxFuture, Execution, Request, ToolRuntime, stdio::failure};
use crate::tool::{
    context::tool_context,
    held::Held,
    local::{LocalProgram, StartError},
    outcome::{Cause, ExecutionOutcome, Failure},
    resolve::is_listed,
};

/// What all such tools of one run share.
#[derive(Debug, Clone)]
pub struct VfsWorld {
    /// Who carries out requests.
    pub host: Arc<Host>,
    /// The files of the project, without rules.
    pub project: Arc<dyn ProjectFiles>,
    /// Where a copy of them can be made for programs.
    pub scratch: Utf8PathBuf,
    /// What tools change in them, so that each hears of what the others do.
    pub changes: Changes,
}

/// Executes a sealed program once for each call.
#[derive(Debug)]
pub struct VfsRuntime {
    tool: VfsTool,
}

/// One tool: its program, and what it may use.
#[derive(Debug, Clone)]
pub(crate) struct VfsTool {
    pub(crate) program: Arc<LocalProgram>,
    pub(crate) access: Arc<ToolAccess>,
    pub(crate) world: VfsWorld,
}

impl VfsRuntime {
    pub(crate) fn new(tool: VfsTool) -> Self {
        Self { tool }
    }

    async fn run(&self, request: Request<'_>) -> Result<Execution, Failure> {
        let ground = Ground::new(&self.tool.world, request.hold);
        let started = self.tool.start(request.tool.clone(), request.action, &ground, false);
        let Some(started) = request.cancel.run_until_cancelled(started).await else {
            return Ok(ExecutionOutcome::Cancelled.into());
        };
        let (mut served, warnings) = started?;
        let patience = self.tool.program.timeout;
        let ended = tokio::select! {
            end = served.session.end() => served.outcome(end).await,
            () = served.late(patience) => {
                served.stop().await;
                Ended::on_the_way(Failure::late(patience))
            }
            () = request.cancel.cancelled() => {
                served.cancel().await;
                Ended { outcome: ExecutionOutcome::Cancelled, is_whole: false }
            }
        };
        let Ended { outcome, is_whole } = ended;
        let is_done = is_whole && matches!(outcome, ExecutionOutcome::Completed(_));
        // What shows arguments changes nothing, whatever it did.
        let pending = ground.held().filter(|_| is_done && request.action == Action::Run);
        Ok(Execution { pending, warnings, ..outcome.into() })
    }
}

/// How a call ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) outcome: ExecutionOutcome,
    /// Whether the tool came to its last word. What it changed until it died, or was ended, is not what it
    /// was asked for, and is never made where changes are kept apart.
    pub(crate) is_whole: bool,
}

impl Ended {
    /// A tool that did not come to its last word.
    fn on_the_way(failure: Failure) -> Self {
        Self { outcome: ExecutionOutcome::Completed(Err(failure)), is_whole: false }
    }
}

/// The files that a call works on: those of the project, or the same with changes kept apart.
#[derive(Debug)]
enum Ground {
    Project(Arc<dyn ProjectFiles>),
    Apart(OverlayProjectFiles),
}

impl Ground {
    fn new(world: &VfsWorld, hold: bool) -> Self {
        if hold {
            Self::Apart(OverlayProjectFiles::new(world.project.as_ref(), &world.scratch))
        } else {
            Self::Project(world.project.clone())
        }
    }

    fn files(&self) -> Arc<dyn ProjectFiles> {
        match self {
            Self::Project(files) => files.clone(),
            Self::Apart(files) => Arc::new(files.clone()),
        }
    }

    /// What was changed and nobody has decided about yet.
    fn held(self) -> Option<Held> {
        match self {
            Self::Project(_) => None,
            Self::Apart(files) => Some(Held::above(files)),
        }
    }
}

impl ToolRuntime for VfsRuntime {
    fn execute<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Execution> {
        Box::pin(async move {
            let failed = |error| ExecutionOutcome::Completed(Err(error)).into();
            self.run(request).await.unwrap_or_else(failed)
        })
    }

    fn leaves_nothing(&self) -> bool {
        self.tool.program.leaves_nothing()
    }
}

impl VfsTool {
    /// Starts the tool for this call, on these files.
    async fn start(
        &self,
        tool: jp_tool::Tool,
        action: Action,
        ground: &Ground,
        stays_alive: bool,
    ) -> Result<(Served, Vec<String>), Failure> {
        let program = &self.program;
        let gate = Gate::new(self.access.clone(), ground.files(), self.world.scratch.clone())
            .sharing(self.world.changes.clone());
        let host = match action {
            Action::Run => {
                // Whoever stays alive starts its programs at any time, when what was made now is long too old.
                if !stays_alive {
                    gate.prepare().await;
                }
                self.world.host.clone()
            }
            Action::FormatArguments | Action::Schema => Arc::new(self.world.host.before_a_run()),
        };
        let invocation = tool_context(&program.place, tool, action);
        let started = program.start_sealed(&invocation).await;
        let (running, warnings) = started.map_err(|error| not_started(program, &error))?;
        let served = Served::new(running, init(invocation), gate, host, stays_alive)?;
        Ok((served, warnings))
    }
}

/// Why the program did not start. What the system said about one of its files is a part of the message
/// already, so it is not told again as the cause.
fn not_started(program: &LocalProgram, error: &StartError) -> Failure {
    let mut failure = failure(error);
    if let StartError::Parts(ResolveError::File { path, .. }) = error {
        failure.error.trace.clear();
        if is_listed(program, path) {
            failure.error.trace.push(format!("`{}.program_files` lists it", program.key));
        }
    }
    failure
}

/// The call as such a tool gets it.
pub fn init(invocation: Invocation) -> Init {
    let Invocation { tool, context } = invocation;
    let context = InitContext {
        action: context.action,
        workspace_id: context.workspace_id,
        conversation_id: context.conversation_id,
        access: context.access,
    };
    Init { tool, context, protocol_version: PROTOCOL_VERSION.to_owned() }
}

/// What a tool says about itself: its last word, if that is a description.
pub(crate) fn description(end: End) -> Result<SchemaResponse, Box<End>> {
    match end {
        End::Result(Answer::Schema(schema)) => Ok(schema),
        other => Err(Box::new(other)),
    }
}

/// What the last word of a tool means, or why there is none; the end itself where the program has to be
/// asked.
fn said(end: End) -> Result<Ended, Box<End>> {
    let whole = |outcome| Ended { outcome, is_whole: true };
    Ok(match end {
        End::Result(Answer::Content(content)) => {
            whole(ToolResult::new(content.into_blocks()).into())
        }
        End::Stopped(ToolState::Stopped { result }) => {
            whole(ToolResult::new(result.into_blocks()).into())
        }
        End::Failed(error) => whole(ExecutionOutcome::Completed(Err(error.into()))),
        End::Result(Answer::Schema(_)) => whole(ExecutionOutcome::failed(
            "the tool described itself instead of doing what it was asked",
        )),
        End::Unreadable(reason) => Ended::on_the_way(
            ToolError::new(format!("the last word of the tool makes no sense: {reason}")).into(),
        ),
        End::Silent(patience) => impatient(format!(
            "the tool asked nothing and said nothing for {} seconds and was ended",
            patience.as_secs()
        )),
        End::Deaf(patience) => impatient(format!(
            "the tool did not read the answers to its requests for {} seconds and was ended",
            patience.as_secs()
        )),
        End::Unrecorded(reason) => Ended::on_the_way(Failure::new(
            Cause::Refused,
            format!("the requests of the tool cannot be written down, so it was ended: {reason}"),
        )),
        other => return Err(Box::new(other)),
    })
}

/// A tool that was waited for in vain. How long is not a setting of the tool, so the right one is named.
fn impatient(message: String) -> Ended {
    let mut failure = Failure::new(Cause::Time, message);
    failure.error.trace.push("`vfs.request_timeout_secs` is how long that may be".to_owned());
    Ended::on_the_way(failure)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D11-199: whoever has a runtime need not know which one it is, and passes it nothing but the call.
    #[test]
    fn it_is_a_runtime_like_any_other() {
        fn boxed(runtime: VfsRuntime) -> Arc<dyn ToolRuntime> {
            Arc::new(runtime)
        }
        let _: fn(VfsTool) -> VfsRuntime = VfsRuntime::new;
        let _ = boxed;
    }
}
