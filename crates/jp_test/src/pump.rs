//! A thread that reads from a child as the child writes.
//!
//! A child that fills a pipe nobody reads stops, and so would the test. The
//! thread therefore always reads on, and the test looks at what has arrived,
//! with a limit on how long it looks.

use std::io::{ErrorKind, Read};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

/// The most that is kept of one stream. More than any honest test prints.
pub(crate) const MAX_BYTES: usize = 64 << 20;

/// Something that takes what a child wrote, piece by piece.
pub(crate) trait Sink: Send + 'static {
    fn take(&mut self, bytes: &[u8]);
}

impl Sink for Vec<u8> {
    /// Keeps one byte past the limit, by which the excess can be recognised.
    fn take(&mut self, bytes: &[u8]) {
        let room = (MAX_BYTES + 1).saturating_sub(self.len());
        self.extend_from_slice(&bytes[..bytes.len().min(room)]);
    }
}

/// The reading end, shared between the thread and the test.
#[derive(Debug)]
pub(crate) struct Pump<S>(Arc<Shared<S>>);

#[derive(Debug)]
struct Shared<S> {
    state: Mutex<State<S>>,
    changed: Condvar,
}

/// What has arrived, and whether more can come.
#[derive(Debug)]
pub(crate) struct State<S> {
    pub(crate) sink: S,
    pub(crate) finished: bool,
}

impl<S: Sink> Pump<S> {
    /// Starts to read. The thread ends when the last writer has closed its end.
    pub(crate) fn start(source: impl Read + Send + 'static, sink: S) -> Self {
        let state = Mutex::new(State { sink, finished: false });
        let shared = Arc::new(Shared { state, changed: Condvar::new() });
        let pump = Self(Arc::clone(&shared));
        thread::spawn(move || {
            drain(source, &shared);
            shared.lock().finished = true;
            shared.changed.notify_all();
        });
        pump
    }

    /// Waits until `ready` finds what it looks for; `None` when the deadline passes first.
    pub(crate) fn wait<R>(
        &self,
        deadline: Instant,
        mut ready: impl FnMut(&State<S>) -> Option<R>,
    ) -> Option<R> {
        let mut state = self.0.lock();
        loop {
            if let Some(found) = ready(&state) {
                return Some(found);
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            let waited = self.0.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for the end of the stream; false when the deadline passes first.
    pub(crate) fn wait_finished(&self, deadline: Instant) -> bool {
        self.wait(deadline, |state| state.finished.then_some(())).is_some()
    }

    /// Changes what takes the bytes.
    pub(crate) fn change(&self, change: impl FnOnce(&mut S)) {
        change(&mut self.0.lock().sink);
    }

    /// Looks at what has arrived so far.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&S) -> R) -> R {
        look(&self.0.lock().sink)
    }
}

impl<S> Shared<S> {
    fn lock(&self) -> MutexGuard<'_, State<S>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn drain<S: Sink>(mut source: impl Read, shared: &Shared<S>) {
    let mut buffer = [0; 16 << 10];
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => {
                shared.lock().sink.take(&buffer[..count]);
                shared.changed.notify_all();
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // A terminal whose last user has gone answers with an error, not with an end.
            Err(_) => return,
        }
    }
}
