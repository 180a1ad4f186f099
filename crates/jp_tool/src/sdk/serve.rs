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
        Ok(Some(ToolCommand::Spawn { id, args })) => (id, tool.start(args, call)),
        Ok(Some(_)) => return fail(output, "there is no session yet: the first action is `spawn`"),
        Ok(None) => return fail(output, "this tool stays alive: its arguments need an `action`"),
        Err(error) => return print_reply(output, &ToolError::from_error(&error).into()),
    };
    let session = match started {
        Ok(session) => session,
        Err(stop) => return print_reply(output, &stop.into()),
    };
    let mut session = Running { session, id };
    let mut next = Next::Do(Command::Fetch);
    loop {
        let state = match next {
            Next::Do(command) => guard(|| session.obey(command)),
            Next::Lost(error) => {
                session.abort();
                Err(error.into())
            }
            Next::Nothing => {
                session.abort();
                return Ok(Exit::Success);
            }
        };
        let state = match state {
            Ok(state) => state,
            Err(stop) => return print_reply(output, &stop.into()),
        };
        if let Err(error) = print(output, &state) {
            // Whoever started this is gone.
            session.abort();
            return Err(error);
        }
        if state.status() == Status::Stopped {
            return Ok(Exit::Success);
        }
        next = session.next(input);
    }
}

/// A session and its handle.
struct Running {
    session: Box<dyn Session>,
    id: String,
}

/// What can be done to a session that exists.
enum Command {
    Fetch,
    Apply(Value),
    Abort,
}

/// What comes from the host.
enum Next {
    Do(Command),
    /// Something that is no command to this session.
    Lost(ToolError),
    /// No more commands.
    Nothing,
}

impl Running {
    fn obey(&mut self, command: Command) -> Result<ToolState, Stop> {
        match command {
            Command::Fetch => self.session.fetch().map_err(Into::into),
            Command::Apply(input) => self.session.apply(input).map_err(Into::into),
            Command::Abort => Ok(ToolState::Stopped { result: self.session.abort() }),
        }
    }

    /// Ends the work where nobody hears what came of it.
    fn abort(&mut self) {
        drop(guard(|| self.obey(Command::Abort)));
    }

    fn next(&self, input: &mut impl BufRead) -> Next {
        let line = match line::next(input) {
            Ok(Some(line)) => line,
            // A broken stream is the end of it.
            Ok(None) | Err(LineError::Io(_)) => return Next::Nothing,
            Err(error) => return Next::Lost(ToolError::from_error(&error)),
        };
        match ToolCommand::parse(&line) {
            Err(error) => Next::Lost(ToolError::from_error(&error)),
            Ok(command) if command.id() != self.id => {
                let message = format!("no session {:?} here, only {:?}", command.id(), self.id);
                Next::Lost(ToolError::new(message))
            }
            Ok(ToolCommand::Spawn { id, .. }) => {
                Next::Lost(ToolError::new(format!("the session {id:?} exists already")))
            }
            Ok(ToolCommand::Fetch { .. }) => Next::Do(Command::Fetch),
            Ok(ToolCommand::Apply { input, .. }) => Next::Do(Command::Apply(input)),
            Ok(ToolCommand::Abort { .. }) => Next::Do(Command::Abort),
        }
    }
}

fn fail(output: &mut impl Write, message: &str) -> io::Result<Exit> {
    print_reply(output, &ToolError::new(message).into())
}
