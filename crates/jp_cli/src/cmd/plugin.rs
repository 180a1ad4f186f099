//! `jp plugin`

mod check;
mod new;

use crate::{args::Plugin, ctx::Ctx, error::Result};

pub(crate) fn run(ctx: &Ctx, args: Plugin) -> Result {
    match args {
        Plugin::New(args) => new::run(ctx, &args),
        Plugin::Check(args) => check::run(ctx, &args),
    }
}
