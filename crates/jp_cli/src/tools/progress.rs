//! A sign of life for what takes longer than a second: one line on stderr that goes away again.
//!
//! Only a terminal gets it. A log or a pipe would keep every one of its states.

use std::{
    io::{IsTerminal as _, Write as _, stderr},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::{Duration, Instant},
};

/// What is shown one after the other.
const FRAMES: [&str; 8] = ["⠋", "⠙", "⠸", "⠴", "⠦", "⠇", "⠏", "⠹"];

/// How long nothing is shown.
const SILENCE: Duration = Duration::from_secs(1);

/// Shows that something goes on.
#[derive(Debug, Default)]
pub(crate) struct Progress {
    /// How many questions are open; nothing is drawn over them.
    paused: AtomicU32,
    /// How far it is, in words of whoever is at work.
    note: Mutex<String>,
    quiet: bool,
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
        self.paused.fetch_add(1, Ordering::Relaxed);
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
        loop {
            tokio::select! {
                done = &mut work => {
                    self.clear();
                    return done;
                }
                _ = ticks.tick() => {
                    let elapsed = started.elapsed();
                    if elapsed >= SILENCE && self.paused.load(Ordering::Relaxed) == 0 {
                        let frame = frames.next().unwrap_or(&FRAMES[0]);
                        // A terminal that cannot be written to shows nothing.
                        let (elapsed, note) = (elapsed.as_secs(), self.noted());
                        let _ = write!(stderr(), "\r{frame} {name} {elapsed}s {note}\u{1b}[K");
                    }
                }
            }
        }
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
        self.0.paused.fetch_sub(1, Ordering::Relaxed);
    }
}
