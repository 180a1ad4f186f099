//! `jp tool allow`: writes the rule that `jp tool explain` suggests.

use std::fmt::Write as _;

use jp_config::conversation::tool::source::ToolSource;
use jp_printer::Print;
use serde_json::json;

use super::{explain::Asked, find};
use crate::{
    args::ToolAllow,
    ctx::{self, Ctx},
    error::{Error, Result},
    exit::Exit,
    tools::keep::{Keeper, Plan, Planned, Wish},
};

pub(crate) fn run(ctx: &Ctx, args: &ToolAllow) -> Result {
    let tool = find(ctx, &args.name)?;
    ctx.root()?;
    if let ToolSource::Mcp { server, .. } = tool.source {
        let key = ctx.config().server_key(server, &["access"]);
        let error = format!("`{}` is confined by the rules of its server, in `{key}`", tool.name);
        return Err(
            Error::usage(error).hint("`jp tool explain` with the same words says what to write")
        );
    }
    let Some(asked) = Asked::from_args(&args.question)? else {
        return Err(Error::usage("nothing is to be allowed")
            .hint("name one thing, for example `--read PATH`; --help lists them"));
    };
    let keeper = Keeper::new(ctx.origins().clone(), ctx::home());
    let wish = Wish { asked, rule: None };
    match keeper.plan(tool.name, &wish)? {
        Planned::Nothing => say(ctx, &format!("{} is allowed already.\n", wish.asked.words())),
        Planned::ByHand(text) => {
            ctx.printer().print(Print::content(&text))?;
            Err(Error::new(Exit::Refused, "nothing was written"))
        }
        Planned::Write(plan) => {
            let text = described(&plan);
            if args.yes {
                say(ctx, &text)?;
            } else if !is_wanted(ctx, &text)? {
                return Err(Error::new(Exit::Declined, "nothing was written"));
            }
            let object = json!({ "file": plan.place, "key": plan.key, "toml": plan.lines });
            let done = format!("Written to {}.\n", plan.place);
            keeper.write(tool.name, &wish, plan)?;
            if ctx.is_json() { ctx.print_json(&object) } else { say(ctx, &done) }
        }
    }
}

/// Shows what is going to be written, and asks.
fn is_wanted(ctx: &Ctx, text: &str) -> Result<bool> {
    ctx.terminal().show(text)?;
    ctx.terminal().confirm("Write this?", "--yes writes it without asking")
}

/// What is going to be written, and what it does.
fn described(plan: &Plan) -> String {
    let mut text = format!("{}, `{}`:\n", plan.place, plan.key);
    for line in &plan.lines {
        let _ = writeln!(text, "  {line}");
    }
    for note in &plan.notes {
        let _ = writeln!(text, "{note}");
    }
    text
}

fn say(ctx: &Ctx, text: &str) -> Result {
    Ok(ctx.printer().print(Print::chrome(text).untrusted())?)
}
