//! What MCP servers are started and remembered with.

use std::{io::IsTerminal as _, sync::Arc};

use jp_llm::tool::{McpWorld, ResolveError, ResolvedTool, Resolver, mcp::Listener};
use jp_printer::{single_line, truncate_to_width};

use super::{progress::Progress, variables};
use crate::{
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
};

/// What the servers of this workspace are started with.
pub(super) fn world(ctx: &Ctx, attended: Option<&Arc<Progress>>) -> McpWorld {
    let config = ctx.config().clone();
    let fill = move |key: &str, value: &str| {
        let filled = variables::fill(&config, key, value);
        filled.map_err(|reason| {
            let is_foreign = variables::is_foreign(&config, key);
            if is_foreign { format!("{reason}; {}", variables::HINT) } else { reason }
        })
    };
    let cache = ctx::cache_home().map(|cache| cache.join("jp/mcp"));
    McpWorld {
        fill: Box::new(fill),
        media: cache.as_ref().map(|cache| cache.join("media")),
        eras: cache.map(|cache| cache.join("eras")),
        logins: ctx::state_home().map(|state| state.join("jp/mcp/logins")),
        home: ctx::home(),
        pins: ctx::state_home().map(|state| state.join("jp/mcp/pins")),
        progress: attended.and_then(listener),
    }
}

/// Shows how far a call is. Only a terminal wants to know; a server is not asked otherwise.
fn listener(progress: &Arc<Progress>) -> Option<Listener> {
    if !std::io::stderr().is_terminal() {
        return None;
    }
    let progress = Arc::clone(progress);
    let told: Listener = Arc::new(move |_: &str, how_far: &jp_mcp::Progress| {
        let done = match how_far.total {
            Some(total) if total > 0.0 => format!("{:.0}%", how_far.progress / total * 100.0),
            _ => format!("{}", how_far.progress),
        };
        let message = how_far.message.as_deref().map(single_line).unwrap_or_default();
        progress.note(&truncate_to_width(&format!("{done} {message}"), 60));
    });
    Some(told)
}

/// A tool that is about to be called. If its server says something else about it than before, whoever is
/// at the terminal is shown the difference and decides.
pub(crate) async fn resolved(
    ctx: &Ctx,
    resolver: &Resolver,
    resolve: impl AsyncFn() -> std::result::Result<ResolvedTool, ResolveError>,
) -> Result<ResolvedTool> {
    let error = match resolve().await {
        Ok(tool) => return Ok(tool),
        Err(error) => error,
    };
    let ResolveError::Changed { server, tool, difference, now, .. } = &error else {
        return Err(error.into());
    };
    if !ctx.terminal().can_ask() {
        return Err(error.into());
    }
    let text = format!(
        "The MCP server `{server}` has changed `{tool}` since it was first used:\n{difference}\n"
    );
    if !ctx.terminal().confirm_after(&text, "Use it as it is now?")? {
        return Err(Error::new(Exit::Declined, format!("{tool} was not called")));
    }
    resolver.server(server).and_then(|server| server.pin(now))?;
    Ok(resolve().await?)
}
