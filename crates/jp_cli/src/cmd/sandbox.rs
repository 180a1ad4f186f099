//! `jp sandbox`

mod doctor;
pub(crate) mod run;

use crate::{
    args::Sandbox,
    ctx::Ctx,
    error::{Error, Result},
};

pub(crate) fn run(ctx: &Ctx, args: Sandbox) -> Result {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::failure(format!("cannot start: {error}")))?;
    match args {
        Sandbox::Doctor => runtime.block_on(doctor::run(ctx)),
        Sandbox::Run(args) => runtime.block_on(run::run(ctx, &args)),
    }
}
