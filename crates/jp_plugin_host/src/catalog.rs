//! Which plugins there are, which command each of them claims, and who gets it when two claim the same.
//!
//! Three sources are put together: files that were installed, entries of the registry that were not, and
//! files in the search path. Commands of jp itself come first and cannot be taken. Then one command means
//! one plugin: what is installed wins over the registry, and that over the search path. Nothing that loses
//! disappears without a trace: it is kept here with the reason, and `jp plugin list` shows it.
//!
//! The danger is a plugin that passes for another. So one id means one plugin: settings belong to an id,
//! and a file in the search path does not get those of an installed plugin by being called like it.

mod listings;
mod scan;

use std::collections::BTreeMap;

use jp_plugin::{
    CommandPath, Describe, PluginId,
    registry::{Entry, Kind, Registry},
};

pub use self::{
    listings::Listings,
    scan::{Binary, Places, scan},
};
use crate::describe::Described;

/// All plugins, and the groups of the registry.
#[derive(Debug, Default)]
pub struct Catalog {
    /// By command; among those with one command the one that it means is first.
    plugins: Vec<Plugin>,
    groups: BTreeMap<CommandPath, Entry>,
}

/// One plugin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plugin {
    pub id: String,
    pub command: CommandPath,
    pub source: Source,
    /// What would be executed; `None` for one that is only in the registry.
    pub binary: Option<Known>,
    /// What the registry says about the id.
    pub entry: Option<Entry>,
    pub standing: Standing,
    /// Whether it would have to be installed and may not be.
    pub is_barred: bool,
}

/// Where a plugin comes from. An earlier one wins over a later one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    /// In the directory of installed plugins.
    Installed,
    /// In the registry, and not installed.
    Registry,
    /// In the search path.
    Path,
}

/// A file, and what is known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub binary: Binary,
    /// The checksum of what was described, in hexadecimal digits; `None` if nobody has read the file.
    pub sha256: Option<String>,
    pub described: Described,
}

/// Whether a plugin is what its command means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is.
    Active,
    /// The command means one of jp's own, which is named.
    BuiltIn(String),
    /// The command, or the id, means another plugin.
    Shadowed {
        /// Its id.
        by: String,
        /// Its source.
        source: Source,
    },
}

/// What the program knows and this crate does not.
pub trait Host {
    /// The command of jp that keeps a plugin from being reached by this one.
    fn built_in(&self, command: &CommandPath) -> Option<String>;

    /// Whether a plugin of the registry may be installed. One that may not takes no command away.
    fn may_install(&self, id: &str) -> bool;
}

impl Catalog {
    /// Puts the sources together. Of files with one id the first counts, so installed ones come first.
    pub fn new(found: Vec<Known>, registry: Registry, host: &dyn Host) -> Self {
        let (groups, commands): (BTreeMap<_, _>, BTreeMap<_, _>) =
            registry.entries.into_iter().partition(|(_, it)| it.kind == Kind::CommandGroup);
        let by_id: BTreeMap<&PluginId, (&CommandPath, &Entry)> =
            commands.iter().map(|(path, entry)| (&entry.id, (path, entry))).collect();
        let mut plugins: Vec<Plugin> = Vec::new();
        let mut ids = BTreeMap::new();
        for known in found {
            let id: Option<PluginId> = known.binary.id.parse().ok();
            let listed = id.and_then(|id| by_id.get(&id).copied());
            let mut plugin = Plugin::of_file(known, listed);
            let source = *ids.entry(plugin.id.clone()).or_insert(plugin.source);
            if plugins.iter().any(|other| other.id == plugin.id) {
                plugin.standing = Standing::Shadowed { by: plugin.id.clone(), source };
            }
            plugins.push(plugin);
        }
        let installed = |id: &PluginId| {
            let is_it = |it: &Plugin| it.source == Source::Installed && it.id == id.as_str();
            plugins.iter().any(is_it)
        };
        let missing = commands.iter().filter(|(_, entry)| !installed(&entry.id));
        let missing: Vec<_> = missing.map(|(path, entry)| Plugin::listed(path, entry)).collect();
        plugins.extend(missing);
        rank(&mut plugins, &commands, host);
        Self { plugins, groups }
    }

    /// All of them, by command.
    pub fn plugins(&self) -> &[Plugin] {
        &self.plugins
    }

    /// Those that a command means.
    pub fn active(&self) -> impl Iterator<Item = &Plugin> {
        self.plugins.iter().filter(|plugin| plugin.standing == Standing::Active)
    }

    /// The plugin that exactly this command means.
    pub fn get(&self, command: &[String]) -> Option<&Plugin> {
        self.active().find(|plugin| plugin.command.words() == command)
    }

    /// A group of the registry.
    pub fn group(&self, command: &[String]) -> Option<&Entry> {
        self.groups.iter().find(|(path, _)| path.words() == command).map(|(_, entry)| entry)
    }

    /// The groups of the registry.
    pub fn groups(&self) -> impl Iterator<Item = (&CommandPath, &Entry)> {
        self.groups.iter()
    }
}

impl Plugin {
    fn of_file(known: Known, listed: Option<(&CommandPath, &Entry)>) -> Self {
        let said = known.described.said().and_then(|said| said.command.clone());
        // The registry knows better than a file name where one word ends and the next begins.
        let by_registry =
            || listed.filter(|_| known.binary.installed).map(|(path, _)| path.clone());
        let command = said.or_else(by_registry).unwrap_or_else(|| known.binary.named.clone());
        Self {
            id: known.binary.id.clone(),
            command,
            source: if known.binary.installed { Source::Installed } else { Source::Path },
            entry: listed.map(|(_, entry)| entry.clone()),
            binary: Some(known),
            standing: Standing::Active,
            is_barred: false,
        }
    }

    fn listed(path: &CommandPath, entry: &Entry) -> Self {
        Self {
            id: entry.id.to_string(),
            command: path.clone(),
            source: Source::Registry,
            binary: None,
            entry: Some(entry.clone()),
            standing: Standing::Active,
            is_barred: false,
        }
    }

    /// What it said of itself.
    pub fn said(&self) -> Option<&Describe> {
        self.binary.as_ref()?.described.said()
    }

    /// One line about it: its own, or that of the registry.
    pub fn description(&self) -> Option<&str> {
        let said = self.said().map(|said| said.description.as_str());
        let listed = self.entry.as_ref().map(|entry| entry.description.as_str());
        said.or(listed).filter(|text| !text.is_empty())
    }

    /// Whether the policy says that it never runs.
    pub fn is_denied(&self) -> bool {
        self.binary.as_ref().is_some_and(|known| known.described == Described::Denied)
    }

    /// Whether the file is one that the registry lists as official, byte for byte.
    pub fn is_official(&self) -> bool {
        let Some(entry) = self.entry.as_ref().filter(|entry| entry.official) else { return false };
        let sum = self.binary.as_ref().and_then(|known| known.sha256.as_deref());
        let is_it =
            |sum: &str| entry.binaries.values().any(|it| it.sha256.eq_ignore_ascii_case(sum));
        self.source == Source::Registry || sum.is_some_and(is_it)
    }
}

/// Sorts plugins, and says of each whether its command means it.
fn rank(plugins: &mut [Plugin], listed: &BTreeMap<CommandPath, Entry>, host: &dyn Host) {
    let is_listed =
        |it: &Plugin| listed.get(&it.command).is_some_and(|entry| entry.id.as_str() == it.id);
    for plugin in plugins.iter_mut() {
        plugin.is_barred = plugin.source == Source::Registry && !host.may_install(&plugin.id);
    }
    // A stable sort: files of the search path stay in its order.
    plugins.sort_by_cached_key(|it| (it.command.clone(), it.is_barred, it.source, !is_listed(it)));
    let mut taken: BTreeMap<CommandPath, (String, Source)> = BTreeMap::new();
    for plugin in plugins.iter_mut() {
        match (host.built_in(&plugin.command), taken.get(&plugin.command)) {
            (Some(name), _) => plugin.standing = Standing::BuiltIn(name),
            (None, _) if plugin.standing != Standing::Active => {}
            (None, Some((by, source))) => {
                plugin.standing = Standing::Shadowed { by: by.clone(), source: *source };
            }
            (None, None) => {
                taken.insert(plugin.command.clone(), (plugin.id.clone(), plugin.source));
            }
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
