//! `jp plugin list`: the plugins that are on this machine, and those of the registry that lost their command to one
//! of them. What else the registry has is for `jp plugin search`.

use comfy_table::{ContentArrangement, Table, presets};
use jp_plugin_host::{
    catalog::{Plugin, Source, Standing},
    describe::Described,
    help::one_line,
    trust::Verdict,
};
use jp_printer::Print;
use serde_json::{Value, json};

use crate::{
    args::PluginList,
    ctx::Ctx,
    error::Result,
    plugins::{Shelf, Wish},
};

pub(super) fn run(ctx: &Ctx, args: &PluginList) -> Result {
    let wish = if args.refresh { Wish::All } else { Wish::Unknown };
    let shelf = Shelf::open(ctx, wish)?;
    let lost = |it: &Plugin| matches!(it.standing, Standing::Shadowed { .. });
    let rows = shelf.catalog.plugins().iter().filter(|it| it.binary.is_some() || lost(it));
    let rows: Vec<&Plugin> = rows.collect();
    if ctx.is_json() {
        for plugin in &rows {
            ctx.print_json(&object(&shelf, plugin))?;
        }
        return Ok(());
    }
    if rows.is_empty() {
        return Ok(ctx.printer().print(Print::chrome("No plugins were found.\n"))?);
    }
    Ok(ctx.printer().print(Print::content(&table(&shelf, &rows)).untrusted())?)
}

fn table(shelf: &Shelf, rows: &[&Plugin]) -> String {
    let none = || "-".to_owned();
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(["COMMAND", "VERSION", "SOURCE", "RUN", "FILE", ""]);
    for plugin in rows {
        let file = plugin.binary.as_ref().map(|known| known.binary.path.to_string());
        table.add_row([
            plugin.command.to_string(),
            plugin.said().map_or_else(none, |said| one_line(&said.version)),
            source(plugin.source).to_owned(),
            may_run(shelf, plugin).map_or_else(none, str::to_owned),
            file.unwrap_or_else(none),
            note(plugin).unwrap_or_default(),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

pub(super) fn object(shelf: &Shelf, plugin: &Plugin) -> Value {
    let (said, known) = (plugin.said(), plugin.binary.as_ref());
    json!({
        "id": plugin.id,
        "command": plugin.command.words(),
        "source": source(plugin.source),
        "path": known.map(|known| &known.binary.path),
        "sha256": known.and_then(|known| known.sha256.as_ref()),
        "name": said.map(|said| &said.name),
        "version": said.map(|said| &said.version),
        "description": plugin.description(),
        "author": said.and_then(|said| said.author.as_ref()),
        "repository": said.and_then(|said| said.repository.as_ref()),
        "run": may_run(shelf, plugin),
        "active": plugin.standing == Standing::Active,
        "note": note(plugin),
    })
}

fn source(source: Source) -> &'static str {
    match source {
        Source::Installed => "installed",
        Source::Registry => "registry",
        Source::Path => "path",
    }
}

/// What would happen if it were used now; `None` if there is no file that could.
pub(super) fn may_run(shelf: &Shelf, plugin: &Plugin) -> Option<&'static str> {
    let known = plugin.binary.as_ref()?;
    let sum = known.sha256.as_deref().unwrap_or_default();
    Some(match shelf.policy.verdict(plugin, &known.binary, sum) {
        Verdict::Run if shelf.policy.is_approved(&known.binary, sum) => "approved",
        Verdict::Run => "unattended",
        Verdict::Ask => "ask",
        Verdict::Denied => "deny",
        Verdict::Mismatch(_) => "wrong checksum",
    })
}

/// What else there is to say about it.
pub(super) fn note(plugin: &Plugin) -> Option<String> {
    let standing = match &plugin.standing {
        Standing::Active => None,
        Standing::BuiltIn(name) => Some(format!("never reached: `jp {name}` is a command of jp")),
        Standing::Shadowed { by, source: of } => {
            Some(format!("never reached: `{by}` ({}) comes first", source(*of)))
        }
    };
    let described = match plugin.binary.as_ref().map(|known| &known.described) {
        None | Some(Described::Said(_) | Described::Denied) => None,
        Some(Described::Unverified | Described::Unasked) => Some("unverified".to_owned()),
        Some(Described::Failed(why)) => Some(one_line(why)),
    };
    let both: Vec<String> = standing.into_iter().chain(described).collect();
    (!both.is_empty()).then(|| both.join("; "))
}
