//! `jp version`, and `jp --version`, which is answered before anything else is made.

use std::{
    ffi::OsString,
    io::{self, Write as _},
};

use jp_printer::Print;
use serde_json::json;

use crate::{ctx::Ctx, error::Result, exit::Exit, is_closed_pipe};

/// Answers a line that asks for the version and nothing else.
pub(crate) fn quick(words: &[OsString]) -> Option<Exit> {
    let [_, word] = words else { return None };
    (word == "--version" || word == "-V").then(|| {
        let text = concat!("jp ", env!("CARGO_PKG_VERSION"), "\n");
        match io::stdout().write_all(text.as_bytes()) {
            Err(error) if !is_closed_pipe(&error) => Exit::Failure,
            _ => Exit::Success,
        }
    })
}

pub(crate) fn run(ctx: &Ctx) -> Result {
    let version = env!("CARGO_PKG_VERSION");
    if ctx.is_json() {
        return ctx.print_json(&json!({ "name": "jp", "version": version }));
    }
    Ok(ctx.printer().print(Print::content(&format!("jp {version}\n")))?)
}
