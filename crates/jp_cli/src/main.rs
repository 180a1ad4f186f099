//! `jp`: parse, choose a command, call its function, map the end to an exit code.
//!
//! Everything the program can do is one line of [`run`]. Libraries do the work; this crate reads the
//! arguments, the environment and the terminal, wires the rest together and prints.

mod args;
mod cmd;
mod confine;
mod ctx;
mod curtain;
mod error;
mod exit;
mod format;
mod log;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod math;
mod plugins;
mod terminal;
mod tools;

use std::{io, process::ExitCode};

use crate::{
    args::{Args, Command},
    ctx::Ctx,
    error::Result,
    exit::Exit,
};

fn main() -> ExitCode {
    #[cfg(target_os = "linux")]
    if std::env::args_os().nth(1).is_some_and(|word| word == jp_sandbox::linux::helper::WORD) {
        return jp_sandbox::linux::helper::serve();
    }
    if std::env::args_os().nth(1).is_some_and(|word| word == jp_llm::tool::SERVE_BUNDLED) {
        return jp_tools::main();
    }
    let words: Vec<_> = std::env::args_os().collect();
    if words.get(1).is_some_and(|word| word == plugins::complete::WORD) {
        return plugins::complete::run(&words[2..]).into();
    }
    if let Some(end) = cmd::version::quick(&words) {
        return end.into();
    }
    #[cfg(target_os = "linux")]
    jp_sandbox::linux::share_memory();
    let Args { global, command } = match args::parse(&words) {
        Ok(args) => args,
        Err(error) => return plugins::help::instead(&error, &words).into(),
    };
    let end = match Ctx::new(&global, &command) {
        Ok(ctx) => {
            let result = run(&ctx, command).and_then(|()| Ok(ctx.printer().flush()?));
            // What was logged before an error stands before it.
            log::flush();
            // The system takes all memory back at once, which is quicker than piece by piece.
            std::mem::forget(ctx.shared_config());
            result.map_or_else(|error| error.report(&ctx), |()| Exit::Success)
        }
        Err(error) => error.report_without_context(&global),
    };
    log::flush();
    end.into()
}

fn run(ctx: &Ctx, command: Command) -> Result {
    match command {
        Command::Init(args) => cmd::init::run(ctx, &args),
        Command::Config(args) => cmd::config::run(ctx, args),
        Command::Conversation(args) => cmd::conversation::run(ctx, args),
        Command::Tool(args) => cmd::tool::run(ctx, args),
        Command::Mcp(args) => cmd::mcp::run(ctx, args),
        Command::Plugin(args) => cmd::plugin::run(ctx, args),
        Command::Sandbox(args) => cmd::sandbox::run(ctx, args),
        Command::Completions(args) => cmd::completions::run(ctx, &args),
        Command::Man(args) => cmd::man::run(ctx, &args),
        Command::Version => cmd::version::run(ctx),
        Command::External(words) => plugins::dispatch::run(ctx, words),
    }
}

/// A reader that has seen enough, `head` for example, is no failure.
fn is_closed_pipe(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
