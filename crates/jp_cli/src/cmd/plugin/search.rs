//! `jp plugin search`

use comfy_table::{ContentArrangement, Table, presets};
use jp_plugin::{
    CommandPath,
    registry::{Entry, Kind},
};
use jp_plugin_registry::{Installed, search};
use jp_printer::{Print, truncate_to_width};
use serde_json::json;

use super::{acquire::line, say, world::World};
use crate::{args::PluginSearch, ctx::Ctx, error::Result};

/// What is shown of a description in a table.
const WORDS: usize = 60;

pub(super) fn run(ctx: &Ctx, args: &PluginSearch) -> Result {
    let world = World::new(ctx)?;
    let registry = world.needed_registry()?;
    let installed = world.installed();
    let found = search(&registry, &args.words);
    if ctx.is_json() {
        for (command, entry) in found {
            ctx.print_json(&json!({
                "command": command,
                "id": entry.id,
                "state": state(entry, &installed),
                "official": entry.official,
                "description": entry.description,
            }))?;
        }
        return Ok(());
    }
    if found.is_empty() {
        return say(ctx, "The registry has no such plugin.\n");
    }
    Ok(ctx.printer().print(Print::content(&table(&found, &installed)).untrusted())?)
}

fn table(found: &[(&CommandPath, &Entry)], installed: &Installed) -> String {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(["COMMAND", "ID", "STATE", "PUBLISHER", "DESCRIPTION"]);
    for (command, entry) in found {
        table.add_row([
            command.to_string(),
            entry.id.to_string(),
            state(entry, installed).to_owned(),
            if entry.official { "official" } else { "other" }.to_owned(),
            truncate_to_width(&line(&entry.description), WORDS).into_owned(),
        ]);
    }
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

fn state(entry: &Entry, installed: &Installed) -> &'static str {
    match entry.kind {
        Kind::CommandGroup => "group",
        Kind::Command if installed.plugins.contains_key(&entry.id) => "installed",
        Kind::Command => "not installed",
    }
}
