//! `jp mcp pin`: accepts what the tools of a server are now.

use std::fmt::Write as _;

use jp_llm::tool::{Pinned, Server};
use jp_mcp::{Tool, Tools};
use jp_printer::Print;
use serde_json::json;

use crate::{
    args::McpPin,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    tools::{self, Wishes},
};

pub(super) fn run(ctx: &Ctx, args: &McpPin) -> Result {
    tools::block_on(async {
        let resolver = tools::resolver(ctx, Wishes::default())?;
        if args.forget {
            resolver.unpin(&args.server)?;
            return say(ctx, &format!("What the tools of {} were is forgotten.\n", args.server));
        }
        let server = tools::mcp::server(ctx, &resolver, &args.server).await?;
        let tools = server.tools().await;
        let done = match &tools {
            Ok(tools) => accept(ctx, args, &server, tools),
            Err(_) => Ok(()),
        };
        resolver.close().await;
        tools.map_err(Error::from).and(done)
    })
}

fn accept(ctx: &Ctx, args: &McpPin, server: &Server, tools: &Tools) -> Result {
    let chosen: Vec<&Tool> =
        match &args.tool {
            None => tools.tools.iter().collect(),
            Some(name) => vec![tools.get(name).ok_or_else(|| {
                Error::usage(format!("`{}` has no tool `{name}`", server.name()))
            })?],
        };
    let mut text = String::new();
    let mut changed = Vec::new();
    for tool in &chosen {
        if let Some(Pinned::Changed(difference)) = server.peek_pin(tool)? {
            let _ = writeln!(text, "{}:\n{difference}\n", tool.name);
            changed.push(tool.name.as_str());
        }
    }
    if !changed.is_empty() {
        if args.yes {
            say(ctx, &text)?;
        } else if !ctx.terminal().confirm_after(&text, "Accept this?")? {
            return Err(Error::new(Exit::Declined, "nothing was accepted"));
        }
    }
    match &args.tool {
        Some(_) => chosen.iter().try_for_each(|tool| server.pin(tool))?,
        None => server.pin_all(&tools.tools)?,
    }
    let count = chosen.len();
    if ctx.is_json() {
        return ctx
            .print_json(&json!({ "server": server.name(), "pinned": count, "changed": changed }));
    }
    let tools = if count == 1 { "tool" } else { "tools" };
    say(ctx, &format!("{count} {tools} of {} pinned.\n", server.name()))
}

fn say(ctx: &Ctx, text: &str) -> Result {
    Ok(ctx.printer().print(Print::chrome(text).untrusted())?)
}
