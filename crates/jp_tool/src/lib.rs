//! The contract between the host and tools.
//!
//! A tool is a program that a model asks for. The host starts it with an [`Invocation`]: which
//! [`Tool`] is called with what, and a [`Context`] that says where the workspace is and, in an
//! [`AccessPolicy`](access::AccessPolicy), what may be touched. The tool answers with an
//! [`Outcome`] (done, failed, or a [`Question`]), with a [`ToolResult`] made of typed blocks, with
//! plain text, or, when it is asked to describe itself, with a [`SchemaResponse`]. A tool that
//! stays alive between calls takes a [`ToolCommand`] and reports a [`ToolState`]. Every message is
//! shown in `docs/protocols/tool.md`.
//!
//! A tool that is sealed off does all this over another channel, and asks the host for every file,
//! URL and program as well: those messages are in [`vfs`].
//!
//! What a policy means is defined once, in [`access`]; the tool's own checks, the host's mediation
//! and the kernel's enforcement all read that definition.
//!
//! A tool author can depend on this crate alone: the feature `sdk`, on by default, has [`main`],
//! which makes a program of functions with typed arguments. The crate does not depend on a runtime or on the host's
//! configuration, and it touches the file system in two places only, both in [`access`]: resolving
//! a path, and opening what was resolved. Both work with handles of directories and exist on Unix
//! only; the rules and what they mean are the same everywhere.
//!
//! Readers ignore fields they do not know, so that either side can be newer than the other. The
//! exceptions are the messages that have to be told from arbitrary text, [`Outcome`] and
//! [`ToolResult`]: there an unknown field means that the text is something else.

#![warn(missing_docs)]

pub mod access;
mod action;
mod bounded;
mod content;
mod context;
mod invocation;
mod object;
mod outcome;
mod plain_path;
mod question;
mod schema;
#[cfg(feature = "sdk")]
mod sdk;
mod state;
pub mod vfs;

pub use action::Action;
pub use content::{
    Blocks, Content, ContentBlock, Inquiry, MalformedBlock, NotAToolResult, Resource, ResourceData,
    ResourceLink, ToolResult,
};
pub use context::Context;
pub use invocation::{InvalidInvocation, Invocation, Tool};
pub use outcome::{NotAnOutcome, Outcome, ToolError};
pub use plain_path::is_plain_path;
pub use question::{AnswerType, Question};
pub use schema::{
    InvalidSchema, Parameter, ParameterType, ParameterTypes, SchemaMatchError, SchemaResponse,
    ToolSchema,
};
#[cfg(feature = "sdk")]
pub use sdk::{
    Call, Exit, JsonSchema, MAX_LINE, NoArgs, Reply, Session, Stop, ToolEntry, main, on_streams,
    run, schema_of, schemars, stateful, tool,
};
pub use state::{InvalidCommand, InvalidState, SessionAction, Status, ToolCommand, ToolState};
