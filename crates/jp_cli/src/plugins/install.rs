//! A plugin that the registry knows and nobody has installed yet.

use jp_plugin::{CommandPath, registry::Entry};

use crate::{
    ctx::Ctx,
    error::{Error, Result},
};

/// Installs it because its command was used. Returns when it is there.
pub(crate) fn on_demand(_: &Ctx, command: &CommandPath, entry: &Entry) -> Result {
    let error = Error::failure(format!("the plugin for `jp {command}` is not installed"));
    Err(error.hint(format!("`jp plugin install {}` installs it", entry.id)))
}
