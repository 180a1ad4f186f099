//! What a tool is told when it is called, built in one place: the line on a program's stdin, the values
//! of its command line's template, and what other runtimes send in their own envelope all come from
//! here, so that a tool cannot tell by its context how it was reached.

use camino::Utf8PathBuf;
use jp_tool::{Action, Context, Invocation, Tool, access::AccessPolicy};

/// Where a tool is called: what stays the same for all calls of one tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Place {
    /// The root of the workspace, canonical.
    pub root: Utf8PathBuf,
    /// The id of the workspace.
    pub workspace_id: Option<String>,
    /// The conversation that asks.
    pub conversation_id: Option<String>,
    /// What the tool may touch; `None`: everything in the workspace.
    pub access: Option<AccessPolicy>,
}

/// The invocation for one call of a tool at this place.
pub fn tool_context(place: &Place, tool: Tool, action: Action) -> Invocation {
    let Place { root, workspace_id, conversation_id, access } = place.clone();
    let context = Context { root, action, access, workspace_id, conversation_id };
    Invocation { tool, context }
}
