//! How long code is highlighted.
//!
//! A grammar is a program, and a text can be its worst case: four kilobytes kept one busy for seconds. So
//! a page has a [`Budget`], each block takes its time from it, and what is beyond stays in one color. A
//! line cannot be interrupted, which is why long ones are not highlighted at all.
//!
//! A grammar is also compiled when it is first used, which takes up to a third of a second and should not
//! take the colors away from the block that needed it.

use std::{cell::Cell, fmt, time::Duration};

/// The most that one block takes, so that it leaves some to others.
const BLOCK: Duration = Duration::from_millis(400);

/// How long the code of a page is highlighted.
///
/// The clock is of whoever makes the page. One that counts what the thread has worked says the same on a
/// busy machine.
///
/// ```
/// use std::time::{Duration, Instant};
/// use transcript_html::{Budget, markdown};
///
/// let began = Instant::now();
/// let clock = || began.elapsed();
/// let budget = Budget::new(Duration::from_secs(1), &clock);
/// assert!(markdown("```json\n[1]\n```", &budget).into_string().contains("<span"));
/// let budget = Budget::new(Duration::ZERO, &clock);
/// assert!(!markdown("```json\n[1]\n```", &budget).into_string().contains("<span"));
/// ```
pub struct Budget<'c> {
    left: Cell<Duration>,
    clock: &'c dyn Fn() -> Duration,
}

impl<'c> Budget<'c> {
    /// So much time for all code of a page, by a clock that says how much has passed.
    pub fn new(time: Duration, clock: &'c dyn Fn() -> Duration) -> Self {
        Self { left: Cell::new(time), clock }
    }

    /// As much as it takes, for text that is our own.
    pub(crate) fn endless() -> Self {
        Self::new(Duration::MAX, &|| Duration::ZERO)
    }

    /// Begins a block.
    pub(crate) fn block(&self) -> Block<'_> {
        Block { budget: self, began: (self.clock)() }
    }
}

impl fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget").field("left", &self.left).finish_non_exhaustive()
    }
}

/// A block that is being highlighted. What it took is gone from the budget when it is dropped.
pub(crate) struct Block<'b> {
    budget: &'b Budget<'b>,
    began: Duration,
}

impl Block<'_> {
    /// Whether there is no time left for another line.
    pub(crate) fn is_over(&self) -> bool {
        self.taken() >= self.budget.left.get().min(BLOCK)
    }

    fn taken(&self) -> Duration {
        (self.budget.clock)().saturating_sub(self.began)
    }
}

impl Drop for Block<'_> {
    fn drop(&mut self) {
        self.budget.left.set(self.budget.left.get().saturating_sub(self.taken()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many looks at the clock each of these blocks has, until it is over. Each look takes a while.
    fn looks(time: u64, each: u64, blocks: usize) -> Vec<usize> {
        let now = Cell::new(0);
        let clock = || {
            now.set(now.get() + each);
            Duration::from_millis(now.get())
        };
        let budget = Budget::new(Duration::from_millis(time), &clock);
        let look = |_| {
            let block = budget.block();
            (0..1_000).take_while(|_| !block.is_over()).count()
        };
        (0..blocks).map(look).collect()
    }

    #[test]
    fn a_block_takes_no_more_than_its_share() {
        assert_eq!(looks(1_000, 40, 1), [9]);
        // Nine looks, one to find that it is over, and one to settle.
        assert_eq!(looks(1_000, 40, 5), [9, 9, 2, 0, 0]);
        assert_eq!(looks(0, 40, 2), [0, 0]);
        assert_eq!(looks(1_000, 500, 3), [0, 0, 0]);
    }

    #[test]
    fn what_is_our_own_has_no_end() {
        let budget = Budget::endless();
        assert!((0..10).all(|_| !budget.block().is_over()));
    }
}
