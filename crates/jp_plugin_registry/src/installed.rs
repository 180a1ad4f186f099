//! What was installed, and where it came from: `installed.json` beside the files.
//!
//! ```json
//! {
//!   "version": 1,
//!   "plugins": {
//!     "serve-web": {
//!       "command": ["serve", "web"],
//!       "sha256": "9f86…",
//!       "origin": "registry",
//!       "url": "https://example.org/jp-serve-web",
//!       "official": true,
//!       "repository": "https://example.org/source",
//!       "installed_at": "2026-11-16T12:00:00Z"
//!     }
//!   }
//! }
//! ```
//!
//! `command` is missing where only the plugin knows it, and `repository` where nobody said it; `origin` is
//! `registry`, `file` or `url`. Readers ignore fields they do not know and leave out records they cannot
//! read: a file without a record is one that nobody vouches for, which is the careful reading. So is one
//! whose bytes have another checksum than its record. What is here is never a reason to run something by
//! itself, only what a reason can rest on.

use std::{
    collections::BTreeMap,
    io::{self, Read as _},
};

use camino::Utf8Path;
use jiff::Timestamp;
use jp_plugin::{CommandPath, PluginId};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::{Home, Sha256, files, replace::replace};

/// The largest file, in bytes.
const MAX: u64 = 4 << 20;

const VERSION: u64 = 1;

/// Where every installed plugin came from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Installed {
    pub plugins: BTreeMap<PluginId, Record>,
}

/// Where one of them came from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// Its command, if the registry said it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandPath>,
    /// What the file was when it was installed.
    pub sha256: Sha256,
    pub origin: Origin,
    pub url: String,
    /// Whether the registry called it official.
    #[serde(default)]
    pub official: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    pub installed_at: Timestamp,
}

/// What led to a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// An entry of the registry.
    Registry,
    /// A person, with a file.
    File,
    /// A person, with a URL.
    Url,
}

impl Installed {
    /// Reads the record; what cannot be read is left out.
    pub fn read(home: &Home) -> Self {
        let Ok(text) = text(&home.record()) else { return Self::default() };
        let Ok(Value::Object(mut file)) = serde_json::from_str(&text) else {
            return Self::default();
        };
        let Some(Value::Object(plugins)) = file.remove("plugins") else { return Self::default() };
        let record = |(id, value): (String, Value)| {
            Some((id.parse().ok()?, serde_json::from_value(value).ok()?))
        };
        Self { plugins: plugins.into_iter().filter_map(record).collect() }
    }

    /// Replaces the record.
    pub(crate) fn write(&self, home: &Home) -> io::Result<()> {
        let record = |(id, record): (&PluginId, &Record)| {
            Ok((id.to_string(), serde_json::to_value(record)?))
        };
        let plugins: Map<_, _> =
            self.plugins.iter().map(record).collect::<serde_json::Result<_>>()?;
        let file = json!({ "version": VERSION, "plugins": plugins });
        replace(&home.record(), format!("{file:#}\n").as_bytes())
    }
}

fn text(path: &Utf8Path) -> io::Result<String> {
    let mut text = String::new();
    files::open(path)?.take(MAX).read_to_string(&mut text)?;
    Ok(text)
}
