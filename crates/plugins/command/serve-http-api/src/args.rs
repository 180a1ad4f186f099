//! What the user asked for: the words of the command line, and what they leave open.

use jp_plugin_sdk::{
    Failure, Init,
    args::{Stop, help, parse},
};
use plugin_server::{Flags, Listen, Policy, Word};

use crate::limits;

/// The words that this plugin answers to.
pub(crate) const COMMAND: &str = "serve http-api";
/// The exit code for words and settings that cannot be used.
const USAGE: u8 = 2;

const AFTER_HELP: &str = "\
Listens on 127.0.0.1:3142, unless flags or `[plugins.command.serve-http-api.options]` say otherwise.

Every request needs the token, which is printed once at the start unless you choose your own:

  curl -H 'Authorization: Bearer TOKEN' http://127.0.0.1:3142/v1/conversations

The OpenAPI document is at /v1/openapi.json.";

/// Serve the conversations of this workspace as JSON over HTTP
#[derive(Debug, clap::Parser)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(flatten)]
    flags: Flags,
    /// Print the OpenAPI document and end
    #[arg(long)]
    openapi: bool,
}

/// What is to be done.
#[derive(Debug)]
pub(crate) enum Task {
    /// Show a text, such as the help.
    Print(String),
    /// Show the OpenAPI document.
    Document,
    Listen(Listen),
}

impl Args {
    /// What `jp serve http-api -h` prints.
    pub(crate) fn help() -> String {
        help::<Self>(COMMAND)
    }
}

/// Reads what the host sent along.
pub(crate) fn read(init: &Init) -> Result<Task, Failure> {
    let args: Args = match parse(COMMAND, init.args.iter().cloned()) {
        Ok(args) => args,
        Err(Stop::Help(text)) => return Ok(Task::Print(text)),
        Err(Stop::Usage(text)) => return Err(Failure::new(text).code(USAGE)),
    };
    if args.openapi {
        return Ok(Task::Document);
    }
    let policy = Policy {
        plugin: "serve-http-api",
        port: limits::PORT,
        token_flag: "`--token-file FILE`",
        section: None,
    };
    let listen = Listen::decide(init, &policy, args.flags, Word::Nothing);
    listen.map(Task::Listen).map_err(|error| Failure::from(error).code(USAGE))
}

#[cfg(test)]
mod tests;
