//! `jp mcp login` and `jp mcp logout`
//!
//! The server is asked first, as in every run: it may need no login, or have one. Only if it says that it
//! wants one is somebody sent to a page, and afterwards it is asked again, so that "logged in" means that the
//! server agrees.

use jp_llm::tool::Server;
use jp_mcp::oauth::{LoginState, OAuth};
use jp_printer::Print;
use serde_json::json;

use super::browser::Opener;
use crate::{
    args::{McpLogin, McpLogout},
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    tools::{self, Wishes},
};

pub(super) fn login(ctx: &Ctx, args: &McpLogin) -> Result {
    tools::block_on(async {
        let resolver = tools::resolver(ctx, Wishes::default())?;
        let server = resolver.server(&args.server)?;
        let done = let_in(ctx, args, &server).await;
        resolver.close().await;
        done
    })
}

async fn let_in(ctx: &Ctx, args: &McpLogin, server: &Server) -> Result {
    let name = server.name();
    let login = of(server)?;
    match server.tools().await {
        // One that wanted more than it was granted lists its tools all the same.
        Ok(_) if login.state().await.is_ok_and(|state| state == LoginState::Stale) => {}
        Ok(_) => return report(ctx, server, login, "is logged in to already").await,
        Err(error) if error.wants_login() => {}
        Err(error) => return Err(error.into()),
    }
    if ctx.terminal().is_forbidden() {
        let message = format!("`{name}` wants a login, and nobody can be asked");
        return Err(Error::new(Exit::NeedsInput, message).hint("leave --no-interaction away"));
    }
    let opens = !args.no_browser && ctx.terminal().can_ask();
    let shown = login.login(&Opener::new(ctx, name, opens)).await;
    shown.map_err(|error| {
        Error::failure(format!("cannot log in to `{name}`: {}", tools::causes(&error).join(": ")))
    })?;
    server.tools().await?;
    report(ctx, server, login, "is logged in to").await
}

async fn report(ctx: &Ctx, server: &Server, login: &OAuth, how: &str) -> Result {
    let state = login.state().await.unwrap_or(LoginState::None);
    let name = server.name();
    if ctx.is_json() {
        let is_logged_in = state == LoginState::Present;
        return ctx.print_json(&json!({ "server": name, "logged_in": is_logged_in }));
    }
    match state {
        LoginState::None => say(ctx, &format!("{name} wants no login.\n")),
        LoginState::Stale | LoginState::Present => say(ctx, &format!("{name} {how}.\n")),
    }
}

pub(super) fn logout(ctx: &Ctx, args: &McpLogout) -> Result {
    tools::block_on(async {
        let resolver = tools::resolver(ctx, Wishes::default())?;
        let server = resolver.server(&args.server)?;
        let was_there = of(&server)?.logout().await;
        let was_there = was_there.map_err(|error| Error::failure(error.to_string()))?;
        let name = server.name();
        if ctx.is_json() {
            return ctx.print_json(&json!({ "server": name, "forgotten": was_there }));
        }
        let what = if was_there { "is forgotten" } else { "was not there" };
        say(ctx, &format!("The login of {name} {what}.\n"))
    })
}

/// How a server is logged in to, if it can be.
fn of(server: &Server) -> Result<&OAuth> {
    server.login().ok_or_else(|| {
        let name = server.name();
        Error::usage(format!("`{name}` cannot be logged in to"))
            .hint("only a server with `url`, and without a header `Authorization`, has a login")
    })
}

fn say(ctx: &Ctx, text: &str) -> Result {
    Ok(ctx.printer().print(Print::chrome(text).untrusted())?)
}
