//! What our MCP servers on stdio share, so that each is only its tools.
//!
//! A server is a [`Toolbox`]: a list of tools, what each does with a [`Call`], and documents that can
//! be read by URI. [`run`] serves it on stdin and stdout to clients of both eras of MCP (2026-07-28,
//! where every request stands on its own, and those before it, which begin with a handshake) until
//! the input ends or the process is told to stop.
//!
//! **Two protocols.** By default a [`Reply`] is plain MCP: text, embedded resources, links. Under the
//! flag `--jp` ([`JpFlag`]) it is the transitional envelope, a `jp_tool::Outcome` as the only text of
//! the result, marked in the result's `_meta`; see `docs/architecture/jp-aware-mcp-tools.md`.
//!
//! **One way to ask.** A tool calls [`Call::confirm`] or [`Call::choose`] and goes on with the
//! answer. How the question travels is decided here: in an envelope, by a multi round trip, by
//! elicitation, or, where nobody can be asked, as an error that names the argument that settles it.
//! Either of the first two starts the tool again from its beginning, so a tool asks before it does
//! anything that must not be done twice.
//!
//! Everything that is read has a largest size: a message 16 MiB, the state that a client carries for
//! us 64 KiB, a reply 8 MiB; at most 64 calls are served at once. The crate knows nothing of what the tools do, reads
//! neither the environment nor files, and writes nothing but messages.

mod call;
mod define;
mod flag;
mod reply;
mod server;
mod stdio;
mod stop;
mod toolbox;
mod way;

pub use rmcp::model::{Resource, ResourceTemplate, Tool, ToolAnnotations};
pub use schemars;
pub use tokio_util::sync::CancellationToken;

pub use self::{
    call::{Call, Prompt},
    define::define,
    flag::{JP_NOTICE, JpFlag, Protocol},
    reply::{Document, Item, Reply},
    stdio::{ServeError, run, serve},
    stop::Stop,
    toolbox::{About, Toolbox},
};

/// Marks a result whose only text is an envelope, and the extension that clients declare for it.
pub const OUTCOME_KEY: &str = "computer.jp/outcome";
/// Where the host says which tool is called with which answers and options.
pub const TOOL_KEY: &str = "computer.jp/tool";
/// Where the host says where the tool is called.
pub const CONTEXT_KEY: &str = "computer.jp/context";
