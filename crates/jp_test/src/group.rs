//! A child together with everything it starts.
//!
//! The child leads its own process group. Killing only the child would leave its
//! own children behind, which then keep pipes open, write into directories that
//! are being removed, and slow down every test after this one.

use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// How often an exit is looked for. Short against the time a process takes to start.
const POLL: Duration = Duration::from_millis(2);

/// Kills the whole group when dropped before the child was reaped.
#[derive(Debug)]
pub(crate) struct Group {
    child: Child,
    status: Option<ExitStatus>,
}

impl Group {
    /// Takes a child that leads a process group, or is about to.
    pub(crate) fn new(child: Child) -> Self {
        Self { child, status: None }
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Waits for the child itself; `None` when the deadline passes first.
    pub(crate) fn wait_until(&mut self, deadline: Instant) -> Option<ExitStatus> {
        loop {
            if self.status.is_none() {
                self.status = self.child.try_wait().expect("our own child can be waited for");
            }
            if self.status.is_some() || Instant::now() >= deadline {
                return self.status;
            }
            thread::sleep(POLL);
        }
    }

    /// Sends a signal to every process of the group.
    pub(crate) fn signal(&self, signal: Signal) {
        if let Some(pid) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            // The one thing that can go wrong is that nobody is left to hear it.
            let _ = kill_process_group(pid, signal);
        }
    }

    /// Kills the group and reaps the child.
    pub(crate) fn kill(&mut self) {
        self.signal(Signal::KILL);
        if self.status.is_none() {
            // On a terminal the child makes its group only after it has started, so
            // the signal above may have found no group. This one finds the child.
            let _ = self.child.kill();
            self.status = self.child.wait().ok();
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if self.status.is_none() {
            self.kill();
        }
    }
}
