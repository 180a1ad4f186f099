//! `jp version`

use jp_printer::Print;
use serde_json::json;

use crate::{ctx::Ctx, error::Result};

pub(crate) fn run(ctx: &Ctx) -> Result {
    let version = env!("CARGO_PKG_VERSION");
    if ctx.is_json() {
        return ctx.print_json(&json!({ "name": "jp", "version": version }));
    }
    Ok(ctx.printer().print(Print::content(&format!("jp {version}\n")))?)
}
