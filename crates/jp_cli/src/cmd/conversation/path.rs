//! `jp conversation path`

use jp_printer::Print;
use serde_json::json;

use super::find;
use crate::{args::ConversationPath, ctx::Ctx, error::Result};

pub(crate) fn run(ctx: &Ctx, args: &ConversationPath) -> Result {
    let store = ctx.store()?;
    let id = find(store, &args.id)?;
    let path = store.path(id)?;
    if ctx.is_json() {
        let line = json!({ "id": id.to_string(), "path": path });
        return Ok(ctx.printer().data(&format!("{line}\n"))?);
    }
    Ok(ctx.printer().print(Print::content(&format!("{path}\n")))?)
}
