//! A sign of life for what takes longer than a second: one line on stderr that goes away again.
//!
//! Only a terminal gets it. A log or a pipe would keep every one of its states.

use std::{
    io::{IsTerminal as _, Write as _, stderr},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio::time::MissedTickBehavior;

/// What is shown one after the other.
const FRAMES: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠹"];

/// How long nothing is shown.
const SILENCE: Duration = Duration::from_secs(1);

/// Shows that something goes on.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// The questions; nothing is drawn over them, and the time they take is not that of the work.
    asked: Mutex<Questions>,
    /// How far it is, in words of whoever is at work.
    note: Mutex<String>,
    quiet: bool,
}

/// Questions that somebody was asked meanwhile.
#[derive(Debug, Default)]
struct Questions {
    /// How many are open.
    open: u32,
    /// Since when one is.
    since: Option<Instant>,
    /// How long there was one, those that are open left out.
    took: Duration,
}

impl Questions {
    fn begin(&mut self) {
        self.open += 1;
        self.since.get_or_insert_with(Instant::now);
    }

    fn end(&mut self) {
        self.open = self.open.saturating_sub(1);
        if self.open == 0 {
            self.took += self.since.take().map_or(Duration::ZERO, |since| since.elapsed());
        }
    }
}

/// Nothing is drawn while this exists.
#[derive(Debug)]
pub(crate) struct Pause<'a>(&'a Progress);

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { quiet, ..Self::default() }
    }

    /// Stops drawing, for a question.
    pub(crate) fn pause(&self) -> Pause<'_> {
        self.questions().begin();
        self.clear();
        Pause(self)
    }

    /// Says how far it is.
    pub(crate) fn note(&self, text: &str) {
        let text = jp_printer::sanitize(text, jp_printer::Styles::Strip).into_owned();
        *self.note.lock().unwrap_or_else(PoisonError::into_inner) = text;
    }

    /// Sees work to its end, and shows that it goes on.
    pub(crate) async fn during<T>(&self, name: &str, work: impl Future<Output = T>) -> T {
        let mut work = std::pin::pin!(work);
        if self.quiet || !stderr().is_terminal() {
            return work.await;
        }
        let started = Instant::now();
        let mut frames = FRAMES.iter().cycle();
        let mut ticks = tokio::time::interval(Duration::from_millis(100));
        // A question stops everything, and what was not drawn meanwhile is not drawn all at once.
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                done = &mut work => {
                    self.clear();
                    return done;
                }
                _ = ticks.tick() => {
                    if let Some(elapsed) = self.worked(started).filter(|it| *it >= SILENCE) {
                        let frame = frames.next().unwrap_or(&FRAMES[0]);
                        // A terminal that cannot be written to shows nothing.
                        let (elapsed, note) = (elapsed.as_secs(), self.noted());
                        let _ = write!(stderr(), "\r{frame} {name} {elapsed}s {note}\u{1b}[K");
                    }
                }
            }
        }
    }

    /// How long was worked since then; nothing while somebody is asked.
    fn worked(&self, since: Instant) -> Option<Duration> {
        let questions = self.questions();
        (questions.open == 0).then(|| since.elapsed().saturating_sub(questions.took))
    }

    fn questions(&self) -> MutexGuard<'_, Questions> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn noted(&self) -> String {
        self.note.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn clear(&self) {
        if !self.quiet && stderr().is_terminal() {
            let _ = write!(stderr(), "\r\u{1b}[K");
        }
    }
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.0.questions().end();
    }
}

#[cfg(test)]
mod tests {
    use std::thread::sleep;

    use super::*;

    #[test]
    fn the_time_of_questions_is_not_that_of_the_work() {
        let (progress, started) = (Progress::new(true), Instant::now());
        let moment = Duration::from_millis(60);
        let outer = progress.pause();
        sleep(moment);
        assert_eq!(progress.worked(started), None);
        let inner = progress.pause();
        sleep(moment);
        drop(outer);
        assert_eq!(progress.worked(started), None, "one is still open");
        drop(inner);
        let (all, worked) = (started.elapsed(), progress.worked(started).unwrap());
        assert!(worked <= all.saturating_sub(moment * 2), "{worked:?} of {all:?}");
    }
}
