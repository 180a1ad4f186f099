//! What MCP servers are started and remembered with, and what is asked before that.

pub(crate) mod stranger;

use std::{io::IsTerminal as _, sync::Arc};

use camino::Utf8PathBuf;
use jp_llm::tool::{
    McpWorld, ResolveError, ResolvedTool, Resolver, Server, ServerError, mcp::Listener,
};
use jp_printer::{single_line, truncate_to_width};

use super::{
    progress::Progress,
    variables::{self, NotFilled},
};
use crate::{
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
};

/// What the servers of this workspace are started with.
pub(super) fn world(ctx: &Ctx, attended: Option<&Arc<Progress>>) -> McpWorld {
    let config = ctx.shared_config();
    let fill = move |key: &str, value: &str| {
        let filled = variables::fill(&config, key, value);
        filled.map_err(|NotFilled { reason, hint }| match hint {
            Some(hint) => format!("{reason}; {hint}"),
            None => reason,
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
        agreements: agreements(),
        progress: attended.and_then(listener),
    }
}

/// Where it is kept which servers of workspaces may be started.
pub(crate) fn agreements() -> Option<Utf8PathBuf> {
    ctx::state_home().map(|state| state.join("jp/mcp/allowed"))
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

/// A server that somebody named. If it came with the workspace and was not allowed yet, whoever is at the
/// terminal is asked.
pub(crate) async fn server(ctx: &Ctx, resolver: &Resolver, name: &str) -> Result<Arc<Server>> {
    match resolver.server(name) {
        Err(ServerError::NotAllowed { .. }) if ctx.terminal().can_ask() => {
            stranger::ask(ctx, resolver, name).await?;
            Ok(resolver.server(name)?)
        }
        found => Ok(found?),
    }
}

/// A tool that somebody named, of a server that may have to be allowed first.
pub(crate) async fn allowed(
    ctx: &Ctx,
    resolver: &Resolver,
    resolve: impl AsyncFn() -> std::result::Result<ResolvedTool, ResolveError>,
) -> Result<ResolvedTool> {
    Ok(first_allowed(ctx, resolver, &resolve).await??)
}

/// The same for one that is about to be called. If its server says something else about it than before,
/// whoever is at the terminal is shown the difference and decides.
pub(crate) async fn resolved(
    ctx: &Ctx,
    resolver: &Resolver,
    resolve: impl AsyncFn() -> std::result::Result<ResolvedTool, ResolveError>,
) -> Result<ResolvedTool> {
    let error = match first_allowed(ctx, resolver, &resolve).await? {
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

/// Asks about one server after the other until none of them is in the way.
async fn first_allowed(
    ctx: &Ctx,
    resolver: &Resolver,
    resolve: &impl AsyncFn() -> std::result::Result<ResolvedTool, ResolveError>,
) -> Result<std::result::Result<ResolvedTool, ResolveError>> {
    // Each can be in the way once.
    for _ in 0..ctx.config().app.providers.mcp.len() {
        let found = resolve().await;
        match found.as_ref().err().and_then(ResolveError::not_allowed) {
            Some(server) if ctx.terminal().can_ask() => {
                stranger::ask(ctx, resolver, server).await?;
            }
            _ => return Ok(found),
        }
    }
    Ok(resolve().await)
}
