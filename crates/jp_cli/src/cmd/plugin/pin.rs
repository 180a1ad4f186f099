//! `jp plugin pin`

use camino::Utf8PathBuf;
use jp_config::plugins::CommandPluginConfig;
use jp_plugin::{PREFIX, PluginId};
use jp_plugin_registry::Sha256;
use jp_process::find_program;
use serde_json::json;

use super::{say, settings, world::World};
use crate::{
    args::PluginPin,
    ctx::{self, Ctx},
    error::{Error, Result},
    plugins::{Shelf, Wish},
};

pub(super) fn run(ctx: &Ctx, args: &PluginPin) -> Result {
    let world = World::new(ctx)?;
    let named = world.named(&Shelf::open(ctx, Wish::Unknown)?, &args.name)?;
    let id = named.id.as_str();
    if args.remove {
        return remove(ctx, id);
    }
    let sha256 = match &args.sha256 {
        Some(given) => given.parse().map_err(Error::usage)?,
        None => of_file(&world, id)?,
    };
    let values: [(&[&str], String); 2] = [
        (&["checksum", "algorithm"], "\"sha256\"".to_owned()),
        (&["checksum", "value"], format!("\"{sha256}\"")),
    ];
    let file = settings::set(ctx, id, &values)?;
    if ctx.is_json() {
        let known = named.is_known;
        let object = json!({ "id": id, "known": known, "sha256": sha256, "settings": file });
        return ctx.print_json(&object);
    }
    named.warn(ctx, &args.name)?;
    say(ctx, &format!("`{id}` is pinned to sha256 {sha256}, in {file}.\n"))
}

fn remove(ctx: &Ctx, id: &str) -> Result {
    let file = settings::remove(ctx, id, "checksum")?;
    // Another layer may pin it as well.
    let (now, _) = ctx.origins().load(None)?;
    let key = now.plugin_key(id, &["checksum"]);
    let is_pinned = |rules: &CommandPluginConfig| rules.checksum.is_some();
    let is_pinned = now.app.plugins.command.0.get(id).is_some_and(is_pinned);
    let place = now.place(&key).filter(|_| is_pinned);
    if ctx.is_json() {
        let object = json!({ "id": id, "sha256": null, "settings": file, "still": place });
        return ctx.print_json(&object);
    }
    match file {
        Some(file) => say(ctx, &format!("`{id}` is pinned no more, in {file}.\n"))?,
        None => say(ctx, &format!("`{id}` is not pinned in your settings.\n"))?,
    }
    place.map_or(Ok(()), |place| say(ctx, &format!("{place} still pins it.\n")))
}

/// The checksum of what is installed, or else of what the search path has under its name.
fn of_file(world: &World<'_>, id: &str) -> Result<Sha256> {
    if let Ok(id) = id.parse::<PluginId>() {
        let path = world.home.binary(&id);
        let installed = world.home.sha256(&id);
        let installed =
            installed.map_err(|error| Error::failure(format!("cannot read {path}: {error}")))?;
        if let Some(sha256) = installed {
            return Ok(sha256);
        }
    }
    let name = format!("{PREFIX}{id}");
    let path = ctx::variable("PATH");
    let found = find_program(name.as_ref(), path.as_ref(), "/".as_ref()).map_err(|_| {
        Error::usage(format!("the plugin `{id}` is not installed"))
            .hint("`--sha256` pins a checksum without a file")
    })?;
    let found = Utf8PathBuf::try_from(found)
        .map_err(|error| Error::failure(format!("the path of `{id}` is not UTF-8: {error}")))?;
    ctx::checksum_of(&found)
}
