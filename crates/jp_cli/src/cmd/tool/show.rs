//! `jp tool show`: everything about one tool, and who said it.

mod parameters;

use jp_config::conversation::tool::{Runtime, source::ToolSource};
use jp_llm::tool::{Origin, ResolvedTool, merge::ParameterOrigin};
use jp_printer::{Format, Print};
use serde_json::{Value, json};

use super::{find_or_served, list::run_mode};
use crate::{
    args::ToolShow,
    ctx::Ctx,
    error::Result,
    tools::{self, Wishes},
};

pub(crate) fn run(ctx: &Ctx, args: &ToolShow) -> Result {
    find_or_served(ctx, &args.name)?;
    let tool = tools::block_on(async {
        let resolver = tools::resolver(ctx, Wishes { refresh: args.refresh, ..Wishes::default() })?;
        let tool = tools::mcp::allowed(ctx, &resolver, async || resolver.resolve(&args.name).await);
        let tool = tool.await;
        tools::warn(ctx, &resolver)?;
        resolver.close().await;
        tool
    })?;
    if ctx.is_json() {
        return ctx.print_json(&object(&tool));
    }
    let text = text(ctx, &tool);
    Ok(ctx.printer().print(Print::content(&text).format(Format::Markdown).untrusted())?)
}

fn text(ctx: &Ctx, tool: &ResolvedTool) -> String {
    let name = &tool.definition.name;
    let mut parts = vec![format!("# {name}")];
    if let Some(summary) = &tool.definition.summary {
        parts.push(format!("{summary} {}", said(tool.origins.summary)));
    }
    if let Some(description) = &tool.docs.description {
        parts.push(format!("{description} {}", said(tool.origins.description)));
    }
    let takes: Vec<_> = tool
        .definition
        .parameters
        .iter()
        .flat_map(|(name, parameter)| {
            let changed = tool.origins.parameters.get(name).map(changed).unwrap_or_default();
            parameters::lines(name, parameter, &changed)
        })
        .collect();
    let takes = if takes.is_empty() { "It takes none.".to_owned() } else { takes.join("\n") };
    parts.push(format!("## Parameters\n\n{takes}"));
    if let Some(examples) = &tool.docs.examples {
        parts.push(format!("## Examples\n\n{examples} {}", said(tool.origins.examples)));
    }
    parts.push(format!("## How it runs\n\n{}", settings(ctx, tool)));
    parts.join("\n\n") + "\n"
}

fn settings(ctx: &Ctx, tool: &ResolvedTool) -> String {
    let name = &tool.definition.name;
    let Some(entry) = ctx.config().app.conversation.tools.get(name) else { return String::new() };
    let key = ctx.config().tool_key(name);
    let place = ctx.config().place(&key).unwrap_or_default();
    let mut lines = vec![
        format!("- source: `{}`, configured in {place}", entry.source),
        format!("- before a call: `{}`", run_mode(entry.config.run)),
    ];
    if matches!(entry.source, ToolSource::Local { .. }) {
        let rules = match ctx.policies().get(name) {
            Some(_) => "what its own rules grant",
            None if entry.config.runtime == Runtime::Vfs => {
                "it reads the workspace and asks for everything else, because it has no rules of its own"
            }
            None => "the workspace, because it has no rules of its own",
        };
        lines.push(format!("- what it may touch: {rules}; see `jp tool explain {name}`"));
    }
    if let ToolSource::Mcp { server, .. } = entry.source {
        lines.push(format!("- its server: `{server}`; see `jp mcp inspect {server}`"));
    }
    if tool.live.is_some() {
        lines.push(format!("- it can stay alive between calls; `jp tool session {name}` tries it"));
    }
    if !entry.config.enable {
        lines.push("- it is disabled: the assistant does not see it".to_owned());
    }
    lines.join("\n")
}

/// Who said it, where that is not the tool itself.
fn said(origin: Option<Origin>) -> &'static str {
    match origin {
        Some(Origin::Config) => "*(from the configuration)*",
        Some(Origin::Program | Origin::Server | Origin::Builtin) | None => "",
    }
}

/// What the configuration says about a parameter.
fn changed(from: &ParameterOrigin) -> String {
    match (from.origin, from.overridden.as_slice()) {
        (Origin::Config, _) => format!(" {}", said(Some(Origin::Config))),
        (_, []) => String::new(),
        (_, fields) => format!(" *(`{}` from the configuration)*", fields.join("`, `")),
    }
}

fn object(tool: &ResolvedTool) -> Value {
    let origin = |origin: Option<Origin>| origin.map(Origin::name);
    let parameters: serde_json::Map<_, _> = tool
        .origins
        .parameters
        .iter()
        .map(|(name, from)| {
            let from = json!({ "origin": from.origin.name(), "overridden": from.overridden });
            (name.clone(), from)
        })
        .collect();
    json!({
        "name": tool.definition.name,
        "summary": tool.definition.summary,
        "description": tool.docs.description,
        "examples": tool.docs.examples,
        "parameters": tool.definition.call_schema(),
        "origins": {
            "summary": origin(tool.origins.summary),
            "description": origin(tool.origins.description),
            "examples": origin(tool.origins.examples),
            "parameters": parameters,
        },
    })
}
