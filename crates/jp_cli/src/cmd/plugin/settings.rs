//! Writes a setting of a plugin to the user's own configuration.
//!
//! A small edit that leaves everything else as it is, and before the file is touched the whole configuration
//! is loaded with the new text.

use camino::Utf8Path;
use jp_config::Edit;
use jp_workspace::replace_settings;

use crate::{
    ctx::{self, Ctx, Origins},
    error::{Error, Result},
};

/// Sets values below `plugins.command.<id>`, and says in which file.
pub(super) fn set<'a>(
    ctx: &'a Ctx,
    id: &str,
    values: &[(&[&str], String)],
) -> Result<&'a Utf8Path> {
    let file = user_file(ctx)?;
    let before = Origins::text_of(file)?;
    let mut text = before.clone();
    for (below, value) in values {
        let key = ctx.config().plugin_key(id, below);
        text = Edit::Set { key: &key, value }.apply(&text).map_err(|error| {
            Error::failure(format!("cannot change {file}: {error}"))
                .hint(format!("write `{key} = {value}` there yourself"))
        })?;
    }
    write(ctx, file, &before, &text)?;
    Ok(file)
}

/// Takes away what is below `plugins.command.<id>` under this name; says from which file, if it was there.
pub(super) fn remove<'a>(ctx: &'a Ctx, id: &str, name: &str) -> Result<Option<&'a Utf8Path>> {
    let file = user_file(ctx)?;
    let before = Origins::text_of(file)?;
    let key = ctx.config().plugin_key(id, &[name]);
    let text = Edit::Remove { key: &key }.apply(&before);
    let text = text.map_err(|error| Error::failure(format!("cannot change {file}: {error}")))?;
    if text == before {
        return Ok(None);
    }
    write(ctx, file, &before, &text)?;
    Ok(Some(file))
}

fn user_file(ctx: &Ctx) -> Result<&Utf8Path> {
    ctx.origins().user_file().ok_or_else(|| {
        Error::failure("there is no directory for your settings")
            .hint("set HOME or XDG_CONFIG_HOME to a directory of yours")
    })
}

fn write(ctx: &Ctx, file: &Utf8Path, before: &str, text: &str) -> Result {
    ctx.origins().load(Some((file, text)))?;
    ctx::make_parent(file)?;
    Ok(replace_settings(file, before, text)?)
}
