//! `jp conversation path`

use serde_json::json;

use super::find;
use crate::{args::ConversationPath, ctx::Ctx, error::Result};

pub(crate) fn run(ctx: &Ctx, args: &ConversationPath) -> Result {
    let store = ctx.store()?;
    let id = find(store, &args.id)?;
    let path = store.path(id)?;
    if ctx.is_json() {
        let line = json!({ "id": id.to_string(), "path": path });
        return ctx.print_json(&line);
    }
    // A script has to get the path as it is.
    Ok(ctx.printer().data(&format!("{path}\n"))?)
}
