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
    let file = ctx.origins().user_file().ok_or_else(|| {
        Error::failure("there is no directory for your settings")
            .hint("set HOME or XDG_CONFIG_HOME to a directory of yours")
    })?;
    let before = Origins::text_of(file)?;
    let mut text = before.clone();
    for (below, value) in values {
        let key = ctx.config().plugin_key(id, below);
        text = Edit::Set { key: &key, value }.apply(&text).map_err(|error| {
            Error::failure(format!("cannot change {file}: {error}"))
                .hint(format!("write `{key} = {value}` there yourself"))
        })?;
    }
    ctx.origins().load(Some((file, &text)))?;
    ctx::make_parent(file)?;
    replace_settings(file, &before, &text)?;
    Ok(file)
}
