//! `[providers]`: programs and services that jp gets tools from. For now these are MCP servers.
//!
//! A server is a program of somebody else's that is started with the rights of the user, or a service
//! that headers are sent to. So a program can be confined by the same rules as a tool, and what is sent
//! to either may name variables only as far as the file that says so is the user's own; that is for
//! whoever reads the environment to keep.

pub(crate) mod finish;

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::MergeableVec;
use crate::conversation::tool::access::AccessConfig;
use crate::plugins::Checksum;
use crate::sandbox::SystemConfig;
use crate::types::format::HttpUrl;
use crate::types::name_map::NameMap;

/// Programs and services that tools come from.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ProvidersConfig {
    /// MCP servers, by name. A tool names one in its `source`: `mcp.<server>.<tool>`.
    #[serde(skip_serializing_if = "NameMap::is_empty")]
    pub mcp: NameMap<McpServerConfig>,
}

impl ProvidersConfig {
    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.mcp.is_empty()
    }
}

/// An MCP server: a program that is started by `command`, or a service at `url`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpServerConfig {
    /// The program of a server that is started here: a name that is looked for in `PATH`, or a path.
    /// It is one word; arguments have their own key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    /// The arguments of the program.
    #[serde(skip_serializing_if = "is_empty")]
    pub arguments: MergeableVec<String>,
    /// Variables that the program is given beside those it gets anyway. In a value, `${NAME}` stands for
    /// the variable `NAME` of the environment in which jp runs; a file of the workspace can only name
    /// variables that begin with `JP_`.
    #[serde(skip_serializing_if = "NameMap::is_empty")]
    pub variables: NameMap<String>,
    /// The directory that the program starts in, below the root of the workspace. Unset: the root.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What the program may touch, with the rules of a tool. Unset: as for a tool without rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<AccessConfig>,
    /// What the program may use outside the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system: Option<SystemConfig>,
    /// The only file that may be started as the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<Checksum>,
    /// The address of a server that runs elsewhere: an `https://` or `http://` URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<HttpUrl>,
    /// Headers of every request to such a server. In a value, `${NAME}` stands for a variable as it does
    /// in `variables`.
    #[serde(skip_serializing_if = "NameMap::is_empty")]
    pub headers: NameMap<String>,
    /// Whether one process serves all calls of a run of jp. Otherwise each call gets its own.
    pub stateful: bool,
    /// How many seconds the server has to answer for the first time.
    #[schemars(range(min = 1, max = 3600))]
    pub startup_timeout_secs: u32,
    /// How many seconds a call may take. Waiting for an answer of a person does not count.
    #[schemars(range(min = 1, max = 86_400))]
    pub timeout_secs: u32,
}

impl McpServerConfig {
    /// How long the server may take to answer for the first time.
    pub fn startup_timeout(&self) -> Duration {
        Duration::from_secs(self.startup_timeout_secs.into())
    }

    /// How long a call may take.
    pub fn timeout(&self) -> Duration {
        Duration::from_secs(self.timeout_secs.into())
    }
}

impl Default for McpServerConfig {
    fn default() -> Self {
        Self {
            command: None,
            arguments: MergeableVec::default(),
            variables: NameMap::default(),
            cwd: None,
            access: None,
            system: None,
            checksum: None,
            url: None,
            headers: NameMap::default(),
            stateful: true,
            startup_timeout_secs: 30,
            timeout_secs: 600,
        }
    }
}

fn is_empty<T>(list: &MergeableVec<T>) -> bool {
    list.0.is_empty()
}
