//! A sealed tool that is served as jp serves one, and does what it is told.
//!
//! It stays alive and takes orders as the input of a session, so orders and answers go the way of the
//! protocol too, outside of what is timed.

use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::Duration;

use camino::Utf8Path;
use jp_project::{FsProjectFiles, Rules};
use jp_tool::access::path::Root;
use jp_tool::access::{AccessPolicy, Capability, FsRule};
use jp_tool::vfs::{Init, PROTOCOL_VERSION};
use jp_tool::{Content, ToolState};
use jp_vfs::gate::Gate;
use jp_vfs::{Host, Limits, Pipes, Session, ToolAccess};
use tokio::runtime::{Builder, Runtime};

use super::worker::Order;
use crate::bench::PATIENCE;
use crate::failure::{Failure, Result};
use crate::role::Role;

/// The tool and its host.
pub(super) struct Tool {
    runtime: Runtime,
    session: Session,
    child: Child,
}

impl Tool {
    /// Starts the tool, with these files.
    pub(super) fn start(root: &Utf8Path) -> Result<Self> {
        let failed = |error| Failure::because("cannot serve the tool")(error);
        let mut command = Role::VfsWorker.command();
        let child = command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(failed)?;
        let (Some(to_tool), Some(from_tool)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::new("the tool has no streams"));
        };
        let pipes = Pipes { to_tool: to_tool.into(), from_tool: from_tool.into() };
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_time().build();
        let runtime = runtime.map_err(failed)?;
        let (gate, host) = (Arc::new(gate(root)?), Arc::new(host()));
        let entered = runtime.enter();
        let session = Session::start(pipes, init(), gate, host, true).map_err(failed)?;
        drop(entered);
        let tool = Self { runtime, session, child };
        tool.state_after(0)?;
        Ok(tool)
    }

    /// Has the tool do something, and returns how long it took, by its own clock.
    pub(super) fn ask(&self, order: &Order) -> Result<Duration> {
        let before = self.session.states();
        self.session.apply(serde_json::to_value(order).map_err(Failure::because("no order"))?);
        let state = self.state_after(before)?;
        let ToolState::Running { content: Some(Content::Text(nanos)) } = state else {
            return Err(Failure::new(format!("the tool failed: {state:?}")));
        };
        nanos.parse().map(Duration::from_nanos).map_err(Failure::because("not a time"))
    }

    fn state_after(&self, before: u64) -> Result<ToolState> {
        let state = self.session.state_after(before);
        let state = self.runtime.block_on(async { tokio::time::timeout(PATIENCE, state).await });
        let state = state.map_err(Failure::because("the tool takes too long"))?;
        state.map_err(|end| Failure::new(format!("the tool has ended: {end:?}")))
    }
}

impl Drop for Tool {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Twenty rules, of which the last is the answer.
fn policy() -> AccessPolicy {
    let others = (0..19).map(|number| {
        let path = format!("x{}/y{number}", number % 7);
        FsRule::new(path, [Capability::Read, Capability::Create])
    });
    let root = FsRule::new(".", [Capability::Read]);
    AccessPolicy { fs: others.chain([root]).collect(), ..AccessPolicy::default() }
}

fn gate(root: &Utf8Path) -> Result<Gate> {
    let root = Root::open(root).map_err(Failure::because("cannot open the root"))?;
    let files = FsProjectFiles::new(root, Rules::default());
    let access = ToolAccess::new("bench", "conversation.tools.bench", Some(policy()), None);
    Ok(Gate::new(Arc::new(access), Arc::new(files), "/nowhere".into()))
}

/// The host of jp, with room for a file of 10 MiB, which is a little more than its own limit.
fn host() -> Host {
    Host::without_means(Limits { file_bytes: 10 << 20, ..Limits::default() })
}

fn init() -> Init {
    Init {
        tool: jp_tool::Tool { name: "bench".to_owned(), ..jp_tool::Tool::default() },
        context: jp_tool::vfs::InitContext { access: Some(policy()), ..Default::default() },
        protocol_version: PROTOCOL_VERSION.to_owned(),
    }
}
