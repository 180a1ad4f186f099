//! How long a call may take, and whether anybody still waits for it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// The time of one call. Clones share it.
#[derive(Debug, Clone)]
pub struct Budget {
    end: Instant,
    dismissed: Arc<AtomicBool>,
}

/// Nobody waits any more once this is dropped.
#[derive(Debug)]
pub struct Waiting(Arc<AtomicBool>);

impl Budget {
    /// A budget that begins now.
    pub fn of(time: Duration) -> Self {
        Self { end: Instant::now() + time, dismissed: Arc::default() }
    }

    /// Ties the budget to somebody who waits for what is done with it.
    pub fn waiting(&self) -> Waiting {
        Waiting(Arc::clone(&self.dismissed))
    }

    /// Whether whoever works with it should stop.
    pub fn is_spent(&self) -> bool {
        self.dismissed.load(Ordering::Relaxed) || Instant::now() >= self.end
    }

    /// When it ends.
    pub fn end(&self) -> Instant {
        self.end
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends_with_its_time_or_with_who_waits() {
        let budget = Budget::of(Duration::from_mins(1));
        let waiting = budget.waiting();
        assert!(!budget.is_spent());
        let clone = budget.clone();
        drop(waiting);
        assert!(budget.is_spent() && clone.is_spent());
        assert!(Budget::of(Duration::ZERO).is_spent());
    }
}
