//! A server that came with the workspace, shown to whoever has to say whether it may be started.
//!
//! What is shown is everything that the yes is bound to: the whole table of the server and what the
//! workspace says about the sandbox. Nothing of it is cut off, because what was not shown was not agreed to.

use std::fmt::Write as _;

use jp_llm::tool::{Resolver, Stranger};

use crate::{
    cmd::mcp::confinement::Confinement,
    confine::allow::quoted,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    terminal::Terminal,
};

/// What is asked.
pub(crate) const QUESTION: &str = "May it be started in this workspace from now on?";

/// Asks whether a server may be started, and keeps that it may. A no is an error.
pub(super) async fn ask(ctx: &Ctx, resolver: &Resolver, name: &str) -> Result {
    let Some(stranger) = resolver.stranger(name)? else { return Ok(()) };
    let text = described(ctx, resolver, name, &stranger).await;
    let _turn = Terminal::turn();
    if !ctx.terminal().confirm_after(&text, QUESTION)? {
        return Err(Error::new(Exit::Declined, format!("the MCP server `{name}` was not started")));
    }
    Ok(resolver.allow_server(name, &stranger)?)
}

/// What it is, how it is started, and what holds it.
pub(crate) async fn described(
    ctx: &Ctx,
    resolver: &Resolver,
    name: &str,
    stranger: &Stranger,
) -> String {
    let place = &stranger.server.place;
    let mut text = format!("The MCP server `{name}` comes with this workspace ({place}).\n");
    let config = ctx.config().app.providers.mcp.get(name);
    if let Some(program) = config.and_then(|config| config.command.as_ref()) {
        let arguments = config.into_iter().flat_map(|config| config.arguments.iter());
        let words = std::iter::once(program).chain(arguments);
        let line: Vec<_> = words.map(|word| quoted(word)).collect();
        let _ = writeln!(text, "It runs: {}", line.join(" "));
    }
    let _ = write!(text, "\n{}", stranger.server.toml);
    if let Some(sandbox) = &stranger.sandbox {
        let _ = write!(text, "\n{}", sandbox.toml);
    }
    text + "\n" + &Confinement::of(ctx, resolver, name).await.text(ctx)
}
