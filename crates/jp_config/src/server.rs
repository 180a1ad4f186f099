//! `[server]`: where servers listen.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::types::format::BindAddress;

/// Servers that plugins offer.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ServerConfig {
    /// The web view.
    pub web: WebConfig,
}

/// The web view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct WebConfig {
    /// The address to listen on. The default is reachable from this machine only.
    pub bind: BindAddress,
    /// The port to listen on; 0 lets the system choose.
    pub port: u16,
}

impl Default for WebConfig {
    fn default() -> Self {
        Self { bind: BindAddress::default(), port: 3141 }
    }
}
