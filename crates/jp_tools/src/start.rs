//! One program for both ways a tool can be started, told apart by the first line it is sent.
//!
//! A tool beside the files gets `{"tool":…,"context":…}`, one that is sealed off from them gets the
//! notification `init`. The rest of the program is the same: a tool is found by its name, called, and
//! what it answers is written in the form that belongs to the way it was started.

use std::{
    io::{self, BufRead, Cursor, Read as _, Write},
    process::ExitCode,
    sync::Arc,
};

use jp_tool::{
    Action, Content, ContentBlock, Context, Exit, Inquiry, Invocation, MAX_LINE, Outcome, Question,
    Reply, SchemaResponse, ToolEntry, ToolError,
    vfs::{Answer, HostNotification, Init, ResultParams, ToTool, ToolNotification},
};

use crate::{
    entries,
    place::host::{Link, ViaHost},
    sealed_entries,
};

/// The program `jp-tools`: does what the first line on stdin says.
pub fn main() -> ExitCode {
    jp_tool::on_streams(|mut input, output| {
        let line = first_line(&mut input)?;
        match init(&line) {
            Some(init) => sealed(init, input, output),
            None => jp_tool::run(entries(), Cursor::new(line).chain(input), output),
        }
    })
}

/// The first line with something on it. Memory is bounded; what is longer is refused by who reads it.
fn first_line(input: &mut impl BufRead) -> io::Result<Vec<u8>> {
    let limit = u64::try_from(MAX_LINE).unwrap_or(u64::MAX).saturating_add(1);
    let mut line = Vec::new();
    while line.trim_ascii().is_empty() {
        line.clear();
        if input.by_ref().take(limit).read_until(b'\n', &mut line)? == 0 {
            break;
        }
    }
    Ok(line)
}

fn init(line: &[u8]) -> Option<Init> {
    let ToTool::Notification(notification) = ToTool::parse(line).ok()? else {
        return None;
    };
    match HostNotification::parse(&notification).ok()? {
        HostNotification::Init(init) => Some(*init),
        _ => None,
    }
}

/// Runs one call of a tool that asks the host for everything.
fn sealed(
    init: Init,
    input: impl BufRead + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<Exit> {
    let link = Arc::new(Link::new(input, output));
    let tools = sealed_entries(&ViaHost(Arc::clone(&link)));
    let notification = answer(&tools, init);
    link.tell(&notification)?;
    let is_error = matches!(notification, ToolNotification::Error(_));
    Ok(if is_error { Exit::Failure } else { Exit::Success })
}

fn answer(tools: &[ToolEntry], init: Init) -> ToolNotification {
    if init.context.action == Action::Schema {
        let tools = tools.iter().map(ToolEntry::schema).collect();
        return done(Answer::Schema(SchemaResponse { tools }));
    }
    let Some(tool) = tools.iter().find(|tool| tool.name() == init.tool.name) else {
        let offered: Vec<&str> = tools.iter().map(ToolEntry::name).collect();
        let name = init.tool.name;
        let message = format!("no tool {name:?} in this program, only {offered:?}");
        return ToolNotification::Error(ToolError::new(message));
    };
    match tool.answer(invocation(init)) {
        Reply::Outcome(Outcome::Success { content }) => done(Content::from(content).into()),
        Reply::Outcome(Outcome::NeedsInput { question }) => {
            done(Content::from(blocks(question)).into())
        }
        Reply::Outcome(Outcome::Error(error)) => ToolNotification::Error(error),
        Reply::Blocks(result) => done(Content::Blocks(result.content).into()),
    }
}

fn done(content: Answer) -> ToolNotification {
    ToolNotification::Result(ResultParams { content })
}

/// The call as a tool beside the files would get it. There is no root that it could open.
fn invocation(Init { tool, context, .. }: Init) -> Invocation {
    let context = Context {
        root: ".".into(),
        action: context.action,
        access: context.access,
        workspace_id: context.workspace_id,
        conversation_id: context.conversation_id,
    };
    Invocation { tool, context }
}

/// A question and, before it, what there is to know.
fn blocks(question: Question) -> Vec<ContentBlock> {
    let Question { id, text, pre_amble, answer_type, default } = question;
    let question = Inquiry { id, text, schema: answer_type.schema(), default };
    let before = pre_amble.into_iter().map(ContentBlock::text);
    before.chain([ContentBlock::Question { question }]).collect()
}
