//! `jp conversation rm`

use jp_conversation::ConversationId;
use jp_printer::{Print, single_line};
use jp_workspace::{FsStore, Store as _};
use serde_json::json;

use super::{PATIENCE, find};
use crate::{args::ConversationRm, ctx::Ctx, error::Result};

pub(crate) fn run(ctx: &Ctx, args: &ConversationRm) -> Result {
    let store = ctx.store()?;
    // All of them are found before the first is removed: a typing error removes nothing.
    let mut ids = Vec::new();
    for text in &args.ids {
        let id = find(store, text)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    for id in ids {
        if args.yes
            || ctx
                .terminal()
                .confirm(&question(store, id), "pass --yes to remove it without asking")?
        {
            store.lock(id, PATIENCE)?.remove()?;
            report(ctx, id)?;
        } else {
            ctx.printer().print(Print::chrome(&format!("kept {id}\n")))?;
        }
    }
    Ok(())
}

fn question(store: &FsStore, id: ConversationId) -> String {
    match store.metadata(id).ok().and_then(|metadata| metadata.title) {
        Some(title) => format!("Remove {id}, \u{201c}{}\u{201d}?", single_line(&title)),
        None => format!("Remove {id}?"),
    }
}

fn report(ctx: &Ctx, id: ConversationId) -> Result {
    if ctx.is_json() {
        let line = json!({ "id": id.to_string(), "removed": true });
        return ctx.print_json(&line);
    }
    Ok(ctx.printer().print(Print::chrome(&format!("removed {id}\n")))?)
}
