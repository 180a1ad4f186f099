//! Lines for the log that wait to be written.
//!
//! A library may log at any moment: before there is a host to write to, and while another line is just
//! being written, even on the same thread. So logging never waits for the writer: a line is put into this
//! queue, and whoever can have the writer empties it. The danger is a host that does not read. Whoever has
//! the writer then waits until it does; the others go on, the queue has an end, and what does not fit is
//! counted instead of kept.

use std::{
    collections::VecDeque,
    io::{self, Write},
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
};

use jp_plugin::{Level, Log, PluginToHost};
use serde_json::Map;

/// How many bytes can wait.
pub(crate) const MOST: usize = 1 << 20;

/// The queue.
#[derive(Debug, Default)]
pub(crate) struct Logs(Mutex<Queue>);

#[derive(Debug, Default)]
struct Queue {
    lines: VecDeque<(Level, Vec<u8>)>,
    bytes: usize,
    dropped: u64,
    /// What is not wanted, once that is known.
    most: Option<Level>,
}

impl Logs {
    /// Puts a message into the queue. Nobody is woken: see [`crate::outbox::Outbox::flush_logs`].
    // Without the layer nothing is ever queued; the queue is then empty and costs nothing.
    #[cfg_attr(
        not(feature = "tracing"),
        expect(dead_code, reason = "only the layer puts something in")
    )]
    pub(crate) fn push(&self, log: Log) {
        let level = log.level;
        if self.queue().is_too_much(level) {
            return;
        }
        // Written before the queue is locked again: what is logged may itself log when it is written.
        let line = line(log);
        let mut queue = self.queue();
        match line {
            Some(line) if queue.bytes + line.len() <= MOST => {
                queue.bytes += line.len();
                queue.lines.push_back((level, line));
            }
            _ => queue.dropped += 1,
        }
    }

    /// Says what is wanted; the rest of what waits is thrown away when it is written.
    pub(crate) fn limit(&self, most: Level) {
        self.queue().most = Some(most);
    }

    pub(crate) fn is_empty(&self) -> bool {
        let queue = self.queue();
        queue.lines.is_empty() && queue.dropped == 0
    }

    /// Writes all that waits, in the order in which it came.
    pub(crate) fn write_to(&self, writer: &mut dyn Write) -> io::Result<()> {
        let queue = {
            let mut queue = self.queue();
            let most = queue.most;
            mem::replace(&mut *queue, Queue { most, ..Queue::default() })
        };
        for (level, line) in &queue.lines {
            if !queue.is_too_much(*level) {
                writer.write_all(line)?;
            }
        }
        if queue.dropped > 0 {
            let message = format!("{} messages of the log were dropped", queue.dropped);
            let log = Log { level: Level::Warn, message, fields: Map::new() };
            writer.write_all(&line(log).unwrap_or_default())?;
        }
        writer.flush()
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Queue {
    fn is_too_much(&self, level: Level) -> bool {
        self.most.is_some_and(|most| level > most)
    }
}

fn line(log: Log) -> Option<Vec<u8>> {
    let mut line = serde_json::to_vec(&PluginToHost::Log(log)).ok()?;
    line.push(b'\n');
    Some(line)
}
