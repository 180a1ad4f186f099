//! `jp init`

mod tools;

use jp_config::ToolTable;
use jp_printer::Print;
use jp_workspace::{Initialized, Workspace, layout};
use serde_json::json;

use crate::{args::Init, ctx::Ctx, error::Result, terminal::Choice};

pub(crate) fn run(ctx: &Ctx, args: &Init) -> Result {
    let root = match &args.root {
        Some(directory) => ctx.cwd().join(directory),
        None => ctx.cwd().to_owned(),
    };
    let is_new = !root.join(layout::STORAGE).join(layout::CONFIG).exists();
    let tools = if is_new { offer(ctx)? } else { Vec::new() };
    let config = jp_config::template(&tools);
    let done = Workspace::init(&root, &config, &jp_config::schema_text())?;
    report(ctx, &done, &tools)
}

/// The tools that the person wants; all of them where there is nobody who could choose.
fn offer(ctx: &Ctx) -> Result<Vec<ToolTable>> {
    let offered = tools::bundled();
    if !ctx.terminal().is_welcome() {
        return Ok(offered);
    }
    let choices: Vec<Choice> = offered
        .iter()
        .map(|tool| Choice { label: format!("{:<16} {}", tool.name, tool.remark), chosen: true })
        .collect();
    let question = "Tools to enable (space changes, enter confirms)";
    let chosen = ctx.terminal().choose(question, &choices)?;
    Ok(offered
        .into_iter()
        .enumerate()
        .filter(|(n, _)| chosen.contains(n))
        .map(|(_, t)| t)
        .collect())
}

fn report(ctx: &Ctx, done: &Initialized, tools: &[ToolTable]) -> Result {
    let root = done.workspace.root();
    let root = root.canonicalize_utf8().unwrap_or_else(|_| root.to_owned());
    if ctx.is_json() {
        let line = json!({
            "root": root,
            "id": done.workspace.id().as_str(),
            "created": done.created,
            "tools": tools.iter().map(|tool| &tool.name).collect::<Vec<_>>(),
        });
        return ctx.print_json(&line);
    }
    let text = if done.created.is_empty() {
        format!("{root} is a workspace already; nothing to do\n")
    } else {
        let files: String = done.created.iter().map(|file| format!("  {file}\n")).collect();
        format!("{root} is a workspace. Made:\n{files}")
    };
    ctx.printer().print(Print::content(&text))?;
    if !done.created.is_empty() {
        let next = "\nSee what is configured with `jp config show --origin`.\n";
        ctx.printer().print(Print::chrome(next))?;
    }
    Ok(())
}
