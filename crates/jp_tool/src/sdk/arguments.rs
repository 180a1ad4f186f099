//! From what the assistant wrote to the type that a tool takes.
//!
//! The reader of the error is a model that will try again, so it says which argument is wrong, what
//! was expected and what was found, and no more of it than a line: what was found can be megabytes.
//! An argument that the tool does not know is refused. Most often it is a misspelled one, and a call
//! that ignores `dry_run` does harm.

use serde::de::{DeserializeOwned, IntoDeserializer};
use serde_json::{Map, Value};

use crate::ToolError;

/// The longest part of a message that is taken from the arguments, in characters.
const MAX_QUOTE: usize = 300;

/// Reads all arguments of a tool.
pub(crate) fn read<A: DeserializeOwned>(arguments: Map<String, Value>) -> Result<A, ToolError> {
    let mut unknown = Vec::new();
    let mut track = serde_path_to_error::Track::new();
    let tracked = serde_path_to_error::Deserializer::new(
        Value::Object(arguments).into_deserializer(),
        &mut track,
    );
    let read = serde_ignored::deserialize(tracked, |path| unknown.push(path.to_string()));
    match read {
        Ok(_) if !unknown.is_empty() => Err(no_such(&unknown)),
        Ok(arguments) => Ok(arguments),
        Err(error) => Err(wrong(&track.path(), &error)),
    }
}

/// Reads the value of one key. `what` says what kind of value it is.
pub(crate) fn one<T: DeserializeOwned>(
    what: &str,
    key: &str,
    values: &Map<String, Value>,
) -> Result<Option<T>, ToolError> {
    let read = values.get(key).map(T::deserialize).transpose();
    read.map_err(|error| ToolError::new(format!("{what} `{key}`: {}", quote(&error.to_string()))))
}

fn wrong(path: &serde_path_to_error::Path, error: &serde_json::Error) -> ToolError {
    let reason = quote(&error.to_string());
    if path.iter().next().is_some() {
        return ToolError::new(format!("argument `{path}`: {reason}"));
    }
    // What is missing or unknown at the top is named in the reason, and is a field to serde only.
    let reason = match reason.split_once(" field ") {
        Some((what @ ("missing" | "unknown"), name)) => format!("{what} argument {name}"),
        _ => reason,
    };
    ToolError::new(format!("wrong arguments: {reason}"))
}

fn no_such(unknown: &[String]) -> ToolError {
    let names: Vec<String> = unknown.iter().map(|name| format!("`{name}`")).collect();
    ToolError::new(format!("wrong arguments: unknown argument {}", quote(&names.join(", "))))
}

/// The beginning of a text that came from outside.
fn quote(text: &str) -> String {
    match text.char_indices().nth(MAX_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
