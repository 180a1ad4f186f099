//! What came of one execution, whichever runtime it was: done, failed, a question, or cancelled.
//!
//! A program says it on its stdout, in one of three forms that are told apart here: an [`Outcome`], a
//! [`ToolResult`], or anything else, which is the result as plain text. What a server says is told apart
//! in `outcome/mcp.rs`.

pub(crate) mod mcp;
#[cfg(test)]
mod tests;

use std::time::Duration;

use jp_process::{Captured, Exit, Finished, Stopped};
use jp_tool::{Blocks, ContentBlock, Inquiry, Outcome, Question, ToolError, ToolResult};
use serde_json::Value;

/// What came of one execution.
#[derive(Debug, Clone, PartialEq)]
pub enum ExecutionOutcome {
    /// It has ended, well or not.
    Completed(Result<Blocks, Failure>),
    /// It has to be executed again with an answer.
    NeedsInput(Asked),
    /// It was ended on request.
    Cancelled,
}

/// Why there is no result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// In words, for the model and for people.
    pub error: ToolError,
    /// Of what kind, for whoever has to react to it.
    pub cause: Cause,
}

/// Of what kind a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The tool says so, or broke the rules of how to say something.
    Tool,
    /// It was given something that it does not take.
    Arguments,
    /// It asked, and nobody could answer.
    Unanswered,
    /// It has to be asked about, and nobody could be.
    Unpermitted,
    /// The rules, or the machine that should keep them, did not allow it.
    Refused,
    /// Its time was up.
    Time,
}

impl From<ToolError> for Failure {
    fn from(error: ToolError) -> Self {
        Self { error, cause: Cause::Tool }
    }
}

impl Failure {
    /// Its time was up.
    pub fn late(patience: Duration) -> Self {
        let seconds = patience.as_secs();
        Self::new(Cause::Time, format!("the tool took more than {seconds} seconds and was ended"))
    }

    /// A failure of this kind.
    pub fn new(cause: Cause, message: impl Into<String>) -> Self {
        Self { error: ToolError::new(message), cause }
    }
}

/// A question, in the form that fits both kinds a tool can ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The key of the answer.
    pub id: String,
    /// The question, in one line.
    pub text: String,
    /// What there is to know first.
    pub preamble: Blocks,
    /// The JSON Schema of the answer.
    pub schema: Value,
    /// The answer where nobody can be asked.
    pub default: Option<Value>,
}

impl From<Question> for Asked {
    fn from(question: Question) -> Self {
        let Question { id, text, pre_amble, answer_type, default } = question;
        let preamble: Vec<_> = pre_amble.into_iter().map(ContentBlock::text).collect();
        Self { id, text, preamble: preamble.into(), schema: answer_type.schema(), default }
    }
}

impl From<Outcome> for ExecutionOutcome {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Success { content } => Self::text(content),
            Outcome::Error(error) => Self::Completed(Err(error.into())),
            Outcome::NeedsInput { question } => Self::NeedsInput(question.into()),
        }
    }
}

/// A question among the blocks asks with all blocks before it; what comes after is not read.
impl From<ToolResult> for ExecutionOutcome {
    fn from(result: ToolResult) -> Self {
        let ToolResult { content: Blocks { mut blocks, malformed }, .. } = result;
        for block in &malformed {
            tracing::warn!("{block}");
        }
        let question =
            blocks.iter().position(|block| matches!(block, ContentBlock::Question { .. }));
        if let Some(at) = question
            && let ContentBlock::Question { question } = blocks.split_off(at).swap_remove(0)
        {
            let Inquiry { id, text, schema, default } = question;
            return Self::NeedsInput(Asked { id, text, preamble: blocks.into(), schema, default });
        }
        let content = Blocks { blocks, malformed };
        if !result.is_error {
            return Self::Completed(Ok(content));
        }
        let message = crate::tool::render::to_text(&content);
        let (trace, transient) = (result.trace, result.transient);
        Self::Completed(Err(ToolError { message, trace, transient }.into()))
    }
}

impl ExecutionOutcome {
    /// A success with this text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Completed(Ok(vec![ContentBlock::text(text)].into()))
    }

    /// A failure that will not go away by itself.
    pub fn failed(message: impl Into<String>) -> Self {
        Self::Completed(Err(ToolError::new(message).into()))
    }
}

/// What a program said by its output and by the way it ended.
pub(crate) fn of_program(finished: &Finished, patience: Duration) -> ExecutionOutcome {
    match finished.stopped {
        Some(Stopped::Cancelled) => return ExecutionOutcome::Cancelled,
        Some(Stopped::Time) => {
            let late = Failure::late(patience);
            let Failure { error, .. } = failure(finished, &late.error.message);
            return ExecutionOutcome::Completed(Err(Failure { error, ..late }));
        }
        Some(Stopped::Output(_)) | None => {}
    }
    // A program can end by itself before it is stopped; either way its result is not whole.
    for (name, captured) in [("stdout", &finished.stdout), ("stderr", &finished.stderr)] {
        if captured.truncated {
            let limit = captured.bytes.len();
            let message = format!("the tool wrote more than {limit} bytes to {name}");
            return failed(finished, &message);
        }
    }
    let text = match text(&finished.stdout) {
        Ok(text) => text,
        Err(error) => return failed(finished, &error),
    };
    let spoken = spoken(text.trim());
    if finished.exit.is_success() {
        return spoken.unwrap_or_else(|| ExecutionOutcome::text(text));
    }
    match spoken {
        // The program contradicts itself. Believing the worse of the two costs a repetition at most.
        Some(ExecutionOutcome::Completed(Ok(_))) => {
            tracing::warn!("the tool reported a success but {}", finished.exit);
            failed(finished, &format!("the tool reported a success but {}", finished.exit))
        }
        Some(other) => other,
        None => failed(finished, &format!("the tool {}", finished.exit)),
    }
}

/// What a program that ended well has said by this text.
#[cfg(test)]
pub(crate) fn of_text(text: &str) -> ExecutionOutcome {
    spoken(text.trim()).unwrap_or_else(|| ExecutionOutcome::text(text))
}

/// The message that a text is, if it is one.
fn spoken(text: &str) -> Option<ExecutionOutcome> {
    if !text.starts_with('{') {
        return None;
    }
    let outcome = Outcome::parse(text).ok().map(Into::into);
    outcome.or_else(|| ToolResult::parse(text).ok().map(Into::into))
}

/// An error with everything the program wrote. What it wrote is cut, because a model reads it.
fn failure(finished: &Finished, message: &str) -> Failure {
    let said = |name: &str, captured: &Captured| {
        let text = String::from_utf8_lossy(&captured.bytes);
        let text = text.trim();
        (!text.is_empty()).then(|| format!("{name}: {}", shortened(text)))
    };
    let said = [said("stderr", &finished.stderr), said("stdout", &finished.stdout)];
    let trace = said.into_iter().flatten().collect();
    ToolError { trace, ..ToolError::new(message) }.into()
}

fn failed(finished: &Finished, message: &str) -> ExecutionOutcome {
    ExecutionOutcome::Completed(Err(failure(finished, message)))
}

/// The end of a long text: what went wrong is mostly said last.
pub(crate) fn shortened(text: &str) -> String {
    const BYTES: usize = 8 * 1024;
    const LINES: usize = 100;
    let lines = text.rmatch_indices('\n').nth(LINES - 1).map_or(0, |(at, _)| at + 1);
    let from = text.ceil_char_boundary(text.len().saturating_sub(BYTES)).max(lines);
    if from == 0 {
        return text.to_owned();
    }
    format!("[{from} bytes left out] {}", &text[from..])
}

fn text(stdout: &Captured) -> Result<String, String> {
    String::from_utf8(stdout.bytes.clone()).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        format!("the tool printed something that is not UTF-8 text, from byte {at} on")
    })
}

/// Why a tool that was meant to stay alive ended, in one line.
pub(crate) fn ended_early(exit: &Exit) -> String {
    format!("the tool {exit} without saying that it has stopped")
}
