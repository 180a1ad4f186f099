//! Rings the bell of a session at a time.

use std::{sync::Arc, time::Instant};

use tokio::{runtime::Handle, task::JoinHandle};

use crate::session::{Inbound, Shared};

/// Dropped, it does not ring any more.
#[derive(Debug)]
pub(super) struct Alarm {
    at: Instant,
    task: JoinHandle<()>,
}

impl Alarm {
    pub(super) fn set(at: Instant, shared: Arc<Shared>, runtime: &Handle) -> Self {
        let task = runtime.spawn(async move {
            tokio::time::sleep_until(at.into()).await;
            shared.send(Inbound::Alarm);
        });
        Self { at, task }
    }

    pub(super) fn at(&self) -> Instant {
        self.at
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.task.abort();
    }
}
