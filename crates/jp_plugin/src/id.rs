//! The two kinds of ids: of a request, chosen by the plugin, and of a plugin, chosen by the registry.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Serialize};

/// The longest id of a request, in bytes.
pub const MAX_ID: usize = 1024;

/// What a plugin calls one of its requests. Any text; the answer carries the same.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RequestId(String);

/// An id that is too long to be carried along.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("`id` has {0} bytes, more than the limit of {MAX_ID}")]
pub struct InvalidId(pub usize);

/// The stable name of a plugin: its file is `jp-<id>`, its settings are `plugins.command.<id>`.
///
/// It becomes part of a path, so its form is strict: `[a-z0-9][a-z0-9_-]{0,63}`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PluginId(String);

/// A text that cannot be the id of a plugin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` cannot be the id of a plugin: one to 64 of a-z, 0-9, `_` and `-`, a letter or digit first"
)]
pub struct InvalidPluginId(String);

impl RequestId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for RequestId {
    type Error = InvalidId;

    fn try_from(text: String) -> Result<Self, InvalidId> {
        if text.len() > MAX_ID { Err(InvalidId(text.len())) } else { Ok(Self(text)) }
    }
}

impl From<RequestId> for String {
    fn from(id: RequestId) -> Self {
        id.0
    }
}

impl PluginId {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for PluginId {
    type Err = InvalidPluginId;

    fn from_str(text: &str) -> Result<Self, InvalidPluginId> {
        let plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fits = text.len() <= 64
            && text.bytes().next().is_some_and(plain)
            && text.bytes().all(|byte| plain(byte) || byte == b'_' || byte == b'-');
        if fits {
            Ok(Self(text.to_owned()))
        } else {
            Err(InvalidPluginId(text.chars().take(80).collect()))
        }
    }
}

impl TryFrom<String> for PluginId {
    type Error = InvalidPluginId;

    fn try_from(text: String) -> Result<Self, InvalidPluginId> {
        text.parse()
    }
}

impl From<PluginId> for String {
    fn from(id: PluginId) -> Self {
        id.0
    }
}

impl fmt::Display for PluginId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_of_plugins_are_safe_in_a_path() {
        // 072-282
        for good in ["a", "0", "serve-web", "serve_http-api", &"a".repeat(64)] {
            assert_eq!(good.parse::<PluginId>().unwrap().as_str(), good);
        }
        for bad in ["", "-a", "_a", "../x", "a/b", "A", "serve web", "a.b", "é", &"a".repeat(65)] {
            assert!(bad.parse::<PluginId>().is_err(), "{bad}");
        }
    }

    #[test]
    fn an_id_of_a_request_is_any_text_up_to_a_kibibyte() {
        for good in ["", "a", "ä\n\0\"", &"x".repeat(MAX_ID)] {
            assert_eq!(RequestId::try_from(good.to_owned()).unwrap().as_str(), good);
        }
        assert_eq!(RequestId::try_from("x".repeat(MAX_ID + 1)), Err(InvalidId(MAX_ID + 1)));
    }
}
