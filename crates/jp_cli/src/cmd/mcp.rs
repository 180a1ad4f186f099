//! `jp mcp`

mod add;
mod allow;
mod browser;
pub(crate) mod confinement;
mod inspect;
mod list;
mod login;
mod pin;

use crate::{
    args::{Mcp, McpCall},
    cmd::tool::run::{Calling, Which, execute},
    ctx::Ctx,
    error::Result,
};

pub(crate) fn run(ctx: &Ctx, args: Mcp) -> Result {
    match args {
        Mcp::List => list::run(ctx),
        Mcp::Inspect(args) => inspect::run(ctx, &args),
        Mcp::Add(args) => add::run(ctx, &args),
        Mcp::Allow(args) => allow::run(ctx, &args),
        Mcp::Call(args) => call(ctx, &args),
        Mcp::Pin(args) => pin::run(ctx, &args),
        Mcp::Login(args) => login::login(ctx, &args),
        Mcp::Logout(args) => login::logout(ctx, &args),
    }
}

/// The same call as that of `jp tool run`, of a tool that is named by its server.
fn call(ctx: &Ctx, args: &McpCall) -> Result {
    let which = Which::At { server: &args.server, tool: &args.tool };
    execute(ctx, Calling { which, args: &args.call, yes: false, changes: None, trace: None })
}
