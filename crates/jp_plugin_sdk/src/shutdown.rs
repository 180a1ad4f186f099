//! Whether the plugin is to end, told to everybody who wants to know.

use std::{
    fmt, mem,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Why a plugin is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The host asked for it, because the user wants an end. Requests are still answered.
    Asked,
    /// The host is gone; nobody answers any more.
    HostGone,
}

type Callback = Box<dyn FnOnce(Why) + Send>;

/// The moment at which a plugin is to end.
#[derive(Default)]
pub(crate) struct Shutdown {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    why: Option<Why>,
    callbacks: Vec<Callback>,
}

impl Shutdown {
    /// The first reason counts.
    pub(crate) fn set(&self, why: Why) {
        let callbacks = {
            let mut state = self.state();
            state.why.get_or_insert(why);
            mem::take(&mut state.callbacks)
        };
        self.changed.notify_all();
        for callback in callbacks {
            callback(why);
        }
    }

    pub(crate) fn why(&self) -> Option<Why> {
        self.state().why
    }

    /// Calls it when the time has come, on the thread that reads; at once, if it has come already. So it
    /// must not wait for anything.
    pub(crate) fn then(&self, callback: impl FnOnce(Why) + Send + 'static) {
        let mut state = self.state();
        if let Some(why) = state.why {
            drop(state);
            callback(why);
        } else {
            state.callbacks.push(Box::new(callback));
        }
    }

    pub(crate) fn wait(&self) -> Why {
        let mut state = self.state();
        loop {
            if let Some(why) = state.why {
                return why;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    pub(crate) fn wait_for(&self, most: Duration) -> Option<Why> {
        let began = Instant::now();
        let mut state = self.state();
        while state.why.is_none() {
            let left = most.checked_sub(began.elapsed())?;
            let waited = self.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.why
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Shutdown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shutdown").field(&self.why()).finish()
    }
}
