//! From the line on stdin to the line on stdout.
//!
//! Whatever comes in, what goes out is one line of JSON, or one for each command to a tool that
//! stays alive. The host then never has to guess from half an answer what happened.

use std::{
    io::{self, BufRead, Write},
    process::ExitCode,
};

use serde::Serialize;

use super::line::{self, LineError};
use super::{Call, Reply, ToolEntry, serve};
use crate::{Action, Invocation, SchemaResponse, ToolError};

/// How the program ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// The work is done, or a question was asked.
    Success,
    /// The answer is an error.
    Failure,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        match exit {
            Exit::Success => Self::SUCCESS,
            Exit::Failure => Self::FAILURE,
        }
    }
}

/// What [`main`](super::main) does, on any streams. Fails when they do.
pub fn run(
    tools: impl IntoIterator<Item = ToolEntry>,
    mut input: impl BufRead,
    mut output: impl Write,
) -> io::Result<Exit> {
    let tools: Vec<ToolEntry> = tools.into_iter().collect();
    let invocation = match invocation(&mut input) {
        Ok(invocation) => invocation,
        Err(Unusable::Io(error)) => return Err(error),
        Err(Unusable::Message(error)) => return print_reply(&mut output, &error.into()),
    };
    if invocation.context.action == Action::Schema {
        let tools = tools.iter().map(ToolEntry::schema).collect();
        print(&mut output, &SchemaResponse { tools })?;
        return Ok(Exit::Success);
    }
    let tool = match find(&tools, &invocation.tool.name) {
        Ok(tool) => tool,
        Err(error) => return print_reply(&mut output, &error.into()),
    };
    if invocation.context.action == Action::Run && tool.is_stateful() {
        let (call, arguments) = Call::split(invocation);
        return serve::serve(tool, &arguments, &call, &mut input, &mut output);
    }
    print_reply(&mut output, &tool.answer(invocation))
}

/// Prints one message, and sees to it that it leaves the program.
pub(super) fn print(output: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    output.write_all(&line)?;
    output.flush()
}

pub(super) fn print_reply(output: &mut impl Write, reply: &Reply) -> io::Result<Exit> {
    print(output, reply)?;
    Ok(if reply.is_error() { Exit::Failure } else { Exit::Success })
}

/// Why there is no invocation.
enum Unusable {
    /// The stream is broken.
    Io(io::Error),
    /// The stream is fine and holds something else.
    Message(ToolError),
}

fn invocation(input: &mut impl BufRead) -> Result<Invocation, Unusable> {
    let line = match line::next(input) {
        Ok(Some(line)) => line,
        Ok(None) => return Err(Unusable::Message("stdin is empty: no invocation".into())),
        Err(LineError::Io(error)) => return Err(Unusable::Io(error)),
        Err(error) => return Err(Unusable::Message(ToolError::from_error(&error))),
    };
    Invocation::parse(&line).map_err(|error| Unusable::Message(ToolError::from_error(&error)))
}

/// The tool of this name. The only one of a program answers to any.
pub(crate) fn find<'a, C>(
    tools: &'a [ToolEntry<C>],
    name: &str,
) -> Result<&'a ToolEntry<C>, ToolError> {
    if let [only] = tools {
        return Ok(only);
    }
    tools.iter().find(|tool| tool.name() == name).ok_or_else(|| {
        let offered: Vec<&str> = tools.iter().map(ToolEntry::name).collect();
        ToolError::new(format!("no tool {name:?} in this program, only {offered:?}"))
    })
}
