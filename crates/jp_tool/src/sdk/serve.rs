//! A tool that stays alive: one process, one session, one line for each command.
//!
//! A line that is no command to this session means that host and tool no longer agree on where they
//! are. Going on could apply an answer to another question than the one it was given to, so the
//! session is aborted and the program ends with an error. Input that is merely wrong, an answer of
//! another type for example, is for the session itself: it can ask again.

use std::io::{self, BufRead, Write};

use serde_json::{Map, Value};

use super::entry::guard;
use super::line::{self, LineError};
use super::run::{Exit, print, print_reply};
use super::{Call, Stop, ToolEntry};
use crate::{Content, Status, ToolCommand, ToolError, ToolState};

/// A tool at work. Each method is called with nothing else going on in the session; an error ends
/// it.
///
/// The host can also end the program without a word. What must not be left half done when that
/// happens has to be done in one step.
pub trait Session {
    /// Says where the tool stands. Called after the start too, and as often as somebody asks.
    fn fetch(&mut self) -> Result<ToolState, ToolError>;

    /// Takes input: while running as it is, while waiting as the answer to the question.
    fn apply(&mut self, input: Value) -> Result<ToolState, ToolError>;

    /// Ends the work, and says what came of it. Also called when the host goes away.
    fn abort(&mut self) -> Content;
}

/// Starts the tool and does what it is told until it stops.
pub(super) fn serve(
    tool: &ToolEntry,
    arguments: &Map<String, Value>,
    call: &Call,
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> io::Result<Exit> {
    let (id, started) = match ToolCommand::from_arguments(arguments) {
        Ok(Some(ToolCommand::Spawn { id, args })) => (id, tool.start(&args, call)),
        Ok(Some(_)) => return fail(output, "there is no session yet: the first action is `spawn`"),
        Ok(None) => return fail(output, "this tool stays alive: its arguments need an `action`"),
        Err(error) => return print_reply(output, &ToolError::from_error(&error).into()),
    };
    let mut session = match started {
        Some(Ok(session)) => session,
        Some(Err(stop)) => return print_reply(output, &stop.into()),
        None => return fail(output, "this tool does not stay alive"),
    };
    let mut state = guard(|| session.fetch().map_err(Stop::from));
    loop {
        match state {
            Err(stop) => return print_reply(output, &stop.into()),
            Ok(state) => {
                // Whoever started this is gone: there will be no further command.
                if let Err(error) = print(output, &state) {
                    drop(guard(|| Ok(session.abort())));
                    return Err(error);
                }
                if state.status() == Status::Stopped {
                    return Ok(Exit::Success);
                }
            }
        }
        state = match command(input, &id) {
            Ok(Some(command)) => guard(|| obey(&mut *session, command)),
            Ok(None) => {
                return guard(|| Ok(session.abort()))
                    .map_or(Ok(Exit::Failure), |_| Ok(Exit::Success));
            }
            Err(error) => {
                drop(guard(|| Ok(session.abort())));
                return print_reply(output, &error.into());
            }
        };
    }
}

fn obey(session: &mut dyn Session, command: Command) -> Result<ToolState, Stop> {
    match command {
        Command::Fetch => session.fetch().map_err(Into::into),
        Command::Apply(input) => session.apply(input).map_err(Into::into),
        Command::Abort => Ok(ToolState::Stopped { result: session.abort() }),
    }
}

/// What can be done to a session that exists.
enum Command {
    Fetch,
    Apply(Value),
    Abort,
}

/// The next command; `None` when there will be no more.
fn command(input: &mut impl BufRead, session: &str) -> Result<Option<Command>, ToolError> {
    let line = match line::next(input) {
        Ok(Some(line)) => line,
        // A broken stream is the end of it.
        Ok(None) | Err(LineError::Io(_)) => return Ok(None),
        Err(error) => return Err(ToolError::from_error(&error)),
    };
    let command = ToolCommand::parse(&line).map_err(|error| ToolError::from_error(&error))?;
    if command.id() != session {
        let (id, here) = (command.id(), session);
        return Err(ToolError::new(format!("no session {id:?} here, only {here:?}")));
    }
    match command {
        ToolCommand::Spawn { .. } => Err(format!("the session {session:?} exists already").into()),
        ToolCommand::Fetch { .. } => Ok(Some(Command::Fetch)),
        ToolCommand::Apply { input, .. } => Ok(Some(Command::Apply(input))),
        ToolCommand::Abort { .. } => Ok(Some(Command::Abort)),
    }
}

fn fail(output: &mut impl Write, message: &str) -> io::Result<Exit> {
    print_reply(output, &ToolError::new(message).into())
}
