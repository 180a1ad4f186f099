//! What the author of a tool uses: functions with typed arguments become a program.
//!
//! The arguments are a struct. Reading it, refusing what does not fit, and the description that the
//! assistant sees all come from that one struct and its comments, so they cannot drift apart.
//!
//! ```no_run
//! use jp_tool::{Call, JsonSchema, Reply, ToolError};
//! use serde::Deserialize;
//!
//! /// Count the words of a text.
//! #[derive(Deserialize, JsonSchema)]
//! struct CountWords {
//!     /// The text.
//!     text: String,
//! }
//!
//! fn count_words(args: CountWords, _call: &Call) -> Result<Reply, ToolError> {
//!     Ok(args.text.split_whitespace().count().to_string().into())
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     jp_tool::main([jp_tool::tool("count_words", count_words)])
//! }
//! ```

pub(crate) mod arguments;
mod call;
pub(crate) mod entry;
mod line;
mod reply;
mod run;
mod schema;
mod serve;
pub(crate) mod stdio;

use std::process::ExitCode;

pub use schemars::{self, JsonSchema};

pub(crate) use self::run::find;
pub use self::{
    call::{Call, Stop},
    entry::{NoArgs, ToolEntry, stateful, tool},
    line::MAX_LINE,
    reply::Reply,
    run::{Exit, run},
    schema::schema_of,
    serve::Session,
    stdio::on_streams,
};

/// The whole program of a tool, or of several: reads the invocation from stdin, does what it asks
/// for and prints the answer, one line.
///
/// A program with one tool answers to any name. Whatever else is printed to stdout, by the tool or
/// by a program that it starts, goes to stderr instead (on Unix), so that it cannot get between the
/// lines of the answer.
pub fn main(tools: impl IntoIterator<Item = ToolEntry>) -> ExitCode {
    on_streams(|input, output| run(tools, input, output))
}

#[cfg(test)]
mod tests;
