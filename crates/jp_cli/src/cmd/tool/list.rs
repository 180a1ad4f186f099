//! `jp tool list`

use comfy_table::{ContentArrangement, Table, presets};
use jp_config::conversation::tool::RunMode;
use jp_llm::tool::{Listed, Listing, ResolveError, ResolvedTool};
use jp_printer::{Print, single_line, truncate_to_width};
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::{
    args::ToolList,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    tools::{self, Wishes, progress::Progress},
};

/// What the columns beside the summary take at most before they are cut.
const OTHER_COLUMNS: usize = 44;

/// A tool of the configuration, and what came of resolving it.
struct Row {
    name: String,
    /// The entry of the configuration that it comes from.
    entry: String,
    source: String,
    found: Found,
}

/// What came of resolving a tool.
enum Found {
    Tool(Box<ResolvedTool>),
    /// It stands for all tools of a server, and is disabled.
    Disabled,
    Broken(Box<ResolveError>),
}

pub(crate) fn run(ctx: &Ctx, args: &ToolList) -> Result {
    let progress = Progress::new(ctx.printer().settings().quiet);
    let rows = tools::block_on(progress.during("asking programs", rows(ctx, args.refresh)))?;
    if ctx.is_json() {
        for row in &rows {
            ctx.print_json(&object(ctx, row))?;
        }
    } else if rows.is_empty() {
        ctx.printer().print(Print::chrome("No tools are configured.\n"))?;
    } else {
        ctx.printer().print(Print::content(&table(ctx, &rows)).untrusted())?;
    }
    let mut is_whole = true;
    for row in rows {
        if let Found::Broken(error) = row.found {
            Error::from(*error).report(ctx);
            is_whole = false;
        }
    }
    // A script that lists tools wants to know that some of them do not work.
    if is_whole { Ok(()) } else { Err(Error::said(Exit::Failure)) }
}

/// All tools in the order of the configuration; their programs are asked side by side.
async fn rows(ctx: &Ctx, refresh: bool) -> Result<Vec<Row>> {
    let resolver = tools::resolver(ctx, Wishes { refresh, ..Wishes::default() })?;
    let mut asked = JoinSet::new();
    for (place, listed) in resolver.listed().await.into_iter().enumerate() {
        let resolver = resolver.clone();
        asked.spawn(async move {
            let Listed { name, entry, source, listing } = listed;
            let found = match listing {
                Listing::Broken(error) => Found::Broken(error),
                Listing::Disabled => Found::Disabled,
                Listing::Tool => match resolver.resolve(&name).await {
                    Ok(tool) => Found::Tool(Box::new(tool)),
                    Err(error) => Found::Broken(Box::new(error)),
                },
            };
            (place, Row { name, entry, source: source.to_string(), found })
        });
    }
    let mut rows = asked.join_all().await;
    tools::warn(ctx, &resolver)?;
    resolver.close().await;
    rows.sort_unstable_by_key(|(place, _)| *place);
    Ok(rows.into_iter().map(|(_, row)| row).collect())
}

fn table(ctx: &Ctx, rows: &[Row]) -> String {
    let columns = ctx.printer().settings().stdout.width.unwrap_or(120);
    let width = columns.saturating_sub(OTHER_COLUMNS).max(24);
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(["TOOL", "RUN", "SOURCE", "SUMMARY"]);
    for row in rows {
        let Some(tool) = ctx.config().app.conversation.tools.get(&row.entry) else { continue };
        let summary = match &row.found {
            Found::Tool(tool) => tool.definition.summary.as_deref().unwrap_or_default(),
            Found::Disabled => "(all tools of the server)",
            Found::Broken(error) if error.not_allowed().is_some() => "(not allowed yet, see below)",
            Found::Broken(_) => "(cannot be used, see below)",
        };
        let run = if tool.config.enable { run_mode(tool.config.run) } else { "disabled" };
        table.add_row([
            row.name.clone(),
            run.to_owned(),
            row.source.clone(),
            truncate_to_width(&single_line(summary), width).into_owned(),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn object(ctx: &Ctx, row: &Row) -> Value {
    let tool = ctx.config().app.conversation.tools.get(&row.entry);
    let config = tool.map(|tool| tool.config);
    let mut object = json!({
        "name": row.name,
        "source": row.source,
        "enable": config.map(|config| config.enable),
        "run": config.map(|config| run_mode(config.run)),
    });
    match &row.found {
        Found::Disabled => {}
        Found::Tool(tool) => {
            object["summary"] = json!(tool.definition.summary);
            object["parameters"] = tool.definition.call_schema();
        }
        Found::Broken(error) => {
            let shown = Error::from((**error).clone());
            object["error"] = json!(shown.parts().map(|(message, _)| message));
        }
    }
    object
}

pub(super) fn run_mode(mode: RunMode) -> &'static str {
    match mode {
        RunMode::Ask => "ask",
        RunMode::Unattended => "unattended",
        RunMode::Edit => "edit",
        RunMode::Skip => "skip",
    }
}
