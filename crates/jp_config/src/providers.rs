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
use crate::types::format::{HttpUrl, SystemPath};
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
    /// How to log in to such a server. Unset: as the server wants it, with `jp mcp login`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub auth: Option<McpAuthConfig>,
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
            auth: None,
            stateful: true,
            startup_timeout_secs: 30,
            timeout_secs: 600,
        }
    }
}

/// How to log in to an MCP server that runs elsewhere (OAuth).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct McpAuthConfig {
    /// Who logs in: a person with a browser, or jp by itself.
    pub grant: McpGrant,
    /// What jp is known as to the authorization server. Unset: it registers by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_id: Option<String>,
    /// The name of the variable that holds the secret of the client. A file of the workspace can only name
    /// variables that begin with `JP_`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_secret_env: Option<String>,
    /// What to ask for. Unset: what the server says that it needs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
    /// The `https://` URL of a document that describes jp, for authorization servers that read it instead of
    /// registering jp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_metadata_url: Option<HttpUrl>,
    /// The file with the key that proves who the client is, in your own settings only: PKCS #8 as PEM.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub private_key_file: Option<SystemPath>,
}

/// Who logs in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum McpGrant {
    /// A person, with a browser.
    #[default]
    AuthorizationCode,
    /// jp by itself, with a secret or a key.
    ClientCredentials,
}

fn is_empty<T>(list: &MergeableVec<T>) -> bool {
    list.0.is_empty()
}
