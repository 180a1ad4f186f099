//! `jp plugin update`: fetches the registry, then every plugin of it that is installed and has changed.
//!
//! Each plugin stands for itself: one that cannot be updated is left as it is and named, and the others are
//! updated. A checksum that was pinned is never passed.

use jp_plugin::{PluginId, registry::Registry};
use jp_plugin_registry::{Fetch, Installed, Origin, PlanError};
use serde_json::json;

use super::{
    acquire::acquire,
    say,
    world::{Why, World},
};
use crate::{
    args::PluginUpdate,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    format::count,
    tools,
};

/// What became of a plugin.
enum End {
    Updated,
    Current,
    /// It stays as it is, as it should.
    Left(String),
}

pub(super) fn run(ctx: &Ctx, args: &PluginUpdate) -> Result {
    let world = World::new(ctx)?;
    tools::block_on(async {
        let fetch = World::fetch()?;
        let registry = world.refresh(&fetch).await?;
        if !ctx.is_json() {
            let number = i64::try_from(registry.entries.len()).unwrap_or(i64::MAX);
            say(ctx, &format!("Fetched the registry: {}.\n", count(number, "command")))?;
        }
        let installed = world.installed();
        let ids = match args.names.as_slice() {
            [] => all(&installed),
            names => named(&world, names, &installed)?,
        };
        let mut worst: Option<Exit> = None;
        for id in &ids {
            match update(&world, &fetch, &registry, id, args).await {
                Ok(end) => report(ctx, id, &end)?,
                // Whoever does not want to go on does not want the next one either.
                Err(error) if error.exit() == Exit::Interrupted => return Err(error),
                Err(error) => worst = Some(error.report(ctx)),
            }
        }
        worst.map_or(Ok(()), |exit| Err(Error::said(exit)))
    })
}

fn all(installed: &Installed) -> Vec<PluginId> {
    let mut plugins: Vec<_> = installed.plugins.iter().collect();
    plugins.retain(|(_, record)| record.origin == Origin::Registry);
    plugins.into_iter().map(|(id, _)| id.clone()).collect()
}

fn named(world: &World<'_>, names: &[String], installed: &Installed) -> Result<Vec<PluginId>> {
    let one = |name: &String| {
        let id: PluginId = world.listed(name)?.id.parse().map_err(Error::usage)?;
        let hint = format!("`jp plugin install {id}` takes the one of the registry");
        match installed.plugins.get(&id) {
            Some(record) if record.origin == Origin::Registry => Ok(id),
            Some(record) => {
                let message = format!("`{id}` was installed from {}", record.url);
                Err(Error::usage(message).hint(hint))
            }
            None => Err(Error::usage(format!("the plugin `{id}` is not installed")).hint(hint)),
        }
    };
    names.iter().map(one).collect()
}

async fn update(
    world: &World<'_>,
    fetch: &Fetch,
    registry: &Registry,
    id: &PluginId,
    args: &PluginUpdate,
) -> Result<End> {
    let Some((command, _)) = registry.by_id(id) else {
        return Ok(End::Left("the registry does not have it any more".to_owned()));
    };
    let plan = world.plan(registry, std::slice::from_ref(command), Why::Named { yes: args.yes });
    let plan = match plan {
        // Somebody who wants everything as new as it may be wants no error about what may not.
        Err(PlanError::Pinned { pinned, offered, .. }) if args.names.is_empty() => {
            let reason = format!("it is pinned to {pinned}, and the registry has {offered}");
            return Ok(End::Left(reason));
        }
        Err(PlanError::Denied { setting, .. }) if args.names.is_empty() => {
            return Ok(End::Left(format!("`{setting}` denies it")));
        }
        plan => plan?,
    };
    if plan.steps.is_empty() {
        return Ok(End::Current);
    }
    let otherwise = format!("`jp plugin update --yes {id}` agrees to it");
    match acquire(world, fetch, &plan, &otherwise).await {
        Ok(()) => Ok(End::Updated),
        Err(error) if error.exit() == Exit::Declined => Ok(End::Left("you said no".to_owned())),
        Err(error) => Err(error),
    }
}

fn report(ctx: &Ctx, id: &PluginId, end: &End) -> Result {
    let (state, reason) = match end {
        End::Updated => ("updated", None),
        End::Current => ("current", None),
        End::Left(reason) => ("left", Some(reason)),
    };
    if ctx.is_json() {
        return ctx.print_json(&json!({ "id": id, "state": state, "reason": reason }));
    }
    say(
        ctx,
        &match end {
            End::Updated => format!("Updated `{id}`.\n"),
            End::Current => format!("`{id}` is up to date.\n"),
            End::Left(reason) => format!("`{id}` is left as it is: {reason}.\n"),
        },
    )
}
