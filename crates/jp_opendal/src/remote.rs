//! A store that answers to a thread that waits.
//!
//! Files are asked for by threads that block, stores answer to tasks. So each backend has a small
//! runtime of its own, with one thread, on which its connections live; whoever calls hands a task to it
//! and waits for what it sends. That works on any thread, also on one of another runtime.
//!
//! The danger is a service that never answers: every wait has an end. It is the limit of the backend,
//! longer only for what is large.

use std::{
    fmt,
    sync::{Arc, mpsc},
    time::Duration,
};

use tokio::runtime::{Builder, Runtime};

use crate::store::{Store, StoreError};

/// What may be asked for within the limit; twice as much has twice the time.
const KEYS: usize = 100;
const BYTES: u64 = 16 << 20;
/// How much longer than its task a caller waits, should the runtime itself be stuck.
const GRACE: Duration = Duration::from_secs(5);

/// A store and the runtime it lives on.
pub(crate) struct Remote {
    store: Arc<dyn Store>,
    /// Taken when this is dropped.
    runtime: Option<Runtime>,
    limit: Duration,
}

/// How much a call is about.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Amount {
    pub(crate) keys: usize,
    pub(crate) bytes: u64,
}

impl Remote {
    /// The runtime has to be the one on which the store makes its connections.
    pub(crate) fn new(store: Arc<dyn Store>, runtime: Runtime, limit: Duration) -> Self {
        Self { store, runtime: Some(runtime), limit }
    }

    pub(crate) fn store(&self) -> Arc<dyn Store> {
        Arc::clone(&self.store)
    }

    /// Waits for something that is about this much, as long as that may take.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        amount: Amount,
        work: impl Future<Output = Result<T, StoreError>> + Send + 'static,
    ) -> Result<T, StoreError> {
        let limit = self.limit_of(amount);
        let (sender, receiver) = mpsc::sync_channel(1);
        let Some(runtime) = &self.runtime else {
            return Err(StoreError::Failed("the backend was closed".to_owned()));
        };
        runtime.spawn(async move {
            let done = tokio::time::timeout(limit, work).await;
            // Nobody to send it to is nobody who waits.
            let _ = sender.send(done.unwrap_or(Err(StoreError::Timeout(limit))));
        });
        receiver.recv_timeout(limit + GRACE).unwrap_or(Err(StoreError::Timeout(limit)))
    }

    fn limit_of(&self, amount: Amount) -> Duration {
        let by_keys = u32::try_from(amount.keys / KEYS).unwrap_or(u32::MAX);
        let by_bytes = u32::try_from(amount.bytes / BYTES).unwrap_or(u32::MAX);
        self.limit.saturating_mul(by_keys.saturating_add(by_bytes).saturating_add(1))
    }
}

impl Drop for Remote {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // Waiting for its tasks would panic on a thread of another runtime.
            runtime.shutdown_background();
        }
    }
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Remote").field(&self.store.place()).finish()
    }
}

/// The runtime of a backend.
pub(crate) fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread()
        .worker_threads(1)
        .max_blocking_threads(4)
        .thread_name("jp-store")
        .enable_all()
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{secret::Secrets, store::objects::Objects};

    fn remote(limit: Duration) -> Remote {
        let operator = opendal::Operator::new(opendal::services::Memory::default()).unwrap();
        let store = Objects::new(operator, "memory".to_owned(), Secrets::default(), limit);
        Remote::new(Arc::new(store), runtime().unwrap(), limit)
    }

    #[test]
    fn what_never_ends_is_ended() {
        let remote = remote(Duration::from_millis(50));
        let error = remote.wait::<()>(Amount::default(), std::future::pending()).unwrap_err();
        assert_eq!(error.to_string(), "no answer within 0.05 s");
    }

    #[test]
    fn what_is_large_has_more_time() {
        let remote = remote(Duration::from_secs(30));
        let secs = |keys, bytes| remote.limit_of(Amount { keys, bytes }).as_secs();
        assert_eq!([secs(0, 0), secs(99, 0), secs(250, 0), secs(0, 32 << 20)], [30, 30, 90, 90]);
    }

    #[test]
    fn a_thread_of_another_runtime_can_wait_and_drop() {
        let outer = runtime().unwrap();
        let answer = outer.block_on(async {
            let remote = remote(Duration::from_secs(5));
            remote.wait(Amount::default(), async { Ok(7) })
        });
        assert_eq!(answer.unwrap(), 7);
    }
}
