//! The printer: takes prints, filters, renders, and writes them to two streams in order.

#[cfg(test)]
mod tests;

use std::{
    borrow::Cow,
    fmt,
    io::{self, Write},
    sync::{Mutex, MutexGuard, PoisonError},
};

use serde_json::{Map, Value};

use crate::{
    Channel, ControlSequences, OutputMode, Print, Settings, StreamSettings, Styles, Trust,
    channel::Stream, format, sanitize,
};

/// Writes what the user reads. It can be shared between threads; one print is never split.
///
/// Where a stream is a terminal, each print is flushed as it is written, since somebody is waiting
/// for it. Where it is a file or a pipe, call [`Printer::flush`] before the program ends.
pub struct Printer {
    settings: Settings,
    streams: Mutex<Streams>,
}

struct Streams {
    stdout: Box<dyn Write + Send>,
    stderr: Box<dyn Write + Send>,
    /// The stream that may hold text which has not left the program yet.
    last: Option<Stream>,
}

impl Printer {
    /// A printer over the two streams of the program, or over anything else in a test.
    pub fn new(
        settings: Settings,
        stdout: impl Write + Send + 'static,
        stderr: impl Write + Send + 'static,
    ) -> Self {
        Self {
            settings,
            streams: Mutex::new(Streams {
                stdout: Box::new(stdout),
                stderr: Box::new(stderr),
                last: None,
            }),
        }
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Whether a print on that channel would be seen, so that a caller can save itself the work.
    pub fn shows(&self, channel: Channel) -> bool {
        !self.settings.quiet || channel.survives_quiet()
    }

    /// Prints, or drops the print where `--quiet` asks for that.
    ///
    /// When the reader of a pipe has gone away the error is of kind
    /// [`BrokenPipe`](io::ErrorKind::BrokenPipe), which is a reason to stop and not to complain.
    pub fn print(&self, print: Print<'_>) -> io::Result<()> {
        if !self.shows(print.channel) {
            return Ok(());
        }
        let stream = print.channel.stream();
        let shown = self.stream_settings(stream);
        let text = match self.settings.output {
            OutputMode::Text => format::render(&print, &self.settings, shown),
            OutputMode::Json => Cow::Owned(self.json_line(&print)),
        };
        self.lock().write(stream, &text, shown.width.is_some())
    }

    /// Writes a result that is already in the form it was asked for in: lines of JSON, a script, a
    /// path. It goes to stdout in every output mode, and to a program as it is; on a terminal it is
    /// cleaned like everything else.
    pub fn data(&self, text: &str) -> io::Result<()> {
        let is_terminal = self.settings.stdout.width.is_some();
        let text = if is_terminal { sanitize(text, Styles::Strip) } else { Cow::Borrowed(text) };
        self.lock().write(Stream::Stdout, &text, is_terminal)
    }

    /// Sends out what the streams still hold. Both are tried, and the first error is returned.
    pub fn flush(&self) -> io::Result<()> {
        let mut streams = self.lock();
        let stdout = streams.stdout.flush();
        let stderr = streams.stderr.flush();
        streams.last = None;
        stdout.and(stderr)
    }

    fn stream_settings(&self, stream: Stream) -> StreamSettings {
        match stream {
            Stream::Stdout => self.settings.stdout,
            Stream::Stderr => self.settings.stderr,
        }
    }

    /// One object on one line. Styles are removed even from our own text: a program reads this.
    fn json_line(&self, print: &Print<'_>) -> String {
        let opted_out = self.settings.control_sequences == ControlSequences::Keep;
        let clean = |text| match print.trust {
            Trust::Untrusted if opted_out => Cow::Borrowed(text),
            Trust::Ours | Trust::Untrusted => sanitize(text, Styles::Strip),
        };
        let mut object = Map::new();
        let mut put = |key: &str, value: Cow<'_, str>| {
            object.insert(key.to_owned(), Value::String(value.into_owned()));
        };
        put("channel", Cow::Borrowed(print.channel.as_str()));
        put("format", Cow::Borrowed(print.format.as_str()));
        if let Some(language) = print.language {
            put("language", clean(language));
        }
        put("text", clean(print.text));
        format!("{}\n", Value::Object(object))
    }

    /// A thread that panicked while printing left a line unfinished, and nothing worse.
    fn lock(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Printer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Printer").field("settings", &self.settings).finish_non_exhaustive()
    }
}

impl Streams {
    /// Writes to one stream after the other has let go of what it held, so that a terminal showing
    /// both shows them in the order printed.
    ///
    /// A failure of the other stream is reported after the write: when stdout is closed, an error
    /// message must still reach stderr.
    fn write(&mut self, stream: Stream, text: &str, flush: bool) -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let other = match self.last.replace(stream) {
            Some(last) if last != stream => self.writer(last).flush(),
            _ => Ok(()),
        };
        let writer = self.writer(stream);
        writer.write_all(text.as_bytes())?;
        if flush {
            writer.flush()?;
        }
        other
    }

    fn writer(&mut self, stream: Stream) -> &mut dyn Write {
        match stream {
            Stream::Stdout => &mut self.stdout,
            Stream::Stderr => &mut self.stderr,
        }
    }
}
