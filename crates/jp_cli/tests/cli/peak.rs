//! How much memory the program needs.
#![expect(clippy::disallowed_methods, reason = "tests look at processes")]

use std::{
    fs, thread,
    time::{Duration, Instant},
};

use jp_test::{Output, Run};

/// How long a run may take whose memory is looked at.
const LIMIT: Duration = Duration::from_mins(3);

/// The most that jp held at a time, in kibibytes, and what it printed.
pub(super) fn peak(run: Run<'_>) -> (u64, Output) {
    let running = run.timeout(LIMIT).spawn();
    let status = format!("/proc/{}/status", running.id());
    let watcher = thread::spawn(move || {
        let (mut peak, start) = (0, Instant::now());
        // The kernel keeps the peak, so it is enough to have looked shortly before the end.
        while start.elapsed() < LIMIT {
            let text = fs::read_to_string(&status).unwrap_or_default();
            let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let Some(line) = line else { break };
            let number = line.split_whitespace().next().and_then(|number| number.parse().ok());
            peak = peak.max(number.unwrap_or(0));
            thread::sleep(Duration::from_millis(2));
        }
        peak
    });
    let output = running.wait();
    (watcher.join().expect("looking at a file does not fail"), output)
}
