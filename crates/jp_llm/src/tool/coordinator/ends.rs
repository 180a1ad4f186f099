//! How calls end, and what is said about it.

use jp_tool::{Blocks, ContentBlock, SessionAction, ToolCommand, ToolError};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::tool::{
    call::CallEnd,
    outcome::{Cause, Failure},
    render,
    resolve::ResolvedTool,
};

/// The command that the arguments are, for a tool that stays alive.
pub(super) fn command(
    tool: &ResolvedTool,
    arguments: &Map<String, Value>,
) -> Result<Option<ToolCommand>, CallEnd> {
    if tool.live.is_none() {
        return Ok(None);
    }
    ToolCommand::from_arguments(arguments).map_err(|error| {
        let error = ToolError::from_error(&error);
        CallEnd::Failed(Failure { error, cause: Cause::Arguments })
    })
}

pub(super) fn wrong(message: String) -> CallEnd {
    CallEnd::Failed(Failure::new(Cause::Arguments, message))
}

/// The end of a command that failed; if it was to be ended, that is why.
pub(super) fn ended(failure: Failure, cancel: &CancellationToken) -> CallEnd {
    if cancel.is_cancelled() { CallEnd::Cancelled } else { CallEnd::Failed(failure) }
}

pub(super) fn name_of(action: SessionAction) -> &'static str {
    match action {
        SessionAction::Spawn => "spawn",
        SessionAction::Fetch => "fetch",
        SessionAction::Apply => "apply",
        SessionAction::Abort => "abort",
    }
}

/// The end as the text that is recorded, and that the model reads.
pub fn text_of(end: &CallEnd) -> String {
    match end {
        CallEnd::Done(content) => render::to_text(content),
        CallEnd::Failed(Failure { error, .. }) => {
            let trace = error.trace.iter().map(|cause| format!("\n{cause}"));
            std::iter::once(error.message.clone()).chain(trace).collect()
        }
        CallEnd::Skipped(reason) => reason.clone(),
        CallEnd::Cancelled => "the call was cancelled".to_owned(),
    }
}

pub(super) fn noted(end: CallEnd, note: &str) -> CallEnd {
    match end {
        CallEnd::Done(Blocks { mut blocks, malformed }) => {
            blocks.push(ContentBlock::text(note));
            CallEnd::Done(Blocks { blocks, malformed })
        }
        other => other,
    }
}

/// A tool that was not allowed to do what it says it did has failed, whatever it says.
pub(super) fn incomplete(end: &CallEnd, unmade: Vec<String>) -> CallEnd {
    let said = text_of(end);
    let mut failure = Failure::new(Cause::Refused, "not all changes of the tool were made");
    failure.error.trace.extend(unmade);
    if !said.is_empty() {
        failure.error.trace.push(format!("the tool said: {said}"));
    }
    CallEnd::Failed(failure)
}
