//! `jp tool explain`: the policy of a tool, and answers to questions about it.
//!
//! The answers come from `jp_tool::access`, the same functions that the tool itself, the host and
//! the kernel's profile are made from. What is added here is the reasoning: which rules match, which
//! of them decides, and what to write to change the answer.

mod answer;
mod asked;
mod decide;
mod enforced;
mod listing;
mod row;
mod subject;
mod suggest;

use jp_config::conversation::tool::{Tool, source::ToolSource};
use jp_printer::Print;

pub(crate) use self::{
    answer::{Answer, Verdict},
    asked::Asked,
    enforced::{json as enforced_json, text as enforced_text},
    row::{Row, rows},
    subject::Subject,
    suggest::{Suggestion, exactly},
};
use super::find;
use crate::{
    args::ToolExplain,
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
};

pub(crate) fn run(ctx: &Ctx, args: &ToolExplain) -> Result {
    let tool = find(ctx, &args.name)?;
    refuse_elsewhere(ctx, &tool)?;
    // Rules are compiled for a workspace; without one nothing true could be said of them.
    let subject = Subject::new(ctx.config(), ctx.policies(), &tool, ctx.root()?, ctx::home());
    let Some(asked) = Asked::from_args(&args.question)? else {
        return print_rules(ctx, &tool, &subject);
    };
    let answer = Answer::new(&asked, &subject);
    if ctx.is_json() {
        ctx.print_json(&answer.to_json(tool.name))?;
    } else {
        ctx.printer().print(Print::content(&answer.to_text()))?;
    }
    if answer.is_allowed() { Ok(()) } else { Err(Error::said(Exit::Refused)) }
}

/// What runs on another machine does not obey rules of ours, and nothing true could be said of it.
fn refuse_elsewhere(ctx: &Ctx, tool: &Tool<'_>) -> Result {
    let ToolSource::Mcp { server, .. } = tool.source else { return Ok(()) };
    let server = ctx.config().app.providers.mcp.get(server);
    match server.and_then(|server| server.url.as_deref()) {
        Some(url) => Err(Error::usage(format!(
            "`{}` runs at {url}: nothing here says what it may touch",
            tool.name
        ))),
        None => Ok(()),
    }
}

fn print_rules(ctx: &Ctx, tool: &Tool<'_>, subject: &Subject<'_>) -> Result {
    let plan = enforced::plan(ctx, tool, subject)?;
    if ctx.is_json() {
        let mut listing = listing::json(subject);
        listing["enforced"] = plan.as_ref().map_or(serde_json::Value::Null, enforced::json);
        return ctx.print_json(&listing);
    }
    let mut text = listing::text(subject);
    if let Some(plan) = &plan {
        let gap = if text.ends_with("\n\n") { "" } else { "\n" };
        text = text + gap + &enforced::text(plan);
    }
    Ok(ctx.printer().print(Print::content(&text))?)
}
