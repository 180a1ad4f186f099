//! How far it is, in one line.
//!
//! The host takes everything out of a text that moves a cursor, so a bar cannot be drawn again. It can
//! grow: its cells are printed one after the other as the work goes on, and the line ends with it.

use crate::{RequestError, Session};

/// The cells of a whole bar.
const CELLS: usize = 40;

/// With fewer steps it is over before anybody wonders.
const WORTH_IT: usize = 20;

/// A bar that grows. With few steps there is none.
#[derive(Debug)]
pub struct Progress {
    steps: usize,
    done: usize,
    cells: usize,
}

impl Progress {
    /// Says what is done, in so many steps.
    pub fn begin(session: &Session, what: &str, steps: usize) -> Result<Self, RequestError> {
        let progress = Self { steps, done: 0, cells: 0 };
        if progress.is_shown() {
            session.print_chrome(&format!("{what} "))?;
        }
        Ok(progress)
    }

    /// One more is done.
    pub fn step(&mut self, session: &Session) -> Result<(), RequestError> {
        let cells = self.advance();
        if cells > 0 { session.print_chrome(&"━".repeat(cells)) } else { Ok(()) }
    }

    /// Ends the line.
    pub fn end(&self, session: &Session) -> Result<(), RequestError> {
        if self.is_shown() { session.print_chrome("\n") } else { Ok(()) }
    }

    fn is_shown(&self) -> bool {
        self.steps >= WORTH_IT
    }

    /// By how many cells the bar grows.
    fn advance(&mut self) -> usize {
        self.done += 1;
        let cells = if self.is_shown() { self.done * CELLS / self.steps } else { 0 };
        let more = cells.saturating_sub(self.cells);
        self.cells = cells.max(self.cells);
        more
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_at_the_end() {
        for (steps, want) in [(1, 0), (19, 0), (20, 40), (39, 40), (40, 40), (41, 40), (10_000, 40)]
        {
            let mut progress = Progress { steps, done: 0, cells: 0 };
            let grown: usize = (0..steps).map(|_| progress.advance()).sum();
            assert_eq!(grown, want, "{steps}");
        }
    }
}
