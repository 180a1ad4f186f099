//! From a plan to installed plugins: everything that has to be asked is asked, then everything is fetched,
//! then all of it is put in place. A no at any point leaves things as they were.

use std::fmt::Write as _;

use jp_plugin::PluginId;
use jp_plugin_registry::{Fetch, Plan, Sha256, Step, install};

use super::{bar::Bar, world::World};
use crate::{
    confine::granted::rights,
    ctx::Ctx,
    error::{Error, Result},
    exit::Exit,
    terminal::Terminal,
};

/// Gets what is planned. `otherwise` says how to agree where nobody can be asked.
pub(crate) async fn acquire(
    world: &World<'_>,
    fetch: &Fetch,
    plan: &Plan,
    otherwise: &str,
) -> Result {
    let asked: Vec<&Step> = plan.steps.iter().filter(|step| step.ask).collect();
    if !asked.is_empty() {
        let _turn = Terminal::turn();
        for step in asked {
            agree(world, step, otherwise)?;
        }
    }
    if plan.steps.is_empty() {
        return Ok(());
    }
    let installer = world.installer().await?;
    let bar = Bar::new(world.ctx);
    Ok(install(&installer, fetch, &plan.steps, &bar, world.ctx.now()).await?)
}

fn agree(world: &World<'_>, step: &Step, otherwise: &str) -> Result {
    let mut text = format!("`jp {}` is a plugin that is not installed yet", step.command);
    if step.replaces.is_some() {
        text = format!("There is another `jp {}` than the one that is installed", step.command);
    }
    if let Some(by) = &step.required_by {
        let _ = write!(text, ", and `jp {by}` requires it");
    }
    let publisher = match (step.official, &step.repository) {
        (true, Some(repository)) => format!("official, {repository}"),
        (true, None) => "official".to_owned(),
        (false, Some(repository)) => format!("not official; the registry names {repository}"),
        (false, None) => "not official; the registry names nobody".to_owned(),
    };
    let lines = [
        ("does", step.description.as_str()),
        ("publisher", &publisher),
        ("from", &step.source.to_string()),
    ];
    let card = format!("{text}.\n{}", card(world, &step.id, &lines, step.sha256)?);
    confirm(world.ctx, &card, &format!("Install `{}`?", step.id), otherwise)
}

/// What there is to know before somebody agrees.
pub(super) fn card(
    world: &World<'_>,
    id: &PluginId,
    lines: &[(&str, &str)],
    sha256: Sha256,
) -> Result<String> {
    let file = world.home.binary(id);
    let sha256 = sha256.to_string();
    let more = [("file", file.as_str()), ("sha256", &sha256)];
    let rights = rights(world.ctx, id.as_str())?;
    let rights = rights.iter().map(|(name, value)| (*name, value.as_str()));
    let lines = lines.iter().chain(&more).copied().chain(rights);
    let lines = lines.filter(|(_, value)| !value.is_empty());
    // In one line each, so that none of them can pass for another.
    Ok(lines.map(|(name, value)| format!("  {name:9}  {}\n", line(value))).collect())
}

/// Asks; a no is an error.
pub(super) fn confirm(ctx: &Ctx, card: &str, question: &str, otherwise: &str) -> Result {
    ctx.terminal().show(card)?;
    if ctx.terminal().confirm(question, otherwise)? {
        return Ok(());
    }
    Err(Error::new(Exit::Declined, "nothing was installed"))
}

/// Words of others as one line.
pub(super) fn line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}
