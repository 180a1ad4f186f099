//! `[plugins]`: programs that add commands. Where they are found, which may be installed without
//! a question, and which may run. A wrong value here decides what is executed, so every string
//! with a form is checked for it.

pub(crate) mod finish;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::conversation::tool::access::AccessConfig;
use crate::sandbox::SystemConfig;
use crate::types::format::{RegistryUrl, Sha256};
use crate::types::name_map::NameMap;

/// Programs that add commands: where they come from and when they may run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PluginsConfig {
    /// Whether an official plugin is installed without a question when its command is used. A workspace can
    /// only say that it is not.
    pub auto_install: bool,
    /// How long a plugin has to end after it was told to, in seconds.
    #[schemars(range(max = 3600))]
    pub shutdown_timeout_secs: u32,
    /// Where the list of plugins is fetched from: an `https://` or `file://` URL. That of a workspace is
    /// ignored.
    pub registry: RegistryUrl,
    /// Settings of single plugins, by the plugin's id.
    pub command: NameMap<CommandPluginConfig>,
}

impl Default for PluginsConfig {
    fn default() -> Self {
        Self {
            auto_install: true,
            shutdown_timeout_secs: 5,
            registry: RegistryUrl::default(),
            command: NameMap::default(),
        }
    }
}

/// One plugin.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CommandPluginConfig {
    /// Whether the plugin may be installed. Unset: by the rules for its origin. A workspace can only say that
    /// it may not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub install: Option<bool>,
    /// What happens before the plugin runs. Unset: by the rules for its origin. A workspace can only make it
    /// stricter: `ask` or `deny`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<PluginRun>,
    /// The only binary that may run under this id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<Checksum>,
    /// What the plugin may touch, with the rules of a tool. Unset: everything that you can. A workspace
    /// cannot set it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<AccessConfig>,
    /// What the plugin may use outside the workspace, if it has rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemConfig>,
    /// Settings handed to the plugin as they are.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub options: Map<String, Value>,
}

/// What happens before a plugin runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PluginRun {
    /// Ask first.
    Ask,
    /// Run without asking.
    Unattended,
    /// Never run.
    Deny,
}

/// The checksum a binary must have.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Checksum {
    /// How it is computed.
    pub algorithm: ChecksumAlgorithm,
    /// The expected value: 64 hexadecimal digits.
    pub value: Sha256,
}

/// How a checksum is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChecksumAlgorithm {
    /// SHA-256.
    Sha256,
}
