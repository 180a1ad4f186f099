//! A sealed program that runs, and the session that serves it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use jp_confine::Running;
use jp_process::{Exit, Stop};
use jp_tool::{ToolError, vfs::Init};
use jp_vfs::{End, Host, Limits, Pipes, Session, gate::Gate};
use tokio::{task::JoinHandle, time::timeout};

use super::{Ended, said};
use crate::tool::{outcome::shortened, runtime::messages};

/// How long a tool that has said its last word may take to end.
const FAREWELL: Duration = Duration::from_secs(2);

/// A tool that is being served. Dropped, it is ended.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) session: Session,
    gate: Arc<Gate>,
    running: Running,
    /// What it writes for people.
    messages: JoinHandle<String>,
    limits: Limits,
    /// Since when it knows that it has to end.
    cancelled: Option<Instant>,
}

impl Served {
    pub(crate) fn new(
        mut running: Running,
        init: Init,
        gate: Gate,
        host: Arc<Host>,
        stays_alive: bool,
    ) -> Result<Self, ToolError> {
        let child = &mut running.child;
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = streams else {
            return Err(ToolError::new("the program has no streams"));
        };
        let messages = tokio::spawn(messages::collect(stderr, init.tool.name.clone()));
        let limits = *host.limits();
        let pipes = stdin
            .into_nonblocking_fd()
            .and_then(|to_tool| Ok(Pipes { to_tool, from_tool: stdout.into_nonblocking_fd()? }));
        let gate = Arc::new(gate);
        let session =
            pipes.and_then(|pipes| Session::start(pipes, init, gate.clone(), host, stays_alive));
        let session = session.map_err(|error| ToolError::from_error(&error))?;
        Ok(Self { session, gate, running, messages, limits, cancelled: None })
    }

    /// What came of it, when nothing more comes; the program is gone then.
    pub(super) async fn outcome(&mut self, end: End) -> Ended {
        match said(end) {
            Ok(ended) => {
                self.stop().await;
                ended
            }
            Err(end) => Ended::on_the_way(self.without_a_word(*end).await.into()),
        }
    }

    /// Completes when the tool has worked for so long from now on. The time of a person does not count.
    pub(super) async fn late(&self, patience: Duration) {
        let (since, asked) = (Instant::now(), self.session.time_asked());
        loop {
            let asked = self.session.time_asked().saturating_sub(asked);
            let used = since.elapsed().saturating_sub(asked);
            let Some(left) = patience.checked_sub(used).filter(|left| !left.is_zero()) else {
                return;
            };
            tokio::time::sleep(left).await;
        }
    }

    /// Ends a tool that has said its last word, or has to go.
    pub(super) async fn stop(&mut self) {
        let _ = self.end_within(FAREWELL).await;
    }

    /// Tells the tool to end, and sees to it that it does. Being told once more gives it no more time.
    pub(super) async fn cancel(&mut self) {
        let since = *self.cancelled.get_or_insert_with(Instant::now);
        self.session.cancel();
        let grace = self.limits.cancel_grace.saturating_sub(since.elapsed());
        let _ = self.end_within(grace).await;
    }

    /// What a program of the tool changed and is being brought back is waited for: a half of it would be of no use,
    /// and somebody may look at the changes of the call next.
    async fn end_within(&mut self, grace: Duration) -> Result<Exit, jp_process::WaitError> {
        let stop = Stop { terminate_after: grace, kill_after: self.limits.kill_after };
        let exit = self.running.child.stop(stop).await;
        // Nothing new is done for it from now on.
        self.session.cancel();
        let settled = timeout(self.limits.process_timeout, self.gate.settled());
        if settled.await.is_err() {
            tracing::warn!("what a program of the tool changed is not brought back in time");
        }
        exit
    }

    /// Why a tool ended without saying what came of the call.
    async fn without_a_word(&mut self, end: End) -> ToolError {
        let mut error = match self.end_within(FAREWELL).await {
            Ok(exit) => ToolError::new(format!("the tool {exit} without a result")),
            Err(error) => ToolError::from_error(&error),
        };
        if let End::Lost(reason) = end {
            error.trace.push(reason);
        }
        if let Some(line) = self.session.stray() {
            // Quoted as a literal, so that control characters in it are seen and do nothing.
            error.trace.push(format!("it printed a line that is no message: {line:?}"));
        }
        let messages = self.messages().await;
        if !messages.is_empty() {
            error.trace.push(messages);
        }
        error
    }

    /// Ends the tool, and gives what it wrote for people.
    pub(crate) async fn gone(mut self) -> String {
        self.stop().await;
        self.messages().await
    }

    async fn messages(&mut self) -> String {
        let messages = timeout(FAREWELL, &mut self.messages).await;
        let messages = messages.ok().and_then(Result::ok).unwrap_or_default();
        match messages.trim() {
            "" => String::new(),
            messages => format!("stderr: {}", shortened(messages)),
        }
    }
}
