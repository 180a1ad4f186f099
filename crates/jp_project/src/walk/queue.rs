//! The work that is left, shared by the threads of a walk.
//!
//! A thread that finds nothing waits, because those that still work may add something. The end is
//! reached when there is nothing to do and nobody is at it.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

pub(super) struct Queue<J> {
    state: Mutex<State<J>>,
    changed: Condvar,
}

struct State<J> {
    jobs: Vec<J>,
    /// How many threads are at something.
    working: usize,
    waiting: usize,
}

impl<J> Queue<J> {
    pub(super) fn new(jobs: Vec<J>) -> Self {
        Self { state: Mutex::new(State { jobs, working: 0, waiting: 0 }), changed: Condvar::new() }
    }

    /// The next thing to do; `None` when all is done.
    pub(super) fn take(&self) -> Option<Taken<'_, J>> {
        let mut state = self.lock();
        loop {
            if let Some(job) = state.jobs.pop() {
                state.working += 1;
                return Some(Taken { job, _working: Working { queue: self } });
            }
            if state.working == 0 {
                return None;
            }
            state.waiting += 1;
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.waiting -= 1;
        }
    }

    pub(super) fn add(&self, jobs: Vec<J>) {
        if jobs.is_empty() {
            return;
        }
        let mut state = self.lock();
        state.jobs.extend(jobs);
        if state.waiting > 0 {
            self.changed.notify_all();
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<J>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A job, and the note that somebody is at it.
pub(super) struct Taken<'a, J> {
    pub(super) job: J,
    _working: Working<'a, J>,
}

/// Taken back when it is dropped, also by a thread that fails: the others must not wait for it.
struct Working<'a, J> {
    queue: &'a Queue<J>,
}

impl<J> Drop for Working<'_, J> {
    fn drop(&mut self) {
        let mut state = self.queue.lock();
        state.working -= 1;
        if state.working == 0 && state.jobs.is_empty() {
            self.queue.changed.notify_all();
        }
    }
}
