//! The tools of a server, as it describes them.

use serde_json::{Map, Value};
use thiserror::Error;

/// All tools of a server.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Tools {
    /// The tools that were understood, in the server's order. No two have the same name.
    pub tools: Vec<Tool>,
    /// What is wrong with the others.
    pub malformed: Vec<MalformedTool>,
}

impl Tools {
    /// The tool with this name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }
}

/// A tool. All of it are words of the server: not to be trusted.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name, which is unique on its server.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it does.
    pub description: Option<String>,
    /// The JSON Schema of its arguments: an object.
    pub input_schema: Map<String, Value>,
    /// The JSON Schema of its structured answer.
    pub output_schema: Option<Value>,
    /// What it says about its effects.
    pub annotations: Annotations,
    /// What the server wrote into `_meta`.
    pub meta: Map<String, Value>,
}

/// What a tool says about its effects; `None` where it says nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
    /// Doing it twice is the same as doing it once.
    pub idempotent: Option<bool>,
    /// It speaks with the world outside.
    pub open_world: Option<bool>,
}

impl Annotations {
    /// Whether a call may be made again when nobody knows whether it was made.
    pub fn may_be_repeated(self) -> bool {
        self.read_only == Some(true) || self.idempotent == Some(true)
    }
}

/// A tool that was left out.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("tool {}was skipped: {reason}", self.subject())]
pub struct MalformedTool {
    /// Its place in the list, from zero.
    pub index: usize,
    /// Its name, if it has one.
    pub name: Option<String>,
    /// What is wrong with it.
    pub reason: String,
}

impl MalformedTool {
    fn subject(&self) -> String {
        match &self.name {
            Some(name) => format!("`{}` ", name.escape_debug()),
            None => format!("{} ", self.index),
        }
    }
}
