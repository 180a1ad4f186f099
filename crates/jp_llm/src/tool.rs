//! The life of a tool call.

mod definition;
pub mod template;

pub use self::definition::{Origin, ToolDefinition, ToolDocs};
