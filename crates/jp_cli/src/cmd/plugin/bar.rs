//! How far a download is: a bar on stderr that goes away again.
//!
//! Only a terminal gets it. A log or a pipe would keep every one of its states.

use std::{
    io::{IsTerminal as _, Write as _, stderr},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use jp_plugin_registry::Progress;

use crate::ctx::Ctx;

/// How long the bar is, in characters.
const LENGTH: u64 = 24;

/// How long nothing is shown, and how often what is shown changes.
const PACE: Duration = Duration::from_millis(150);

/// The bar.
#[derive(Debug)]
pub(super) struct Bar {
    is_shown: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    name: String,
    drawn: Instant,
}

impl Bar {
    pub(super) fn new(ctx: &Ctx) -> Self {
        let is_shown = !ctx.printer().settings().quiet && stderr().is_terminal();
        let state = State { name: String::new(), drawn: Instant::now() };
        Self { is_shown, state: Mutex::new(state) }
    }
}

impl Progress for Bar {
    fn begins(&self, name: &str) {
        let state = State { name: name.to_owned(), drawn: Instant::now() };
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    fn has(&self, bytes: u64, total: Option<u64>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_shown && state.drawn.elapsed() >= PACE {
            state.drawn = Instant::now();
            // A terminal that cannot be written to shows nothing.
            let _ = write!(stderr(), "\r{} {}\u{1b}[K", state.name, drawn(bytes, total));
        }
    }

    fn ends(&self) {
        if self.is_shown {
            let _ = write!(stderr(), "\r\u{1b}[K");
        }
    }
}

fn drawn(bytes: u64, total: Option<u64>) -> String {
    let Some(total) = total.filter(|total| *total > 0) else { return size(bytes) };
    let done = (bytes.min(total) * LENGTH) / total;
    let bar: String = (0..LENGTH).map(|at| if at < done { '█' } else { '░' }).collect();
    format!("{bar} {} of {}", size(bytes), size(total))
}

/// `1.5 MB`, rounded down.
fn size(bytes: u64) -> String {
    let tenths = bytes / 100_000;
    format!("{}.{} MB", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_up() {
        assert_eq!(drawn(0, Some(48_000_000)), format!("{} 0.0 MB of 48.0 MB", "░".repeat(24)));
        let half = format!("{}{} 24.0 MB of 48.0 MB", "█".repeat(12), "░".repeat(12));
        assert_eq!(drawn(24_000_000, Some(48_000_000)), half);
        // A server that says too little.
        assert!(drawn(9_000_000, Some(1)).starts_with(&"█".repeat(24)));
        assert_eq!(drawn(1_550_000, None), "1.5 MB");
        assert_eq!(drawn(u64::MAX, Some(0)), size(u64::MAX));
    }
}
