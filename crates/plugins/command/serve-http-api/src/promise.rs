//! What a client may be told when its request took too long.
//!
//! Something that writes is done in a task of its own, so that it is done to its end. The danger is a client
//! that hears "not available", tries again, and has written twice. So whoever writes and whoever answers
//! decide together, in one step: either the client was told that nothing is written, and then nothing is, or
//! the writing has begun, and then the client is not told so.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

const OPEN: u8 = 0;
const BEGUN: u8 = 1;
const GIVEN_UP: u8 = 2;

/// Shared by whoever answers a request and whoever does what it wants.
#[derive(Debug, Clone, Default)]
pub(crate) struct Promise(Arc<AtomicU8>);

/// Gives a promise up when the client is gone.
#[derive(Debug)]
pub(crate) struct BrokenWhenDropped(Promise);

impl Promise {
    /// To be called just before something is written. `false` if it must not be any more.
    #[must_use]
    pub(crate) fn begin(&self) -> bool {
        self.decide(BEGUN)
    }

    /// To be called before the client is told that nothing was written. `false` if it may not be told so.
    #[must_use]
    pub(crate) fn give_up(&self) -> bool {
        self.decide(GIVEN_UP)
    }

    pub(crate) fn broken_when_dropped(self) -> BrokenWhenDropped {
        BrokenWhenDropped(self)
    }

    fn decide(&self, state: u8) -> bool {
        self.0.compare_exchange(OPEN, state, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

impl Drop for BrokenWhenDropped {
    fn drop(&mut self) {
        // If it has begun, it goes on.
        let _ = self.0.give_up();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_of_them_decides() {
        let promise = Promise::default();
        assert!(promise.begin() && !promise.give_up());
        let promise = Promise::default();
        assert!(promise.give_up() && !promise.begin());
        let promise = Promise::default();
        drop(promise.clone().broken_when_dropped());
        assert!(!promise.begin());
    }
}
