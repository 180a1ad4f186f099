//! The registry: one JSON file that says which plugins there are, and where their binaries are.
//!
//! It comes from outside, so each entry stands for itself: one that cannot be used is left out and
//! named, and the rest works. What would be executed under a doubtful name is never guessed: two
//! entries with one id are both left out.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use crate::{
    id::PluginId,
    path::{CommandPath, InvalidPath},
};

/// The version of the file that is understood.
pub const VERSION: u64 = 1;

/// The plugins that can be used, by their command.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Registry {
    pub entries: BTreeMap<CommandPath, Entry>,
    /// What was left out.
    pub skipped: Vec<Skipped>,
}

/// One plugin, or one group of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub id: PluginId,
    pub kind: Kind,
    pub description: String,
    pub official: bool,
    /// What has to be installed first.
    pub requires: Vec<CommandPath>,
    /// What extends this one; shown in help, never installed by itself.
    pub suggests: Vec<CommandPath>,
    pub repository: Option<String>,
    /// By target triple.
    pub binaries: BTreeMap<String, Binary>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A binary that speaks the protocol.
    Command,
    /// A name with help and no binary.
    CommandGroup,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Binary {
    pub url: String,
    /// In hexadecimal digits.
    pub sha256: String,
}

/// An entry that is not used, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    pub key: String,
    pub reason: String,
}

/// The file as a whole cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    #[error("it is not a registry: {0}")]
    Json(#[from] serde_json::Error),
    #[error("it is of version {0}, and this program reads version {VERSION}")]
    Version(u64),
}

#[derive(Deserialize)]
struct File<'a> {
    version: u64,
    #[serde(borrow)]
    plugins: Keys<'a>,
}

#[derive(Deserialize)]
struct Raw {
    id: PluginId,
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    description: String,
    #[serde(default)]
    official: bool,
    #[serde(default)]
    requires: Vec<String>,
    #[serde(default)]
    suggests: Vec<String>,
    #[serde(default)]
    repository: Option<String>,
    #[serde(default)]
    binaries: BTreeMap<String, Binary>,
}

/// Reads a registry file.
pub fn parse(text: &str) -> Result<Registry, RegistryError> {
    let file: File<'_> = serde_json::from_str(text)?;
    if file.version != VERSION {
        return Err(RegistryError::Version(file.version));
    }
    let mut registry = Registry::default();
    for (key, raw) in file.plugins.0 {
        match entry(&key, raw) {
            Ok((path, entry)) if !registry.entries.contains_key(&path) => {
                registry.entries.insert(path, entry);
            }
            Ok(_) => registry.skip(key, "the command is there twice"),
            Err(reason) => registry.skip(key, reason),
        }
    }
    registry.refuse_shared_ids();
    Ok(registry)
}

impl Registry {
    /// The entry with this id.
    pub fn by_id(&self, id: &PluginId) -> Option<(&CommandPath, &Entry)> {
        self.entries.iter().find(|(_, entry)| entry.id == *id)
    }

    fn skip(&mut self, key: impl Into<String>, reason: impl Into<String>) {
        self.skipped.push(Skipped { key: key.into(), reason: reason.into() });
    }

    /// Nobody can say whose binary and whose settings an id means that two entries have.
    fn refuse_shared_ids(&mut self) {
        let mut counts = HashMap::<_, usize>::new();
        for entry in self.entries.values() {
            *counts.entry(entry.id.clone()).or_default() += 1;
        }
        let shared: Vec<_> =
            self.entries.extract_if(.., |_, entry| counts[&entry.id] > 1).collect();
        for (path, entry) in shared {
            self.skip(path.to_string(), format!("another entry has the id `{}` too", entry.id));
        }
    }
}

fn entry(key: &str, raw: &RawValue) -> Result<(CommandPath, Entry), String> {
    let path: CommandPath = key.parse().map_err(|error: InvalidPath| error.to_string())?;
    let raw: Raw = serde_json::from_str(raw.get()).map_err(|error| reason(&error))?;
    let kind = match raw.kind.as_deref() {
        None | Some("command") => Kind::Command,
        Some("command_group") => Kind::CommandGroup,
        Some(other) => return Err(format!("unknown kind `{other}`")),
    };
    let entry = Entry {
        id: raw.id,
        kind,
        description: raw.description,
        official: raw.official,
        requires: paths(&raw.requires)?,
        suggests: paths(&raw.suggests)?,
        repository: raw.repository,
        binaries: raw.binaries,
    };
    Ok((path, entry))
}

/// What is wrong with an entry. The place would be counted from where the entry begins, which is nowhere that
/// somebody who has the file could look.
fn reason(error: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", error.line(), error.column());
    let text = error.to_string();
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

fn paths(keys: &[String]) -> Result<Vec<CommandPath>, String> {
    keys.iter().map(|key| key.parse().map_err(|error: InvalidPath| error.to_string())).collect()
}

/// The keys of an object in order, doubled ones included, each with its value unread.
struct Keys<'a>(Vec<(String, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Keys<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Keys<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of plugins")
            }

            fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<Keys<'de>, A::Error> {
                let mut keys = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    keys.push(pair);
                }
                Ok(Keys(keys))
            }
        }
        deserializer.deserialize_map(Visitor)
    }
}

#[cfg(test)]
mod tests;
