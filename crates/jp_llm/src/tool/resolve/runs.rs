//! How a tool that was described runs.

use std::sync::Arc;

use jp_config::conversation::tool::Tool as ConfiguredTool;
use jp_tool::{SessionAction, ToolSchema};
use jp_vfs::ToolAccess;

use super::{CallSettings, ResolveError, ResolvedTool};
use crate::tool::{
    arguments::Validator,
    definition,
    live::{LiveRuntime, once::Once},
    local::LocalProgram,
    merge::Origins,
    runtime::{
        ToolRuntime,
        stdio::{StdioRuntime, live::StdioLive},
        vfs::{VfsRuntime, VfsTool, VfsWorld, live::VfsLive},
    },
};

/// How a tool runs.
pub(super) struct Runs {
    pub(super) runtime: Arc<dyn ToolRuntime>,
    pub(super) live: Option<Arc<dyn LiveRuntime>>,
    pub(super) described: bool,
}

/// How the program of a local tool is run.
pub(super) enum ProgramKind {
    Stdio,
    /// Under these rights, in this world.
    Sealed(Arc<ToolAccess>, VfsWorld),
}

impl ProgramKind {
    /// A program that has described itself; with actions, it stays alive.
    pub(super) fn runs(
        self,
        program: Arc<LocalProgram>,
        actions: Option<Vec<SessionAction>>,
    ) -> Runs {
        let patience = program.timeout;
        let (runtime, live): (Arc<dyn ToolRuntime>, Arc<dyn LiveRuntime>) = match self {
            Self::Stdio => {
                (Arc::new(StdioRuntime::new(program.clone())), Arc::new(StdioLive::new(program)))
            }
            Self::Sealed(access, world) => {
                let tool = VfsTool { program, access, world };
                (Arc::new(VfsRuntime::new(tool.clone())), Arc::new(VfsLive::new(tool)))
            }
        };
        let Some(actions) = actions else { return Runs { runtime, live: None, described: true } };
        let once = Once::new(live.clone(), actions, patience);
        Runs { runtime: Arc::new(once), live: Some(live), described: true }
    }
}

/// The tool, with everything that is said about it.
pub(super) fn finish(
    tool: ConfiguredTool<'_>,
    schema: ToolSchema,
    origins: Origins,
    runs: Runs,
) -> Result<ResolvedTool, ResolveError> {
    let (definition, docs) = definition::split(tool.name, schema);
    let validator = Validator::new(&definition).map_err(|error| ResolveError::Definition {
        name: tool.name.to_owned(),
        what: error.to_string(),
    })?;
    Ok(ResolvedTool {
        definition,
        docs,
        origins,
        settings: CallSettings::of(tool),
        // A tool that stays alive is only ever run.
        describes_itself: runs.described && runs.live.is_none(),
        runtime: runs.runtime,
        live: runs.live,
        name_at_source: tool.name_at_source().to_owned(),
        served: None,
        validator,
    })
}
