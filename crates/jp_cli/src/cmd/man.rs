//! `jp man`
#![expect(clippy::disallowed_methods, reason = "writes the pages where the user asks for them")]

use std::fs;

use clap::CommandFactory as _;
use jp_printer::Print;

use crate::{
    args::{Args, Man},
    ctx::Ctx,
    error::{Error, Result},
};

pub(crate) fn run(ctx: &Ctx, args: &Man) -> Result {
    let command = Args::command();
    if let Some(dir) = &args.dir {
        let path = ctx.cwd().join(dir);
        fs::create_dir_all(&path).and_then(|()| clap_mangen::generate_to(command, &path)).map_err(
            |error| Error::failure(format!("cannot write the pages to {path}: {error}")),
        )?;
        let message = format!("wrote the pages to {path}\n");
        return Ok(ctx.printer().print(Print::chrome(&message).untrusted())?);
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| Error::failure(format!("cannot make the page: {error}")))?;
    Ok(ctx.printer().data(&String::from_utf8_lossy(&page))?)
}
