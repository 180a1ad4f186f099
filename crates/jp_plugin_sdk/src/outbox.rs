//! The way to the host: one line at a time, whoever writes it.

use std::{
    fmt,
    io::{self, Write},
    sync::{Arc, Mutex, PoisonError, TryLockError},
};

use jp_plugin::{MAX_LINE, PluginToHost, count_values};

use crate::{error::RequestError, logs::Logs};

/// Writes lines. Any thread may, at any time.
pub(crate) struct Outbox {
    writer: Mutex<Box<dyn Write + Send>>,
    logs: Arc<Logs>,
}

impl Outbox {
    pub(crate) fn new(writer: impl Write + Send + 'static, logs: Arc<Logs>) -> Self {
        Self { writer: Mutex::new(Box::new(writer)), logs }
    }

    /// Writes a message, after what was logged before it.
    pub(crate) fn send(&self, message: &PluginToHost) -> Result<(), RequestError> {
        let mut line = serde_json::to_vec(message).map_err(RequestError::Json)?;
        if line.len() > MAX_LINE {
            return Err(RequestError::TooLong(line.len()));
        }
        if count_values(&line).is_none() {
            return Err(RequestError::TooMany);
        }
        line.push(b'\n');
        let written = {
            let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
            let before = self.logs.write_to(&mut **writer);
            before.and_then(|()| writer.write_all(&line)).and_then(|()| writer.flush())
        };
        self.flush_logs();
        written.map_err(closed)
    }

    /// Writes what was logged, unless somebody is writing at this moment, who does it then.
    ///
    /// Nothing is forgotten between two threads: who logs puts the line into the queue before it tries
    /// to get the writer, and who has the writer gives it back before it looks into the queue again.
    pub(crate) fn flush_logs(&self) {
        while !self.logs.is_empty() {
            let mut writer = match self.writer.try_lock() {
                Ok(writer) => writer,
                Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => return,
            };
            if self.logs.write_to(&mut **writer).is_err() {
                return;
            }
        }
    }
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").field("logs", &self.logs).finish_non_exhaustive()
    }
}

fn closed(error: io::Error) -> RequestError {
    match error.kind() {
        io::ErrorKind::BrokenPipe => RequestError::Closed,
        _ => RequestError::Write(error),
    }
}
