//! What sealed tools are served with: the files of the project, the network, programs, and somebody who
//! can be asked.

use std::sync::Arc;

use camino::Utf8Path;
use jp_config::vfs::VfsConfig;
use jp_llm::tool::VfsWorld;
use jp_project::{FsProjectFiles, ProjectFiles, Rules};
use jp_tool::access::{SensitiveGate, path::Root};
use jp_vfs::{Host, HostParts, Limits, Nobody};

use crate::{
    ctx::{self, Ctx},
    error::{Error, Result},
};

/// What sealed tools of this workspace are served with.
pub(super) fn world(ctx: &Ctx, root: &Utf8Path) -> Result<VfsWorld> {
    let host = Host::new(HostParts {
        network: None,
        programs: None,
        approver: Arc::new(Nobody),
        recorder: None,
        limits: limits(&ctx.config().app.vfs),
        variables: ctx::variables(),
    });
    Ok(VfsWorld { host: Arc::new(host), project: project(root)?, scratch: ctx::temp() })
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
