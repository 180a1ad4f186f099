//! `jp plugin remove`

use jp_plugin::PluginId;
use jp_plugin_host::trust::Approvals;
use serde_json::json;

use super::{say, world::World};
use crate::{
    args::PluginRemove,
    ctx::Ctx,
    error::{Error, Result},
    plugins::approvals_file,
    tools,
};

pub(super) fn run(ctx: &Ctx, args: &PluginRemove) -> Result {
    let world = World::new(ctx)?;
    let ids = args.names.iter().map(|name| world.id(name)).collect::<Result<Vec<_>>>()?;
    for id in ids.iter().filter(|_| !args.force) {
        if let Some(other) = requiring(&world, id, &ids)? {
            let message = format!("`{id}` is required by `{other}`, which is installed");
            return Err(Error::failure(message)
                .hint(format!("remove `{other}` first or as well, or say --force")));
        }
    }
    tools::block_on(async {
        let installer = world.installer().await?;
        for id in &ids {
            let path = world.home.binary(id);
            let path = path.canonicalize_utf8().unwrap_or(path);
            if !installer.remove(id)? {
                return Err(Error::usage(format!("the plugin `{id}` is not installed")));
            }
            // What comes to this place later is not what somebody agreed to.
            if let Some(file) = approvals_file() {
                Approvals::forget(&file, &path).map_err(Error::failure)?;
            }
            if ctx.is_json() {
                ctx.print_json(&json!({ "id": id, "removed": true }))?;
            } else {
                say(ctx, &format!("Removed `{id}`.\n"))?;
            }
        }
        Ok(())
    })
}

/// An installed plugin that requires this one and stays.
fn requiring(world: &World<'_>, id: &PluginId, going: &[PluginId]) -> Result<Option<PluginId>> {
    let registry = world.registry()?.unwrap_or_default();
    let Some((command, _)) = registry.by_id(id) else { return Ok(None) };
    let installed = world.installed();
    let mut staying = installed.plugins.keys().filter(|other| !going.contains(other));
    let requires = |other: &&PluginId| {
        registry.by_id(other).is_some_and(|(_, entry)| entry.requires.contains(command))
    };
    Ok(staying.find(requires).cloned())
}
