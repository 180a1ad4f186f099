//! `jp config`

use jp_config::ShowFormat;

use crate::{
    args::{Config, ConfigShow, Format},
    ctx::Ctx,
    error::{Error, Result},
};

pub(crate) fn run(ctx: &Ctx, args: Config) -> Result {
    match args {
        Config::Show(args) => show(ctx, &args),
        Config::Schema => Ok(ctx.printer().data(&jp_config::schema_text())?),
    }
}

fn show(ctx: &Ctx, args: &ConfigShow) -> Result {
    let format = match ctx.format() {
        Format::Json => ShowFormat::Json,
        Format::Auto | Format::Text | Format::Toml => ShowFormat::Toml,
    };
    let text = ctx
        .config()
        .show(args.path.as_deref(), format, args.origin)
        .map_err(|error| Error::usage(error).hint("`jp config schema` describes every key"))?;
    Ok(ctx.printer().data(&text)?)
}
