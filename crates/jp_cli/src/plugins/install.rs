//! A plugin that the registry knows and nobody has installed yet.
//!
//! Its command was used, which is less than asking for it to be installed: an official one is installed
//! because the settings say so, for any other one a person is asked, and nothing is fetched before that.

use jp_plugin::{CommandPath, registry::Entry};

use crate::{
    cmd::plugin::{
        acquire::acquire,
        world::{Why, World},
    },
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    tools,
};

/// Installs it because its command was used. Returns when it is there.
// A frame of its own, so that whoever only runs a plugin does not reserve one of this size.
#[inline(never)]
pub(crate) fn on_demand(ctx: &Ctx, command: &CommandPath, entry: &Entry) -> Result {
    let world = World::new(ctx)?;
    let is_there = world.home.sha256(&entry.id).ok().flatten().is_some();
    // What is there is used as it is; it is updated when somebody says so.
    if is_there && world.denied(&entry.id).is_none() {
        return Ok(());
    }
    let registry = world.needed_registry()?;
    let plan = world.plan(&registry, std::slice::from_ref(command), Why::Used)?;
    let otherwise = format!("`jp plugin install {}` installs it", entry.id);
    if plan.steps.iter().any(|step| step.ask) && !ctx.terminal().can_ask() {
        let message = format!("the plugin for `jp {command}` is not installed");
        return Err(Error::new(Exit::NeedsInput, message).hint(otherwise));
    }
    tools::block_on(async { acquire(&world, &World::fetch()?, &plan, &otherwise).await })
}
