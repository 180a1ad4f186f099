//! `jp plugin run-policy`

use jp_config::plugins::PluginRun;
use jp_plugin_host::trust::Approvals;
use serde_json::json;

use super::{say, settings, world::World};
use crate::{
    args::{PluginRunPolicy, RunPolicy},
    ctx::Ctx,
    error::{Error, Result},
    plugins::{Shelf, Wish, approvals_file},
};

pub(super) fn run(ctx: &Ctx, args: &PluginRunPolicy) -> Result {
    let shelf = Shelf::open(ctx, Wish::Unknown)?;
    let named = World::new(ctx)?.named(&shelf, &args.name)?;
    let id = named.id.as_str();
    let (word, policy) = match args.policy {
        RunPolicy::Ask => ("ask", PluginRun::Ask),
        RunPolicy::Unattended => ("unattended", PluginRun::Unattended),
        RunPolicy::Deny => ("deny", PluginRun::Deny),
    };
    let file = settings::set(ctx, id, &[(&["run"], format!("\"{word}\""))])?;
    let forgotten = match policy {
        PluginRun::Ask => forget(&shelf, id)?,
        PluginRun::Unattended | PluginRun::Deny => false,
    };
    if ctx.is_json() {
        let known = named.is_known;
        let object = json!({ "id": id, "known": known, "run": word, "settings": file });
        return ctx.print_json(&object);
    }
    named.warn(ctx, &args.name)?;
    say(ctx, &format!("`plugins.command.{id}.run` is `{word}`, in {file}.\n"))?;
    if forgotten {
        say(ctx, "That it may always run is taken back.\n")?;
    }
    // Another layer may say something else here.
    let (now, _) = ctx.origins().load(None)?;
    let in_force = now.app.plugins.command.0.get(id).and_then(|rules| rules.run);
    if in_force == Some(policy) {
        return Ok(());
    }
    let key = now.plugin_key(id, &["run"]);
    let place = now.place(&key).unwrap_or_default();
    say(ctx, &format!("Here {place} says something else; the stricter of the two counts.\n"))
}

/// Takes back what somebody agreed to for good: whoever wants to be asked is asked again. Says whether there was
/// anything.
fn forget(shelf: &Shelf, id: &str) -> Result<bool> {
    let Some(file) = approvals_file() else { return Ok(false) };
    let mut forgotten = false;
    let plugins = shelf.catalog.plugins().iter().filter(|plugin| plugin.id == id);
    for known in plugins.filter_map(|plugin| plugin.binary.as_ref()) {
        let path = &known.binary.canonical;
        forgotten |= Approvals::forget(&file, path).map_err(Error::failure)?;
    }
    Ok(forgotten)
}
