//! What the program says about itself while it runs: on stderr as much as `-v` asks for, in
//! `--log-file` everything.
//!
//! Whoever reads stderr may stop reading, and a program that waited for them would not hear that it is to end.
//! So a thread writes there, and what is on its way to it is bounded. A reader that is slow is waited for, a
//! moment; what one that has stopped does not take is dropped and counted.

use std::{
    collections::VecDeque,
    fs::File,
    io::{self, Write},
    mem,
    sync::{Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt::{self, format::FmtSpan},
    layer::{Layer as _, SubscriberExt as _},
    util::SubscriberInitExt as _,
};

use crate::curtain;

/// How much is on its way, in bytes.
const MOST: usize = 1 << 20;

/// How long a reader is waited for, once: who has not taken anything then has stopped.
const PATIENCE: Duration = Duration::from_millis(200);

/// How long the end of the program waits for what is on its way.
const AT_THE_END: Duration = Duration::from_secs(2);

static QUEUE: Queue = Queue::new();

/// Starts logging. `verbose` counts the `-v`.
pub(crate) fn start(verbose: u8, file: Option<File>) {
    // Most runs log nothing, and start faster for it.
    if verbose == 0 && file.is_none() {
        return;
    }
    let stderr = fmt::layer()
        .with_writer(|| Line(&QUEUE))
        .with_ansi(false)
        .without_time()
        .with_filter(without_secrets(level(verbose)));
    let file = file.map(|file| {
        fmt::layer()
            .with_writer(Mutex::new(file))
            .with_ansi(false)
            .with_span_events(FmtSpan::CLOSE)
            .with_filter(without_secrets(LevelFilter::TRACE))
    });
    tracing_subscriber::registry().with(stderr).with(file).init();
    thread::spawn(|| QUEUE.write_to(&mut curtain::stderr()));
}

/// Waits until everything was written, but not for ever; says whether it was.
pub(crate) fn flush() -> bool {
    QUEUE.flush(AT_THE_END)
}

/// Whether everything was written.
pub(crate) fn is_written() -> bool {
    QUEUE.flush(Duration::ZERO)
}

/// Everything up to a level, except for the parts of libraries that log what a login is made of.
fn without_secrets(level: LevelFilter) -> Targets {
    Targets::new().with_default(level).with_target("rmcp::transport::auth", LevelFilter::OFF)
}

/// Errors are printed, not logged; each `-v` adds a level.
fn level(verbose: u8) -> LevelFilter {
    match verbose {
        0 => LevelFilter::ERROR,
        1 => LevelFilter::WARN,
        2 => LevelFilter::INFO,
        3 => LevelFilter::DEBUG,
        _ => LevelFilter::TRACE,
    }
}

/// One line of the log, which is written in one go.
struct Line(&'static Queue);

impl Write for Line {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.add(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What is on its way to stderr.
struct Queue {
    state: Mutex<State>,
    /// There is something to write.
    work: Condvar,
    /// Something was written.
    room: Condvar,
}

struct State {
    lines: VecDeque<Vec<u8>>,
    bytes: usize,
    /// Whether a line is being written.
    is_writing: bool,
    /// Whether the reader has stopped, so that nobody waits for him any more.
    has_stopped: bool,
    /// How many lines were dropped since the last one that was not.
    dropped: usize,
}

impl Queue {
    const fn new() -> Self {
        let state = State {
            lines: VecDeque::new(),
            bytes: 0,
            is_writing: false,
            has_stopped: false,
            dropped: 0,
        };
        Self { state: Mutex::new(state), work: Condvar::new(), room: Condvar::new() }
    }

    fn add(&self, line: &[u8]) {
        let mut state = self.state();
        let until = Instant::now() + PATIENCE;
        while !state.fits(line) && !state.has_stopped {
            let left = until.saturating_duration_since(Instant::now());
            state.has_stopped = left.is_zero();
            let waited = self.room.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        if !state.fits(line) {
            state.dropped += 1;
            return;
        }
        let dropped = mem::take(&mut state.dropped);
        if dropped > 0 {
            state.push(format!("… {dropped} lines of the log were dropped\n").as_bytes());
        }
        state.push(line);
        drop(state);
        self.work.notify_one();
    }

    /// Writes what comes, for as long as the program runs.
    fn write_to(&self, stream: &mut impl Write) {
        let mut state = self.state();
        loop {
            let Some(line) = state.lines.pop_front() else {
                state.is_writing = false;
                self.room.notify_all();
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            state.is_writing = true;
            drop(state);
            // If nobody reads it, there is nobody to tell.
            let _ = stream.write_all(&line);
            state = self.state();
            state.bytes -= line.len();
            // Half of it is enough for a reader who goes on to be trusted again.
            state.has_stopped &= state.bytes > MOST / 2;
            self.room.notify_all();
        }
    }

    fn flush(&self, within: Duration) -> bool {
        let state = self.state();
        let is_busy = |state: &mut State| state.is_writing || !state.lines.is_empty();
        let waited = self.room.wait_timeout_while(state, within, is_busy);
        let (mut state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        !is_busy(&mut state)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing in here panics half way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Whether there is room for a line. One that is longer than all the room goes alone.
    fn fits(&self, line: &[u8]) -> bool {
        self.bytes == 0 || self.bytes + line.len() <= MOST
    }

    fn push(&mut self, line: &[u8]) {
        self.bytes += line.len();
        self.lines.push_back(line.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// Waits before each line until it is told to go on.
    struct Reader(mpsc::Receiver<()>, mpsc::Sender<Vec<u8>>);

    impl Write for Reader {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let _ = self.0.recv();
            let _ = self.1.send(bytes.to_owned());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_who_stops_keeps_nobody_waiting_and_learns_what_he_missed() {
        static QUEUE: Queue = Queue::new();
        let (go_on, gate) = mpsc::channel();
        let (read, lines) = mpsc::channel();
        thread::spawn(move || QUEUE.write_to(&mut Reader(gate, read)));
        let line = vec![b'x'; MOST / 4];
        let began = Instant::now();
        for _ in 0..50 {
            QUEUE.add(&line);
        }
        assert!(began.elapsed() < Duration::from_secs(5));
        assert!(!QUEUE.flush(Duration::from_millis(10)));
        // Without somebody at the other end of this, nobody waits.
        drop(go_on);
        assert!(QUEUE.flush(Duration::from_secs(10)));
        QUEUE.add(b"last");
        assert!(QUEUE.flush(Duration::from_secs(10)));
        let lines: Vec<_> = lines.try_iter().collect();
        let (dropped, kept) = ("… 46 lines of the log were dropped\n".as_bytes(), line.as_slice());
        assert_eq!(lines, [kept, kept, kept, kept, dropped, b"last"]);
    }
}
