//! `jp mcp inspect`: everything about one server, or about one of its tools.

use std::fmt::Write as _;

use jp_llm::tool::{Pinned, Server};
use jp_mcp::{Status, Tool, Tools};
use jp_printer::{Print, single_line, truncate_to_width};
use serde_json::{Value, json};

use super::confinement::Confinement;
use crate::{
    args::McpInspect,
    ctx::Ctx,
    error::{Error, Result},
    tools::{self, Wishes},
};

/// What is shown of a description in a list.
const WIDTH: usize = 90;

pub(super) fn run(ctx: &Ctx, args: &McpInspect) -> Result {
    tools::block_on(async {
        let resolver = tools::resolver(ctx, Wishes::default())?;
        let server = tools::mcp::server(ctx, &resolver, &args.server).await?;
        let tools = server.tools().await;
        let shown = match (&tools, &args.tool) {
            (Ok(tools), Some(name)) => one(ctx, &server, tools, name),
            (Ok(tools), None) => {
                let confinement = Confinement::of(ctx, &resolver, server.name()).await;
                whole(ctx, &server, &confinement, tools)
            }
            (Err(_), _) => Ok(()),
        };
        resolver.close().await;
        tools.map_err(Error::from).and(shown)
    })
}

fn whole(ctx: &Ctx, server: &Server, confinement: &Confinement, tools: &Tools) -> Result {
    let status = server.status();
    if ctx.is_json() {
        return ctx.print_json(&object(server, &status, &confinement.json(ctx), tools)?);
    }
    let mut text = about(server, &status);
    text.push_str(&confinement.text(ctx));
    text += "\nTools:\n";
    for tool in &tools.tools {
        let summary = tool.description.as_deref().unwrap_or_default();
        let summary = truncate_to_width(&single_line(summary), WIDTH).into_owned();
        let _ = writeln!(text, "  {}{}  {summary}", tool.name, mark(server, tool)?);
    }
    for malformed in &tools.malformed {
        let _ = writeln!(text, "  ({malformed})");
    }
    Ok(ctx.printer().print(Print::content(&text).untrusted())?)
}

fn about(server: &Server, status: &Status) -> String {
    let mut text = format!("{}\n\n", server.name());
    let era = status.era.map(jp_mcp::Era::name);
    let roots: Vec<_> = server.roots().iter().map(ToString::to_string).collect();
    let garbage = (status.garbage > 0).then(|| format!("{} lines, skipped", status.garbage));
    let stateful = if server.is_stateful() { "one for all calls" } else { "one for each call" };
    for (name, value) in [
        ("server", status.server.as_deref()),
        ("version", status.version.as_deref()),
        ("era", era),
        ("protocol", status.protocol.as_deref()),
        ("process", Some(stateful)),
        ("roots", Some(roots.join(", ").as_str()).filter(|roots| !roots.is_empty())),
        ("garbage on stdout", garbage.as_deref()),
        ("instructions", status.instructions.as_deref()),
    ] {
        if let Some(value) = value {
            let _ = writeln!(text, "{name}: {value}");
        }
    }
    text.extend(status.warnings.iter().map(|warning| format!("warning: {warning}\n")));
    text
}

/// What is known of a tool from before, where it is worth a word.
fn mark(server: &Server, tool: &Tool) -> Result<&'static str> {
    Ok(match server.peek_pin(tool)? {
        Some(Pinned::Changed(_)) => " (changed)",
        Some(Pinned::Same | Pinned::First) => "",
        None => " (not used yet)",
    })
}

fn pin_word(pinned: Option<&Pinned>) -> &'static str {
    match pinned {
        Some(Pinned::Changed(_)) => "changed",
        Some(Pinned::Same | Pinned::First) => "same",
        None => "unknown",
    }
}

fn one(ctx: &Ctx, server: &Server, tools: &Tools, name: &str) -> Result {
    let Some(tool) = tools.get(name) else {
        let known: Vec<_> = tools.tools.iter().map(|tool| tool.name.as_str()).collect();
        let error = Error::usage(format!("`{}` has no tool `{name}`", server.name()));
        return Err(match jp_config::nearest(name, known.iter().copied()) {
            Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
            None => error.hint(format!("it has {}", known.join(", "))),
        });
    };
    let pinned = server.peek_pin(tool)?;
    if ctx.is_json() {
        let mut object = described(tool, pinned.as_ref());
        object["server"] = json!(server.name());
        return ctx.print_json(&object);
    }
    let mut text = format!("{name}\n\n");
    text.extend(tool.description.iter().map(|description| format!("{description}\n\n")));
    let schema = serde_json::to_string_pretty(&tool.input_schema).unwrap_or_default();
    let _ = writeln!(text, "It takes:\n{schema}");
    if let Some(schema) = &tool.output_schema {
        let schema = serde_json::to_string_pretty(schema).unwrap_or_default();
        let _ = writeln!(text, "\nIt answers:\n{schema}");
    }
    if let Some(Pinned::Changed(difference)) = pinned {
        let _ = writeln!(text, "\nIt has changed since it was first used:\n{difference}");
    }
    Ok(ctx.printer().print(Print::content(&text).untrusted())?)
}

fn described(tool: &Tool, pinned: Option<&Pinned>) -> Value {
    let effects = tool.annotations;
    json!({
        "name": tool.name,
        "title": tool.title,
        "description": tool.description,
        "parameters": tool.input_schema,
        "output": tool.output_schema,
        "read_only": effects.read_only,
        "destructive": effects.destructive,
        "idempotent": effects.idempotent,
        "pin": pin_word(pinned),
    })
}

fn object(server: &Server, status: &Status, confinement: &Value, tools: &Tools) -> Result<Value> {
    let all = tools.tools.iter().map(|tool| Ok(described(tool, server.peek_pin(tool)?.as_ref())));
    let all = all.collect::<Result<Vec<_>>>()?;
    let malformed: Vec<_> = tools.malformed.iter().map(ToString::to_string).collect();
    Ok(json!({
        "name": server.name(),
        "era": status.era.map(jp_mcp::Era::name),
        "protocol": status.protocol,
        "server": status.server,
        "version": status.version,
        "instructions": status.instructions,
        "stateful": server.is_stateful(),
        "roots": server.roots(),
        "confinement": confinement,
        "warnings": status.warnings,
        "tools": all,
        "malformed": malformed,
    }))
}
