//! `jp conversation rename`

use jp_printer::{Print, single_line};
use jp_workspace::Store as _;
use serde_json::json;

use super::{PATIENCE, find};
use crate::{args::ConversationRename, ctx::Ctx, error::Result};

pub(crate) fn run(ctx: &Ctx, args: &ConversationRename) -> Result {
    let store = ctx.store()?;
    let id = find(store, &args.id)?;
    let title = Some(args.title.trim()).filter(|title| !title.is_empty());
    store.lock(id, PATIENCE)?.set_title(title)?;
    if ctx.is_json() {
        let line = json!({ "id": id.to_string(), "title": title });
        return ctx.print_json(&line);
    }
    let text = match title {
        Some(title) => format!("{id} is now \u{201c}{}\u{201d}\n", single_line(title)),
        None => format!("{id} has no title any more\n"),
    };
    Ok(ctx.printer().print(Print::chrome(&text))?)
}
