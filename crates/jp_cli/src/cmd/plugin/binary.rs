//! A plugin from a file or a URL that somebody names, without a registry.
//!
//! Nobody vouches for it but the person, so what they agree to is what was fetched: the file is copied first,
//! its checksum is shown, and the copy is what is put in place.

use jp_plugin::{PREFIX, PluginId};
use jp_plugin_registry::{Fetch, Origin, Record, Sha256, Source};
use serde_json::json;

use super::{
    acquire::{card, confirm},
    bar::Bar,
    say,
    world::World,
};
use crate::{
    args::PluginInstall,
    error::{Error, Result},
    exit::Exit,
};

/// A file or a URL.
#[derive(Debug)]
pub(super) struct Given {
    source: Source,
}

impl Given {
    pub(super) fn new(source: Source) -> Self {
        Self { source }
    }

    /// What its name says: `jp-stats` is the plugin `stats`.
    fn id(&self) -> Result<PluginId> {
        let name = match &self.source {
            Source::File(path) => path.file_name().unwrap_or_default(),
            Source::Https(url) => {
                let path = url.split(['?', '#']).next().unwrap_or_default();
                path.rsplit('/').next().unwrap_or_default()
            }
        };
        let id = name.strip_prefix(PREFIX).ok_or_else(|| {
            Error::usage(format!("the name `{name}` is not that of a plugin, `{PREFIX}ID`"))
        });
        let id = id.and_then(|id| id.parse().map_err(Error::usage));
        id.map_err(|error| error.hint("say its id with --id"))
    }
}

pub(super) async fn install(
    world: &World<'_>,
    fetch: &Fetch,
    args: &PluginInstall,
    given: &Given,
) -> Result {
    let id = match &args.id {
        Some(id) => id.parse().map_err(Error::usage)?,
        None => given.id()?,
    };
    if let Some(setting) = world.denied(&id) {
        let message = format!("`{id}` may not be installed: `{setting}` denies it");
        return Err(Error::new(Exit::Refused, message));
    }
    let expected: Option<Sha256> =
        args.sha256.as_deref().map(str::parse).transpose().map_err(Error::usage)?;
    let installer = world.installer().await?;
    let staged = installer.stage(&id, fetch, &given.source, &Bar::new(world.ctx)).await?;
    let sha256 = staged.sha256();
    let checked = staged.checked(expected.unwrap_or(sha256), world.pin(&id))?;
    if expected.is_none() && !args.yes {
        agree(world, &id, given, sha256)?;
    }
    let origin = if given.source.is_file() { Origin::File } else { Origin::Url };
    let record = Record {
        command: None,
        sha256,
        origin,
        url: given.source.to_string(),
        official: false,
        repository: None,
        installed_at: world.ctx.now(),
    };
    let file = installer.place(checked, record)?;
    if world.ctx.is_json() {
        let url = given.source.to_string();
        let object = json!({ "id": id, "sha256": sha256, "file": file, "url": url });
        return world.ctx.print_json(&object);
    }
    say(world.ctx, &format!("Installed `{id}` as {file}. You are asked before it runs.\n"))
}

fn agree(world: &World<'_>, id: &PluginId, given: &Given, sha256: Sha256) -> Result {
    let from = given.source.to_string();
    let mut text = format!("`{id}` is a plugin that no registry vouches for.\n");
    if world.installed().plugins.contains_key(id) {
        text = format!("`{id}` would take the place of the plugin that is installed.\n");
    }
    let lines = [("publisher", "unknown: you named the file"), ("from", from.as_str())];
    let card = text + &card(world, id, &lines, sha256)?;
    let otherwise = format!("`--sha256 {sha256}` agrees to this very file");
    confirm(world.ctx, &card, &format!("Install `{id}`?"), &otherwise)
}
