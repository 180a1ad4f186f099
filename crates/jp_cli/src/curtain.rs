//! Holds back what would be written over a plugin that draws on the terminal.
//!
//! A plugin with `tty` has the terminal to itself, and whatever jp writes meanwhile would stand in the middle
//! of its picture. So everything that jp writes goes through [`stdout`] and [`stderr`] of this file. While the
//! curtain is down, what is for a terminal is kept, in its order, and written when the curtain goes up; what
//! goes into a file or a pipe disturbs nobody and is written at once.
//!
//! How much is kept is bounded: of more than a mebibyte the beginning is lost, and that is said.

use std::{
    collections::VecDeque,
    io::{self, IsTerminal as _, Write},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

/// How much is kept, in bytes.
const MOST: usize = 1 << 20;

static STAGE: Mutex<Stage> = Mutex::new(Stage::NEW);

/// One of the standard streams, behind the curtain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stream {
    Stdout,
    Stderr,
}

/// The curtain is down as long as this lives.
#[derive(Debug)]
pub(crate) struct Curtain(());

#[derive(Debug)]
struct Stage {
    /// The streams that are held back.
    holds: (bool, bool),
    kept: VecDeque<(Stream, Vec<u8>)>,
    size: usize,
    lost: usize,
}

pub(crate) fn stdout() -> Stream {
    Stream::Stdout
}

pub(crate) fn stderr() -> Stream {
    Stream::Stderr
}

impl Curtain {
    /// Lets the curtain down.
    pub(crate) fn lower() -> Self {
        stage().holds = (io::stdout().is_terminal(), io::stderr().is_terminal());
        Self(())
    }
}

impl Drop for Curtain {
    fn drop(&mut self) {
        let Stage { kept, lost, .. } = mem::replace(&mut *stage(), Stage::NEW);
        // Nobody is left who could be told that it does not arrive.
        let _ = show(kept, lost);
    }
}

impl Stage {
    const NEW: Self = Self { holds: (false, false), kept: VecDeque::new(), size: 0, lost: 0 };

    fn holds(&self, stream: Stream) -> bool {
        match stream {
            Stream::Stdout => self.holds.0,
            Stream::Stderr => self.holds.1,
        }
    }

    fn keep(&mut self, stream: Stream, bytes: &[u8]) {
        self.kept.push_back((stream, bytes.to_owned()));
        self.size += bytes.len();
        while self.size > MOST
            && let Some((_, first)) = self.kept.pop_front()
        {
            self.size -= first.len();
            self.lost += first.len();
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut stage = stage();
        if stage.holds(*self) {
            stage.keep(*self, bytes);
            return Ok(bytes.len());
        }
        // Whoever writes may have to wait; the others need not wait with them.
        drop(stage);
        match self {
            Self::Stdout => io::stdout().write(bytes),
            Self::Stderr => io::stderr().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stdout => io::stdout().flush(),
            Self::Stderr => io::stderr().flush(),
        }
    }
}

fn show(kept: VecDeque<(Stream, Vec<u8>)>, lost: usize) -> io::Result<()> {
    if lost > 0 {
        writeln!(io::stderr(), "… {lost} bytes that came before were not kept")?;
    }
    for (mut stream, bytes) in kept {
        stream.write_all(&bytes)?;
        stream.flush()?;
    }
    Ok(())
}

fn stage() -> MutexGuard<'static, Stage> {
    STAGE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_in_order() {
        let mut stage = Stage { holds: (false, true), ..Stage::NEW };
        assert!(!stage.holds(Stream::Stdout) && stage.holds(Stream::Stderr));
        let piece = vec![b'x'; MOST / 4];
        for _ in 0..6 {
            stage.keep(Stream::Stderr, &piece);
        }
        stage.keep(Stream::Stdout, b"last");
        assert_eq!((stage.kept.len(), stage.size), (4, MOST / 4 * 3 + 4));
        assert_eq!(stage.lost, MOST / 4 * 3);
        assert_eq!(stage.kept.back(), Some(&(Stream::Stdout, b"last".to_vec())));
    }
}
