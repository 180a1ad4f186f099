//! `jp mcp allow`: lets servers start that came with the workspace.

use jp_printer::Print;
use serde_json::json;

use crate::{
    args::McpAllow,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    tools::{self, Wishes, mcp::stranger},
};

pub(super) fn run(ctx: &Ctx, args: &McpAllow) -> Result {
    tools::block_on(async {
        let resolver = tools::resolver(ctx, Wishes::default())?;
        for server in &args.servers {
            if args.forget {
                resolver.disallow_server(server)?;
                done(ctx, server, false, &format!("{server} is not allowed here any more.\n"))?;
                continue;
            }
            // A name that nobody has is an error, and not a server that needs nothing.
            let found = resolver.server_plan(server).await?;
            drop(found);
            let Some(stranger) = resolver.stranger(server)? else {
                done(ctx, server, true, &format!("{server} may be started already.\n"))?;
                continue;
            };
            let text = stranger::described(ctx, &resolver, server, &stranger).await;
            if args.yes {
                ctx.printer().print(Print::chrome(&text).untrusted())?;
            } else if !ctx.terminal().confirm_after(&text, stranger::QUESTION)? {
                return Err(Error::new(Exit::Declined, "it was not allowed"));
            }
            resolver.allow_server(server, &stranger)?;
            done(ctx, server, true, &format!("{server} is allowed in this workspace.\n"))?;
        }
        Ok(())
    })
}

fn done(ctx: &Ctx, server: &str, is_allowed: bool, text: &str) -> Result {
    if ctx.is_json() {
        return ctx.print_json(&json!({ "server": server, "allowed": is_allowed }));
    }
    Ok(ctx.printer().print(Print::chrome(text).untrusted())?)
}
