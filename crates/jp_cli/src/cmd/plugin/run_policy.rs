//! `jp plugin run-policy`

use jp_config::plugins::PluginRun;
use serde_json::json;

use super::{say, settings, world::World};
use crate::{
    args::{PluginRunPolicy, RunPolicy},
    ctx::Ctx,
    error::Result,
};

pub(super) fn run(ctx: &Ctx, args: &PluginRunPolicy) -> Result {
    let id = World::new(ctx)?.id(&args.name)?;
    let (word, policy) = match args.policy {
        RunPolicy::Ask => ("ask", PluginRun::Ask),
        RunPolicy::Unattended => ("unattended", PluginRun::Unattended),
        RunPolicy::Deny => ("deny", PluginRun::Deny),
    };
    let file = settings::set(ctx, id.as_str(), &[(&["run"], format!("\"{word}\""))])?;
    if ctx.is_json() {
        return ctx.print_json(&json!({ "id": id, "run": word, "settings": file }));
    }
    say(ctx, &format!("`plugins.command.{id}.run` is `{word}`, in {file}.\n"))?;
    // Another layer may say something else here.
    let (now, _) = ctx.origins().load(None)?;
    let in_force = now.app.plugins.command.0.get(id.as_str()).and_then(|rules| rules.run);
    if in_force == Some(policy) {
        return Ok(());
    }
    let key = now.plugin_key(id.as_str(), &["run"]);
    let place = now.place(&key).unwrap_or_default();
    say(ctx, &format!("Here {place} says something else; the stricter of the two counts.\n"))
}
