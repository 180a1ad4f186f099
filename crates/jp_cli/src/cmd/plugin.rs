//! `jp plugin`

mod list;

use crate::{args::Plugin, ctx::Ctx, error::Result};

pub(crate) fn run(ctx: &Ctx, args: Plugin) -> Result {
    match args {
        Plugin::List(args) => list::run(ctx, &args),
    }
}
