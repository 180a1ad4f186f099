//! `jp mcp list`

use std::sync::Arc;

use comfy_table::{ContentArrangement, Table, presets};
use jp_llm::tool::{Resolver, ServerError};
use jp_mcp::{Status, Tools, oauth::LoginState};
use jp_printer::{Print, single_line, truncate_to_width};
use serde_json::{Value, json};

use super::confinement::Confinement;
use crate::{
    confine,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    tools::{self, Wishes, progress::Progress},
};

/// What is shown of words of a server in a table.
const WORDS: usize = 24;

/// A server, and what it said.
struct Row {
    name: String,
    found: std::result::Result<Arc<Tools>, ServerError>,
    status: Status,
    /// What is known of its login, without asking anybody.
    login: Option<LoginState>,
    confinement: Confinement,
}

pub(super) fn run(ctx: &Ctx) -> Result {
    let progress = Progress::new(ctx.printer().settings().quiet);
    let rows = tools::block_on(progress.during("asking servers", rows(ctx)))?;
    if ctx.is_json() {
        for row in &rows {
            ctx.print_json(&object(ctx, row))?;
        }
    } else if rows.is_empty() {
        ctx.printer().print(Print::chrome("No MCP servers are configured.\n"))?;
    } else {
        ctx.printer().print(Print::content(&table(&rows)).untrusted())?;
    }
    for warning in if rows.is_empty() { Vec::new() } else { confine::loosened(ctx.config()) } {
        ctx.printer().print(Print::chrome(&format!("warning: {warning}\n")).untrusted())?;
    }
    let mut is_whole = true;
    for row in rows {
        let malformed = row.found.as_ref().map(|tools| tools.malformed.as_slice());
        for malformed in malformed.unwrap_or_default() {
            let text = format!("warning: {}: {malformed}\n", row.name);
            ctx.printer().print(Print::chrome(&text).untrusted())?;
        }
        if let Err(error) = row.found {
            Error::from(error).report(ctx);
            is_whole = false;
        }
    }
    if is_whole { Ok(()) } else { Err(Error::said(Exit::Failure)) }
}

/// All servers in the order of the configuration, asked side by side.
async fn rows(ctx: &Ctx) -> Result<Vec<Row>> {
    let resolver = tools::resolver(ctx, Wishes::default())?;
    let names = ctx.config().app.providers.mcp.keys();
    let asked = names.map(|name| row(ctx, &resolver, name));
    let rows = futures_util::future::join_all(asked).await;
    resolver.close().await;
    Ok(rows)
}

async fn row(ctx: &Ctx, resolver: &Resolver, name: &str) -> Row {
    let name = name.to_owned();
    let confinement = Confinement::of(ctx, resolver, &name).await;
    let server = match resolver.server(&name) {
        Ok(server) => server,
        Err(error) => {
            let (status, login) = Default::default();
            return Row { name, found: Err(error), status, login, confinement };
        }
    };
    let found = server.tools().await;
    let login = match server.login() {
        Some(login) => login.state().await.ok(),
        None => None,
    };
    Row { name, found, status: server.status(), login, confinement }
}

fn state(row: &Row) -> &'static str {
    match &row.found {
        Ok(_) if row.login == Some(LoginState::Present) => "logged in",
        Ok(_) => "ready",
        Err(ServerError::NotAllowed { .. }) => "not allowed yet",
        Err(error) if error.wants_login() => "needs login",
        Err(_) => "failed",
    }
}

fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(["SERVER", "STATE", "ERA", "PROTOCOL", "VERSION", "TOOLS", "CONFINED BY"]);
    for row in rows {
        let text = |text: Option<&str>| {
            let text = single_line(text.unwrap_or("-")).into_owned();
            truncate_to_width(&text, WORDS).into_owned()
        };
        let count =
            row.found.as_ref().map_or("-".to_owned(), |tools| tools.tools.len().to_string());
        table.add_row([
            row.name.clone(),
            state(row).to_owned(),
            row.status.era.map_or("-", jp_mcp::Era::name).to_owned(),
            text(row.status.protocol.as_deref()),
            text(row.status.version.as_deref()),
            count,
            row.confinement.words().to_owned(),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn object(ctx: &Ctx, row: &Row) -> Value {
    let status = &row.status;
    let mut object = json!({
        "name": row.name,
        "state": state(row),
        "era": status.era.map(jp_mcp::Era::name),
        "protocol": status.protocol,
        "server": status.server,
        "version": status.version,
        "confinement": row.confinement.json(ctx),
        "warnings": status.warnings,
    });
    match &row.found {
        Ok(tools) => {
            let names: Vec<_> = tools.tools.iter().map(|tool| tool.name.as_str()).collect();
            let malformed: Vec<_> = tools.malformed.iter().map(ToString::to_string).collect();
            object["tools"] = json!(names);
            object["malformed"] = json!(malformed);
        }
        Err(error) => object["error"] = json!(tools::causes(error).join(": ")),
    }
    object
}
