//! What sealed tools are served with: the files of the project, the network, programs, and somebody who
//! can be asked.

use std::sync::Arc;

use camino::Utf8Path;
use jp_config::vfs::VfsConfig;
use jp_confine::Confiner;
use jp_fetch::{FetchLimits, FetchSettings, Fetcher};
use jp_llm::tool::{VfsWorld, programs::ConfinedPrograms};
use jp_route::Upstream;
use jp_tool::access::SensitiveGate;
use jp_vfs::{Approver, Host, HostParts, Limits, Nobody, Recorder, gate::Changes};

use super::{
    approver::TerminalApprover, keep::Keeper, progress::Progress, project, recorder::TraceFile,
};
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
    let limits = limits(&ctx.config().app.vfs);
    let host = Host::new(HostParts {
        network: Some(Arc::new(network(&limits)?)),
        programs: Some(Arc::new(programs(ctx, confiner))),
        approver,
        recorder: trace.map(|file| Arc::new(file) as Arc<dyn Recorder>),
        limits,
        variables: ctx::variables(),
    });
    let project = project::open(ctx.config(), root)?;
    let changes = Changes::default();
    Ok(VfsWorld { host: Arc::new(host), project, scratch: ctx::temp(), changes })
}

/// What a rule alone does not let them have.
pub(super) fn sensitive(ctx: &Ctx, root: &Utf8Path) -> Arc<SensitiveGate> {
    let paths = ctx.config().sensitive_paths().clone();
    Arc::new(SensitiveGate::new(paths, root.to_owned(), ctx::home()))
}

/// Sends requests for tools. Nothing is opened or read before there is one.
fn network(limits: &Limits) -> Result<Fetcher> {
    let variables = ctx::variables();
    let upstream = Upstream::of_variables(&variables).map_err(|error| {
        Error::usage(error.to_string()).hint("`HTTP_PROXY` and `HTTPS_PROXY` name proxies by URL")
    })?;
    let ca_file = ctx::variable("SSL_CERT_FILE");
    Ok(Fetcher::new(FetchSettings {
        upstream,
        ca_file: (!ca_file.is_empty()).then(|| ca_file.into()),
        limits: FetchLimits {
            total: limits.http_timeout,
            body: usize::try_from(limits.file_bytes).unwrap_or(usize::MAX),
            ..FetchLimits::default()
        },
        ..FetchSettings::default()
    }))
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
