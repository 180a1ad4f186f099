//! `jp plugin info`: what the registry says about a plugin, what is installed of it, and what the search path
//! has under its name.

use camino::Utf8Path;
use jp_plugin::{
    CommandPath, PluginId,
    registry::{Entry, Kind},
};
use jp_plugin_host::catalog::{Known, Plugin, Source};
use jp_plugin_registry::{Record, find, target_triples};
use jp_printer::Print;
use serde_json::{Value, json};

use super::{acquire::line, list, world::World};
use crate::{
    args::PluginInfo,
    ctx::Ctx,
    error::{Error, Result},
    plugins::{Shelf, Wish},
};

pub(super) fn run(ctx: &Ctx, args: &PluginInfo) -> Result {
    let world = World::new(ctx)?;
    let name = args.name.join(" ");
    let registry = world.registry()?.unwrap_or_default();
    let shelf = Shelf::open(ctx, Wish::Unknown)?;
    let installed = world.installed();
    // What nobody has installed or listed can be called what no registry allows.
    let id: Option<PluginId> = world.named(&shelf, &name)?.id.parse().ok();
    let record = id.as_ref().and_then(|id| installed.plugins.get(id));
    // The registry may call another one like the one that is installed.
    let is_it = |entry: &Entry| record.is_none() || id.as_ref() == Some(&entry.id);
    let listed = find(&registry, &name).filter(|(_, entry)| is_it(entry));
    let found = on_path(&shelf, &name, listed.map(|(_, entry)| entry.id.as_str()));
    let own = id.as_ref().and_then(|id| installed_as(&shelf, id.as_str()));
    if listed.is_none() && record.is_none() && found.is_none() && own.is_none() {
        return Err(Error::usage(format!("no plugin is called `{name}`"))
            .hint("`jp plugin search` lists what is there, `jp plugin update` fetches the list"));
    }
    let file = id.as_ref().map(|id| world.home.binary(id));
    let now = id.as_ref().and_then(|id| world.home.sha256(id).ok().flatten());
    let now = now.map(|sum| sum.to_string());
    let (denied, pin) = id.as_ref().map_or((None, None), |id| (world.denied(id), world.pin(id)));
    let shown = id.as_ref().map_or_else(|| name.clone(), ToString::to_string);
    if ctx.is_json() {
        return ctx.print_json(&json!({
            "id": shown,
            "registry": listed.map(|(command, entry)| entry_json(command, entry)),
            "installed": record,
            "file": file.filter(|_| record.is_some() || own.is_some()),
            "sha256": now,
            "plugin": own.map(|plugin| list::object(&shelf, plugin)),
            "path": found.map(|(plugin, _)| list::object(&shelf, plugin)),
            "denied": denied,
            "pinned": pin,
        }));
    }
    let mut lines = vec![("id", shown)];
    lines.extend(listed.map(|it| of_registry(it.0, it.1)).unwrap_or_default());
    if record.is_some() || listed.is_some() || own.is_some() {
        let file = file.as_deref().filter(|_| record.is_some() || own.is_some());
        lines.extend(of_file(file, record, now));
    }
    // The registry may have said some of it.
    let says = own.map(|plugin| said(&shelf, plugin)).unwrap_or_default();
    let says: Vec<_> = says.into_iter().filter(|line| !lines.contains(line)).collect();
    lines.extend(says);
    lines.extend(found.map(|it| of_path(&shelf, it.0, it.1)).unwrap_or_default());
    lines.extend(denied.map(|setting| ("denied by", setting)));
    lines.extend(pin.map(|pin| ("pinned to", format!("sha256 {pin}"))));
    let text: String =
        lines.iter().map(|(name, value)| format!("{name:12} {}\n", line(value))).collect();
    Ok(ctx.printer().print(Print::content(&text).untrusted())?)
}

/// What the search path has under this name, by its command or its id.
fn on_path<'a>(shelf: &'a Shelf, name: &str, id: Option<&str>) -> Option<(&'a Plugin, &'a Known)> {
    let found = shelf.catalog.plugins().iter().filter(|it| it.source == Source::Path);
    let mut found = found.filter_map(|plugin| Some((plugin, plugin.binary.as_ref()?)));
    found.find(|(plugin, _)| {
        [Some(name), id].contains(&Some(plugin.id.as_str())) || plugin.command.to_string() == name
    })
}

/// The plugin whose file is installed under this id.
fn installed_as<'a>(shelf: &'a Shelf, id: &str) -> Option<&'a Plugin> {
    let mut plugins = shelf.catalog.plugins().iter();
    plugins.find(|it| it.source == Source::Installed && it.binary.is_some() && it.id == id)
}

/// What is known of a file of the search path, and what it says of itself.
fn of_path(shelf: &Shelf, plugin: &Plugin, known: &Known) -> Vec<(&'static str, String)> {
    let mut lines = vec![("found", known.binary.path.to_string())];
    lines.extend(known.sha256.as_ref().map(|sum| ("is", format!("sha256 {sum}"))));
    lines.extend(said(shelf, plugin));
    lines
}

/// What a plugin says of itself, and what would happen if it were used.
fn said(shelf: &Shelf, plugin: &Plugin) -> Vec<(&'static str, String)> {
    let said = plugin.said();
    let text = |text: Option<&String>| text.cloned().unwrap_or_default();
    let mut lines = vec![
        ("command", format!("jp {}", plugin.command)),
        ("says", text(said.map(|said| &said.description))),
        ("version", text(said.map(|said| &said.version))),
        ("author", text(said.and_then(|said| said.author.as_ref()))),
        ("repository", text(said.and_then(|said| said.repository.as_ref()))),
        ("run", list::may_run(shelf, plugin).unwrap_or_default().to_owned()),
        ("note", list::note(plugin).unwrap_or_default()),
    ];
    lines.retain(|(_, value)| !value.is_empty());
    lines
}

fn of_registry(command: &CommandPath, entry: &Entry) -> Vec<(&'static str, String)> {
    let list = |paths: &[CommandPath]| {
        paths.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    };
    let kind = match entry.kind {
        Kind::Command => "a program",
        Kind::CommandGroup => "a group of commands, without a program",
    };
    let publisher = if entry.official { "official" } else { "not official" };
    let mut lines = vec![
        ("command", format!("jp {command}")),
        ("kind", kind.to_owned()),
        ("does", entry.description.clone()),
        ("publisher", publisher.to_owned()),
        ("repository", entry.repository.clone().unwrap_or_default()),
        ("requires", list(&entry.requires)),
        ("suggests", list(&entry.suggests)),
    ];
    let here = target_triples();
    let fitting = here.iter().find_map(|target| Some((target, entry.binaries.get(target)?)));
    if let Some((target, binary)) = fitting {
        lines.push(("for here", format!("{target}, {}", binary.url)));
        lines.push(("offers", format!("sha256 {}", binary.sha256)));
    } else if entry.kind == Kind::Command {
        lines.push(("for here", format!("nothing: there is none for {}", here[0])));
    }
    lines.retain(|(_, value)| !value.is_empty());
    lines
}

/// What is known of an installed file, of which there may be no record; without a file it is not installed.
fn of_file(
    file: Option<&Utf8Path>,
    record: Option<&Record>,
    now: Option<String>,
) -> Vec<(&'static str, String)> {
    let Some(file) = file.map(ToString::to_string) else {
        return vec![("installed", "no".to_owned())];
    };
    let Some(record) = record else {
        let by_hand = ("installed", "by hand: there is no record of it".to_owned());
        let sum = now.map(|sum| ("is", format!("sha256 {sum}")));
        return [by_hand, ("file", file)].into_iter().chain(sum).collect();
    };
    let state = match now {
        None => "its file is missing or cannot be executed".to_owned(),
        Some(now) if now == record.sha256.to_string() => format!("sha256 {now}"),
        Some(now) => format!("sha256 {now}, which is not what was installed"),
    };
    vec![
        ("installed", record.installed_at.to_string()),
        ("from", record.url.clone()),
        ("file", file),
        ("is", state),
    ]
}

fn entry_json(command: &CommandPath, entry: &Entry) -> Value {
    let binaries: serde_json::Map<String, Value> = entry
        .binaries
        .iter()
        .map(|(target, it)| (target.clone(), json!({ "url": it.url, "sha256": it.sha256 })))
        .collect();
    json!({
        "command": command,
        "kind": match entry.kind { Kind::Command => "command", Kind::CommandGroup => "command_group" },
        "description": entry.description,
        "official": entry.official,
        "requires": entry.requires,
        "suggests": entry.suggests,
        "repository": entry.repository,
        "binaries": binaries,
    })
}
