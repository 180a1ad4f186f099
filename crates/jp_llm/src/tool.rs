//! The life of a tool call.
//!
//! ```text
//! configuration ── resolve ──► ResolvedTool (definition, documentation, runtime)
//!                                  │
//! ToolCall ── arguments ───────────┼──► coordinator ──► runtime ──► outcome
//!                                  │        ▲                          │
//!                                  │        └── inquiry ◄── a question ┘
//!                                  └──► live (tools that stay alive between calls)
//! ```
//!
//! A tool is resolved once: its definition comes from the configuration, from its own program
//! ([`resolve`], asking is in `schema_query`), from an MCP server ([`mcp`]), or from jp. A call then goes through one loop, whatever
//! executes it ([`coordinator`]).

pub mod arguments;
pub mod call;
pub mod context;
pub mod coordinator;
pub mod definition;
pub mod held;
pub mod inquiry;
pub mod live;
mod local;
pub mod mcp;
pub mod merge;
pub mod outcome;
pub mod programs;
pub mod render;
pub mod resolve;
pub mod runtime;
mod schema_query;
mod sealed;
pub mod template;

pub use self::{
    call::{CallEnd, ToolCall},
    coordinator::{Changes, Coordinator, text_of},
    definition::{Origin, ToolDefinition, ToolDocs},
    inquiry::{
        Answer, Approval, Asker, AssistantInquiry, InquiryBackend, Interaction, Notice, Proposed,
        SettledAnswer, Verdict,
    },
    live::{Handles, LiveRuntime, LiveTool, Spawn},
    local::{BUNDLED, Machine, SERVE_BUNDLED, StartError},
    mcp::{Agreements, McpWorld, Pinned, Server, ServerError, Stranger},
    outcome::{Asked, Cause, ExecutionOutcome, Failure},
    resolve::{CallSettings, Listed, Listing, ResolveError, ResolvedTool, Resolver, Served, World},
    runtime::{memory::CallMemory, vfs::VfsWorld},
    schema_query::DescribeError,
    sealed::SealedProgram,
};
