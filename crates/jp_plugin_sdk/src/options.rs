//! What a user has written under `[plugins.command.<id>.options]`, as a type.
//!
//! The danger is that settings can come with somebody's workspace: what a flag may say, an option may not
//! always.

use jp_plugin::to_plugin::Init;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// The options are not as the plugin wants them.
#[derive(Debug, thiserror::Error)]
#[error("`plugins.command.{plugin}.options` cannot be used")]
pub struct OptionsError {
    /// The id of the plugin.
    plugin: String,
    #[source]
    source: serde_json::Error,
}

/// Reads the options of the plugin with this id. Without any it is like an empty table, so every field
/// needs a default.
pub fn options<O: DeserializeOwned>(init: &Init, plugin: &str) -> Result<O, OptionsError> {
    let options = Value::Object(init.options.clone().unwrap_or_default());
    let failed = |source| OptionsError { plugin: plugin.to_owned(), source };
    serde_json::from_value(options).map_err(failed)
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    #[derive(Debug, Default, PartialEq, Deserialize)]
    #[serde(default, deny_unknown_fields)]
    struct Options {
        loud: Option<bool>,
    }

    #[test]
    fn options_are_a_type() {
        let read = |options: Value| {
            let init = json!({
                "version": 1, "args": [], "config": {}, "log_level": 0, "options": options,
                "workspace": { "root": "/", "storage": "/.jp", "id": "a1b2c" },
            });
            let init: Init = serde_json::from_value(init).unwrap();
            super::options::<Options>(&init, "hello").map_err(crate::Failure::from)
        };
        assert_eq!(read(Value::Null), Ok(Options::default()));
        assert_eq!(read(json!({ "loud": true })), Ok(Options { loud: Some(true) }));
        let failed = |text: &str| {
            crate::Failure::new(format!("`plugins.command.hello.options` cannot be used: {text}"))
        };
        assert_eq!(read(json!({ "lod": 1 })), Err(failed("unknown field `lod`, expected `loud`")));
    }
}
