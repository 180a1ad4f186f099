//! How long a call may take.
//!
//! Progress begins the time anew, so that a long call that reports is not cut off; but a server that
//! reports for ever has to end as well, so there is a last moment that progress does not move. While a
//! person is asked the clock stands still, both times: nobody answers faster because a server is waiting.

use std::{future::pending, time::Duration};

use tokio::time::{Instant, sleep_until};

use crate::limits::PROGRESS_FACTOR;

/// The time of one call.
#[derive(Debug)]
pub(crate) struct Clock {
    patience: Duration,
    due: Instant,
    last: Instant,
    stopped: Option<Instant>,
}

impl Clock {
    /// Begins now.
    pub(crate) fn start(patience: Duration) -> Self {
        let now = Instant::now();
        let last = now + patience.saturating_mul(PROGRESS_FACTOR);
        Self { patience, due: now + patience, last, stopped: None }
    }

    /// The call is getting on: its time begins anew.
    pub(crate) fn progressed(&mut self) {
        self.due = (self.stopped.unwrap_or_else(Instant::now) + self.patience).min(self.last);
    }

    /// Stands still, or goes on.
    pub(crate) fn stand_still(&mut self, still: bool) {
        match (still, self.stopped) {
            (true, None) => self.stopped = Some(Instant::now()),
            (false, Some(since)) => {
                let pause = since.elapsed();
                self.due += pause;
                self.last += pause;
                self.stopped = None;
            }
            (true, Some(_)) | (false, None) => {}
        }
    }

    /// Ends when the time is up.
    pub(crate) async fn up(&self) {
        if self.stopped.is_some() {
            return pending().await;
        }
        sleep_until(self.due.min(self.last)).await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, timeout};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    async fn is_up(clock: &Clock) -> bool {
        timeout(Duration::ZERO, clock.up()).await.is_ok()
    }

    #[tokio::test(start_paused = true)]
    async fn progress_begins_the_time_anew_but_not_for_ever() {
        let mut clock = Clock::start(SECOND);
        for _ in 0..11 {
            assert!(!is_up(&clock).await);
            advance(SECOND * 9 / 10).await;
            clock.progressed();
        }
        advance(SECOND / 5).await;
        assert!(is_up(&clock).await);
    }

    #[tokio::test(start_paused = true)]
    async fn the_clock_stands_still_while_a_person_is_asked() {
        let mut clock = Clock::start(SECOND);
        advance(SECOND / 2).await;
        clock.stand_still(true);
        advance(SECOND * 3600).await;
        assert!(!is_up(&clock).await);
        clock.stand_still(false);
        assert!(!is_up(&clock).await);
        advance(SECOND / 2).await;
        assert!(is_up(&clock).await);
    }
}
