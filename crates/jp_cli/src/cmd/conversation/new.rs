//! `jp conversation new`

use jp_printer::Print;
use jp_workspace::Store as _;
use serde_json::json;

use crate::{args::ConversationNew, ctx::Ctx, error::Result};

pub(crate) fn run(ctx: &Ctx, args: &ConversationNew) -> Result {
    let title = args.title.as_deref().map(str::trim).filter(|title| !title.is_empty());
    let id = ctx.store()?.create(title, ctx.now())?.id();
    if ctx.is_json() {
        let line = json!({ "id": id.to_string(), "title": title });
        return ctx.print_json(&line);
    }
    Ok(ctx.printer().print(Print::content(&format!("{id}\n")))?)
}
