//! The life of a tool call.

pub mod arguments;
mod definition;
pub mod merge;
pub mod template;

pub use self::definition::{Origin, ToolDefinition, ToolDocs};
