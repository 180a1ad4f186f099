//! Plugins in the help of jp: what is listed where, and in which words.
//!
//! Everything here is text of somebody else. Each of their lines stays one line, so that no description can
//! pass for a heading or for another command; what a terminal would act on is taken out by whoever prints
//! it as untrusted.

use std::{collections::BTreeMap, fmt::Write as _};

use jp_plugin::CommandPath;

use crate::{
    catalog::{Catalog, Plugin, Source},
    describe::Described,
};

/// So much of a description is shown in a list, in characters.
const MOST: usize = 120;

/// A command in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    pub name: String,
    pub about: String,
}

/// The plugins for the list of `jp -h`: all that are on this machine.
pub fn all(catalog: &Catalog) -> Vec<Row> {
    let is_here = |plugin: &&Plugin| plugin.source != Source::Registry && !plugin.is_denied();
    catalog.active().filter(is_here).map(|it| row(it.command.to_string(), it)).collect()
}

/// The commands below a group or a plugin, installed or not: first those that it suggests, in its order.
pub fn below(catalog: &Catalog, command: &[String]) -> Vec<Row> {
    let shown = catalog.active().filter(|plugin| !plugin.is_denied());
    let inside = shown.filter_map(|it| Some(row(it.command.below(command)?.join(" "), it)));
    let mut rows: Vec<Row> = inside.collect();
    let plugin = catalog.get(command).and_then(|plugin| plugin.entry.as_ref());
    let suggests = catalog.group(command).or(plugin).map(|entry| &entry.suggests[..]);
    let mut places = BTreeMap::new();
    for (place, path) in suggests.unwrap_or_default().iter().enumerate() {
        // What is elsewhere is not called by this name.
        let Some(name) = path.below(command).map(|words| words.join(" ")) else { continue };
        if !rows.iter().any(|row| row.name == name) {
            rows.push(suggested(catalog, path, name.clone()));
        }
        places.entry(name).or_insert(place);
    }
    let place = |row: &Row| places.get(&row.name).copied().unwrap_or(usize::MAX);
    rows.sort_by(|a, b| (place(a), &a.name).cmp(&(place(b), &b.name)));
    rows
}

/// A list under a heading; nothing if it is empty.
pub fn section(heading: &str, rows: &[Row], gap: usize) -> String {
    let width = rows.iter().map(|row| row.name.chars().count()).max().unwrap_or(0) + gap;
    let mut text = String::new();
    if !rows.is_empty() {
        let _ = writeln!(text, "{heading}");
    }
    for row in rows {
        let line = format!("  {:width$}{}", row.name, row.about);
        let _ = writeln!(text, "{}", line.trim_end());
    }
    text
}

/// The help of a group.
pub fn group(catalog: &Catalog, command: &[String]) -> String {
    let name = command.join(" ");
    let mut text = String::new();
    let about = catalog.group(command).map(|entry| one_line(&entry.description));
    if let Some(about) = about.filter(|about| !about.is_empty()) {
        let _ = write!(text, "{about}\n\n");
    }
    let _ = write!(text, "Usage: jp {name} <COMMAND>\n\n");
    text + &commands(catalog, command)
}

/// The help of a plugin: its own, with the commands below it.
pub fn plugin(catalog: &Catalog, plugin: &Plugin) -> String {
    let mut text = match own(plugin) {
        Some(own) => format!("{own}\n"),
        None => format!("`jp {}` {}\n", plugin.command, silence(plugin)),
    };
    let below = commands(catalog, plugin.command.words());
    if !below.is_empty() {
        let _ = write!(text, "\n{below}");
    }
    text
}

/// Whether a plugin has no help because asking for it failed.
pub fn is_missing(plugin: &Plugin) -> bool {
    let described = plugin.binary.as_ref().map(|known| &known.described);
    matches!(described, Some(Described::Failed(_))) && own(plugin).is_none()
}

/// The help that a plugin gives, or else what is said about it.
fn own(plugin: &Plugin) -> Option<&str> {
    let said = plugin.said();
    let help = said.and_then(|said| said.help.as_deref()).filter(|help| !help.trim().is_empty());
    help.or_else(|| plugin.description()).map(str::trim_end)
}

fn commands(catalog: &Catalog, command: &[String]) -> String {
    let rows = below(catalog, command);
    if rows.is_empty() {
        return String::new();
    }
    let name = command.join(" ");
    let list = section("Commands:", &rows, 4);
    format!("{list}\nRun `jp {name} <command> -h` for more information.\n")
}

fn row(name: String, plugin: &Plugin) -> Row {
    let about = one_line(plugin.description().unwrap_or_default());
    let note = match &plugin.binary {
        None => "(not installed)",
        Some(known) => match known.described {
            Described::Said(_) | Described::Denied => "",
            Described::Unverified | Described::Unasked => "(unverified)",
            Described::Failed(_) => "(does not describe itself)",
        },
    };
    Row { name, about: format!("{about} {note}").trim().to_owned() }
}

/// What is suggested may be a group, which is never a plugin and has nothing to install.
fn suggested(catalog: &Catalog, path: &CommandPath, name: String) -> Row {
    if let Some(group) = catalog.group(path.words()) {
        return Row { name, about: one_line(&group.description) };
    }
    match catalog.get(path.words()) {
        Some(plugin) => row(name, plugin),
        None => Row { name, about: "(not installed)".to_owned() },
    }
}

/// Why a plugin has no help.
fn silence(plugin: &Plugin) -> String {
    match plugin.binary.as_ref().map(|known| &known.described) {
        None => "is not installed".to_owned(),
        Some(Described::Failed(why)) => format!("has no help: {}", one_line(why)),
        Some(Described::Unverified | Described::Unasked) => {
            "has not been asked for its help: it is not approved, and nothing on this machine could \
             seal it"
                .to_owned()
        }
        Some(Described::Said(_) | Described::Denied) => "has no help".to_owned(),
    }
}

/// Somebody's text as one line. What a terminal would act on is still in it.
pub fn one_line(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = words.join(" ");
    if line.chars().count() <= MOST {
        return line;
    }
    line.chars().take(MOST - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests;
