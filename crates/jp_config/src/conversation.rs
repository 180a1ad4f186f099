//! `[conversation]`: what a conversation can use. For now that is its tools.

pub mod tool;
pub mod tools;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use tools::Tools;

/// What a conversation can use.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ConversationConfig {
    /// The tools, by name. `"*"` holds defaults for all of them.
    pub tools: Tools,
}
