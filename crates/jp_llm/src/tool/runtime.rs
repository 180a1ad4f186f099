//! How a tool is executed, whatever it is made of.
//!
//! Each runtime has what it needs from the moment it is made (how to confine its program, the registry
//! of what is built in, a connection), so whoever calls a tool passes the call and nothing else.

pub mod builtin;
pub mod mcp;
pub mod memory;
pub(crate) mod messages;
pub mod stdio;
pub mod vfs;

use std::{fmt, pin::Pin};

use jp_confine::Advice;
use jp_tool::{Action, Tool};
use tokio_util::sync::CancellationToken;

use self::memory::CallMemory;
use super::{held::Held, outcome::ExecutionOutcome};

/// A future that says nothing about who made it.
pub type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What can execute one tool.
pub trait ToolRuntime: fmt::Debug + Send + Sync {
    /// Executes it once. Dropping the future ends it; cancelling it ends it and says so.
    fn execute<'a>(&'a self, request: Request<'a>) -> BoxFuture<'a, Execution>;

    /// Whether an execution whose changes are held back leaves nothing behind, so that it needs nobody's
    /// leave.
    fn leaves_nothing(&self) -> bool {
        false
    }
}

/// One execution.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// The call, with the answers so far.
    pub tool: &'a Tool,
    /// What is wanted.
    pub action: Action,
    /// Whether what it changes is held back until somebody has looked at it.
    pub hold: bool,
    /// What is kept from one execution of the call to the next.
    pub memory: &'a CallMemory,
    /// Ends it.
    pub cancel: &'a CancellationToken,
}

/// What came of one execution, and what is left to settle.
#[derive(Debug)]
pub struct Execution {
    /// How it ended.
    pub outcome: ExecutionOutcome,
    /// What it changed and nobody has decided about yet. Dropped, it is thrown away.
    pub pending: Option<Held>,
    /// What it was denied.
    pub advice: Vec<Advice>,
    /// What has to be said about how it was confined.
    pub warnings: Vec<String>,
}

impl From<ExecutionOutcome> for Execution {
    fn from(outcome: ExecutionOutcome) -> Self {
        Self { outcome, pending: None, advice: Vec::new(), warnings: Vec::new() }
    }
}
