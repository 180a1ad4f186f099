//! What sealed tools are served with: the files of the project, the network, programs, and somebody who
//! can be asked.

use std::sync::Arc;

use camino::Utf8Path;
use jp_config::vfs::VfsConfig;
use jp_confine::Confiner;
use jp_llm::tool::{VfsWorld, programs::ConfinedPrograms};
use jp_project::{FsProjectFiles, ProjectFiles, Rules};
use jp_tool::access::{SensitiveGate, path::Root};
use jp_vfs::{Approver, Host, HostParts, Limits, Nobody, Recorder};

use super::{approver::TerminalApprover, keep::Keeper, progress::Progress, recorder::TraceFile};
use crate::{
    confine,
    ctx::{self, Ctx},
    error::{Error, Result},
};

/// What sealed tools of this workspace are served with.
pub(super) fn world(
    ctx: &Ctx,
    root: &Utf8Path,
    confiner: &Arc<Confiner>,
    attended: Option<Arc<Progress>>,
    trace: Option<TraceFile>,
) -> Result<VfsWorld> {
    let approver: Arc<dyn Approver> = match attended {
        Some(progress) => {
            let keeper = Keeper::new(ctx.origins().clone(), ctx::home());
            Arc::new(TerminalApprover::new(ctx.terminal().clone(), keeper, progress))
        }
        None => Arc::new(Nobody),
    };
    let host = Host::new(HostParts {
        network: None,
        programs: Some(Arc::new(programs(ctx, confiner))),
        approver,
        recorder: trace.map(|file| Arc::new(file) as Arc<dyn Recorder>),
        limits: limits(&ctx.config().app.vfs),
        variables: ctx::variables(),
    });
    Ok(VfsWorld { host: Arc::new(host), project: project(root)?, scratch: ctx::temp() })
}

/// Starts programs for tools, each under the rules of its tool.
fn programs(ctx: &Ctx, confiner: &Arc<Confiner>) -> ConfinedPrograms {
    let config = ctx.config();
    let tools = config.app.conversation.tools.iter();
    let needs = tools.filter_map(|tool| {
        let system = tool.config.system.as_ref()?;
        Some((config.tool_key(tool.name), confine::needs(system)))
    });
    ConfinedPrograms::new(confiner.clone(), ctx::variable("PATH").into(), needs.collect())
}

/// What a rule alone does not let them have.
pub(super) fn sensitive(ctx: &Ctx, root: &Utf8Path) -> Arc<SensitiveGate> {
    let paths = ctx.config().sensitive_paths().clone();
    Arc::new(SensitiveGate::new(paths, root.to_owned(), ctx::home()))
}

fn project(root: &Utf8Path) -> Result<Arc<dyn ProjectFiles>> {
    let root = Root::open(root).map_err(|error| Error::failure(format!("{root}: {error}")))?;
    Ok(Arc::new(FsProjectFiles::new(root, Rules::default())))
}

fn limits(config: &VfsConfig) -> Limits {
    Limits {
        file_bytes: config.file_bytes,
        message_bytes: usize::try_from(config.message_bytes).unwrap_or(usize::MAX),
        request_timeout: config.request_timeout(),
        cancel_grace: config.cancel_grace(),
        kill_after: config.kill_after(),
        http_timeout: config.http_timeout(),
        process_timeout: config.process_timeout(),
    }
}
