//! `jp completions`

use clap::CommandFactory as _;

use crate::{
    args::{Args, Completions},
    ctx::Ctx,
    error::Result,
};

pub(crate) fn run(ctx: &Ctx, args: &Completions) -> Result {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "jp", &mut script);
    Ok(ctx.printer().data(&String::from_utf8_lossy(&script))?)
}
