//! Events of `tracing` as messages for the log of the host.
//!
//! The layer is made first, before there is a host to write to, and [`Plugin::logs`] connects it; what
//! was logged until then is kept and written in its order. It waits for no other thread, see [`crate::logs`];
//! but who logs while nobody else writes does the writing, and waits if the pipe to the host is full.

use std::{
    fmt::{self, Write as _},
    sync::{Arc, OnceLock, Weak},
};

use jp_plugin::{Level, Log};
use serde_json::{Map, Value};
use tracing::{Event, Subscriber, field::Field};
use tracing_subscriber::{Layer, layer::Context};

use crate::{logs::Logs, outbox::Outbox, plugin::Plugin};

/// The most characters of one text that is logged.
const LONGEST: usize = 64 * 1024;

/// Sends what is logged to the host. Copies are the same layer.
///
/// ```no_run
/// use jp_plugin_sdk::{LogLayer, Plugin};
/// use tracing_subscriber::prelude::*;
///
/// let layer = LogLayer::new();
/// tracing_subscriber::registry().with(layer.clone()).init();
/// let plugin = Plugin::new("serve", "0.1.0", "Serve conversations").logs(&layer);
/// plugin.run(|_| {
///     tracing::info!(port = 3141, "listening");
///     Ok(())
/// });
/// ```
#[derive(Debug, Clone, Default)]
pub struct LogLayer {
    logs: Arc<Logs>,
    outbox: Arc<OnceLock<Weak<Outbox>>>,
    everything: bool,
}

impl LogLayer {
    /// A layer that sends what the user wants to see, as `init.log_level` says.
    pub fn new() -> Self {
        Self::default()
    }

    /// The same layer, whatever the user wants to see: the host has a file for the rest.
    #[must_use]
    pub fn everything(self) -> Self {
        Self { everything: true, ..self }
    }

    pub(crate) fn connect(&self, outbox: &Arc<Outbox>) {
        let _ = self.outbox.set(Arc::downgrade(outbox));
        outbox.flush_logs();
    }
}

impl Plugin {
    /// Sends what this layer gets to the log of the host.
    #[must_use]
    pub fn logs(mut self, layer: &LogLayer) -> Self {
        self.logs = Arc::clone(&layer.logs);
        self.logs_everything = layer.everything;
        self.layer = Some(layer.clone());
        self
    }
}

impl<S: Subscriber> Layer<S> for LogLayer {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut seen = Seen::default();
        event.record(&mut seen);
        let metadata = event.metadata();
        seen.fields.entry("target").or_insert_with(|| metadata.target().into());
        let level = level(*metadata.level());
        self.logs.push(Log { level, message: seen.message, fields: seen.fields });
        if let Some(outbox) = self.outbox.get().and_then(Weak::upgrade) {
            outbox.flush_logs();
        }
    }
}

fn level(level: tracing::Level) -> Level {
    match level {
        tracing::Level::ERROR => Level::Error,
        tracing::Level::WARN => Level::Warn,
        tracing::Level::INFO => Level::Info,
        tracing::Level::DEBUG => Level::Debug,
        tracing::Level::TRACE => Level::Trace,
    }
}

/// What is in an event.
#[derive(Default)]
struct Seen {
    message: String,
    fields: Map<String, Value>,
}

impl Seen {
    fn text(&mut self, field: &Field, text: String) {
        if field.name() == "message" {
            self.message = text;
        } else {
            self.fields.insert(field.name().to_owned(), text.into());
        }
    }

    fn value(&mut self, field: &Field, value: Value) {
        self.fields.insert(field.name().to_owned(), value);
    }
}

impl tracing::field::Visit for Seen {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let mut text = Bounded::default();
        let _ = write!(text, "{value:?}");
        self.text(field, text.0);
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let mut text = Bounded::default();
        let _ = text.write_str(value);
        self.text(field, text.0);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.value(field, value.into());
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.value(field, value.into());
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.value(field, value.into());
    }

    fn record_f64(&mut self, field: &Field, value: f64) {
        self.value(field, value.into());
    }
}

/// A text that takes no more than it can hold.
#[derive(Default)]
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = LONGEST.saturating_sub(self.0.len());
        let kept = text.floor_char_boundary(room.min(text.len()));
        self.0.push_str(&text[..kept]);
        // Whoever writes on is told to stop.
        if kept < text.len() { Err(fmt::Error) } else { Ok(()) }
    }
}
