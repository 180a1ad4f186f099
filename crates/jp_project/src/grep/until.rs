//! When a search is given up: nobody wants it any more, or it has taken too long.
//!
//! A search of a large tree keeps every core busy, so whoever calls it off must not only stop listening. The flag
//! is looked at before each file, and the time before each piece of work and while a long file is read.

use std::{
    fmt,
    io::{self, Read},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::ProjectError;

/// How long a search goes on; by default to its end.
#[derive(Clone, Default)]
pub struct Until {
    is_unwanted: Option<Arc<AtomicBool>>,
    deadline: Option<(Instant, Duration)>,
}

impl Until {
    /// Until the flag is set, and for so long from now on.
    pub fn new(is_unwanted: Arc<AtomicBool>, limit: Duration) -> Self {
        let deadline = Instant::now().checked_add(limit).map(|at| (at, limit));
        Self { is_unwanted: Some(is_unwanted), deadline }
    }

    pub(crate) fn is_unwanted(&self) -> bool {
        self.is_unwanted.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.is_unwanted() || self.deadline.is_some_and(|(at, _)| Instant::now() >= at)
    }

    /// Why there is no answer, if the search was given up.
    pub(super) fn check(&self) -> Result<(), ProjectError> {
        let (kind, why) = match self.deadline {
            _ if self.is_unwanted() => {
                (io::ErrorKind::Interrupted, "the search was called off".to_owned())
            }
            Some((at, limit)) if Instant::now() >= at => {
                (io::ErrorKind::TimedOut, format!("the search took over {} s", limit.as_secs_f32()))
            }
            _ => return Ok(()),
        };
        Err(ProjectError::Io { path: ".".to_owned(), source: io::Error::new(kind, why) })
    }
}

impl fmt::Debug for Until {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Until").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

/// A file that ends when the search does.
pub(super) struct Watched<'a, F> {
    file: F,
    until: &'a Until,
    reads: u32,
}

impl<'a, F> Watched<'a, F> {
    pub(super) fn new(file: F, until: &'a Until) -> Self {
        Self { file, until, reads: 0 }
    }
}

impl<F: Read> Read for Watched<'_, F> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // Nearly every file is at its end with the second.
        self.reads = self.reads.saturating_add(1);
        if self.reads > 2 && self.until.is_over() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.file.read(buffer)
    }
}
