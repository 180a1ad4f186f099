//! Where everything lies: below the user's data directory of jp.

use camino::{Utf8Path, Utf8PathBuf};
use jp_plugin::{PREFIX, PluginId};

/// The data directory, `$XDG_DATA_HOME/jp`.
#[derive(Debug, Clone)]
pub struct Home {
    data: Utf8PathBuf,
}

impl Home {
    pub fn new(data: impl Into<Utf8PathBuf>) -> Self {
        Self { data: data.into() }
    }

    pub fn data(&self) -> &Utf8Path {
        &self.data
    }

    /// The registry as it was last fetched.
    pub fn registry(&self) -> Utf8PathBuf {
        self.data.join("registry.json")
    }

    /// Held by whoever replaces the registry.
    pub(crate) fn registry_lock(&self) -> Utf8PathBuf {
        self.data.join(".registry.lock")
    }

    /// The directory of installed plugins.
    pub fn dir(&self) -> Utf8PathBuf {
        self.data.join("plugins/command")
    }

    /// The file of a plugin, whatever its command is called.
    pub fn binary(&self, id: &PluginId) -> Utf8PathBuf {
        self.dir().join(format!("{PREFIX}{id}"))
    }

    /// What says where the plugins came from.
    pub fn record(&self) -> Utf8PathBuf {
        self.dir().join("installed.json")
    }

    pub(crate) fn lock(&self) -> Utf8PathBuf {
        self.dir().join(".lock")
    }
}
