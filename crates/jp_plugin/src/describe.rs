//! What a plugin says of itself when it is asked, before anything of it is run.

use serde::{Deserialize, Serialize};

use crate::path::CommandPath;

/// The answer to `describe`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Describe {
    pub name: String,
    pub version: String,
    /// One line for lists.
    pub description: String,
    /// The words the plugin answers to; without it they come from the name of its file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<CommandPath>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// What `jp <plugin> -h` prints.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<String>,
    /// Whether the plugin draws on the terminal itself and needs it in the foreground.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub tty: bool,
}
