//! How a call ends, and what a tool that stays alive says and hears.
//!
//! The last word returns nothing: whoever could be told that it was not heard is the one who went
//! away.

use super::{Told, VfsError, VfsHost};
use crate::vfs::{Answer, ResultParams, ToolNotification};
use crate::{
    Content, ContentBlock, Inquiry, Outcome, Question, Reply, SchemaResponse, ToolError,
    ToolResult, ToolState,
};

impl VfsHost {
    /// Ends the call with a result: text, or blocks. No request is served after that.
    pub fn result(&self, content: impl Into<Content>) {
        self.finish(Answer::Content(content.into()));
    }

    /// Ends the call with an error.
    pub fn error(&self, error: impl Into<ToolError>) {
        self.end(&ToolNotification::Error(error.into()));
    }

    /// Ends the call with a question. The tool is started again with the answer, which
    /// [`answer`](Self::answer) then has. [`ask`](Self::ask) does both.
    pub fn question(&self, question: Question) {
        self.result(blocks(question));
    }

    /// Ends the call with the description of the tools in this program, which
    /// [`Action::Schema`](crate::Action::Schema) asks for.
    pub fn describe(&self, tools: SchemaResponse) {
        self.finish(Answer::Schema(tools));
    }

    /// Ends the call with whatever a tool can answer.
    pub fn reply(&self, reply: impl Into<Reply>) {
        match reply.into() {
            Reply::Outcome(Outcome::Success { content }) => self.result(content),
            Reply::Outcome(Outcome::Error(error)) => self.error(error),
            Reply::Outcome(Outcome::NeedsInput { question }) => self.question(question),
            Reply::Blocks(result) if result.is_error => self.error(failure(result)),
            Reply::Blocks(result) => self.result(Content::Blocks(result.content)),
        }
    }

    /// Says where a tool that stays alive stands. One that has stopped has said its last word.
    pub fn state(&self, state: ToolState) -> Result<(), VfsError> {
        let is_last = matches!(state, ToolState::Stopped { .. });
        let notification = ToolNotification::State(state);
        let mut channel = self.channel();
        if is_last { channel.end(&notification) } else { channel.notify(&notification) }
    }

    /// Waits for what the host wants next of a tool that stays alive.
    pub fn next(&self) -> Result<Told, VfsError> {
        self.channel().next()
    }

    /// Whether the host has called off the call, as far as was heard of it: it is heard while an
    /// answer is waited for.
    pub fn is_cancelled(&self) -> bool {
        self.channel().is_cancelled()
    }

    fn finish(&self, content: Answer) {
        self.end(&ToolNotification::Result(ResultParams { content }));
    }

    fn end(&self, notification: &ToolNotification) {
        drop(self.channel().end(notification));
    }
}

/// What there is to know before answering comes first.
fn blocks(question: Question) -> Vec<ContentBlock> {
    let Question { id, text, pre_amble, answer_type, default } = question;
    let question = Inquiry { id, text, schema: answer_type.schema(), default };
    let preamble = pre_amble.map(ContentBlock::text);
    preamble.into_iter().chain([ContentBlock::Question { question }]).collect()
}

/// The texts among the blocks are the message.
fn failure(result: ToolResult) -> ToolError {
    let text = |block| match block {
        ContentBlock::Text { text, .. } => Some(text),
        _ => None,
    };
    let texts: Vec<String> = result.content.blocks.into_iter().filter_map(text).collect();
    ToolError { message: texts.join("\n"), trace: result.trace, transient: result.transient }
}
