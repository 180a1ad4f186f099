//! The whole configuration as plain types. This is the one source of truth: the doc comment of a
//! field is the description that editors and the reference show, `Default` is the built-in
//! default, and the schema that checks every layer is derived from what is written here.
//!
//! A new key is a new field with a doc comment. A table that layers may extend is a struct with
//! `#[serde(default)]`; a list that they may extend is a [`MergeableVec`](crate::MergeableVec).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::assistant::AssistantConfig;
use crate::conversation::ConversationConfig;
use crate::conversation::tool::Tool;
use crate::plugins::PluginsConfig;
use crate::project::ProjectConfig;
use crate::providers::ProvidersConfig;
use crate::sandbox::SandboxSettings;
use crate::server::ServerConfig;
use crate::style::StyleConfig;
use crate::vfs::VfsConfig;

/// Settings of jp. Every key is optional: a file says only what differs from the layers below it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AppConfig {
    /// Who answers, and with which model.
    pub assistant: AssistantConfig,
    /// What a conversation can use.
    pub conversation: ConversationConfig,
    /// Programs that add commands: where they come from and when they may run.
    pub plugins: PluginsConfig,
    /// Where the files of the project are.
    pub project: ProjectConfig,
    /// Programs and services that tools come from.
    #[serde(skip_serializing_if = "ProvidersConfig::is_empty")]
    pub providers: ProvidersConfig,
    /// How programs of tools are confined, and what is kept from them.
    pub sandbox: SandboxSettings,
    /// Servers that plugins offer.
    pub server: ServerConfig,
    /// How output looks.
    pub style: StyleConfig,
    /// Limits of tools with `runtime = "vfs"`.
    pub vfs: VfsConfig,
}

impl AppConfig {
    /// The tool `name`, with the defaults of `conversation.tools."*"` already applied.
    ///
    /// `"*"` itself is not a tool and is never returned.
    pub fn tool(&self, name: &str) -> Option<Tool<'_>> {
        self.conversation.tools.get(name)
    }
}
