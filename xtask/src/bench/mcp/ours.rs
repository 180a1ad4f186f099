//! The same server, spoken to by our client: with its clocks, its bounds and its own reading of answers.

use std::process::{Child, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use camino::Utf8Path;
use jp_mcp::{
    BoxFuture, Call, Called, Client, Connect, ElicitAnswer, Elicitor, Era, Form, Launch,
    LaunchError, Launched, Process, ServerSpec,
};
use jp_tool::ContentBlock;
use serde_json::json;
use tokio::net::unix::pipe;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use super::bare::{Make, command, runtime};
use crate::bench::{PATIENCE, pin};
use crate::failure::{Failure, Result};

/// Our client with its server, which is started when it is first used.
pub(super) struct Ours {
    runtime: Runtime,
    client: Client,
}

impl Ours {
    /// The server is greeted in this era.
    pub(super) fn new(era: Era) -> Result<Self> {
        let spec = ServerSpec {
            name: "files".to_owned(),
            connect: Connect::Program(Arc::new(Plain)),
            stateful: true,
            startup: PATIENCE,
            patience: PATIENCE,
            roots: Vec::new(),
            era: Some(era),
        };
        Ok(Self { runtime: runtime()?, client: Client::new(spec) })
    }

    /// The time of reading a file of this size once.
    pub(super) fn read(&self, path: &Utf8Path, size: usize, times: u32) -> Result<Duration> {
        let _pinned = pin::to_one_core()?;
        self.runtime.block_on(async {
            let start = Instant::now();
            for _ in 0..times {
                self.read_once(path, size).await?;
            }
            Ok(start.elapsed() / times.max(1))
        })
    }

    async fn read_once(&self, path: &Utf8Path, size: usize) -> Result {
        let arguments = json!({ "path": path }).as_object().cloned().unwrap_or_default();
        let cancel = CancellationToken::new();
        let called = self.client.call_tool(Call {
            tool: "read_file",
            arguments: &arguments,
            meta: None,
            resume: None,
            elicitor: &Nobody,
            progress: None,
            cancel: &cancel,
        });
        let called = called.await.map_err(Failure::because("the MCP server failed"))?;
        match &called {
            Called::Done(result) => match result.content.blocks.first() {
                Some(ContentBlock::Text { text, .. }) if text.len() == size => Ok(()),
                _ => Err(Failure::new("the MCP server answered something else")),
            },
            Called::InputRequired(_) => Err(Failure::new("the MCP server asked something")),
        }
    }
}

impl Drop for Ours {
    fn drop(&mut self) {
        self.runtime.block_on(self.client.close());
    }
}

/// Starts the server as the peer does: what confines it is measured elsewhere.
#[derive(Debug)]
struct Plain;

impl Launch for Plain {
    fn launch(&self) -> BoxFuture<'_, std::result::Result<Launched, LaunchError>> {
        Box::pin(async {
            let failed = |error| LaunchError::new("cannot start the MCP server").because(error);
            let mut child = command(Make::Tight).stderr(Stdio::piped()).spawn().map_err(failed)?;
            let (Some(stdin), Some(stdout), Some(stderr)) =
                (child.stdin.take(), child.stdout.take(), child.stderr.take())
            else {
                return Err(LaunchError::new("the MCP server has no streams"));
            };
            let read = |fd| pipe::Receiver::from_owned_fd(fd).map_err(failed);
            Ok(Launched {
                stdin: Box::new(pipe::Sender::from_owned_fd(stdin.into()).map_err(failed)?),
                stdout: Box::new(read(stdout.into())?),
                stderr: Box::new(read(stderr.into())?),
                process: Box::new(Server(child)),
                warnings: Vec::new(),
            })
        })
    }
}

struct Server(Child);

impl Process for Server {
    fn stop(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move { drop(self) })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Answers no question.
struct Nobody;

impl Elicitor for Nobody {
    fn elicit(&self, _form: Form) -> BoxFuture<'_, ElicitAnswer> {
        Box::pin(async { ElicitAnswer::Cancel })
    }
}
