//! What a plugin shows and logs.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, de};
use serde_json::{Map, Value};

/// Text for the user.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Print {
    #[serde(default, skip_serializing_if = "is_default")]
    pub channel: Channel,
    #[serde(default, skip_serializing_if = "is_default")]
    pub format: Format,
    /// The language of [`Format::Code`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    pub text: String,
}

/// What a text is. One that the reader does not know, and what is no string, is [`Channel::Content`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Channel {
    #[default]
    Content,
    Chrome,
    ToolCall,
    ToolResult,
    Reasoning,
    Error,
}

/// How a text is rendered. One that the reader does not know, and what is no string, is [`Format::Plain`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    #[default]
    Plain,
    Markdown,
    Json,
    Code,
}

/// A message for the log of the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Log {
    pub level: Level,
    pub message: String,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub fields: Map<String, Value>,
}

/// How much a message matters. There is no fallback: a wrong level is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    Error,
    Warn,
    Info,
    Debug,
    Trace,
}

/// A level that there is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown level `{0}`, expected trace, debug, info, warn or error")]
pub struct UnknownLevel(String);

impl Channel {
    fn from_name(name: &str) -> Self {
        match name {
            "chrome" => Self::Chrome,
            "tool_call" => Self::ToolCall,
            "tool_result" => Self::ToolResult,
            "reasoning" => Self::Reasoning,
            "error" => Self::Error,
            _ => Self::Content,
        }
    }
}

impl Format {
    fn from_name(name: &str) -> Self {
        match name {
            "markdown" => Self::Markdown,
            "json" => Self::Json,
            "code" => Self::Code,
            _ => Self::Plain,
        }
    }
}

impl FromStr for Level {
    type Err = UnknownLevel;

    fn from_str(name: &str) -> Result<Self, UnknownLevel> {
        Ok(match name {
            "error" => Self::Error,
            "warn" => Self::Warn,
            "info" => Self::Info,
            "debug" => Self::Debug,
            "trace" => Self::Trace,
            other => return Err(UnknownLevel(other.chars().take(40).collect())),
        })
    }
}

impl<'de> Deserialize<'de> for Channel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrAny(Self::from_name))
    }
}

impl<'de> Deserialize<'de> for Format {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NameOrAny(Self::from_name))
    }
}

impl<'de> Deserialize<'de> for Level {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(Name(Self::from_str))?.map_err(de::Error::custom)
    }
}

/// Reads a string, escaped or not, without keeping it.
struct Name<F>(F);

impl<T, F: Fn(&str) -> T> de::Visitor<'_> for Name<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<T, E> {
        Ok((self.0)(name))
    }
}

/// The same, but a value that is no string is read as the default: it is as unknown as a wrong name, and a text is
/// not lost for it.
struct NameOrAny<F>(F);

impl<'de, T: Default, F: Fn(&str) -> T> de::Visitor<'de> for NameOrAny<F> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<T, E> {
        Ok((self.0)(name))
    }

    fn visit_bool<E: de::Error>(self, _: bool) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_i64<E: de::Error>(self, _: i64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_u64<E: de::Error>(self, _: u64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_f64<E: de::Error>(self, _: f64) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_unit<E: de::Error>(self) -> Result<T, E> {
        Ok(T::default())
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, mut list: A) -> Result<T, A::Error> {
        while list.next_element::<de::IgnoredAny>()?.is_some() {}
        Ok(T::default())
    }

    fn visit_map<A: de::MapAccess<'de>>(self, mut map: A) -> Result<T, A::Error> {
        while map.next_entry::<de::IgnoredAny, de::IgnoredAny>()?.is_some() {}
        Ok(T::default())
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
