//! Variables in values of the configuration that are sent somewhere.
//!
//! The danger is a workspace that somebody else wrote: its configuration could name a place of his and one
//! of the user's variables as the key to it, and the key would be sent there. So a file of the workspace
//! can only name variables that begin with `JP_`, which nobody sets for another purpose.

use jp_config::{Config, LayerKind};
use jp_secret::{Lookup, Secret, SubstituteError, Template};

use crate::ctx;

/// How variables begin that a workspace may use.
const OURS: &str = "JP_";

/// What is said where that was the reason.
const HINT: &str = "a file of the workspace can only name variables that begin with `JP_`; your own settings can name any";

/// Why a value cannot be filled in.
#[derive(Debug)]
pub(super) struct NotFilled {
    pub(super) reason: String,
    /// What can be done about it, if something can.
    pub(super) hint: Option<&'static str>,
}

impl From<String> for NotFilled {
    fn from(reason: String) -> Self {
        Self { reason, hint: None }
    }
}

/// The value at a key with its variables filled in.
pub(super) fn fill(config: &Config, key: &str, value: &str) -> Result<String, NotFilled> {
    let is_foreign = is_foreign(config, key);
    let template = Template::parse(value).map_err(|error| error.to_string())?;
    let lookup = |variable: &str| match ctx::variable(variable) {
        _ if is_foreign && !variable.starts_with(OURS) => Lookup::Disallowed,
        found if found.is_empty() => Lookup::Unknown,
        found => Lookup::Value(Secret::new(found)),
    };
    let filled = template.fill(lookup).map_err(|error| match error {
        // This is about a setting, whoever reads it.
        SubstituteError::Disallowed { name } => NotFilled {
            reason: format!("the variable {name} cannot be used here"),
            hint: Some(HINT),
        },
        unknown @ SubstituteError::Unknown { .. } => unknown.to_string().into(),
    })?;
    let text = String::from_utf8(filled.reveal().to_vec());
    text.map_err(|_| "the value is not text".to_owned().into())
}

/// Whether a value comes from a file of the workspace.
fn is_foreign(config: &Config, key: &str) -> bool {
    matches!(config.layer(key), Some(LayerKind::Workspace | LayerKind::Directory))
}
