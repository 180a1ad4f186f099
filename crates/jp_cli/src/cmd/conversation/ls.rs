//! `jp conversation ls`

use std::num::NonZeroUsize;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use jp_printer::{Print, json_line, single_line, truncate_to_width};
use jp_workspace::{Damage, Store as _, Summary};
use serde_json::{Value, json};

use crate::{args::ConversationLs, ctx::Ctx, error::Result, format::ago};

/// A title gets at least this many columns, however narrow the terminal is.
const MIN_TITLE: usize = 16;
/// What the other columns of the table take.
const OTHER_COLUMNS: usize = 42;

pub(crate) fn run(ctx: &Ctx, args: &ConversationLs) -> Result {
    let mut listing = ctx.store()?.list()?;
    listing.conversations.truncate(args.limit.map_or(usize::MAX, NonZeroUsize::get));
    let json = args.json || ctx.is_json();
    if json {
        let lines: String = listing.conversations.iter().map(|it| json_line(&object(it))).collect();
        ctx.printer().data(&lines)?;
    } else if listing.conversations.is_empty() {
        ctx.printer().print(Print::chrome("No conversations yet.\n"))?;
    } else {
        ctx.printer().print(Print::content(&table(ctx, &listing.conversations)))?;
    }
    for Damage { path, reason } in listing.damaged {
        let message = format!("warning: {path}: {reason}\n");
        ctx.printer().print(Print::error(&message).untrusted())?;
    }
    Ok(())
}

fn object(conversation: &Summary) -> Value {
    json!({
        "id": conversation.id.to_string(),
        "title": conversation.title,
        "last_activated_at": conversation.last_activated_at.to_string(),
        "events_count": conversation.events_count,
    })
}

fn table(ctx: &Ctx, conversations: &[Summary]) -> String {
    let now = ctx.now();
    let columns = ctx.printer().settings().stdout.width.unwrap_or(120);
    let title_width = columns.saturating_sub(OTHER_COLUMNS).max(MIN_TITLE);
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(["ID", "TITLE", "EVENTS", "LAST ACTIVE"]);
    for conversation in conversations {
        let title = conversation.title.as_deref().unwrap_or("(untitled)");
        table.add_row([
            conversation.id.to_string(),
            truncate_to_width(&single_line(title), title_width).into_owned(),
            conversation.events_count.to_string(),
            ago(conversation.last_activated_at, now),
        ]);
    }
    if let Some(events) = table.column_mut(2) {
        events.set_cell_alignment(CellAlignment::Right);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    lines.concat()
}
