//! `jp tool`

mod allow;
pub(super) mod check;
pub(crate) mod explain;
mod list;
mod new;
pub(crate) mod run;
mod session;
mod show;
mod trace;

use jp_config::conversation::tool::Tool as ToolEntry;

use crate::{
    args::Tool,
    ctx::Ctx,
    error::{Error, Result},
};

pub(crate) fn run(ctx: &Ctx, args: Tool) -> Result {
    match args {
        Tool::List(args) => list::run(ctx, &args),
        Tool::Show(args) => show::run(ctx, &args),
        Tool::Run(args) => run::run(ctx, &args),
        Tool::Session(args) => session::run(ctx, &args),
        Tool::Explain(args) => explain::run(ctx, &args),
        Tool::Allow(args) => allow::run(ctx, &args),
        Tool::Check(args) => check::run(ctx, &args),
        Tool::New(args) => new::run(ctx, &args),
        Tool::Trace(args) => trace::run(ctx, &args),
    }
}

/// The tool of this name; nothing where it may be one of a server all of whose tools are there.
fn find_or_served<'a>(ctx: &'a Ctx, name: &str) -> Result<Option<ToolEntry<'a>>> {
    let tools = &ctx.config().app.conversation.tools;
    if tools.get(name).is_none() && tools.iter().any(|tool| tool.source.all_of().is_some()) {
        return Ok(None);
    }
    find(ctx, name).map(Some)
}

/// The tool of this name, or an error that names the nearest.
fn find<'a>(ctx: &'a Ctx, name: &str) -> Result<ToolEntry<'a>> {
    let tools = &ctx.config().app.conversation.tools;
    tools.get(name).ok_or_else(|| {
        let error = Error::usage(format!("no tool is called `{name}`"));
        let known: Vec<&str> = tools.iter().map(|tool| tool.name).collect();
        let nearest = known
            .iter()
            .copied()
            .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)));
        match nearest {
            Some(nearest) if strsim::jaro_winkler(nearest, name) > 0.75 => {
                error.hint(format!("did you mean `{nearest}`?"))
            }
            Some(_) => error.hint(format!("the tools of this workspace are {}", known.join(", "))),
            None => match ctx.root() {
                Ok(_) => error.hint("tools are configured in `[conversation.tools.<name>]`"),
                // Whoever has no workspace has no tools, and wants to know the former.
                Err(elsewhere) => elsewhere,
            },
        }
    })
}
