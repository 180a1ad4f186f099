//! The life of a tool call.

mod definition;

pub use self::definition::{Origin, ToolDefinition, ToolDocs};
