//! `jp plugin install`

use jp_plugin::{CommandPath, PluginId, registry::Registry};
use jp_plugin_registry::{Fetch, Source, Step, find};
use serde_json::json;

use super::{
    acquire::acquire,
    binary::{self, Given},
    say,
    world::{Why, World},
};
use crate::{
    args::PluginInstall,
    ctx::Ctx,
    error::{Error, Result},
    plugins::BuiltIns,
    tools,
};

/// What a word of the command line means.
enum What {
    Name(String),
    Given(Given),
}

pub(super) fn run(ctx: &Ctx, args: &PluginInstall) -> Result {
    let world = World::new(ctx)?;
    let what = args.what.iter().map(|word| what(ctx, word)).collect::<Result<Vec<_>>>()?;
    let single = matches!(what.as_slice(), [What::Given(_)]);
    if !single && (args.sha256.is_some() || args.id.is_some()) {
        let error = Error::usage("--sha256 and --id are for one file or one URL");
        return Err(args.what.iter().fold(error, |error, word| or_file(ctx, error, word)));
    }
    tools::block_on(async {
        let fetch = World::fetch()?;
        let mut names = Vec::new();
        for what in what {
            match what {
                What::Name(name) => names.push(name),
                What::Given(given) => binary::install(&world, &fetch, args, &given).await?,
            }
        }
        if names.is_empty() { Ok(()) } else { named(&world, &fetch, &names, args.yes).await }
    })
}

/// A URL, a path, or a name. Something that is a name is a file only if it is there and called like one.
fn what(ctx: &Ctx, word: &str) -> Result<What> {
    if word.contains("://") {
        let source = Source::parse(word).map_err(|error| {
            Error::usage(error).hint("a plugin is executed, so it is only fetched over https")
        })?;
        return Ok(What::Given(Given::new(source)));
    }
    let path = ctx.cwd().join(word);
    let is_file = word.contains('/') || (word.starts_with(jp_plugin::PREFIX) && path.is_file());
    if is_file && !path.exists() {
        return Err(Error::usage(format!("there is no file `{word}`")));
    }
    let is_name = word.parse::<PluginId>().is_ok() || word.parse::<CommandPath>().is_ok();
    if !is_file && !is_name && path.is_file() {
        let error = Error::usage(format!("no plugin can be called `{word}`"));
        return Err(or_file(ctx, error, word));
    }
    Ok(if is_file { What::Given(Given::new(Source::File(path))) } else { What::Name(word.into()) })
}

/// Adds how a file is named, where there is one that is called like what was taken for a name.
fn or_file(ctx: &Ctx, error: Error, word: &str) -> Error {
    if word.contains('/') || !ctx.cwd().join(word).is_file() {
        return error;
    }
    error.hint(format!("for the file of this name write `./{word}`"))
}

async fn named(world: &World<'_>, fetch: &Fetch, names: &[String], yes: bool) -> Result {
    let or_files = |error| names.iter().fold(error, |it, name| or_file(world.ctx, it, name));
    let registry = if let Some(registry) = world.registry()? {
        registry
    } else {
        world.refresh(fetch).await.map_err(or_files)?
    };
    let known =
        |name: &String| command(&registry, name).map_err(|error| or_file(world.ctx, error, name));
    let commands: Vec<CommandPath> = names.iter().map(known).collect::<Result<_>>()?;
    let plan = world.plan(&registry, &commands, Why::Named { yes })?;
    let asked: Vec<_> = plan.steps.iter().filter(|step| step.ask).map(|it| &it.id).collect();
    let asked: Vec<_> = asked.iter().map(ToString::to_string).collect();
    let otherwise = format!("`jp plugin install --yes {}` agrees to it", asked.join(" "));
    acquire(world, fetch, &plan, &otherwise).await?;
    for step in &plan.steps {
        report(world, step)?;
    }
    for (paths, reason) in [
        (&plan.present, "is installed already"),
        (&plan.groups, "is a group of commands; there is nothing to install"),
    ] {
        for path in paths.iter().filter(|path| commands.contains(path)) {
            if !world.ctx.is_json() {
                say(world.ctx, &format!("`jp {path}` {reason}.\n"))?;
            }
        }
    }
    Ok(())
}

/// The command that a name means.
fn command(registry: &Registry, name: &str) -> Result<CommandPath> {
    if let Some((command, _)) = find(registry, name) {
        return Ok(command.clone());
    }
    // One that is there and cannot be used is told as that.
    if registry.skipped.iter().any(|it| it.key == name)
        && let Ok(command) = name.parse()
    {
        return Ok(command);
    }
    let known =
        registry.entries.iter().flat_map(|(path, it)| [path.to_string(), it.id.to_string()]);
    let score = |known: &str| strsim::jaro_winkler(known, name);
    let nearest = known.max_by(|a, b| score(a).total_cmp(&score(b)));
    let error = Error::usage(format!("the registry has no plugin `{name}`"));
    Err(match nearest.filter(|it| score(it) > 0.75) {
        Some(nearest) => error.hint(format!("did you mean `{nearest}`?")),
        None => error.hint("`jp plugin update` fetches the registry again"),
    })
}

fn report(world: &World<'_>, step: &Step) -> Result {
    let file = world.home.binary(&step.id);
    if world.ctx.is_json() {
        return world.ctx.print_json(&json!({
            "id": step.id,
            "command": step.command,
            "sha256": step.sha256,
            "file": file,
            "url": step.source.to_string(),
            "official": step.official,
        }));
    }
    let done = if step.replaces.is_some() { "Updated" } else { "Installed" };
    let later = if step.official { "" } else { " You are asked before it runs." };
    say(world.ctx, &format!("{done} `jp {}` as {file}.{later}\n", step.command))?;
    match BuiltIns::new().covering(&step.command) {
        Some(own) => {
            say(world.ctx, &format!("It is never reached: `jp {own}` is a command of jp.\n"))
        }
        None => Ok(()),
    }
}
