//! A whole program for sealed tools: the same as for others, with the host in place of the call.
//!
//! A tool is a name and a function with typed arguments, exactly as in [`jp_tool::tool`](crate::tool).
//! What differs is how it reaches files: through the [`VfsHost`] that it is given.

use std::process::ExitCode;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use super::{Told, VfsHost, connect};
use crate::sdk::{entry, find};
use crate::{
    Action, Exit, Reply, SchemaResponse, Session, Status, Stop, ToolCommand, ToolEntry, ToolError,
    ToolState,
};

/// A tool that does its work in one go. The arguments and their comments are its description.
pub fn tool<A, R, E, F>(name: impl Into<String>, handler: F) -> ToolEntry<VfsHost>
where
    A: DeserializeOwned + JsonSchema,
    R: Into<Reply>,
    E: Into<Stop>,
    F: Fn(A, &VfsHost) -> Result<R, E> + Send + Sync + 'static,
{
    entry::once(name.into(), handler)
}

/// A tool that stays alive between calls. The function starts it; see [`Session`]. What has to talk to
/// the host later keeps a copy of it.
pub fn stateful<A, S, E, F>(name: impl Into<String>, start: F) -> ToolEntry<VfsHost>
where
    A: DeserializeOwned + JsonSchema,
    S: Session + 'static,
    E: Into<Stop>,
    F: Fn(A, &VfsHost) -> Result<S, E> + Send + Sync + 'static,
{
    entry::alive(name.into(), start)
}

/// The whole program of a sealed tool, or of several: connects, does what it is asked for and says how
/// it ended. A program with one tool answers to any name.
pub fn main(tools: impl IntoIterator<Item = ToolEntry<VfsHost>>) -> ExitCode {
    run(tools, &connect()).into()
}

/// What [`main`] does, with any host.
pub fn run(tools: impl IntoIterator<Item = ToolEntry<VfsHost>>, host: &VfsHost) -> Exit {
    let tools: Vec<ToolEntry<VfsHost>> = tools.into_iter().collect();
    let action = host.action();
    if action == Action::Schema {
        host.describe(SchemaResponse { tools: tools.iter().map(ToolEntry::schema).collect() });
        return Exit::Success;
    }
    let reply = match find(&tools, host.name()) {
        Ok(tool) if action == Action::Run && tool.is_stateful() => return serve(tool, host),
        Ok(tool) => tool.respond(action, host.name(), host.init().tool.arguments.clone(), host),
        Err(error) => error.into(),
    };
    end(host, reply)
}

/// Starts a tool that stays alive and passes on what the host says, until it stops.
fn serve(tool: &ToolEntry<VfsHost>, host: &VfsHost) -> Exit {
    let args = match ToolCommand::from_arguments(&host.init().tool.arguments) {
        Ok(Some(ToolCommand::Spawn { args, .. })) => args,
        Ok(Some(_)) => return fail(host, "there is no session yet: the first action is `spawn`"),
        Ok(None) => return fail(host, "this tool stays alive: its arguments need an `action`"),
        Err(error) => return end(host, ToolError::from_error(&error)),
    };
    let mut session = match tool.start(args, host) {
        Ok(session) => session,
        Err(stop) => return end(host, stop),
    };
    let mut state = entry::guard(|| Ok(session.fetch()?));
    loop {
        // The step that failed because the host called it off has not failed.
        if host.is_cancelled() {
            state = abort(&mut *session);
        }
        let state_now = match state {
            Ok(state) => state,
            Err(stop) => return end(host, stop),
        };
        let has_stopped = state_now.status() == Status::Stopped;
        if host.state(state_now).is_err() {
            drop(abort(&mut *session));
            return Exit::Failure;
        }
        if has_stopped {
            return Exit::Success;
        }
        state = match host.next() {
            Ok(Told::Apply(input)) => entry::guard(|| Ok(session.apply(input)?)),
            Ok(Told::Cancel) => abort(&mut *session),
            // The host is gone, or no longer makes sense. Nobody hears what came of it.
            Err(_) => {
                drop(abort(&mut *session));
                return Exit::Failure;
            }
        };
    }
}

fn abort(session: &mut dyn Session) -> Result<ToolState, Stop> {
    entry::guard(|| Ok(ToolState::Stopped { result: session.abort() }))
}

fn fail(host: &VfsHost, message: &str) -> Exit {
    end(host, ToolError::new(message))
}

fn end(host: &VfsHost, reply: impl Into<Reply>) -> Exit {
    let reply = reply.into();
    let exit = if reply.is_error() { Exit::Failure } else { Exit::Success };
    host.reply(reply);
    exit
}
