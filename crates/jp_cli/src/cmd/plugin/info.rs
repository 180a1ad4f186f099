//! `jp plugin info`: what the registry says about a plugin, and what is installed of it.

use jp_plugin::{
    CommandPath,
    registry::{Entry, Kind},
};
use jp_plugin_registry::{Record, find, target_triples};
use jp_printer::Print;
use serde_json::{Value, json};

use super::{acquire::line, world::World};
use crate::{
    args::PluginInfo,
    ctx::Ctx,
    error::{Error, Result},
};

pub(super) fn run(ctx: &Ctx, args: &PluginInfo) -> Result {
    let world = World::new(ctx)?;
    let name = args.name.join(" ");
    let registry = world.registry()?.unwrap_or_default();
    let listed = find(&registry, &name);
    let id = world.id(&name)?;
    let installed = world.installed();
    let record = installed.plugins.get(&id);
    if listed.is_none() && record.is_none() {
        return Err(Error::usage(format!("no plugin is called `{name}`"))
            .hint("`jp plugin search` lists what is there, `jp plugin update` fetches the list"));
    }
    let now = world.home.sha256(&id).ok().flatten().map(|sum| sum.to_string());
    let settings = [
        ("denied by", world.denied(&id)),
        ("pinned to", world.pin(&id).map(|pin| format!("sha256 {pin}"))),
    ];
    if ctx.is_json() {
        let file = record.map(|_| world.home.binary(&id));
        return ctx.print_json(&json!({
            "id": id,
            "registry": listed.map(|(command, entry)| entry_json(command, entry)),
            "installed": record,
            "file": file,
            "sha256": now,
            "denied": settings[0].1,
            "pinned": world.pin(&id),
        }));
    }
    let mut lines = vec![("id", id.to_string())];
    lines.extend(listed.map(|it| of_registry(it.0, it.1)).unwrap_or_default());
    lines.extend(of_file(world.home.binary(&id).as_str(), record, now));
    lines.extend(settings.into_iter().filter_map(|(name, value)| Some((name, value?))));
    let text: String =
        lines.iter().map(|(name, value)| format!("{name:12} {}\n", line(value))).collect();
    Ok(ctx.printer().print(Print::content(&text).untrusted())?)
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

fn of_file(
    file: &str,
    record: Option<&Record>,
    now: Option<String>,
) -> Vec<(&'static str, String)> {
    let Some(record) = record else { return vec![("installed", "no".to_owned())] };
    let state = match now {
        None => "its file is missing or cannot be executed".to_owned(),
        Some(now) if now == record.sha256.to_string() => format!("sha256 {now}"),
        Some(now) => format!("sha256 {now}, which is not what was installed"),
    };
    vec![
        ("installed", record.installed_at.to_string()),
        ("from", record.url.clone()),
        ("file", file.to_owned()),
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
