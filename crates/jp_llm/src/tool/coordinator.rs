//! The one loop that every call goes through, whatever runtime executes it.
//!
//! ```text
//! arguments ─► permission ─► execute ─► done ─► changes ─► result
//!                              ▲  │
//!                              │  ├─ a question: answered, and executed again with the answers so far
//!                              └──┴─ a passing failure: a pause, and executed again
//! ```
//!
//! Calls are independent of each other: several can go through at the same time, and a question of one
//! does not hold up the others.

mod answers;
mod ends;
#[cfg(test)]
mod tests;

use std::{fmt, time::Duration};

use jp_config::conversation::tool::{ResultMode, RunMode};
use jp_conversation::EventKind;
use jp_tool::{Action, Tool, ToolCommand, ToolError, ToolState};
use serde_json::{Map, Value};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

pub use self::ends::text_of;
use self::{
    answers::Answers,
    ends::{command, ended, incomplete, name_of, noted, wrong},
};
use super::{
    call::{CallEnd, ToolCall},
    inquiry::{Approval, InquiryBackend, Interaction, Notice, Proposed, Verdict},
    live::{self, Handles, LiveRuntime, Spawn, Started},
    outcome::{Cause, ExecutionOutcome, Failure},
    render,
    resolve::ResolvedTool,
    runtime::{Execution, Request, memory::CallMemory},
};

/// Sees calls through.
#[derive(Clone, Copy)]
pub struct Coordinator<'a, I> {
    /// Who can be asked.
    pub interaction: &'a I,
    /// Who answers for the assistant, if anybody does.
    pub backend: Option<&'a dyn InquiryBackend>,
    /// The tools that are alive.
    pub handles: &'a Handles,
    /// Where what happens is written down.
    pub record: &'a dyn Fn(EventKind),
    /// The pause before the first repetition; each further one is twice as long.
    pub pause: Duration,
}

/// The longest pause before a repetition.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);

/// How long a tool may take to show its arguments, before they are shown as they are.
const SHOW_WITHIN: Duration = Duration::from_secs(2);

/// What happens to the changes of a call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Changes {
    /// They are made.
    #[default]
    Make,
    /// They are shown and made if that is wanted.
    Review,
    /// They are shown and thrown away.
    Show,
}

impl<I> fmt::Debug for Coordinator<'_, I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Coordinator").field("pause", &self.pause).finish_non_exhaustive()
    }
}

impl<I: Interaction> Coordinator<'_, I> {
    /// One call from its arguments to its end.
    pub async fn call(
        &self,
        tool: &ResolvedTool,
        call: ToolCall,
        changes: Changes,
        cancel: &CancellationToken,
    ) -> CallEnd {
        let ToolCall { id, name, arguments } = call;
        (self.record)(EventKind::ToolCallRequest {
            id: id.clone(),
            name: name.clone(),
            arguments: arguments.clone(),
        });
        let end = match command(tool, &arguments) {
            Ok(None) => match self.permitted(tool, arguments, changes, cancel).await {
                Ok(arguments) => self.run(tool, &id, arguments, changes, cancel).await,
                Err(end) => end,
            },
            // It outlives the call, and so would what is held back.
            Ok(Some(_)) if changes != Changes::Make => wrong(
                "what a tool that stays alive changes cannot be shown first; call it without `action`"
                    .to_owned(),
            ),
            Ok(Some(command)) => match self.obey(tool, &id, command, cancel).await {
                Ok(state) => CallEnd::Done(live::to_blocks(state)),
                Err(end) => end,
            },
            Err(end) => end,
        };
        let end = self.handed_over(tool, end).await;
        (self.record)(EventKind::ToolCallResponse {
            id,
            content: text_of(&end),
            is_error: end.is_error(),
        });
        end
    }

    /// One command to a tool that stays alive. Permission is asked for once, at its start. `call` tells
    /// its questions from those of others.
    pub async fn obey(
        &self,
        tool: &ResolvedTool,
        call: &str,
        command: ToolCommand,
        cancel: &CancellationToken,
    ) -> Result<ToolState, CallEnd> {
        let known = &tool.definition.actions;
        let Some(runtime) = tool.live.as_deref() else {
            return Err(wrong("the tool does not stay alive between calls".to_owned()));
        };
        if !known.contains(&command.action()) {
            let (wanted, known) = (name_of(command.action()), known.iter().copied().map(name_of));
            let known = known.collect::<Vec<_>>().join("`, `");
            return Err(wrong(format!("the tool does not take `{wanted}`, only `{known}`")));
        }
        let told = match command {
            ToolCommand::Spawn { id, args } => {
                let arguments = self.permitted(tool, args, Changes::Make, cancel).await?;
                return self.spawn(tool, runtime, (call, &id), &arguments, cancel).await;
            }
            other => self.handles.tell(&tool.name_at_source, &other, cancel).await,
        };
        told.map_err(|error| ended(error.into(), cancel))
    }

    /// Starts a tool that stays alive, again and again until all that it asks first is answered.
    async fn spawn(
        &self,
        tool: &ResolvedTool,
        runtime: &dyn LiveRuntime,
        (call, id): (&str, &str),
        arguments: &Map<String, Value>,
        cancel: &CancellationToken,
    ) -> Result<ToolState, CallEnd> {
        let (name, options) = (&tool.name_at_source, &tool.settings.options);
        let actions = &tool.definition.actions;
        let mut answers = Answers::new(self, tool, call);
        loop {
            let given = answers.given().clone();
            let (answers_so_far, hold) = (&given, false);
            let spawn = Spawn {
                name,
                id,
                arguments,
                answers: answers_so_far,
                options,
                actions,
                hold,
                cancel,
            };
            let started = self.handles.spawn(runtime, spawn).await;
            match started.map_err(|error| ended(error.into(), cancel))? {
                Started::Alive((state, warnings)) => {
                    self.warn(tool, &warnings);
                    return Ok(state);
                }
                Started::Asks(asked) => answers.answer(*asked).await?,
            }
        }
    }

    fn warn(&self, tool: &ResolvedTool, warnings: &[String]) {
        for warning in warnings {
            self.interaction.notice(&tool.definition.name, Notice::Warning(warning));
        }
    }

    /// The arguments that the call may run with.
    async fn permitted(
        &self,
        tool: &ResolvedTool,
        arguments: Map<String, Value>,
        changes: Changes,
        cancel: &CancellationToken,
    ) -> Result<Map<String, Value>, CallEnd> {
        let mode = tool.settings.run;
        if mode == RunMode::Skip {
            return Err(CallEnd::Skipped(
                "it was not run: the configuration says `run = \"skip\"`".to_owned(),
            ));
        }
        let arguments = tool.prepare(arguments).map_err(CallEnd::Failed)?;
        // Who wants to see what would be changed has said that it may be tried.
        let is_tried = changes == Changes::Show && tool.runtime.leaves_nothing();
        if mode == RunMode::Unattended || (mode == RunMode::Ask && is_tried) {
            return Ok(arguments);
        }
        let shown = self.formatted(tool, &arguments, cancel).await;
        let name = tool.definition.name.as_str();
        let proposed = Proposed { tool: name, arguments: &arguments, shown: shown.as_deref() };
        match self.interaction.approve(&proposed, mode).await {
            // They may have been edited.
            Approval::Run(arguments) => tool.prepare(arguments).map_err(CallEnd::Failed),
            Approval::Skip(reason) => Err(CallEnd::Skipped(reason)),
            Approval::Nobody => {
                let message = format!("nobody can be asked whether `{name}` may run");
                let mut failure = Failure::new(Cause::Unpermitted, message);
                let key = format!("conversation.tools.{name}.run");
                failure
                    .error
                    .trace
                    .push(format!("`{key} = \"unattended\"` runs it without asking"));
                Err(CallEnd::Failed(failure))
            }
            Approval::Cancel => Err(CallEnd::Cancelled),
        }
    }

    /// How the tool shows its arguments. Only a tool that has described itself is known to understand
    /// the question; another one might take it for the call and do the work before it was permitted.
    async fn formatted(
        &self,
        tool: &ResolvedTool,
        arguments: &Map<String, Value>,
        cancel: &CancellationToken,
    ) -> Option<String> {
        if !tool.describes_itself {
            return None;
        }
        let call = tool.invocation(arguments.clone(), Map::new());
        // What it changes meanwhile, if anything, is dropped with the execution.
        let (action, memory) = (Action::FormatArguments, &CallMemory::default());
        let request = Request { tool: &call, action, hold: true, memory, cancel };
        let execution = timeout(SHOW_WITHIN, tool.runtime.execute(request)).await.ok()?;
        match execution.outcome {
            // A tool that shows nothing must not be permitted to do everything.
            ExecutionOutcome::Completed(Ok(blocks)) => {
                Some(render::to_text(&blocks)).filter(|text| !text.trim().is_empty())
            }
            _ => None,
        }
    }

    async fn run(
        &self,
        tool: &ResolvedTool,
        call: &str,
        arguments: Map<String, Value>,
        changes: Changes,
        cancel: &CancellationToken,
    ) -> CallEnd {
        let mut answers = Answers::new(self, tool, call);
        let mut attempt = 0;
        loop {
            let invocation = tool.invocation(arguments.clone(), answers.given().clone());
            let memory = answers.memory();
            let execution = self.execute(tool, &invocation, changes, memory, cancel).await;
            match execution.outcome {
                ExecutionOutcome::Completed(Err(failure))
                    if failure.error.transient && attempt < tool.settings.retries =>
                {
                    attempt += 1;
                    if self.pause(tool, attempt, &failure.error, cancel).await.is_none() {
                        return CallEnd::Cancelled;
                    }
                }
                ExecutionOutcome::NeedsInput(asked) => match answers.answer(asked).await {
                    Ok(()) => {}
                    Err(end) => return end,
                },
                _ => return self.settled(tool, execution, changes).await,
            }
        }
    }

    async fn execute(
        &self,
        tool: &ResolvedTool,
        invocation: &Tool,
        changes: Changes,
        memory: &CallMemory,
        cancel: &CancellationToken,
    ) -> Execution {
        let hold = changes != Changes::Make;
        let request = Request { tool: invocation, action: Action::Run, hold, memory, cancel };
        let execution = tool.runtime.execute(request).await;
        self.warn(tool, &execution.warnings);
        execution
    }

    /// Waits before a repetition; `None` if there is none because everything was cancelled.
    async fn pause(
        &self,
        tool: &ResolvedTool,
        attempt: u32,
        error: &ToolError,
        cancel: &CancellationToken,
    ) -> Option<()> {
        let notice = Notice::Retry { attempt, error: &error.message };
        self.interaction.notice(&tool.definition.name, notice);
        let pause = self.pause.saturating_mul(1 << (attempt - 1).min(16)).min(LONGEST_PAUSE);
        cancel.run_until_cancelled(tokio::time::sleep(pause)).await
    }

    /// The end of a call, after what it changed has been decided about.
    async fn settled(
        &self,
        tool: &ResolvedTool,
        execution: Execution,
        changes: Changes,
    ) -> CallEnd {
        let name = &tool.definition.name;
        let Execution { outcome, pending, advice, .. } = execution;
        let mut end = match outcome {
            ExecutionOutcome::Completed(Ok(content)) => CallEnd::Done(content),
            ExecutionOutcome::Completed(Err(failure)) => CallEnd::Failed(failure),
            ExecutionOutcome::Cancelled | ExecutionOutcome::NeedsInput(_) => {
                return CallEnd::Cancelled;
            }
        };
        if end.is_error() && !advice.is_empty() {
            self.interaction.notice(name, Notice::Denied(&advice));
            if let CallEnd::Failed(failure) = &mut end {
                failure.error.trace.extend(advice.iter().map(|one| format!("denied: {one}")));
            }
        }
        let Some(pending) = pending else { return end };
        let verdict = match changes {
            Changes::Make => Verdict::Yes,
            Changes::Review => self.interaction.review(name, pending.reviewed(), changes).await,
            Changes::Show => {
                self.interaction.review(name, pending.reviewed(), changes).await;
                return noted(end, "This was a dry run: nothing was changed.");
            }
        };
        match verdict {
            Verdict::Yes => {}
            Verdict::No => {
                return CallEnd::Skipped("its changes were declined and not made".to_owned());
            }
            Verdict::Cancel => return CallEnd::Cancelled,
        }
        let refused: Vec<_> =
            pending.reviewed().refused().iter().map(ToString::to_string).collect();
        let failed = pending.commit().failed.into_iter().map(|failure| failure.to_string());
        let unmade: Vec<_> = refused.into_iter().chain(failed).collect();
        if unmade.is_empty() { end } else { incomplete(&end, unmade) }
    }

    /// What of the end reaches whoever asked. Only what a tool said is kept back: that it could not be
    /// called is no secret of its result.
    async fn handed_over(&self, tool: &ResolvedTool, end: CallEnd) -> CallEnd {
        let is_result = match &end {
            CallEnd::Done(_) => true,
            CallEnd::Failed(failure) => matches!(failure.cause, Cause::Tool | Cause::Time),
            CallEnd::Skipped(_) | CallEnd::Cancelled => false,
        };
        if !is_result {
            return end;
        }
        let verdict = match tool.settings.result {
            ResultMode::Unattended => Verdict::Yes,
            ResultMode::Skip => Verdict::No,
            ResultMode::Ask => self.interaction.accept(&tool.definition.name, &text_of(&end)).await,
        };
        match verdict {
            Verdict::Yes => end,
            Verdict::No => CallEnd::Skipped("it ran; its result is kept back".to_owned()),
            Verdict::Cancel => CallEnd::Cancelled,
        }
    }
}
