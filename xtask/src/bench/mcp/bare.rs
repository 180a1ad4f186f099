//! The peer: `read_file` of an MCP server, with the official library on both sides and nothing else. There is no
//! policy.
//!
//! The usual server is what the library's table of transports lists for standard streams, on the runtime that
//! `#[tokio::main]` makes: threads read and write for it. The tight one has a single thread that waits for the pipes
//! itself, which is the fastest that the library allows; so does the client, whichever server it talks to.

use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use camino::Utf8Path;
use jp_mcp::Era;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData,
    ProtocolVersion,
};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _};
use rmcp::service::{RequestContext, RoleServer, RunningService};
use rmcp::transport::stdio;
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::json;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::unix::pipe;
use tokio::runtime::{Builder, Runtime};

use crate::bench::{PATIENCE, pin};
use crate::failure::{Failure, Result};
use crate::role::Role;

/// How the server is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Make {
    /// On all threads of a runtime, with threads for its streams.
    Usual,
    /// On one thread, which waits for the pipes itself.
    Tight,
}

/// A client with its server.
pub(crate) struct Mcp {
    runtime: Runtime,
    client: RunningService<RoleClient, ()>,
    child: Child,
}

impl Mcp {
    /// Starts the server and greets it in this era.
    pub(crate) fn start(era: Era, make: Make) -> Result<Self> {
        let failed = |error| Failure::because("cannot start the MCP server")(error);
        let mut child = command(make).spawn().map_err(failed)?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(Failure::new("the MCP server has no streams"));
        };
        let runtime = runtime()?;
        let client = runtime.block_on(async {
            let output = pipe::Sender::from_owned_fd(stdin.into()).map_err(failed)?;
            let input = pipe::Receiver::from_owned_fd(stdout.into()).map_err(failed)?;
            let client = ().serve_with_lifecycle((input, output), greeting(era)).await;
            client.map_err(Failure::because("the MCP server is silent"))
        })?;
        Ok(Self { runtime, client, child })
    }

    /// The time of reading a file of this size once.
    pub(crate) fn read(&self, path: &Utf8Path, size: usize, times: u32) -> Result<Duration> {
        let _pinned = pin::to_one_core()?;
        let all = async {
            let start = Instant::now();
            for _ in 0..times {
                self.read_once(path, size).await?;
            }
            Ok(start.elapsed() / times.max(1))
        };
        let all = self.runtime.block_on(async { tokio::time::timeout(PATIENCE, all).await });
        all.map_err(Failure::because("the MCP server takes too long"))?
    }

    async fn read_once(&self, path: &Utf8Path, size: usize) -> Result {
        let arguments = json!({ "path": path });
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        let request = CallToolRequestParams::new("read_file").with_arguments(arguments);
        let result = self.client.call_tool(request).await;
        let result = result.map_err(Failure::because("the MCP server failed"))?;
        match result.content.first() {
            Some(ContentBlock::Text(text)) if text.text.len() == size => Ok(()),
            _ => Err(Failure::new("the MCP server answered something else")),
        }
    }
}

impl Drop for Mcp {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn greeting(era: Era) -> ClientLifecycleMode {
    match era {
        Era::Modern => ClientLifecycleMode::Discover {
            preferred_versions: vec![ProtocolVersion::V_2026_07_28],
        },
        Era::Legacy => ClientLifecycleMode::Initialize,
    }
}

/// The program of the server, which talks over pipes.
pub(super) fn command(make: Make) -> Command {
    let role = match make {
        Make::Usual => Role::McpServer,
        Make::Tight => Role::TightMcpServer,
    };
    let mut command = role.command();
    command.current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped());
    command
}

/// The tight server, on the streams of this process.
pub(crate) fn serve_tightly() -> Result {
    let failed = |error| Failure::because("cannot use the streams")(error);
    runtime()?.block_on(async {
        let own = |fd: std::os::fd::BorrowedFd<'_>| fd.try_clone_to_owned().map_err(failed);
        let input = own(std::os::fd::AsFd::as_fd(&std::io::stdin()))?;
        let output = own(std::os::fd::AsFd::as_fd(&std::io::stdout()))?;
        let input = pipe::Receiver::from_owned_fd(input).map_err(failed)?;
        let output = pipe::Sender::from_owned_fd(output).map_err(failed)?;
        answer((input, output)).await
    })
}

/// The usual server.
pub(crate) fn serve() -> Result {
    let runtime = Builder::new_multi_thread().enable_all().build();
    let runtime = runtime.map_err(Failure::because("cannot start a runtime"))?;
    runtime.block_on(answer(stdio()))
}

async fn answer<R, W>(streams: (R, W)) -> Result
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server = Files.serve(streams).await.map_err(Failure::because("no MCP client"))?;
    server.waiting().await.map(drop).map_err(Failure::because("the MCP server failed"))
}

struct Files;

impl ServerHandler for Files {
    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> std::result::Result<CallToolResponse, ErrorData> {
        let path = request.arguments.as_ref().and_then(|arguments| arguments.get("path")?.as_str());
        let path = path.ok_or_else(|| ErrorData::invalid_params("no path", None))?;
        let text = fs::read_to_string(path);
        let text = text.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(CallToolResult::success(vec![ContentBlock::text(text)]).into())
    }
}

pub(super) fn runtime() -> Result<Runtime> {
    let runtime = Builder::new_current_thread().enable_io().enable_time().build();
    runtime.map_err(Failure::because("cannot start a runtime"))
}
